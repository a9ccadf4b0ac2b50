"""Rankings by vectors: exact cosines, filters, and indexes that cannot be searched so."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier

import numpy as np
import pytest

from porism.catalog import ranker
from porism.collection.sample import sample_topics
from porism.embed import first_window, open_encoder
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.model import DocId, Task, Topic, TopicId
from porism.rank import vector_ranking
from porism.rank.explanations import NOT_FOUND
from porism.rank.filters import PostFilter
from porism.rank.fusion import min_max
from porism.rank.ranker import Ranker
from porism.rank.vector_ranking import (
    VectorRanker,
    VectorScorer,
    topic_vector,
    usable_vectors,
    vector_obstacle,
)
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import (
    WINDOWS,
    DocumentVectors,
    question_text,
)
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder

EMPTY = Topic(TopicId("A.0"))


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


def topics(count: int) -> list[Topic]:
    return list(read_topics(sample_topics(1)))[:count]


def vectors_of(search_index: SearchIndex) -> DocumentVectors:
    vectors = search_index.vectors
    assert vectors is not None
    return vectors


def numpy_cosines(search_index: SearchIndex, topic: Topic, kind: TextKind) -> dict[DocId, float]:
    """The cosine of each document, from the texts of the collection; windows are 100 tokens."""
    encoder = HashEncoder()
    collection = search_index.collection

    def beginning(text: str) -> str:
        return text[: encoder.token_spans(text, 100)[-1][1]]

    (query,) = encoder.encode([beginning(question_text(topic.title, topic.body))])
    doc_ids = sorted(search_index.answers.doc_ids())
    posts = [collection.post(doc_id) for doc_id in doc_ids]
    if kind is TextKind.ANSWER:
        texts = [question_text((), post.body) for post in posts]
    else:
        parents = [collection.post(post.parent_id or "") for post in posts]
        texts = [question_text(post.title, post.body) for post in parents]
    rows = encoder.encode([beginning(text) for text in texts])
    return dict(zip(map(DocId, doc_ids), (rows @ query).tolist(), strict=True))


@pytest.mark.parametrize(
    ("name", "question", "answer"),
    [("minilm", 0.5, 0.5), ("minilm-questions", 1.0, 0.0), ("minilm-answers", 0.0, 1.0)],
)
def test_a_ranking_equals_the_cosines_of_numpy(
    name: str, question: float, answer: float, search_index: SearchIndex
) -> None:
    system = ranker(name, Task.ANSWERS, search_index)
    for topic in topics(2):
        of_questions = numpy_cosines(search_index, topic, TextKind.QUESTION)
        of_answers = numpy_cosines(search_index, topic, TextKind.ANSWER)
        expected = {
            doc: question * of_questions[doc] + answer * of_answers[doc] for doc in of_answers
        }
        ranking = system.rank(topic, len(expected))
        assert {hit.doc_id for hit in ranking} == set(expected)
        # Vectors are stored as bytes, which moves a cosine by less than 0.01.
        assert [hit.score for hit in ranking] == pytest.approx(
            [expected[hit.doc_id] for hit in ranking], abs=0.01
        )


@pytest.mark.slow
def test_minilm_ranks_by_the_cosines_of_the_model(sample_index: Path) -> None:
    encoder = open_encoder("minilm")
    topic = topics(1)[0]
    with open_index(sample_index) as search_index:
        collection = search_index.collection
        ranking = ranker("minilm", Task.ANSWERS, search_index).rank(topic, 1000)
        for hit in (*ranking[:5], *ranking[-5:]):
            post = collection.post(hit.doc_id)
            parent = collection.post(post.parent_id or "")
            texts = (
                question_text(topic.title, topic.body),
                question_text(parent.title, parent.body),
                question_text((), post.body),
            )
            beginnings = [first_window(text, encoder, WINDOWS) for text in texts]
            query, question, answer = encoder.encode(beginnings)
            assert hit.score == pytest.approx((query @ question + query @ answer) / 2, abs=0.01)


def test_hybrid_is_the_scaled_mixture_of_its_parts(search_index: SearchIndex) -> None:
    for topic in topics(2):
        parts: list[dict[DocId, float]] = []
        for name in ("l8", "minilm"):
            ranking = ranker(name, Task.ANSWERS, search_index).rank(topic, 1000)
            scaled = min_max([hit.score for hit in ranking])
            parts.append({hit.doc_id: each for hit, each in zip(ranking, scaled, strict=True)})
        lexical, dense = parts
        for hit in ranker("hybrid", Task.ANSWERS, search_index).rank(topic, 1000):
            expected = 0.3 * lexical.get(hit.doc_id, 0.0) + 0.7 * dense.get(hit.doc_id, 0.0)
            assert hit.score == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("name", ["minilm", "minilm-maxsim", "hybrid", "porism"])
def test_filters_hold_for_documents_that_vectors_find(name: str, search_index: SearchIndex) -> None:
    system = ranker(name, Task.ANSWERS, search_index)
    within = PostFilter(since=2014).index_filter()
    assert within is not None
    allowed = set(search_index.answers.doc_ids(within))
    assert 0 < len(allowed) < search_index.answers.documents
    for topic in topics(2):
        found = {hit.doc_id for hit in system.rank(topic, 1000, within)}
        assert found
        assert found <= allowed


@pytest.mark.parametrize("name", ["minilm", "minilm-maxsim", "hybrid", "porism"])
def test_a_topic_without_text_finds_nothing(name: str, search_index: SearchIndex) -> None:
    system = ranker(name, Task.ANSWERS, search_index)
    assert system.rank(EMPTY, 10) == ()
    assert [each.value for each in system.explain(EMPTY, [DocId("1")])] == [0.0]


def test_fewer_documents_than_the_depth_are_all_ranked_and_k_cuts(
    search_index: SearchIndex,
) -> None:
    system = ranker("minilm", Task.ANSWERS, search_index)
    topic = topics(1)[0]
    everything = system.rank(topic, 10**6)
    assert len(everything) == search_index.answers.documents
    assert system.rank(topic, 3) == everything[:3]
    assert system.rank(topic, 0) == ()


def test_a_shallow_search_has_the_same_scores(search_index: SearchIndex) -> None:
    system = VectorRanker(search_index.answers, vectors_of(search_index))
    topic = topics(1)[0]
    scores = {hit.doc_id: hit.score for hit in system.rank(topic, 1000)}
    shallow = replace(system, depth=5).rank(topic, 5)
    assert len(shallow) == 5
    assert all(hit.score == scores[hit.doc_id] for hit in shallow)


def test_a_document_that_is_not_in_the_index_is_not_explained(search_index: SearchIndex) -> None:
    system = ranker("minilm", Task.ANSWERS, search_index)
    assert system.explain(topics(1)[0], [DocId("none")]) == [NOT_FOUND]
    assert system.tokens(topics(1)[0]) is None


def test_a_document_without_a_text_has_the_cosine_0(search_index: SearchIndex) -> None:
    scorer = VectorScorer(vectors_of(search_index), TextKind.QUESTION)
    assert scorer.of_documents(topics(1)[0], [DocId("none")]).tolist() == [0.0]
    assert scorer.of_documents(topics(1)[0], []).tolist() == []


def test_a_topic_of_five_megabytes_is_encoded_by_its_beginning(
    search_index: SearchIndex, hash_encoder: HashEncoder
) -> None:
    topic = Topic(TopicId("A.9"), ("How long",), ("is a very long question " * 220_000,))
    vector = topic_vector(vectors_of(search_index), topic)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-5)
    assert max(map(len, hash_encoder.encoded)) < 1000
    assert ranker("minilm", Task.ANSWERS, search_index).rank(topic, 1)


def test_a_question_is_encoded_once(search_index: SearchIndex, hash_encoder: HashEncoder) -> None:
    topic = Topic(TopicId("A.9"), ("A question that no other test asks",))
    ranker("porism", Task.ANSWERS, search_index).rank(topic, 10)
    assert len(hash_encoder.encoded) == 1


def test_threads_share_a_ranker(search_index: SearchIndex) -> None:
    system: Ranker = ranker("porism", Task.ANSWERS, search_index)
    many = topics(4)
    expected = [system.rank(topic, 50) for topic in many]
    together = Barrier(len(many))

    def rank(topic: Topic) -> object:
        together.wait()
        return system.rank(topic, 50)

    with ThreadPoolExecutor(len(many)) as pool:
        assert list(pool.map(rank, many)) == expected


def test_vectors_of_a_model_that_is_not_installed_are_not_used(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert vector_obstacle(search_index) is None
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    assert usable_vectors(search_index) is None
    with pytest.raises(PorismError, match="has vectors by minilm, which is not installed here"):
        ranker("minilm", Task.ANSWERS, search_index)


def test_vectors_that_are_not_complete_are_not_used(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_of(search_index), "is_complete", False)
    assert "does not have all vectors yet; porism index" in str(vector_obstacle(search_index))
    monkeypatch.setattr(vectors_of(search_index), "identity", None)
    assert "has no vectors; porism index" in str(vector_obstacle(search_index))


def test_searching_with_another_model_is_refused(
    search_index: SearchIndex, hash_encoder: HashEncoder
) -> None:
    hash_encoder.identity = replace(hash_encoder.identity, digest="other")
    with pytest.raises(PorismError, match=r"vectors were made with hash .* the installed model is"):
        ranker("minilm", Task.ANSWERS, search_index).rank(topics(1)[0], 1)
