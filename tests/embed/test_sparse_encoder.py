"""Learned-sparse encoders compared with their definition."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from porism.embed import open_sparse_encoder
from porism.embed.model_tokenizers import read_model_tokenizer, token_encoding
from porism.errors import PorismError
from tests.embed.slow_network import slow_states, slow_terms
from tests.embed.tiny_models import LAYERS, POSITIONS, write_cross_encoder, write_sparse_encoder

KINDS = ["bert", "roberta", "mpnet", "albert"]
TEXTS = ["a b c", "", "d d", "a b c d e f g h"]


@pytest.mark.parametrize("kind", KINDS)
def test_terms_equal_their_definition(tmp_path: Path, kind: str) -> None:
    weights = write_sparse_encoder(tmp_path, kind)
    tokenizer = read_model_tokenizer(tmp_path)
    first = 0 if kind in ("bert", "albert") else 2
    results = open_sparse_encoder(str(tmp_path), "float32").terms(TEXTS)
    assert results[1] == {}
    for text, terms in zip(TEXTS, results, strict=True):
        if text:
            ids = token_encoding(tokenizer, text, POSITIONS - first).ids
            expected = slow_terms(weights, slow_states(weights, ids, LAYERS, first))
            by_term = {tokenizer.id_to_token(at): value for at, value in enumerate(expected)}
            positive = {term: value for term, value in by_term.items() if value > 0}
            assert dict(terms) == pytest.approx(positive, rel=1e-3, abs=2e-4)
        assert sorted(terms.values(), reverse=True) == list(terms.values())


def test_the_terms_of_a_text_do_not_depend_on_others(tmp_path: Path) -> None:
    write_sparse_encoder(tmp_path)
    encoder = open_sparse_encoder(str(tmp_path))
    assert [encoder.terms([text])[0] for text in TEXTS] == encoder.terms(TEXTS)


def test_a_decoder_of_its_own_is_used(tmp_path: Path) -> None:
    write_sparse_encoder(tmp_path)
    shared = open_sparse_encoder(str(tmp_path), "float32").terms(["a b"])
    weights = load_file(tmp_path / "model.safetensors")
    words = weights["bert.embeddings.word_embeddings.weight"]
    save_file(
        weights | {"cls.predictions.decoder.weight": np.ascontiguousarray(words[::-1])},
        tmp_path / "model.safetensors",
    )
    assert open_sparse_encoder(str(tmp_path), "float32").terms(["a b"]) != shared


def test_a_model_without_a_language_model_is_refused(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path)
    with pytest.raises(PorismError, match="found no masked language model"):
        open_sparse_encoder(str(tmp_path))


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="there is no such model folder"):
        open_sparse_encoder(str(tmp_path / "absent"))
