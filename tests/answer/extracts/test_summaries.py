"""``extract-sbert`` and ``extract-bert``: the first answer by clusters of sentences."""

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from porism import catalog
from porism.answer.extracts import summaries
from porism.answer.extracts.extract import NOTHING_FOUND
from porism.answer.extracts.sentences import ELLIPSIS, joined_text, sentences
from porism.answer.extracts.summaries import Summary, Vectors, central_rows
from porism.answer.short_answer import AnswerKind
from porism.cli.main import porism
from porism.collection.sample import sample_topics
from porism.errors import PorismError
from porism.evaluation.short_answers.contextual_encoder import read_encoder
from porism.formats.topics import read_topics
from porism.model import Task
from porism.query.typed_topics import typed_answer_topic
from porism.rank import vector_ranking
from porism.rank.filters import PostFilter
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.model_roles import ModelRole
from tests.embed.tiny_models import write_model
from tests.searchindex.hash_encoder import IDENTITY, HashEncoder

# Clusters


def points(*rows: tuple[float, float]) -> Vectors:
    return np.array(rows, np.float32)


THREE = points((0, 0), (0.1, 0), (0, 0.3), (9, 9), (9.1, 9), (9, 8.8), (-9, 9))


def test_the_row_nearest_to_each_centre_is_central() -> None:
    assert central_rows(THREE, 3) == [0, 3, 6]


def test_one_cluster_has_the_row_nearest_to_the_mean() -> None:
    assert central_rows(points((0, 0), (1, 1), (2, 2.1)), 1) == [1]


def test_every_row_is_central_if_there_are_as_many_clusters() -> None:
    assert central_rows(THREE, len(THREE)) == list(range(len(THREE)))


def test_equal_rows_are_one_row() -> None:
    assert central_rows(points((1, 1), (1, 1), (1, 1)), 2) == [0]


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=20),
    st.integers(1, 5),
)
def test_central_rows_are_the_same_each_time_and_no_more_than_clusters(
    rows: list[tuple[int, int]], clusters: int
) -> None:
    vectors = points(*rows)
    central = central_rows(vectors, min(clusters, len(rows)))
    assert central == central_rows(vectors.copy(), min(clusters, len(rows)))
    assert 0 < len(central) <= clusters
    assert central == sorted(set(central))
    assert all(0 <= row < len(rows) for row in central)


# Systems


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


def tiny_bert(folder: Path) -> Path:
    write_model(folder, "bert")
    return folder


@pytest.fixture
def with_model(
    search_index: SearchIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SearchIndex]:
    """The index with a BERT model for summaries."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = str(tiny_bert(tmp_path / "bert"))
    found = SearchIndex.model
    monkeypatch.setattr(
        SearchIndex,
        "model",
        lambda self, role: folder if role is ModelRole.SUMMARY else found(self, role),
    )
    yield search_index
    summaries._hidden_states.cache_clear()


@pytest.mark.parametrize("name", ["extract-sbert", "extract-bert"])
def test_a_summary_has_the_first_sentence_and_others_in_their_order(
    with_model: SearchIndex, name: str
) -> None:
    answerer = catalog.answerer(name, with_model)
    assert isinstance(answerer, Summary)
    short = Summary(name, with_model, answerer.ranker, answerer.model, answerer.encode, limit=300)
    ranker = catalog.ranker("dprl-svm", Task.ANSWERS, with_model)
    were_cut = 0
    for topic in read_topics(sample_topics(1)):
        found = short.answer(topic)
        (first,) = ranker.rank(topic, 1)
        (source,) = found.sources
        assert (source.doc_id, source.score) == (first.doc_id, first.score)
        assert 0 < len(found.text) <= 300
        every = sentences(with_model.collection.post(first.doc_id).body)
        if len(joined_text(every)) <= 300:
            assert found.text == joined_text(every)
            continue
        were_cut += 1
        if len(every[0].text) > 300:
            assert found.text.endswith(ELLIPSIS)
            continue
        assert found.text.startswith(every[0].text)
        rest = found.text
        for sentence in every:
            if rest.startswith(sentence.text):
                rest = rest.removeprefix(sentence.text).lstrip()
        assert rest == ""
    assert were_cut


@pytest.mark.parametrize("name", ["extract-sbert", "extract-bert"])
def test_a_summary_names_its_model_and_takes_time(with_model: SearchIndex, name: str) -> None:
    found = catalog.answerer(name, with_model).answer(
        typed_answer_topic("why does the harmonic series diverge").topic
    )
    assert found.kind is AnswerKind.EXTRACT
    assert found.system == name
    assert found.model == {"extract-sbert": "minilm", "extract-bert": "bert, layer 2"}[name]
    assert found.timings.search > 0
    assert found.timings.extract > 0


def test_systems_differ_in_their_vectors(with_model: SearchIndex) -> None:
    sbert, bert = (catalog.answerer(name, with_model) for name in ("extract-sbert", "extract-bert"))
    assert isinstance(sbert, Summary)
    assert isinstance(bert, Summary)
    assert sbert.ranker == bert.ranker
    assert sbert.encode(["a b", "c"]).shape == (2, IDENTITY.dimension)
    rows = bert.encode(["a b", "c"])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])


def test_the_vector_of_a_sentence_is_the_mean_of_hidden_states(tmp_path: Path) -> None:
    encoder = read_encoder(tiny_bert(tmp_path / "bert"), 1)
    embedded = encoder.embed("so it is")
    mean = summaries._mean(encoder, "so it is")
    used = embedded.tokens[embedded.weights > 0]
    assert mean == pytest.approx(used.mean(axis=0), abs=1e-5)


def test_the_filter_is_respected_and_nothing_found_has_a_reason(search_index: SearchIndex) -> None:
    answerer = catalog.answerer("extract-sbert", search_index)
    topic = typed_answer_topic("harmonic series").topic
    (source,) = answerer.answer(topic, PostFilter(accepted=True).index_filter()).sources
    assert source.is_accepted
    found = answerer.answer(topic, PostFilter(tag=("no-such-tag",)).index_filter())
    assert (found.text, found.sources, found.reason) == ("", (), NOTHING_FOUND)


class Fixed:
    """Gives each sentence the vector of its first letter."""

    def __call__(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), 26), np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[ord(text[0].lower()) - ord("a")] = 1
        return rows


def test_of_similar_sentences_one_is_kept(search_index: SearchIndex) -> None:
    every = sentences(("Ants eat. Ants do eat. Bees fly. Bees can fly. Cows low. Cows do low.",))
    answerer = catalog.answerer("extract-sbert", search_index)
    assert isinstance(answerer, Summary)
    summary = Summary("fixed", search_index, answerer.ranker, "fixed", Fixed(), limit=30)
    assert summary._summary(every) == "Ants eat. Bees fly. Cows low."
    assert Summary("fixed", search_index, answerer.ranker, "", Fixed(), 9)._summary(every) == (
        "Ants eat."
    )
    assert Summary("fixed", search_index, answerer.ranker, "", Fixed(), 7)._summary(every) == (
        f"Ants {ELLIPSIS}"
    )


# Without vectors, and with a model of the role summary


@pytest.mark.parametrize("name", ["extract-sbert", "extract-bert"])
def test_vectors_are_required(hash_index: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    with (
        open_index(hash_index) as opened,
        pytest.raises(PorismError, match="by minilm, which is not installed here"),
    ):
        catalog.answerer(name, opened)


def test_an_index_without_the_model_has_a_note(search_index: SearchIndex) -> None:
    notes = catalog.ranking_notes("extract-bert", Task.SHORT_ANSWERS, search_index)
    assert any("without a model of the role summary" in note for note in notes)
    assert "--model summary=MODEL" in " ".join(notes)
    assert not any(
        "summary" in note
        for note in catalog.ranking_notes("extract-sbert", Task.SHORT_ANSWERS, search_index)
    )


def test_an_index_remembers_its_model_for_summaries(hash_index: Path, tmp_path: Path) -> None:
    collection = tmp_path / "sample"
    shutil.copytree(hash_index.parent, collection)
    folder = tiny_bert(tmp_path / "bert")
    arguments = ["index", str(collection), "-o", str(collection / "index"), "--jobs", "1"]
    done = CliRunner().invoke(
        porism, [*arguments, "--systems", "l8", "--model", f"summary={folder}"]
    )
    assert done.exit_code == 0, done.output
    with open_index(collection / "index") as opened:
        assert opened.model(ModelRole.SUMMARY) == str(folder)
        assert catalog.models_used("extract-bert", Task.SHORT_ANSWERS, opened) == {
            "summary": str(folder)
        }
