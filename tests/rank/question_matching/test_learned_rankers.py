"""Learned rankers of answers: their features, their weights, and the files of these."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from porism.catalog import ranker, ranking_notes
from porism.collection.answer_facts import AnswerFacts, answer_facts
from porism.collection.sample import sample_topics
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.model import DocId, Task, Topic, TopicId
from porism.rank.question_matching.answer_features import AnswerFactFeatures, shared_tags
from porism.rank.question_matching.ranker_weights import (
    FEATURES,
    REGRESSION,
    SVM,
    RankerWeights,
    parsed_ranker_weights,
    ranker_weights,
    shipped_ranker_weights,
)
from porism.rank.rerank import Rerank
from porism.rank.systems.tangent_l import TANGENT_L_2020
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder

OWN = RankerWeights(REGRESSION, {"shared tags": 0.5, "votes": 0.25, "reputation": -1.0})


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


def topic() -> Topic:
    return next(read_topics(sample_topics(1)))


def test_features_are_the_facts_of_answers(search_index: SearchIndex) -> None:
    doc_ids = [DocId("237"), DocId("239")]
    names = ("shared tags", "votes", "accepted", "reputation", "comments", "length")
    table = AnswerFactFeatures(search_index, names).of(topic(), doc_ids)
    for row, facts in zip(
        table.tolist(), answer_facts(search_index.collection, doc_ids), strict=True
    ):
        tags = set(topic().tags)
        assert facts.votes is not None
        assert facts.reputation is not None
        assert row == pytest.approx(
            [
                len(tags & facts.tags) / len(tags),
                math.copysign(math.log1p(abs(facts.votes)), facts.votes),
                float(facts.is_accepted),
                math.log1p(facts.reputation),
                math.log1p(facts.comments),
                math.log1p(facts.characters),
            ]
        )


def test_negative_votes_keep_their_sign_and_missing_facts_are_0() -> None:
    facts = [AnswerFacts(votes=-3, tags=frozenset({"a"})), AnswerFacts()]
    assert shared_tags(Topic(TopicId("A.1"), tags=("a", "b")), facts).tolist() == [0.5, 0.0]
    assert shared_tags(Topic(TopicId("A.1")), facts).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("system", FEATURES)
def test_shipped_weights_are_complete_and_say_what_they_were_learned_from(system: str) -> None:
    weights = shipped_ranker_weights(system)
    assert tuple(weights.weights) == FEATURES[system]
    assert weights.training["scores"]
    assert weights.training["sets"]


def test_an_index_may_have_weights_of_its_own(search_index: SearchIndex) -> None:
    assert ranker_weights(search_index, REGRESSION) == shipped_ranker_weights(REGRESSION)
    state = search_index._state
    manifest = replace(state.manifest, ranker_weights={REGRESSION: OWN.record()})
    with SearchIndex(search_index.folder, state=state._replace(manifest=manifest)) as own:
        assert ranker_weights(own, REGRESSION) == OWN
        assert ranker_weights(own, SVM) == shipped_ranker_weights(SVM)


def test_regression_adds_the_weighted_facts_to_the_scaled_first_score(
    search_index: SearchIndex,
) -> None:
    system = ranker(REGRESSION, Task.ANSWERS, search_index)
    assert isinstance(system, Rerank)
    first = TANGENT_L_2020.make(search_index).rank(topic(), 1000)
    weights = shipped_ranker_weights(REGRESSION).weights
    features = AnswerFactFeatures(search_index, FEATURES[REGRESSION])
    table = features.of(topic(), [hit.doc_id for hit in first])
    added = table @ np.array([weights[name] for name in FEATURES[REGRESSION]])
    expected = {
        hit.doc_id: hit.score / first[0].score + more
        for hit, more in zip(first, added.tolist(), strict=True)
    }
    ranking = system.rank(topic(), 20)
    assert {hit.doc_id: hit.score for hit in ranking} == pytest.approx(
        {hit.doc_id: expected[hit.doc_id] for hit in ranking}, abs=1e-5
    )
    explained = system.explain(topic(), [hit.doc_id for hit in ranking])
    assert [each.value for each in explained] == pytest.approx(
        [hit.score for hit in ranking], rel=1e-5
    )
    assert ranking_notes(REGRESSION, Task.ANSWERS, search_index) == ()


def test_weights_survive_writing() -> None:
    assert parsed_ranker_weights(OWN.record(), "w.json") == OWN


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a file of weights"),
        ({"version": 2}, "has version 2"),
        ({"system": "porism"}, "has weights for 'porism'"),
        ({"weights": {"votes": 1}}, "expected a weight for each of the features shared tags"),
        ({"weights": []}, "expected a weight for each"),
        ({"weights": {**OWN.weights, "votes": "many"}}, "the weight of votes is 'many'"),
        ({"weights": {**OWN.weights, "votes": math.inf}}, "the weight of votes is inf"),
    ],
)
def test_wrong_weights_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(PorismError, match=message):
        parsed_ranker_weights({**OWN.record(), **change}, "w.json")


@pytest.mark.parametrize("record", [None, [], "text", 3])
def test_what_is_no_record_is_refused(record: object) -> None:
    with pytest.raises(PorismError, match="not a file of weights"):
        parsed_ranker_weights(record, "w.json")
