"""Formulas by visual id."""

from pathlib import Path

from porism.collection.store import open_collection
from porism.collection.visual_formulas import first_occurrences, occurrences
from tests.collection.small_site import ingested_site


def test_an_id_that_is_not_a_number_has_no_occurrences(tmp_path: Path) -> None:
    with open_collection(ingested_site(tmp_path)) as collection:
        assert first_occurrences(collection, ["66?7", "", "9" * 30]) == {}
        assert list(occurrences(collection, "66?7")) == []
