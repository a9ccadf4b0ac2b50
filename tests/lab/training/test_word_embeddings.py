"""Training of embeddings by gensim: equality with its vectors, determinism, the command."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.collection.store import open_collection
from porism.embed.words.subword_vectors import SubwordVectors
from porism.errors import PorismError
from porism.lab.training import word_embeddings
from porism.lab.training.fasttext import SkipGram, WordFile, trained_words
from porism.lab.training.word_embeddings import WordTraining, train_word_embedding
from porism.searchindex.builder import IndexOptions
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import read_manifest
from porism.structure.embeddings import FormulaModel
from tests.killing import interrupt
from tests.searchindex.test_formula_vector_filling import CFT, build, found
from tests.searchindex.test_vector_filling import write_notes

NOTES = {
    str(number): rf"Powers $x^{number}+y_{number}$ and $\frac{{a}}{{{number}}}$."
    for number in range(12)
}


def made_index(folder: Path, notes: dict[str, str]) -> Path:
    build(write_notes(folder, notes), folder / "index", CFT)
    return folder / "index"


def trained(index: Path, training: WordTraining, embedding: str = "cft") -> FormulaModel:
    with open_collection(index.parent / "collection") as collection:
        options = IndexOptions()
        return train_word_embedding(
            collection, index, embedding, training, options, lambda progress: None
        )


def train(*arguments: object) -> Result:
    return CliRunner().invoke(porism, ["train", *map(str, arguments)])


@pytest.mark.train("gensim")
def test_vectors_of_known_and_unknown_words_equal_those_of_gensim(tmp_path: Path) -> None:
    from gensim.models import FastText

    path = tmp_path / "words"
    path.write_text("abc bcd \U000f1234xy\nabc cde\n" * 20, encoding="utf-8")
    settings = SkipGram(dimension=12, epochs=2, seed=3, buckets=100)
    words = trained_words(WordFile(path, 100), settings)
    ours = SubwordVectors(*words, settings.min_n, settings.max_n)
    theirs = FastText(
        sentences=[line.split() for line in path.read_text(encoding="utf-8").splitlines()],
        sg=1,
        vector_size=12,
        window=settings.window,
        negative=settings.negative,
        epochs=2,
        bucket=100,
        min_count=1,
        seed=3,
        workers=1,
    ).wv
    for word in ("abc", "\U000f1234xy", "unseen", "\U000f1234\U00101111"):
        np.testing.assert_allclose(ours.vector(word), theirs[word], rtol=1e-5, atol=1e-7)


@pytest.mark.train("gensim")
def test_the_same_seed_gives_the_same_model(tmp_path: Path) -> None:
    index = made_index(tmp_path, NOTES)
    one, again, other = (
        trained(index, WordTraining(dimension=20, epochs=2, seed=seed)) for seed in (1, 1, 2)
    )
    assert one.settings == again.settings
    for name, array in one.arrays.items():
        assert (array == again.arrays[name]).all()
    assert any((array != other.arrays[name]).any() for name, array in one.arrays.items())


@pytest.mark.train("gensim")
@pytest.mark.parametrize("embedding", ["cft", "nits"])
def test_the_command_trains_stores_and_saves_a_model(tmp_path: Path, embedding: str) -> None:
    index = made_index(tmp_path, NOTES)
    options = ("--dimension", "20", "--epochs", "2", "--jobs", "1")
    result = train(embedding, index, *options, "-o", tmp_path / "model", "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["vectors"] == record["encoded"] == 24
    assert record["dimension"] == 20
    (tmp_path / "other").mkdir()
    other = made_index(tmp_path / "other", NOTES)
    result = train(embedding, other, "--model", tmp_path / "model")
    assert result.exit_code == 0, result.output
    assert "24 encoded" in result.stdout
    if embedding == "cft":
        assert found(index, "x^3+y_3") == found(other, "x^3+y_3")
        assert found(index, "x^3+y_3")[0] == ("x^3+y_3", 1.0)


@pytest.mark.train("gensim")
def test_interrupted_training_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = made_index(tmp_path, NOTES)
    before = read_manifest(index)
    files = sorted(path for path in index.rglob("*") if path.is_file())
    monkeypatch.setattr(word_embeddings, "trained_words", lambda text, settings: interrupt())
    result = train("cft", index, "--jobs", "1")
    assert result.exit_code == 1
    assert "Aborted" in result.output
    assert read_manifest(index) == before
    assert sorted(path for path in index.rglob("*") if path.is_file()) == files


@pytest.mark.parametrize(
    ("notes", "count"),
    [({"0": "No formula."}, "0 formulas"), ({"0": "One: $x^2$."}, "1 formula:")],
)
def test_few_formulas_are_refused(tmp_path: Path, notes: dict[str, str], count: str) -> None:
    index = made_index(tmp_path, notes)
    with pytest.raises(PorismError, match=rf"has {count}.*expected at least 10"):
        trained(index, WordTraining())


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> object:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)

    monkeypatch.setattr("porism.cli.lab.train_embeddings.import_module", absent)
    result = train("cft", made_index(tmp_path, NOTES))
    assert result.exit_code == 1
    assert "needs the package gensim, which is not installed: pip install 'porism[train]'" in (
        result.output
    )


def test_epochs_are_fewer_for_more_words(tmp_path: Path) -> None:
    embedding = word_embeddings.EMBEDDINGS["cft"]
    epochs = [
        word_embeddings._task(WordFile(tmp_path, words), embedding, WordTraining()).settings.epochs
        for words in (1_000, 1_000_000, 10**9)
    ]
    assert epochs[0] == word_embeddings.MAX_EPOCHS
    assert epochs[0] > epochs[1] > epochs[2] == 1


def test_an_index_without_a_model_is_not_searched(tmp_path: Path) -> None:
    from porism.catalog import ranker, training_notes
    from porism.model import Task

    with open_index(made_index(tmp_path, NOTES)) as search_index:
        with pytest.raises(PorismError, match="has no cft vectors; porism train cft"):
            ranker("tangent-cft", Task.FORMULAS, search_index)
        (note,) = training_notes(["l8", "tangent-cft"], search_index)
        assert note == f"for tangent-cft, run porism train cft {search_index.folder}"
