"""Formulas by visual id."""

from pathlib import Path

from porism.collection.formulas.occurrences import first_layouts, first_occurrences, occurrences
from porism.collection.formulas.visual_groups import visual_formulas
from porism.collection.store import open_collection
from tests.collection.small_site import ingested_site


def test_an_id_that_is_not_a_number_has_no_occurrences(tmp_path: Path) -> None:
    with open_collection(ingested_site(tmp_path)) as collection:
        assert first_occurrences(collection, ["66?7", "", "9" * 30]) == {}
        assert first_layouts(collection, ["66?7", "", "9" * 30]) == {}
        assert list(occurrences(collection, "66?7")) == []


def test_layouts_are_those_of_the_first_formulas_in_posts(tmp_path: Path) -> None:
    with open_collection(ingested_site(tmp_path)) as collection:
        expected = {}
        for each in visual_formulas(collection):
            formula = collection.formula(each.formula)
            assert formula is not None
            if each.is_in_post:
                expected[each.visual_id] = formula.layout()
        every = [each.visual_id for each in visual_formulas(collection)]
        assert expected
        assert first_layouts(collection, every) == expected
