"""Models of words in folders, and the encoders that they are opened as."""

import json
from pathlib import Path

import numpy as np
import pytest

from porism.embed import is_installed, open_encoder
from porism.embed.words.doc2vec_encoder import document_model
from porism.embed.words.word_models import (
    DOC2VEC,
    FASTTEXT,
    MARKER,
    WordModel,
    model_kind,
    read_word_model,
    write_word_model,
)
from porism.errors import PorismError
from tests.embed.words.tiny_word_models import drawn_fasttext, drawn_vectors, tiny_doc2vec

WORDS = ["solve", "eq", "plus", "x", "the", "root"]
TEXTS = ["Solve eq x 2", "the root", "the root solve plus plus x", "unknown"]


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    model = tiny_doc2vec(WORDS)
    write_word_model(tmp_path / "new" / "model", model)
    stored = read_word_model(tmp_path / "new" / "model", DOC2VEC)
    assert stored.settings == model.settings
    assert all(
        np.array_equal(stored.arrays[name], model.arrays[name].reshape(-1)) for name in model.arrays
    )
    assert stored.digest
    assert model_kind(tmp_path / "new" / "model") == DOC2VEC
    assert model_kind(tmp_path) is None
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["model"]


def test_an_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(PorismError, match="already exists"):
        write_word_model(tmp_path, tiny_doc2vec(WORDS))
    (tmp_path / "empty").mkdir()
    write_word_model(tmp_path / "empty", tiny_doc2vec(WORDS))
    assert model_kind(tmp_path / "empty") == DOC2VEC


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    broken = WordModel(DOC2VEC, {"of": object()}, tiny_doc2vec(WORDS).arrays)
    with pytest.raises(TypeError):
        write_word_model(tmp_path / "model", broken)
    assert not list(tmp_path.iterdir())


def test_another_kind_and_a_damaged_model_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    with pytest.raises(PorismError, match=r"no model of words .* porism train fasttext"):
        read_word_model(folder, FASTTEXT)
    write_word_model(folder, tiny_doc2vec(WORDS))
    with pytest.raises(PorismError, match="kind 'doc2vec', where one of 'fasttext' is expected"):
        read_word_model(folder, FASTTEXT)
    arrays = folder / "arrays"
    content = bytearray(arrays.read_bytes())
    content[5] ^= 1
    arrays.write_bytes(content)
    with pytest.raises(PorismError, match="damaged"):
        read_word_model(folder, DOC2VEC)
    record = json.loads((folder / MARKER).read_text(encoding="utf-8"))
    (folder / MARKER).write_text(json.dumps({**record, "settings": {}}), encoding="utf-8")
    with pytest.raises(PorismError, match="checksum"):
        read_word_model(folder, DOC2VEC)


def test_a_fasttext_folder_is_an_encoder_by_means(tmp_path: Path) -> None:
    words = [["solve", "the", "eq"], ["the", "root"]]
    write_word_model(tmp_path / "model", drawn_fasttext({"words": words}))
    assert is_installed(str(tmp_path / "model"))
    encoder = open_encoder(str(tmp_path / "model"))
    both = drawn_vectors(["the", "root"], 3).astype(np.float16).astype(np.float32).mean(axis=0)
    assert encoder.encode(TEXTS)[1] == pytest.approx(both / np.linalg.norm(both), abs=1e-6)
    assert encoder.token_spans("The root!", 9) == [(0, 3), (4, 8)]
    assert encoder.identity.dimension == 3
    assert [len(rows) for rows in encoder.token_vectors(TEXTS)] == [4, 2, 6, 1]
    assert not encoder.encode(["?"]).any()


def test_a_doc2vec_folder_is_an_encoder_by_inference(tmp_path: Path) -> None:
    write_word_model(tmp_path / "model", tiny_doc2vec(WORDS))
    encoder = open_encoder(str(tmp_path / "model"))
    vectors = encoder.encode(TEXTS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 0])
    assert np.array_equal(encoder.encode(TEXTS[::-1]), vectors[::-1])
    assert encoder.identity.pooling == "doc2vec"
    assert [len(rows) for rows in encoder.token_vectors(TEXTS)] == [3, 2, 6, 0]
    assert encoder.token_spans("The root!", 1) == [(0, 3)]


def test_inference_improves_the_likelihood_of_the_words() -> None:
    model = document_model(tiny_doc2vec(WORDS))
    words = ["the", "root", "solve", "plus", "x"]

    def likelihood(vector: np.ndarray) -> float:
        total = 0.0
        rows = [model.rows[word] for word in words]
        for place, row in enumerate(rows):
            around = [
                model.vectors[rows[other] if 0 <= other < len(rows) else -1]
                for other in range(place - model.window, place + model.window + 1)
                if other != place
            ]
            context = np.concatenate([vector, *around])
            for entry in range(model.starts[row], model.starts[row + 1]):
                sign = 1 - 2 * int(model.codes[entry])
                value = sign * float(context @ model.hidden[model.nodes[entry]])
                total -= np.log1p(np.exp(-value))
        return total

    inferred = model.inferred(words)
    assert likelihood(inferred) > likelihood(np.zeros(model.dimension, np.float32))
