"""The catalog: systems by name and task."""

from pathlib import Path

import pytest

from porism.catalog import SYSTEMS, default_ranker, ranker
from porism.errors import PorismError
from porism.model import Task
from porism.searchindex.index_folder import open_index


def test_a_system_has_no_maker_for_a_task_it_does_not_do() -> None:
    assert SYSTEMS["l8"].maker(Task.SHORT_ANSWERS) is None
    assert SYSTEMS["linked"].maker(Task.FORMULAS) is None
    assert SYSTEMS["l8"].maker(Task.FORMULAS) is not SYSTEMS["l8"].maker(Task.ANSWERS)


def test_a_task_that_a_system_does_not_do_is_refused(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        with pytest.raises(PorismError, match="l8 does not do Task 3; these do: passage"):
            ranker("l8", Task.SHORT_ANSWERS, search_index)
        with pytest.raises(PorismError, match="linked does not do Task 2; these do: tfidf"):
            ranker("linked", Task.FORMULAS, search_index)


def test_the_default_ranker_is_the_best_system_or_the_named_one(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        assert default_ranker(Task.ANSWERS, search_index)[0] == "porism"
        name, chosen = default_ranker(Task.ANSWERS, search_index, "l8")
        assert (name, chosen) == ("l8", ranker("l8", Task.ANSWERS, search_index))
