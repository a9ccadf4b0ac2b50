"""Answers to similar questions, against a slow reference over all answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from porism.catalog import ranker, ranking_notes
from porism.collection.sample import sample_topics
from porism.embed import ModelIdentity
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.inverted import Filter
from porism.model import Hit, Ranking, Task, Topic, plain_text, ranked
from porism.rank.question_matching import similar_questions
from porism.rank.question_matching.similar_questions import qq_qa
from porism.searchindex import text_encoders
from porism.searchindex.components.vector_index import question_text
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.model_roles import ModelRole
from tests.searchindex.hash_encoder import HashEncoder

SYSTEMS = ("dprl-qq-qa", "dprl-qq-qa-amr", "dprl-qq-votes", "dprl-svm", "dprl-rrf")


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


def topics() -> list[Topic]:
    return list(read_topics(sample_topics(1)))


def reference(
    search_index: SearchIndex, encoder: HashEncoder, topic: Topic, by_votes: bool
) -> Ranking:
    """Both cosines, or the votes, of every answer, from the texts."""

    def vector(text: str) -> NDArray[np.float32]:
        tokens = encoder.token_spans(text, 100)
        cut = text[tokens[0][0] : tokens[-1][1]] if tokens else ""
        made: NDArray[np.float32] = encoder.encode([cut])[0]
        return made

    query = vector(question_text(topic.title, topic.body))
    hits: list[Hit] = []
    for doc_id in search_index.answers.doc_ids():
        post = search_index.collection.post(doc_id)
        parent = search_index.collection.post(post.parent_id) if post.parent_id else post
        body = parent.body if post.parent_id else ()
        question = max(0.0, float(vector(question_text(parent.title, body)) @ query))
        if by_votes:
            factor = 1 + log(1 + max(0, post.score or 0))
        else:
            factor = max(0.0, float(vector(plain_text(post.body).strip()) @ query))
        hits.append(Hit(post.id, question * factor))
    return ranked(hits)


@pytest.mark.parametrize("name", ["dprl-qq-qa", "dprl-qq-votes"])
def test_rankings_equal_the_reference(
    name: str, search_index: SearchIndex, hash_encoder: HashEncoder
) -> None:
    system = ranker(name, Task.ANSWERS, search_index)
    for topic in topics()[:2]:
        expected = reference(search_index, hash_encoder, topic, name == "dprl-qq-votes")
        scores = {hit.doc_id: hit.score for hit in expected}
        ranking = system.rank(topic, 50)
        # Stored vectors are rounded.
        assert [hit.score for hit in ranking] == pytest.approx(
            [scores[hit.doc_id] for hit in ranking], abs=0.03
        )
        assert ranking[0].score == pytest.approx(expected[0].score, abs=0.03)
        assert ranking == tuple(sorted(ranking, key=lambda hit: -hit.score))


@pytest.mark.parametrize("name", SYSTEMS)
def test_scores_are_explained_and_filters_honoured(name: str, search_index: SearchIndex) -> None:
    system = ranker(name, Task.ANSWERS, search_index)
    topic = topics()[1]
    ranking = system.rank(topic, 15)
    doc_ids = [hit.doc_id for hit in ranking]
    explained = system.explain(topic, doc_ids)
    assert [each.value for each in explained] == pytest.approx(
        [hit.score for hit in ranking], rel=1e-4, abs=1e-7
    )
    wanted = frozenset(doc_ids[3:6])
    assert {hit.doc_id for hit in system.rank(topic, 15, Filter(documents=wanted))} == wanted
    assert system.tokens(topic) is None
    assert system.rank(topic, 3) == ranking[:3]
    assert system.rank(replace(topic, title=(), body=()), 3) == ()


IDENTITY = ModelIdentity("length", "0", 1, "classifier", "float32")


@dataclass
class LengthCrossEncoder:
    """Scores a pair by the length of its answer."""

    identity: ModelIdentity = IDENTITY

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        return np.array([len(answer) / 500 - 1 for _, answer in pairs], np.float32)


def test_a_cross_encoder_takes_the_place_of_the_cosine(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        SearchIndex, "model", lambda self, role: "m" if role is ModelRole.CROSS_ENCODER else None
    )
    monkeypatch.setattr(text_encoders, "open_cross_encoder", lambda model: LengthCrossEncoder())
    text_encoders._opened_cross_encoder.cache_clear()
    monkeypatch.setattr(similar_questions, "CROSS_DEPTH", 10)
    system = qq_qa(search_index)
    topic = topics()[0]
    candidates = system.first.rank(topic, 30)
    ranking = system.rank(topic, 30)
    expected = {}
    for hit in candidates[:10]:
        text = plain_text(search_index.collection.post(hit.doc_id).body).strip()
        expected[hit.doc_id] = hit.score / (1 + exp(1 - len(text) / 500))
    assert {hit.doc_id: hit.score for hit in ranking[:10]} == pytest.approx(expected, abs=1e-4)
    assert [hit.doc_id for hit in ranking[10:]] == [hit.doc_id for hit in candidates[10:]]
    explained = system.explain(topic, [hit.doc_id for hit in ranking])
    assert [each.value for each in explained] == pytest.approx(
        [hit.score for hit in ranking], rel=1e-4
    )
    text_encoders._opened_cross_encoder.cache_clear()


def test_notes_name_the_models_that_an_index_lacks(search_index: SearchIndex) -> None:
    (note,) = ranking_notes("dprl-qq-qa", Task.ANSWERS, search_index)
    assert "cross-encoder" in note
    assert len(ranking_notes("dprl-qq-qa-amr", Task.ANSWERS, search_index)) == 2
    assert ranking_notes("dprl-svm", Task.ANSWERS, search_index) == ()


def test_an_index_without_vectors_is_refused(sample_index: Path) -> None:
    with open_index(sample_index) as opened:
        for name in SYSTEMS:
            if opened.vectors is None:
                with pytest.raises(PorismError, match="vectors"):
                    ranker(name, Task.ANSWERS, opened)
