"""The features of porism for answers: bounded, weighted by rarity, with candidates by vectors."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from porism.catalog import index_plan, ranker
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_topics
from porism.collection.store import open_collection
from porism.formats.topics import read_topics
from porism.model import DocId, Formula, Hit, Task, Topic, TopicId
from porism.rank import vector_ranking
from porism.rank.answer_weights import FeatureWeights, shipped_weights
from porism.rank.rerank import Rerank
from porism.rank.similarity import FormulaSimilarity
from porism.rank.systems.porism_answers import (
    AnswerFeatures,
    SimilarityScorer,
    WithNearest,
    weighted_answers,
)
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.vector_filling import fill_vectors
from tests.collection.dumps import question, write_table
from tests.searchindex.hash_encoder import HashEncoder

SERIES = r"\sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}"
NO_WORDS = Topic(TopicId("A.1"), (Formula("q_1", SERIES),))
SYSTEMS = ("porism", "minilm", "minilm-maxsim", "hybrid")
NO_FORMULAS = Topic(TopicId("A.2"), ("converging series of squares",))


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


@pytest.fixture
def similarity(search_index: SearchIndex) -> SimilarityScorer:
    return SimilarityScorer(FormulaSimilarity(search_index), search_index.answers)


def topics() -> list[Topic]:
    return list(read_topics(sample_topics(1)))


def all_hits(search_index: SearchIndex) -> tuple[Hit, ...]:
    return tuple(Hit(DocId(doc_id), 0.0) for doc_id in sorted(search_index.answers.doc_ids()))


def with_formulas(*latex: str) -> Topic:
    return Topic(
        TopicId("A.1"), body=tuple(Formula(f"q_{at}", each) for at, each in enumerate(latex))
    )


def test_formula_similarity_stays_below_1_however_many_formulas_a_topic_has(
    similarity: SimilarityScorer, search_index: SearchIndex
) -> None:
    hits = all_hits(search_index)
    formulas = [
        piece.latex for topic in topics() for piece in topic.body if isinstance(piece, Formula)
    ]
    half = similarity.scores(with_formulas(*formulas[: len(formulas) // 2]), hits)
    whole = similarity.scores(with_formulas(*formulas), hits)
    assert half.min() >= 0
    assert (half <= whole + 1e-12).all()
    assert 0.5 < whole.max() < 1


def test_the_same_formula_twice_counts_once(
    similarity: SimilarityScorer, search_index: SearchIndex
) -> None:
    hits = all_hits(search_index)
    once = similarity.scores(with_formulas(SERIES), hits)
    assert once.max() > 0
    assert similarity.scores(with_formulas(SERIES, SERIES), hits).tolist() == once.tolist()


def test_a_formula_of_the_title_counts_more(
    similarity: SimilarityScorer, search_index: SearchIndex
) -> None:
    hits = all_hits(search_index)
    in_body = similarity.scores(with_formulas(SERIES), hits)
    in_both = similarity.scores(replace(NO_WORDS, body=(Formula("q_2", SERIES),)), hits)
    assert in_both.max() > in_body.max()
    assert similarity.scores(NO_WORDS, hits).tolist() == in_both.tolist()


@pytest.mark.parametrize("latex", ["n", "x"])
def test_single_letters_count_for_almost_nothing(
    latex: str, similarity: SimilarityScorer, search_index: SearchIndex
) -> None:
    hits = all_hits(search_index)
    alone = similarity.scores(with_formulas(latex), hits).max()
    whole = similarity.scores(with_formulas(SERIES), hits)
    assert alone < min(0.05, whole.max() / 5)
    assert similarity.scores(with_formulas(SERIES, latex), hits) == pytest.approx(whole, abs=0.02)


def test_topics_without_formulas_or_documents_have_no_similarity(
    similarity: SimilarityScorer, search_index: SearchIndex
) -> None:
    hits = all_hits(search_index)
    assert not similarity.scores(NO_FORMULAS, hits).any()
    assert similarity.scores(NO_WORDS, ()).tolist() == []
    assert [each.value for each in similarity.explain(NO_FORMULAS, hits[:2])] == [0.0, 0.0]
    assert list(similarity.explain(NO_WORDS, ())) == []


def test_a_formula_that_cannot_be_parsed_counts_nothing(
    similarity: SimilarityScorer, search_index: SearchIndex
) -> None:
    deep = "{" * 5000 + "x" + "}" * 5000
    assert not similarity.scores(with_formulas(deep), all_hits(search_index)).any()


@pytest.mark.parametrize("topic", [NO_WORDS, NO_FORMULAS], ids=["no words", "no formulas"])
def test_topics_of_words_or_formulas_alone_are_ranked(
    topic: Topic, search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(ranker("porism", Task.ANSWERS, search_index).rank(topic, 10)) == 10
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    assert len(ranker("porism", Task.ANSWERS, search_index).rank(topic, 10)) == 10


def test_without_vectors_the_weights_for_that_are_used(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = shipped_weights()
    topic = topics()[0]
    with_vectors = ranker("porism", Task.ANSWERS, search_index).rank(topic, 20)
    assert with_vectors == weighted_answers(
        search_index, weights.with_vectors, search_index.vectors
    ).rank(topic, 20)
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    lexical = ranker("porism", Task.ANSWERS, search_index)
    assert isinstance(lexical, Rerank)
    assert lexical.rank(topic, 20) == weighted_answers(
        search_index, weights.without_vectors, None
    ).rank(topic, 20)
    assert f"tuples={weights.without_vectors.tuples}" in repr(lexical)
    assert not isinstance(lexical.first, WithNearest)


def test_the_score_is_the_weighted_sum_of_the_features(search_index: SearchIndex) -> None:
    weights = FeatureWeights(0.3, 0.5, 0.7, 0.2)
    features = AnswerFeatures(search_index, search_index.vectors)
    for topic in topics()[:3]:
        ranking = weighted_answers(search_index, weights, search_index.vectors).rank(topic, 2000)
        table = features.of(topic, ranking)
        columns = table.columns(weights.tuples, with_vectors=True)
        assert columns.shape == (len(ranking), 4)
        assert columns[:, 0].max() == pytest.approx(1.0)
        expected = columns @ np.array([1.0, 0.5, 0.7, 0.2])
        assert [hit.score for hit in ranking] == pytest.approx(expected.tolist(), abs=1e-5)


def test_features_of_no_candidates_are_empty(search_index: SearchIndex) -> None:
    features = AnswerFeatures(search_index, search_index.vectors)
    empty = Topic(TopicId("A.0"))
    hits = features.first.rank(empty, 1000)
    assert hits == ()
    table = features.of(empty, hits)
    assert table.columns(0.1, with_vectors=True).shape == (0, 4)


def test_ranks_beyond_the_candidates_follow(search_index: SearchIndex) -> None:
    system = ranker("porism", Task.ANSWERS, search_index)
    assert isinstance(system, Rerank)
    topic = topics()[0]
    everything = system.rank(topic, 10**6)
    assert len(everything) == len({hit.doc_id for hit in everything})
    assert system.rank(topic, 10) == everything[:10]
    first = system.first
    assert isinstance(first, WithNearest)
    shallow = replace(system, first=replace(first, number=2), depth=5)
    assert len(shallow.rank(topic, 5)) == 5
    deeper = shallow.rank(topic, 300)
    assert len(deeper) == len({hit.doc_id for hit in deeper}) > 7


NOTES = {
    "sets": "A set is countable if it maps into the integers.",
    "primes": "Euclid knew that there are infinitely many primes.",
    "french": "Les nombres premiers sont infinis.",
    "empty": "",
}


@pytest.fixture
def notes(
    tmp_path: Path, hash_encoder: HashEncoder, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SearchIndex]:
    """An index of the notes by an encoder for which the French one says the same as that on primes.

    Notes have no question.
    """
    encode = hash_encoder.encode

    def translated(texts: Sequence[str]) -> NDArray[np.float32]:
        return encode([NOTES["primes"] if "premiers" in each else each for each in texts])

    monkeypatch.setattr(hash_encoder, "encode", translated)
    (tmp_path / "notes").mkdir()
    for name, text in NOTES.items():
        (tmp_path / "notes" / f"{name}.md").write_text(text)
    ingest(tmp_path / "notes", tmp_path / "collection", IngestOptions(jobs=1))
    with made_index(tmp_path) as opened:
        yield opened


def made_index(folder: Path) -> SearchIndex:
    """An index with vectors of the collection in a folder, opened."""
    options = IndexOptions(jobs=1)
    with open_collection(folder / "collection") as collection:
        build_index(
            collection, folder / "index", index_plan(SYSTEMS), options, lambda progress: None
        )
        fill_vectors(collection, folder / "index", options, lambda progress: None)
    return open_index(folder / "index")


QUESTION = Topic(TopicId("A.1"), ("Euclid knew that there are infinitely many primes.",))


def test_a_document_that_shares_no_word_but_is_near_is_found(
    notes: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranking = ranker("porism", Task.ANSWERS, notes).rank(QUESTION, 10)
    assert [hit.doc_id for hit in ranking[:2]] == ["notes/primes.md", "notes/french.md"]
    weights = shipped_weights().with_vectors
    assert ranking[1].score == pytest.approx(weights.answer_vector, abs=0.25)
    (explained,) = ranker("porism", Task.ANSWERS, notes).explain(
        QUESTION, [DocId("notes/french.md")]
    )
    assert explained.value == pytest.approx(ranking[1].score, rel=1e-5)
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    lexical = ranker("porism", Task.ANSWERS, notes).rank(QUESTION, 10)
    assert "notes/french.md" not in {hit.doc_id for hit in lexical}


@pytest.mark.parametrize("name", SYSTEMS)
def test_notes_are_ranked_by_every_system(name: str, notes: SearchIndex) -> None:
    system = ranker(name, Task.ANSWERS, notes)
    ranking = system.rank(QUESTION, 10)
    assert ranking[0].doc_id == "notes/primes.md"
    explained = system.explain(QUESTION, [hit.doc_id for hit in ranking])
    assert [each.value for each in explained] == pytest.approx(
        [hit.score for hit in ranking], rel=1e-5, abs=1e-7
    )


@pytest.mark.parametrize("name", SYSTEMS)
def test_an_empty_collection_finds_nothing(
    name: str, tmp_path: Path, hash_encoder: HashEncoder
) -> None:
    write_table(tmp_path / "dump", "Posts", [question(1)])
    ingest(tmp_path / "dump", tmp_path / "collection", IngestOptions(jobs=1))
    with made_index(tmp_path) as search_index:
        assert search_index.answers.documents == 0
        assert ranker(name, Task.ANSWERS, search_index).rank(QUESTION, 10) == ()
