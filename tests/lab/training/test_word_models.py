"""``porism train fasttext`` and ``doc2vec``: models, determinism, and what is refused."""

import json
from importlib import import_module
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner, Result

from porism.cli.lab import train_words
from porism.cli.main import porism
from porism.collection.store import open_collection
from porism.embed import open_encoder
from porism.embed.words.doc2vec_encoder import document_model
from porism.embed.words.word_models import DOC2VEC, FASTTEXT, array_words, read_word_model
from porism.lab.training import doc2vec_model, fasttext_model
from porism.lab.training.collection_texts import field_tokens, written_texts
from porism.lab.training.doc2vec_model import Doc2VecTraining, stored_doc2vec
from porism.rank.soft_cosine.similarity_matrix import open_similarities
from porism.rank.soft_cosine.soft_fields import STREAMS
from tests.killing import interrupt
from tests.searchindex.test_vector_filling import write_notes

SUBJECTS = ("group", "ring", "field", "integral")
NOTES = {
    str(number): f"The {SUBJECTS[number % 4]} of order {number} has $x^{number}+y$, as any "
    f"{SUBJECTS[number % 4]} of roots $\\sqrt{{{number}}}$ has."
    for number in range(24)
}


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    write_notes(tmp_path, NOTES)
    return tmp_path / "collection"


def train(kind: str, *arguments: object) -> Result:
    return CliRunner().invoke(porism, ["train", kind, *map(str, arguments)])


def test_streams_have_the_tokens_of_fields(collection: Path, tmp_path: Path) -> None:
    with open_collection(collection) as opened:
        streams = {name: field_tokens(opened, spec) for name, spec in STREAMS.items()}
        texts = written_texts(opened, tmp_path, streams, lambda progress: None)
    written = {name: text.path.read_text("utf-8") for name, text in texts.items()}
    assert "the integral of order 3 has U!plus O!SUP V!x N!3 V!y as any" in written["joint"]
    assert "the integral of order 3 has as any integral of roots has\n" in written["words"]
    assert "(V!x,N!3,a)" in written["tuples"]
    assert "integral" not in written["tuples"]
    assert texts["words"].frequencies["the"] == len(NOTES)
    assert texts["words"].posts == len(NOTES)


@pytest.mark.train("gensim")
def test_fasttext_is_trained_and_opened(collection: Path, tmp_path: Path) -> None:
    options = ("--dimension", 8, "--epochs", 2)
    result = train(FASTTEXT, collection, "-o", tmp_path / "model", *options, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["kind"] == FASTTEXT
    assert record["settings"]["streams"]["words"]["epochs"] == 2
    model = read_word_model(tmp_path / "model", FASTTEXT)
    assert {"group", "order"} <= set(array_words(model.arrays["words-words"]))
    similarities = open_similarities(str(tmp_path / "model"), "joint")
    assert "U!plus" in similarities.numbers
    assert open_encoder(str(tmp_path / "model")).identity.dimension == 8
    again = train(FASTTEXT, collection, "-o", tmp_path / "again", *options)
    assert "fasttext model of 24 posts, 8 components, trained in" in again.output
    assert read_word_model(tmp_path / "again", FASTTEXT).digest == model.digest
    train(FASTTEXT, collection, "-o", tmp_path / "other", *options, "--seed", 1)
    assert read_word_model(tmp_path / "other", FASTTEXT).digest != model.digest


@pytest.mark.train("gensim")
def test_doc2vec_is_trained_and_opened(collection: Path, tmp_path: Path) -> None:
    options = ("--dimension", 8, "--epochs", 2)
    result = train(DOC2VEC, collection, "-o", tmp_path / "model", *options, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["settings"]["posts"] == len(NOTES)
    model = read_word_model(tmp_path / "model", DOC2VEC)
    assert {"group", "plus", "sup"} <= set(array_words(model.arrays["words"]))
    assert open_encoder(str(tmp_path / "model")).encode(["the group of order 5"]).any()
    train(DOC2VEC, collection, "-o", tmp_path / "again", *options)
    assert read_word_model(tmp_path / "again", DOC2VEC).digest == model.digest


@pytest.mark.train("gensim")
def test_vectors_are_inferred_as_well_as_by_gensim() -> None:
    random = np.random.default_rng(3)
    subjects = [[f"{subject}{number}" for number in range(30)] for subject in "abcdef"]
    texts = [random.choice(subjects[number % 6], 60).tolist() for number in range(60)]
    tagged = [doc2vec_model.TaggedText(text, [number]) for number, text in enumerate(texts)]
    gensim = import_module("gensim.models").Doc2Vec(
        tagged, dm=1, dm_concat=1, hs=1, negative=0, vector_size=12, window=4, epochs=40,
        alpha=0.05, min_count=1, seed=1, workers=1,
    )  # fmt: skip
    settings: dict[str, object] = {"dimension": 12, "window": 4}
    model = document_model(stored_doc2vec(gensim, settings))
    ours = np.array([model.inferred(text) for text in texts])
    theirs = np.array([gensim.infer_vector(text, epochs=50) for text in texts])
    trained = np.array([gensim.dv[number] for number in range(len(texts))])
    assert _mean_cosine(ours, trained) > _mean_cosine(theirs, trained) - 0.02
    assert _mean_cosine(ours, theirs) > 0.9


def _mean_cosine(one: np.ndarray, two: np.ndarray) -> float:
    products = (one * two).sum(axis=1)
    return float((products / np.linalg.norm(one, axis=1) / np.linalg.norm(two, axis=1)).mean())


@pytest.mark.train("gensim")
@pytest.mark.parametrize("kind", [FASTTEXT, DOC2VEC])
def test_too_little_text_is_refused(kind: str, tmp_path: Path) -> None:
    write_notes(tmp_path, {"1": "Only a few words, and $x$."})
    result = train(kind, tmp_path / "collection", "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert f"expected at least 100 to train {kind} with" in result.output
    assert not (tmp_path / "model").exists()


@pytest.mark.train("gensim")
def test_a_collection_without_formulas_has_no_tuples(tmp_path: Path) -> None:
    write_notes(tmp_path, {str(number): "Many words without formulas. " * 9 for number in range(9)})
    result = train(FASTTEXT, tmp_path / "collection", "-o", tmp_path / "model", "--dimension", 4)
    assert result.exit_code == 0, result.output
    assert open_similarities(str(tmp_path / "model"), "tuples").expanded({"x": 1.0}) == {"x": 1.0}


def test_an_existing_output_is_refused(collection: Path, tmp_path: Path) -> None:
    result = train(FASTTEXT, collection, "-o", tmp_path)
    assert result.exit_code == 1
    assert "already exists; remove it, or name another folder" in result.output


def test_a_missing_collection_is_refused(tmp_path: Path) -> None:
    result = train(DOC2VEC, tmp_path / "nothing", "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert "no collection" in result.output


def test_a_missing_package_is_named_with_its_extra(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> ModuleType:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr(train_words, "import_module", absent)
    result = train(FASTTEXT, collection, "-o", tmp_path / "model")
    assert result.exit_code == 1
    assert "pip install 'porism[train]'" in result.output


@pytest.mark.train("gensim")
def test_an_interrupted_training_leaves_nothing(
    collection: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fasttext_model, "trained_words", lambda *given: interrupt())
    before = sorted(tmp_path.iterdir())
    assert train(FASTTEXT, collection, "-o", tmp_path / "model").exit_code != 0
    assert sorted(tmp_path.iterdir()) == before


def test_defaults_are_the_published_ones_where_they_fit() -> None:
    settings = fasttext_model.FastTextTraining().skip_gram("joint")
    assert (settings.dimension, settings.window, settings.epochs) == (300, 5, 5)
    assert (settings.min_n, settings.max_n, settings.negative) == (3, 6, 5)
    assert Doc2VecTraining().window == 4
