"""A static model: means of token vectors, on small files and, where installed, on wordllama."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from porism.embed import is_installed, open_encoder
from porism.embed.packaged_encoders import WORDLLAMA
from porism.embed.static_encoder import StaticEncoder, open_static_encoder
from porism.errors import PorismError
from tests.embed.tiny_models import letters_tokenizer

VOCABULARY = np.random.default_rng(0).normal(size=(13, 4)).astype(np.float16)


def static_encoder(folder: Path, vocabulary: object = VOCABULARY) -> StaticEncoder:
    weights, tokens = (folder / name for name in WORDLLAMA.sha256)
    weights.parent.mkdir()
    tokens.parent.mkdir()
    save_file({"embedding.weight": np.asarray(vocabulary)}, weights)
    letters_tokenizer().save(str(tokens))
    return open_static_encoder(folder, "static")


def test_a_vector_is_the_mean_of_token_vectors(tmp_path: Path) -> None:
    encoder = static_encoder(tmp_path)
    mean = VOCABULARY[[4, 5, 5]].astype(np.float32).mean(axis=0)
    vectors = encoder.encode(["a b b", "", "c"])
    np.testing.assert_allclose(vectors[0], mean / np.linalg.norm(mean), rtol=0, atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [1, 0, 1], atol=1e-6)
    assert [each.shape for each in encoder.token_vectors(["a b b", ""])] == [(3, 4), (0, 4)]
    assert encoder.token_spans("a b", 10) == [(0, 1), (2, 3)]


def test_a_huge_text_is_cut(tmp_path: Path) -> None:
    encoder = static_encoder(tmp_path)
    vectors = encoder.encode(["a " * encoder.max_tokens + "b " * 2_000_000, "a"])
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("shape", [(5, 4), (13,)])
def test_weights_of_another_size_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with pytest.raises(PorismError, match="the tokenizer has 13 tokens"):
        static_encoder(tmp_path, np.zeros(shape, dtype=np.float32))


def test_wordllama_gives_the_similarities_of_its_documentation() -> None:
    if not is_installed("wordllama"):
        pytest.skip("needs the package wordllama")
    encoder = open_encoder("wordllama")
    assert (encoder.identity.name, encoder.identity.dimension) == ("wordllama", 256)
    query, *others = encoder.encode(
        [
            "Machine learning methods",
            "Introduction to neural networks",
            "Foundations of neural science",
            "Introduction to philosophy: logic",
            "Cooking delicious pasta at home",
        ]
    )
    cosines = [float(query @ other) for other in others]
    assert cosines == pytest.approx([0.3414, 0.2115, 0.1067, 0.0045], abs=5e-5)
