"""Approach0 on the sample: explained scores, filters, wildcards, answers, bounded queries."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from porism.catalog import ranker
from porism.collection.sample import sample_topics
from porism.formats.topics import read_topics
from porism.inverted import Filter
from porism.model import Formula, Task, Topic, TopicId
from porism.rank.explanations import NOT_FOUND
from porism.rank.structure.approach0 import FormulaStructures, StructureAnswers
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.structure import sector_search


@pytest.fixture(scope="module")
def search_index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


def topic(latex: str) -> Topic:
    return Topic(TopicId("B.1"), focus=Formula("q_1", latex))


@pytest.mark.parametrize("task", [Task.ANSWERS, Task.FORMULAS])
def test_explanations_equal_the_scores(search_index: SearchIndex, task: Task) -> None:
    system = ranker("approach0", task, search_index)
    for each in list(read_topics(sample_topics(task)))[:3]:
        hits = system.rank(each, 5)
        assert hits
        explained = system.explain(each, [hit.doc_id for hit in hits])
        values = [explanation.value for explanation in explained]
        assert values == pytest.approx([hit.score for hit in hits], rel=1e-5)


def test_fewer_results_are_the_first_of_more(search_index: SearchIndex) -> None:
    system = FormulaStructures(search_index)
    for each in list(read_topics(sample_topics(2)))[:4]:
        assert system.rank(each, 3) == system.rank(each, 200)[:3]


def test_filter_of_documents_is_kept(search_index: SearchIndex) -> None:
    system = FormulaStructures(search_index)
    query = next(iter(read_topics(sample_topics(2))))
    hits = system.rank(query, 10)
    within = Filter(documents=frozenset(hit.doc_id for hit in hits[3:6]))
    assert system.rank(query, 10, within) == hits[3:6]
    assert system.explain(query, [hits[0].doc_id], within) == [NOT_FOUND]


def test_wildcards_alone_find_nothing(search_index: SearchIndex) -> None:
    system = ranker("approach0", Task.FORMULAS, search_index)
    for latex in ("?x", r"\frac{?x}{?y}"):
        assert system.rank(topic(latex), 10) == ()


@pytest.mark.parametrize("latex", ["x", "{" * 500, "+".join(["x^2"] * 700), ""])
def test_odd_queries_are_bounded(search_index: SearchIndex, latex: str) -> None:
    system = FormulaStructures(search_index)
    assert len(system.rank(topic(latex), 10)) <= 10
    assert isinstance(system.tokens(topic(latex)), tuple)


def test_formulas_of_a_question_have_shares(search_index: SearchIndex) -> None:
    system = ranker("approach0", Task.ANSWERS, search_index)
    assert isinstance(system, StructureAnswers)
    for each in list(read_topics(sample_topics(1)))[:3]:
        chosen = system.query(each)
        assert len(chosen) <= system.count
        assert sum(query.share for query in chosen) == pytest.approx(1.0 if chosen else 0.0)


@pytest.mark.parametrize("guess", [None, 1e9])
def test_a_guessed_score_changes_no_ranking(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch, guess: float | None
) -> None:
    """A right guess saves work, and after one that is too high the search is repeated."""
    system = FormulaStructures(search_index)
    topics = list(read_topics(sample_topics(2)))[:6]
    expected = [system.rank(each, 40) for each in topics]
    guesses: list[float] = []
    guessed_score = sector_search._guessed_score

    def noted(search: Any, seeds: Any, total: int) -> float:
        guesses.append(guessed_score(search, seeds, total) if guess is None else guess)
        return guesses[-1] if total else 0.0

    monkeypatch.setattr(sector_search, "SEED_ROWS", 64)
    monkeypatch.setattr(sector_search, "GUESS_DEPTH", 1)
    monkeypatch.setattr(sector_search, "_guessed_score", noted)
    assert [system.rank(each, 40) for each in topics] == expected
    assert any(guesses)
