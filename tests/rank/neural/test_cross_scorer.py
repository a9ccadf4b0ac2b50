"""Re-ranking by a cross-encoder: what is scored, in which order, and within which time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from porism import deadlines
from porism.catalog import ranker
from porism.collection.sample import sample_topics
from porism.embed import ModelIdentity
from porism.formats.topics import read_topics
from porism.hashing import text_key
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Task, Topic, TopicId, plain_text
from porism.rank.explanations import Explanation
from porism.rank.neural.cross_scorer import CrossEncoderScorer
from porism.rank.neural.pair_scores import BATCH, PairScores, TimeBudget
from porism.rank.neural.thread_texts import TopicText
from porism.rank.rerank import NOT_SCORED, Rerank
from porism.searchindex import text_encoders
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.embed.tiny_models import write_cross_encoder

IDENTITY = ModelIdentity("hash", "0123", 1, "classifier", "float32")


@dataclass
class HashCrossEncoder:
    """Scores between 0 and 100, the same on every machine; ``scored`` are the pairs."""

    identity: ModelIdentity = IDENTITY
    scored: list[tuple[str, str]] = field(default_factory=list)

    def scores(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        self.scored += pairs
        return np.array([text_key("\n".join(pair)) % 1000 / 10 for pair in pairs], np.float32)


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[HashCrossEncoder]:
    """In place of every cross-encoder."""
    made = HashCrossEncoder()
    monkeypatch.setattr(text_encoders, "open_cross_encoder", lambda model: made)
    text_encoders._opened_cross_encoder.cache_clear()
    yield made
    text_encoders._opened_cross_encoder.cache_clear()


@pytest.fixture
def search_index(hash_index: Path) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


@pytest.fixture
def topic() -> Topic:
    return next(iter(read_topics(sample_topics(1))))


@pytest.fixture
def hits(search_index: SearchIndex, topic: Topic) -> Ranking:
    return ranker("l8", Task.ANSWERS, search_index).rank(topic, 40)


def one_batch() -> TimeBudget:
    """Two seconds by a clock that is a second later whenever it is read: time for one batch."""
    return TimeBudget(2.0, count(0.0, 1.0).__next__)


def test_the_model_reads_the_topic_and_the_answer(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    scores = CrossEncoderScorer(search_index, "model").scores(topic, hits)
    question = f"{plain_text(topic.title).strip()}\n{plain_text(topic.body).strip()}"
    answers = [plain_text(search_index.collection.post(hit.doc_id).body).strip() for hit in hits]
    assert encoder.scored == [(question, answer) for answer in answers]
    expected = HashCrossEncoder().scores(encoder.scored)
    assert scores.tolist() == pytest.approx(expected.tolist())


def test_the_question_of_the_thread_comes_before_the_answer(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    scorer = CrossEncoderScorer(search_index, "model", has_question=True, query=TopicText.TAGGED)
    scorer.scores(topic, hits[:1])
    ((query, text),) = encoder.scored
    answer = search_index.collection.post(hits[0].doc_id)
    parent = search_index.collection.post(answer.parent_id or DocId(""))
    assert query == TopicText.TAGGED.of(topic)
    assert text.startswith(plain_text(parent.title).strip())
    assert text.endswith(plain_text(answer.body).strip())


def test_documents_beyond_the_time_budget_keep_their_order_below_the_others(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    scorer = CrossEncoderScorer(search_index, "model", one_batch())
    scores = scorer.scores(topic, hits).tolist()
    assert len(encoder.scored) == BATCH < len(hits)
    assert min(scores[:BATCH]) > max(scores[BATCH:])
    assert sorted(scores[BATCH:], reverse=True) == scores[BATCH:]
    assert len(set(scores[BATCH:])) == len(hits) - BATCH


def test_what_was_left_is_scored_by_the_next_call(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    scorer = CrossEncoderScorer(search_index, "model", one_batch())
    reranked = Rerank(FixedRanker(hits), scorer, len(hits))
    for batches in (1, 2):
        rest = [hit.doc_id for hit in reranked.rank(topic, 40)[batches * BATCH :]]
        assert rest == [hit.doc_id for hit in hits[batches * BATCH :]]
        assert len(encoder.scored) == batches * BATCH


def test_without_time_nothing_is_scored(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    scorer = CrossEncoderScorer(search_index, "model", TimeBudget(0.0))
    ranked = Rerank(FixedRanker(hits), scorer, len(hits)).rank(topic, 40)
    assert [hit.doc_id for hit in ranked] == [hit.doc_id for hit in hits]
    assert encoder.scored == []


def test_a_pair_is_scored_once(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    scorer = CrossEncoderScorer(search_index, "model")
    first = scorer.scores(topic, hits[:20]).tolist()
    assert scorer.scores(topic, hits).tolist()[:20] == first
    assert len(encoder.scored) == len(set(encoder.scored)) == len(hits)
    scorer.scores(Topic(TopicId("other"), topic.title), hits[:1])
    assert len(encoder.scored) == len(hits) + 1


def test_only_so_many_scores_are_remembered() -> None:
    memory = PairScores(limit=2)
    memory.update(1, {DocId("a"): 1.0, DocId("b"): None})
    memory.update(1, {DocId("a"): 3.0})
    memory.update(2, {DocId("a"): 2.0})
    assert memory.of(1, [DocId("a"), DocId("b"), DocId("c")]) == {DocId("a"): 3.0}
    assert memory.of(2, [DocId("a")]) == {DocId("a"): 2.0}


def test_the_deadline_of_a_request_is_honoured(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    cancelled = deadlines.Deadline(None)
    cancelled.cancel()
    with deadlines.limited(cancelled), pytest.raises(deadlines.Cancelled):
        CrossEncoderScorer(search_index, "model").scores(topic, hits)
    assert encoder.scored == []


def test_documents_that_were_not_scored_are_explained_as_the_rest(
    search_index: SearchIndex, encoder: HashCrossEncoder, topic: Topic, hits: Ranking
) -> None:
    scorer = CrossEncoderScorer(search_index, "model", one_batch())
    first = Rerank(FixedRanker(hits), scorer, len(hits))
    scorer.scores(topic, hits)
    explained = scorer.explain(topic, hits)
    assert explained[0].label == "cross-encoder, question with answer"
    assert [each is NOT_SCORED for each in explained] == [False] * BATCH + [True] * (40 - BATCH)
    last = first.explain(topic, [hits[-1].doc_id])[0]
    assert last.label.startswith("below all re-ranked documents")


def test_no_hits_have_no_scores(search_index: SearchIndex, topic: Topic) -> None:
    scorer = CrossEncoderScorer(search_index, "no such model")
    assert scorer.scores(topic, ()).tolist() == []
    assert list(scorer.explain(topic, ())) == []


def test_the_model_of_a_folder_is_opened_once(
    search_index: SearchIndex,
    topic: Topic,
    hits: Ranking,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_cross_encoder(tmp_path / "model")
    scorer = CrossEncoderScorer(search_index, str(tmp_path / "model"))
    assert "model" in repr(scorer)
    scores = scorer.scores(topic, hits)
    assert np.isfinite(scores).all()
    (tmp_path / "model" / "config.json").unlink()
    again = CrossEncoderScorer(search_index, str(tmp_path / "model"))
    np.testing.assert_array_equal(again.scores(topic, hits), scores)


@dataclass(frozen=True)
class FixedRanker:
    """A first stage with one ranking."""

    hits: tuple[Hit, ...]

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return self.hits[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> list[Explanation]:
        return [NOT_SCORED for _ in doc_ids]

    def tokens(self, topic: Topic) -> None:
        return None
