"""Late interaction: token by token, with a cache of the vectors of texts."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from porism.catalog import ranker
from porism.collection.sample import sample_topics
from porism.formats.topics import read_topics
from porism.model import DocId, Hit, Task, Topic, TopicId
from porism.rank import late_interaction
from porism.rank.late_interaction import MaxSimScorer, TokenVectorCache, max_sim
from porism.rank.rerank import Rerank
from porism.searchindex.components.vector_index import question_text
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


@pytest.fixture
def scorer(search_index: SearchIndex) -> MaxSimScorer:
    system = ranker("minilm-maxsim", Task.ANSWERS, search_index)
    assert isinstance(system, Rerank)
    assert isinstance(system.scorer, MaxSimScorer)
    return system.scorer


def test_the_best_token_of_a_text_counts_for_each_of_the_query() -> None:
    text = np.array([[1, 0], [0.6, 0.8]], np.float16)
    assert max_sim(np.array([[1, 0]], np.float32), text) == 1.0
    assert max_sim(np.array([[-1, 0]], np.float32), text) == pytest.approx(-0.6, abs=1e-3)


def test_a_text_or_query_without_tokens_has_no_similarity() -> None:
    row, nothing = np.ones((1, 2), np.float32), np.zeros((0, 2), np.float32)
    assert max_sim(nothing, row.astype(np.float16)) == 0.0
    assert max_sim(row, nothing.astype(np.float16)) == 0.0


def test_texts_are_encoded_once_and_the_oldest_go() -> None:
    encoder = HashEncoder()
    cache = TokenVectorCache(limit=2 * 24 * 2)  # two tokens of 24 components
    first = cache.of(["one", "two", "one"], encoder)
    assert encoder.encoded == ["one", "two"]
    assert first[0].tolist() == first[2].tolist()
    cache.of(["one"], encoder)
    cache.of(["three"], encoder)  # in place of two, which was not used as lately
    cache.of(["one", "three"], encoder)
    assert encoder.encoded == ["one", "two", "three"]
    cache.of(["two"], encoder)
    assert encoder.encoded == ["one", "two", "three", "two"]


def test_more_texts_than_the_cache_holds_are_all_returned() -> None:
    encoder = HashEncoder()
    texts = [f"word{number}" for number in range(200)]
    rows = TokenVectorCache(limit=1).of(texts, encoder)
    expected = [each.astype(np.float16).tolist() for each in encoder.token_vectors(texts)]
    assert [each.tolist() for each in rows] == expected


def test_long_texts_are_not_kept_themselves() -> None:
    cache = TokenVectorCache()
    text = "a long text " * 400_000
    cache.of([text], HashEncoder())
    assert all(isinstance(key, int) for key in cache._known)


def test_threads_share_a_cache() -> None:
    cache = TokenVectorCache(limit=2000)
    texts = [f"word{number}" for number in range(100)]
    expected = [rows.tolist() for rows in TokenVectorCache().of(texts, HashEncoder())]

    def vectors(_: int) -> list[object]:
        return [rows.tolist() for rows in cache.of(texts, HashEncoder())]

    with ThreadPoolExecutor(4) as pool:
        assert all(each == expected for each in pool.map(vectors, range(8)))
    assert cache._size == sum(rows.nbytes for rows in cache._known.values()) <= 2000


def test_the_score_is_the_mean_of_question_and_answer(
    scorer: MaxSimScorer, search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_interaction, "BATCH", 3)
    topic = next(iter(read_topics(sample_topics(1))))
    hits = ranker("minilm", Task.ANSWERS, search_index).rank(topic, 5)
    encoder, collection = HashEncoder(), search_index.collection
    (query,) = encoder.token_vectors([question_text(topic.title, topic.body)])
    for hit, score in zip(hits, scorer.scores(topic, hits).tolist(), strict=True):
        post = collection.post(hit.doc_id)
        question = collection.post(post.parent_id or "")
        texts = [question_text(question.title, question.body), question_text((), post.body)]
        similarities = [
            (query @ rows.T).max(axis=1).mean() for rows in encoder.token_vectors(texts)
        ]
        assert score == pytest.approx(np.mean(similarities), abs=1e-3)


def test_no_candidates_and_no_text_have_no_score(
    scorer: MaxSimScorer, search_index: SearchIndex
) -> None:
    topic = Topic(TopicId("A.1"), ("sums",))
    assert scorer.scores(topic, ()).tolist() == []
    assert list(scorer.explain(topic, ())) == []
    doc_id = DocId(min(search_index.answers.doc_ids()))
    assert scorer.scores(Topic(TopicId("A.1")), (Hit(doc_id, 1.0),)).tolist() == [0.0]
