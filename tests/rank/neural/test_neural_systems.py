"""The systems of TU_DBS, MIRMU, Approach0 and MABOWDOR, with and without models of their own."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from porism.catalog import ranker, ranking_notes
from porism.collection.sample import sample_topics
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.model import Ranking, Task, Topic
from porism.rank import vector_ranking
from porism.rank.explanations import NOT_FOUND
from porism.rank.filters import PostFilter
from porism.rank.fusion import Fuse, min_max
from porism.rank.neural.cross_scorer import CrossEncoderScorer
from porism.rank.neural.rank_bands import BANDS
from porism.rank.neural.thread_texts import TopicText
from porism.rank.neural.wrapped_rankers import FirstHits, Rephrased
from porism.rank.rerank import Rerank
from porism.rank.systems.late_interaction import MaxSimScorer
from porism.rank.systems.vector_systems import minilm
from porism.searchindex import text_encoders
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.model_roles import ModelRole
from tests.embed.tiny_models import write_cross_encoder, write_sparse_encoder
from tests.searchindex.hash_encoder import HashEncoder

NAMES = (
    "tu-dbs",
    "mirmu-minilm-roberta",
    "approach0-colbert",
    "approach0-colbert-rerank",
    "mabowdor",
)


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


@pytest.fixture
def topic() -> Topic:
    return next(iter(read_topics(sample_topics(1))))


@pytest.fixture
def with_models(
    search_index: SearchIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SearchIndex]:
    """The index with a cross-encoder and a learned-sparse model."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    write_cross_encoder(tmp_path / "cross")
    write_sparse_encoder(tmp_path / "sparse")
    places = {
        ModelRole.CROSS_ENCODER: str(tmp_path / "cross"),
        ModelRole.SPARSE: str(tmp_path / "sparse"),
    }
    monkeypatch.setattr(SearchIndex, "model", lambda self, role: places.get(role))
    yield search_index
    text_encoders._opened_cross_encoder.cache_clear()
    text_encoders._opened_sparse_encoder.cache_clear()


def check(name: str, search_index: SearchIndex, topic: Topic) -> Ranking:
    """Rank with and without a filter; explanations add up to the scores."""
    system = ranker(name, Task.ANSWERS, search_index)
    ranking = system.rank(topic, 50)
    explained = system.explain(topic, [hit.doc_id for hit in ranking])
    for hit, explanation in zip(ranking, explained, strict=True):
        assert explanation.value == pytest.approx(hit.score, rel=1e-5, abs=1e-6)
    assert system.rank(topic, 7) == ranking[:7]
    within = PostFilter(since=2012).index_filter()
    recent = system.rank(topic, 50, within)
    assert search_index.answers.allowed([hit.doc_id for hit in recent], within).all()
    assert recent
    assert repr(system)
    return ranking


@pytest.mark.parametrize("name", NAMES)
def test_systems_rank_with_models_of_their_own(
    name: str, with_models: SearchIndex, topic: Topic
) -> None:
    assert check(name, with_models, topic) == ranker(name, Task.ANSWERS, with_models).rank(
        topic, 50
    )


@pytest.mark.parametrize("name", ["tu-dbs", "mirmu-minilm-roberta"])
def test_a_cross_encoder_is_used_if_the_index_has_one(name: str, with_models: SearchIndex) -> None:
    system = ranker(name, Task.ANSWERS, with_models)
    assert isinstance(system, Rerank)
    assert isinstance(system.scorer, CrossEncoderScorer)
    assert not ranking_notes(name, Task.ANSWERS, with_models)


@pytest.mark.parametrize("name", ["tu-dbs", "mirmu-minilm-roberta"])
def test_late_interaction_takes_the_place_of_a_cross_encoder(
    name: str, search_index: SearchIndex
) -> None:
    system = ranker(name, Task.ANSWERS, search_index)
    assert isinstance(system, Rerank)
    assert isinstance(system.scorer, MaxSimScorer)
    (note,) = ranking_notes(name, Task.ANSWERS, search_index)
    assert "cross-encoder" in note


def test_tu_dbs_needs_a_cross_encoder_or_vectors(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    with pytest.raises(PorismError, match="neither a cross-encoder nor vectors"):
        ranker("tu-dbs", Task.ANSWERS, search_index)


def test_tu_dbs_with_a_cross_encoder_needs_no_vectors(
    with_models: SearchIndex, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    assert ranker("tu-dbs", Task.ANSWERS, with_models).rank(topic, 3)


def test_answers_stay_within_their_bands(search_index: SearchIndex, topic: Topic) -> None:
    system = ranker("mirmu-minilm-roberta", Task.ANSWERS, search_index)
    assert isinstance(system, Rerank)
    first = [hit.doc_id for hit in system.first.rank(topic, 200)]
    final = [hit.doc_id for hit in system.rank(topic, 200)]
    assert first != final
    for start, end in pairwise(BANDS):
        assert set(first[start:end]) == set(final[start:end])
    assert first[BANDS[-1] :] == final[BANDS[-1] :]


def test_the_bi_encoder_of_mirmu_reads_the_tags(
    search_index: SearchIndex, hash_encoder: HashEncoder, topic: Topic
) -> None:
    system = Rephrased(minilm(search_index), TopicText.TAGGED)
    system.rank(replace(topic, title=("not ranked before",)), 5)
    assert any(
        "not ranked before sequences and series power series. " in text
        for text in hash_encoder.encoded
    )
    assert system.tokens(topic) is None


def test_late_interaction_adds_its_share_to_structure_search(
    search_index: SearchIndex, topic: Topic
) -> None:
    fused = ranker("approach0-colbert", Task.ANSWERS, search_index)
    assert isinstance(fused, Fuse)
    structure, late = (each.rank(topic, 1000) for each in fused.rankers)
    assert len(late) == 100
    expected = {hit.doc_id: 0.0 for hit in (*structure, *late)}
    for ranking in (structure, late):
        scores = min_max([hit.score for hit in ranking])
        for hit, score in zip(ranking, scores, strict=True):
            expected[hit.doc_id] += score / 2
    for hit in fused.rank(topic, 1000):
        assert hit.score == pytest.approx(expected[hit.doc_id], abs=1e-6)


def test_mabowdor_without_a_sparse_model_has_the_published_weights(
    search_index: SearchIndex,
) -> None:
    fused = ranker("mabowdor", Task.ANSWERS, search_index)
    assert isinstance(fused, Fuse)
    assert fused.weights == (0.4, 0.6)
    (note,) = ranking_notes("mabowdor", Task.ANSWERS, search_index)
    assert "sparse" in note


def test_mabowdor_has_three_parts(with_models: SearchIndex) -> None:
    fused = ranker("mabowdor", Task.ANSWERS, with_models)
    assert isinstance(fused, Fuse)
    assert fused.weights == (0.4, 0.4, 0.2)
    assert isinstance(fused.rankers[2], FirstHits)


def test_only_the_first_hits_are_found(search_index: SearchIndex, topic: Topic) -> None:
    every = minilm(search_index)
    first = FirstHits(every, 3)
    ranking = every.rank(topic, 5)
    assert first.rank(topic, 10) == ranking[:3]
    assert first.rank(topic, 2) == ranking[:2]
    explained = first.explain(topic, [ranking[4].doc_id, ranking[1].doc_id])
    assert explained[0] == NOT_FOUND
    assert explained[1].value == pytest.approx(ranking[1].score, rel=1e-5)
