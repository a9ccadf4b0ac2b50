"""Weights of porism learned from judged topics: known weights, sets, folds, and candidates."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from porism.collection.sample import sample_qrels, sample_topics
from porism.errors import PorismError
from porism.lab import answer_learning
from porism.lab.answer_learning import (
    MIN_LEXICAL,
    TrainingTopic,
    held_out_rankings,
    judged_here,
    learn_answer_weights,
    learned_weights,
    training_topics,
    weighted_ranking,
)
from porism.lab.pools.topic_posts import ExcludedPosts
from porism.lab.topic_sets import TopicSet, TopicSetFiles, read_topic_set
from porism.model import DocId, Qrels, Topic, TopicId
from porism.rank.systems.answer_weights import (
    AnswerWeights,
    FeatureWeights,
    parsed_weights,
    shipped_weights,
)
from porism.rank.systems.porism_answers import (
    AnswerFeatures,
    FeatureTable,
    WithNearest,
    weighted_answers,
)
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder

DOCUMENTS = 60
TRUE = FeatureWeights(0.1, 0.8, 1.6, 0.2)
"""The weights by which relevant documents are picked; question vectors count most."""


def synthetic(
    number: int,
    set_name: str = "lab",
    weights: FeatureWeights = TRUE,
    sharpness: float = 8.0,
    has_vectors: bool = True,
) -> TrainingTopic:
    """A topic with random features whose relevant documents are drawn by known weights."""
    generator = np.random.default_rng(number)
    words, tuples = generator.gamma(2.0, 4.0, (2, DOCUMENTS))
    formulas, questions, answers = generator.uniform(0, 1, (3, DOCUMENTS))
    table = FeatureTable(
        tuple(DocId(str(doc)) for doc in range(DOCUMENTS)),
        words,
        tuples,
        formulas,
        questions if has_vectors else None,
        answers if has_vectors else None,
    )
    values = np.array([1.0, weights.formulas, weights.question_vector, weights.answer_vector])
    columns = table.columns(weights.tuples, has_vectors)
    odds = np.exp(sharpness * columns @ values[: columns.shape[1]])
    relevant = generator.choice(DOCUMENTS, 5, replace=False, p=odds / odds.sum())
    picks = np.zeros(DOCUMENTS)
    picks[relevant] = 0.2
    return TrainingTopic(set_name, TopicId(f"{set_name}.{number}"), table, picks)


def many(count: int, set_name: str = "lab", weights: FeatureWeights = TRUE) -> list[TrainingTopic]:
    return [synthetic(number, set_name, weights) for number in range(count)]


def poisoned(topic: TrainingTopic) -> TrainingTopic:
    """The topic with the worst documents judged relevant."""
    picks = np.zeros(DOCUMENTS)
    worst = [int(hit.doc_id) for hit in weighted_ranking(topic, TRUE)[-5:]]
    picks[worst] = 0.2
    return replace(topic, picks=picks)


def ids(topics: Sequence[TrainingTopic]) -> list[TopicId]:
    return [topic.topic_id for topic in topics]


def test_known_weights_are_recovered() -> None:
    learned = learned_weights(many(150), with_vectors=True)
    assert learned.tuples == pytest.approx(TRUE.tuples, abs=0.05)
    assert learned.formulas == pytest.approx(TRUE.formulas, rel=0.2)
    assert learned.question_vector == pytest.approx(TRUE.question_vector, rel=0.2)
    assert learned.answer_vector == pytest.approx(TRUE.answer_vector, abs=0.15)
    assert learned.question_vector > learned.formulas > learned.answer_vector


def test_weights_without_vectors_are_those_of_the_other_features() -> None:
    topics = [
        synthetic(number, weights=FeatureWeights(0.3, 0.8), has_vectors=False)
        for number in range(100)
    ]
    learned = learned_weights(topics, with_vectors=False)
    assert (learned.question_vector, learned.answer_vector) == (0.0, 0.0)
    assert learned.formulas == pytest.approx(0.8, rel=0.25)


def test_learning_is_deterministic_and_independent_of_the_order_of_topics() -> None:
    topics = many(20)
    learned = learned_weights(topics, with_vectors=True)
    assert learned_weights(topics, with_vectors=True) == learned
    backwards = learned_weights(topics[::-1], with_vectors=True)
    assert backwards.question_vector == pytest.approx(learned.question_vector, rel=1e-2)


def test_weights_are_not_negative() -> None:
    against = [
        replace(topic, table=replace(topic.table, formulas=1 - topic.table.formulas))
        for topic in many(60, weights=FeatureWeights(0.3, 2.0, 0.5, 0.5))
    ]
    learned = learned_weights(against, with_vectors=True)
    assert learned.formulas == 0.0
    assert min(learned.tuples, learned.question_vector, learned.answer_vector) >= 0


def test_words_that_mislead_keep_a_small_weight() -> None:
    topics = [
        replace(topic, table=replace(topic.table, words=1 - topic.picks, tuples=1 - topic.picks))
        for topic in many(30, weights=FeatureWeights(0.3, 0.0, 5.0, 0.0))
    ]
    learned = learned_weights(topics, with_vectors=True)
    assert learned.question_vector == pytest.approx(1 / MIN_LEXICAL)
    assert parsed_weights(AnswerWeights(learned, learned).record(), "here").with_vectors == learned


def test_features_that_do_not_tell_documents_apart_have_finite_weights() -> None:
    same = np.ones(DOCUMENTS)
    table = FeatureTable(synthetic(0).table.doc_ids, same, same, same, same, same)
    learned = learned_weights([replace(synthetic(0), table=table)], with_vectors=True)
    assert parsed_weights(AnswerWeights(learned, learned).record(), "here").with_vectors == learned


@pytest.mark.parametrize("share", [0.02, 0.3])
def test_the_share_of_tuples_is_recovered(share: float) -> None:
    topics = [
        replace(topic, table=replace(topic.table, tuples=5 * topic.table.tuples))
        for topic in many(80, weights=FeatureWeights(5 * share / (1 + 4 * share), 0.2, 0.2, 0.2))
    ]
    learned = learned_weights(topics, with_vectors=True).tuples
    assert learned == pytest.approx(share, abs=0.02 + share / 3)


def test_every_set_counts_the_same_however_many_topics_it_has() -> None:
    few = many(10, "few", FeatureWeights(0.3, 2.0, 0.1, 0.1))
    more = many(10, "more", FeatureWeights(0.3, 0.1, 2.0, 0.1))
    both = learned_weights([*few, *more], with_vectors=True)
    repeated = [
        replace(topic, topic_id=TopicId(f"{topic.topic_id}.{at}"))
        for topic in more
        for at in range(9)
    ]
    again = learned_weights([*few, *repeated], with_vectors=True)
    assert again.formulas == pytest.approx(both.formulas, rel=0.01)
    assert again.question_vector == pytest.approx(both.question_vector, rel=0.01)
    as_one_set = [replace(topic, set_name="one") for topic in (*few, *repeated)]
    pooled = learned_weights(as_one_set, with_vectors=True)
    assert pooled.question_vector > 1.5 * both.question_vector


def test_every_topic_of_a_set_counts_the_same_however_many_judgments_it_has() -> None:
    topics = many(10)
    assert {round(float(topic.picks.sum()), 9) for topic in topics} == {1.0}


def test_held_out_topics_have_no_influence_on_the_weights_of_their_fold() -> None:
    topics = many(12)
    folds = {"1": ids(topics[:4]), "2": ids(topics[4:8]), "3": ids(topics[8:])}
    rankings = held_out_rankings(topics, folds, with_vectors=True)
    assert set(rankings) == set(ids(topics))
    bad = [poisoned(topic) if topic in topics[4:8] else topic for topic in topics]
    changed = held_out_rankings(bad, folds, with_vectors=True)
    for topic in topics[4:8]:
        assert changed[topic.topic_id] == rankings[topic.topic_id]
    assert any(
        changed[topic.topic_id] != rankings[topic.topic_id] for topic in (*topics[:4], *topics[8:])
    )


def test_whole_sets_are_held_out_if_there_are_several_to_learn_from() -> None:
    lab, links = many(6, "lab"), many(6, "links")
    folds = {"1": ids([*lab[:3], *links[:3]]), "2": ids([*lab[3:], *links[3:]])}
    own = shipped_weights()
    learned = learn_answer_weights([*lab, *links], own, folds)
    bad = learn_answer_weights([*lab, *map(poisoned, links)], own, folds)
    for topic in links:
        assert bad.other_sets[topic.topic_id] == learned.other_sets[topic.topic_id]
    assert bad.weights != learned.weights
    assert learned.unchanged[lab[0].topic_id] == weighted_ranking(lab[0], own.with_vectors)
    one = learn_answer_weights(lab, own, {"1": ids(lab[:3]), "2": ids(lab[3:])})
    assert one.other_sets == {}
    silent = [replace(topic, picks=0 * topic.picks) for topic in links]
    assert learn_answer_weights([*lab, *silent], own, folds).other_sets == {}


def test_without_vectors_the_weights_for_vectors_stay() -> None:
    topics = [synthetic(number, has_vectors=False) for number in range(8)]
    folds = {"1": ids(topics[:4]), "2": ids(topics[4:])}
    learned = learn_answer_weights(topics, shipped_weights(), folds)
    assert learned.weights.with_vectors == shipped_weights().with_vectors
    assert learned.weights.without_vectors != shipped_weights().without_vectors
    assert learned.unchanged[topics[0].topic_id] == weighted_ranking(
        topics[0], shipped_weights().without_vectors
    )


def test_topics_without_relevant_candidates_teach_nothing_but_are_ranked() -> None:
    topics = many(8)
    silent = replace(synthetic(99), picks=np.zeros(DOCUMENTS))
    assert learned_weights([*topics, silent], True) == learned_weights(topics, True)
    folds = {"1": ids([*topics[:4], silent]), "2": ids(topics[4:])}
    assert len(held_out_rankings([*topics, silent], folds, True)[silent.topic_id]) == DOCUMENTS
    with pytest.raises(PorismError, match="nothing to learn from: none of 1 topics"):
        learned_weights([silent], True)


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


@pytest.fixture(scope="module")
def sample() -> TopicSet:
    return read_topic_set(TopicSetFiles(sample_topics(1), sample_qrels(1)), 1)


def first_topics(sample: TopicSet, count: int) -> TopicSet:
    return replace(sample, topics=sample.topics[:count])


def test_features_are_those_of_the_system(search_index: SearchIndex, sample: TopicSet) -> None:
    given = first_topics(sample, 3)
    weights = FeatureWeights(0.08, 0.5, 0.7, 0.2)
    system = weighted_answers(search_index, weights, search_index.vectors)
    for topic, trained in zip(
        given.topics, training_topics([given], search_index, lambda progress: None), strict=True
    ):
        expected = system.rank(topic, 2000)
        ranking = weighted_ranking(trained, weights)
        assert {hit.doc_id for hit in ranking} == {hit.doc_id for hit in expected}
        scores = {hit.doc_id: hit.score for hit in expected}
        assert [hit.score for hit in ranking] == pytest.approx(
            [scores[hit.doc_id] for hit in ranking], abs=1e-5
        )


def test_documents_that_only_vectors_find_are_candidates(
    search_index: SearchIndex, sample: TopicSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_learning, "AnswerFeatures", partial(AnswerFeatures, depth=5))
    system = weighted_answers(search_index, TRUE, search_index.vectors)
    assert isinstance(system.first, WithNearest)
    given = first_topics(sample, 1)
    (trained,) = training_topics([given], search_index, lambda progress: None)
    near = system.first.nearest.rank(given.topics[0], system.first.number)
    assert {hit.doc_id for hit in near} <= set(trained.table.doc_ids)


def test_posts_to_leave_out_are_not_among_the_candidates(
    search_index: SearchIndex, sample: TopicSet
) -> None:
    given = first_topics(sample, 1)
    topic = given.topics[0]
    (trained,) = training_topics([given], search_index, lambda progress: None)
    left_out = trained.table.doc_ids[:3]
    without = replace(given, leave_out=ExcludedPosts({topic.id: left_out}))
    (again,) = training_topics([without], search_index, lambda progress: None)
    assert again.table.doc_ids == trained.table.doc_ids[3:]


def test_grades_are_picked_in_proportion(search_index: SearchIndex, sample: TopicSet) -> None:
    topic = sample.topics[0]
    (trained,) = training_topics([first_topics(sample, 1)], search_index, lambda progress: None)
    first, second, third, fourth = trained.table.doc_ids[:4]
    grades = {first: 3, second: 2, third: 1, fourth: 0}
    given = TopicSet("own", (topic,), Qrels({topic.id: grades}))
    (own,) = training_topics([given], search_index, lambda progress: None)
    assert own.picks[:4] == pytest.approx([2 / 3, 1 / 3, 0, 0])
    assert own.picks[4:].sum() == 0


def test_a_topic_without_candidates_is_kept(search_index: SearchIndex) -> None:
    empty = Topic(TopicId("A.0"))
    given = TopicSet("own", (empty,), Qrels({empty.id: {DocId("1"): 3}}))
    (trained,) = training_topics([given], search_index, lambda progress: None)
    assert trained.table.doc_ids == ()
    assert weighted_ranking(trained, TRUE) == ()


def test_only_documents_of_the_index_are_judged(search_index: SearchIndex) -> None:
    here = DocId(min(search_index.answers.doc_ids()))
    gone = DocId("999999999")
    topics = tuple(Topic(TopicId(f"A.{number}")) for number in range(3))
    grades = {
        topics[0].id: {here: 2, gone: 3},
        topics[1].id: {gone: 3, here: 0},
        topics[2].id: {here: 1},
    }
    judged = judged_here(TopicSet("own", topics, Qrels(grades), unjudged=4), search_index)
    assert judged.topics == topics[:1]
    assert judged.qrels == Qrels({topics[0].id: {here: 2}})
    assert judged.unjudged == 6
