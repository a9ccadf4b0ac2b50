"""Explanations: trees that add up to the scores of a ranking."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from porism import catalog
from porism.collection.sample import sample_duplicates, sample_topics
from porism.formats.topic_links import read_topic_links
from porism.formats.topics import read_topics
from porism.inverted import Filter
from porism.model import DocId, Ranking, Task, Topic
from porism.rank import vector_ranking
from porism.rank.explanations import NOT_FOUND, Explanation, largest_details, nodes, summed
from porism.rank.filters import PostFilter
from porism.rank.fusion import Combination, CombMnz, CombSum, Fuse, ReciprocalRanks, z_scores
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Ranker
from porism.rank.rerank import Rerank
from porism.rank.systems.answer_weights import shipped_weights
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder

TOLERANCE = 1e-5  # scores are 32-bit numbers
LOWERED = "lowered to stay below equal scores"


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    """The sample with vectors."""
    links = read_topic_links(sample_duplicates())
    with open_index(hash_index, duplicates=links) as opened:
        yield opened


def topics_of(task: Task, count: int = 3) -> list[Topic]:
    return list(read_topics(sample_topics(task)))[:count]


def check(ranker: Ranker, topic: Topic, k: int = 1000, within: Filter | None = None) -> Ranking:
    """Check the explanations of the top 10 and of some documents at greater depth."""
    ranking = ranker.rank(topic, k, within)
    hits = [*ranking[:10], *ranking[10::97], *ranking[-1:]]
    explanations = ranker.explain(topic, [hit.doc_id for hit in hits], within)
    assert len(explanations) == len(hits)
    for hit, explanation in zip(hits, explanations, strict=True):
        assert explanation.value == pytest.approx(hit.score, rel=TOLERANCE), (topic.id, hit)
        for node in nodes(explanation):
            total = sum(detail.value for detail in node.details)
            assert not node.details or node.value == pytest.approx(total, rel=1e-9, abs=1e-12)
            if node.label == LOWERED:
                # Equal scores of 0 become the smallest numbers below it.
                assert abs(node.value) < max(1e-3 * abs(hit.score), 1e-30)
    return ranking


CASES = [(name, task) for name, system in catalog.SYSTEMS.items() for task in system.makers]


@pytest.mark.parametrize(("name", "task"), CASES, ids=lambda each: str(each))
def test_explanations_add_up_to_the_scores_of_every_system(
    name: str, task: Task, search_index: SearchIndex
) -> None:
    ranker = catalog.ranker(name, task, search_index)
    rankings = [check(ranker, topic) for topic in topics_of(task)]
    assert any(rankings)
    check(ranker, topics_of(task)[0], 20, PostFilter(since=2012).index_filter())


def test_explanations_of_porism_without_vectors_add_up(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    ranker = catalog.ranker("porism", Task.ANSWERS, search_index)
    for topic in topics_of(Task.ANSWERS):
        assert check(ranker, topic)


@pytest.mark.parametrize("name", ["porism", "tangent-l-proximity"])
def test_documents_below_the_reranked_ones_are_explained(
    name: str, search_index: SearchIndex
) -> None:
    ranker = catalog.ranker(name, Task.ANSWERS, search_index)
    assert isinstance(ranker, Rerank)
    for topic in topics_of(Task.ANSWERS):
        assert len(check(replace(ranker, depth=7), topic, 100)) > 7


def test_formulas_below_the_reranked_ones_are_explained(search_index: SearchIndex) -> None:
    ranker = catalog.ranker("porism", Task.FORMULAS, search_index)
    assert isinstance(ranker, FirstOccurrences)
    assert isinstance(ranker.formula_ranker, Rerank)
    shallow = replace(ranker, formula_ranker=replace(ranker.formula_ranker, depth=5))
    for topic in topics_of(Task.FORMULAS):
        assert check(shallow, topic, 400)


@pytest.mark.parametrize("by", [ReciprocalRanks(), CombSum(), CombSum(z_scores), CombMnz()])
def test_fusions_are_explained_by_what_each_system_adds(
    by: Combination, search_index: SearchIndex
) -> None:
    systems = tuple(
        catalog.ranker(name, Task.ANSWERS, search_index) for name in ("l8", "porism", "linked")
    )
    fused = Fuse(systems, (0.5, 0.3, 0.2), by)
    for topic in topics_of(Task.ANSWERS):
        ranking = check(fused, topic)
        assert len(fused.explain(topic, [ranking[0].doc_id])[0].details) == 3


def test_terms_are_explained_by_field_with_count_and_frequency(search_index: SearchIndex) -> None:
    topic = topics_of(Task.ANSWERS)[0]
    ranker = catalog.ranker("porism", Task.ANSWERS, search_index)
    (explanation,) = ranker.explain(topic, [ranker.rank(topic, 1)[0].doc_id])
    labels = [node.label for node in nodes(explanation)]
    assert labels[0] == "first stage and re-ranking"
    assert "terms in field words" in labels
    weights = shipped_weights().with_vectors
    assert any(
        label.startswith("formula similarity, ") and label.endswith(f"weight {weights.formulas:g}")
        for label in labels
    )
    assert f"cosine with the question, weight {weights.question_vector:g}" in labels
    assert f"cosine with the answer, weight {weights.answer_vector:g}" in labels
    assert any("(×" in label and "documents)" in label for label in labels)


def test_a_document_that_is_not_found_has_no_score(search_index: SearchIndex) -> None:
    topic = topics_of(Task.ANSWERS)[0]
    for name in ("porism", "tangent-l-proximity", "linked"):
        ranker = catalog.ranker(name, Task.ANSWERS, search_index)
        unknown = DocId(ranker.rank(topic, 1)[0].doc_id + "0")
        assert ranker.explain(topic, [unknown]) == [NOT_FOUND]


def test_systems_name_the_tokens_that_they_search_with(search_index: SearchIndex) -> None:
    topic = topics_of(Task.ANSWERS)[0]
    linked = catalog.ranker("linked", Task.ANSWERS, search_index)
    l8 = catalog.ranker("l8", Task.ANSWERS, search_index)
    assert linked.tokens(topic) is None
    assert l8.tokens(topic)
    assert Fuse((linked, l8)).tokens(topic) == l8.tokens(topic)
    assert Fuse((linked,)).tokens(topic) is None


def test_the_largest_details_come_first_and_the_others_are_summed_up() -> None:
    tree = summed("all", (Explanation(str(value), float(value)) for value in (1, -5, 3, 2)))
    shown, others = largest_details(tree, 2)
    assert [detail.label for detail in shown] == ["-5", "3"]
    assert others == Explanation("2 others", 3.0)
    assert largest_details(tree, 3)[1] is None  # one other is shown itself
