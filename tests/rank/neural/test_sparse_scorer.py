"""Re-ranking by learned-sparse terms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from porism.catalog import ranker
from porism.collection.sample import sample_topics
from porism.embed import ModelIdentity
from porism.formats.topics import read_topics
from porism.model import Task, Topic
from porism.rank.neural.pair_scores import BATCH, TimeBudget
from porism.rank.neural.sparse_scorer import SparseScorer, TermCache
from porism.rank.neural.thread_texts import TopicText, thread_texts
from porism.rank.rerank import NOT_SCORED
from porism.searchindex import text_encoders
from porism.searchindex.index_folder import open_index

IDENTITY = ModelIdentity("words", "0123", 1000, "max", "float32")


@dataclass
class WordEncoder:
    """A term for each word, with its length as weight; ``encoded`` are the texts."""

    identity: ModelIdentity = IDENTITY
    encoded: list[str] = field(default_factory=list)

    def terms(self, texts: Sequence[str]) -> list[Mapping[str, float]]:
        self.encoded += texts
        return [{word: float(len(word)) for word in text.split()} for text in texts]


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> WordEncoder:
    """In place of every learned-sparse encoder."""
    made = WordEncoder()
    monkeypatch.setattr(text_encoders, "open_sparse_encoder", lambda model: made)
    text_encoders._opened_sparse_encoder.cache_clear()
    return made


@pytest.fixture
def topic() -> Topic:
    return next(iter(read_topics(sample_topics(1))))


def products(query: str, text: str) -> float:
    return float(sum(len(word) ** 2 for word in set(query.split()) & set(text.split())))


def test_the_score_is_the_mean_of_question_and_answer(
    hash_index: Path, encoder: WordEncoder, topic: Topic
) -> None:
    with open_index(hash_index) as search_index:
        hits = ranker("l8", Task.ANSWERS, search_index).rank(topic, 20)
        scorer = SparseScorer(search_index, "model")
        scores = scorer.scores(topic, hits)
        query = TopicText.QUESTION.of(topic)
        expected = [
            (products(query, question) + products(query, answer)) / 2
            for question, answer in thread_texts(search_index, [hit.doc_id for hit in hits])
        ]
        assert scores.tolist() == pytest.approx(expected)
        assert any(expected)
        assert len(encoder.encoded) == len(set(encoder.encoded)), "each text is encoded once"
        explained = scorer.explain(topic, hits)
        assert [each.value for each in explained] == pytest.approx(expected)
        assert scorer.scores(topic, ()).tolist() == []
    text_encoders._opened_sparse_encoder.cache_clear()


def test_documents_beyond_the_time_budget_are_left(
    hash_index: Path, encoder: WordEncoder, topic: Topic
) -> None:
    with open_index(hash_index) as search_index:
        hits = ranker("l8", Task.ANSWERS, search_index).rank(topic, 20)
        budget = TimeBudget(2.0, count(0.0, 1.0).__next__)
        scorer = SparseScorer(search_index, "model", budget)
        scores = scorer.scores(topic, hits).tolist()
        assert min(scores[:BATCH]) > max(scores[BATCH:])
        assert all(each is NOT_SCORED for each in scorer.explain(topic, hits)[BATCH:])
    text_encoders._opened_sparse_encoder.cache_clear()


def test_the_terms_of_the_oldest_texts_go() -> None:
    encoder, cache = WordEncoder(), TermCache(limit=2)
    both = {"a": 1, "bc": 2}
    assert cache.of(["a bc", "a", "a bc"], encoder) == [both, {"a": 1}, both]
    cache.of(["b"], encoder)
    cache.of(["a bc", "a"], encoder)
    assert encoder.encoded == ["a bc", "a", "b", "a"]
