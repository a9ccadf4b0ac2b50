"""Cross-encoders compared with their definition, and the refusal of other models."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from porism.embed import open_cross_encoder, open_encoder
from porism.embed.model_tokenizers import pair_encoding
from porism.errors import PorismError
from tests.embed.slow_network import slow_logits, slow_states
from tests.embed.tiny_models import (
    LAYERS,
    POSITIONS,
    bytes_tokenizer,
    letters_tokenizer,
    write_cross_encoder,
    write_model,
)

KINDS = ["bert", "roberta", "xlm-roberta", "mpnet", "albert"]
PAIRS = [("a b", "c d e"), ("c", ""), ("", "a"), ("a b", "b a a"), ("a " * 60, "b " * 50)]


@pytest.mark.parametrize("classes", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_scores_equal_their_definition(tmp_path: Path, kind: str, classes: int) -> None:
    weights = write_cross_encoder(tmp_path, kind, classes)
    has_segments = kind in ("bert", "albert")
    tokenizer = letters_tokenizer() if has_segments else bytes_tokenizer()
    tokenizer.no_truncation()
    tokenizer.no_padding()
    first = 0 if has_segments else 2
    expected = []
    for pair in PAIRS:
        encoding = pair_encoding(tokenizer, *pair, POSITIONS - first)
        types = encoding.type_ids if has_segments else None
        states = slow_states(weights, encoding.ids, LAYERS, first, types)
        logits = slow_logits(weights, states[0])
        expected.append(logits[0] if classes == 1 else logits[1] - logits[0])
    encoder = open_cross_encoder(str(tmp_path), "float32")
    np.testing.assert_allclose(encoder.scores(PAIRS), expected, rtol=1e-4, atol=2e-4)
    assert (encoder.identity.dimension, encoder.identity.pooling) == (classes, "classifier")


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_the_score_of_a_pair_does_not_depend_on_others(tmp_path: Path, precision: str) -> None:
    write_cross_encoder(tmp_path)
    encoder = open_cross_encoder(str(tmp_path), precision)
    together = encoder.scores(PAIRS)
    alone = np.concatenate([encoder.scores([pair]) for pair in PAIRS])
    np.testing.assert_array_equal(together, alone)
    np.testing.assert_array_equal(encoder.scores(PAIRS[::-1]), together[::-1])
    assert len(encoder.scores([])) == 0
    assert len(set(together.tolist())) == len(PAIRS)


@pytest.mark.parametrize("kind", KINDS)
def test_integers_are_close_to_floats(tmp_path: Path, kind: str) -> None:
    write_cross_encoder(tmp_path, kind)
    floats, integers = (open_cross_encoder(str(tmp_path), each) for each in ("float32", "int8"))
    np.testing.assert_allclose(integers.scores(PAIRS), floats.scores(PAIRS), rtol=0, atol=0.3)
    assert floats.identity.digest != integers.identity.digest


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 30), st.integers(0, 30), st.integers(5, 40))
def test_the_longer_text_of_a_pair_is_cut_first(first: int, second: int, limit: int) -> None:
    tokenizer = letters_tokenizer()
    tokenizer.no_truncation()
    tokenizer.no_padding()
    encoding = pair_encoding(tokenizer, "a " * first, "b " * second, limit)
    one, other = first, second
    while one + other + 3 > limit:
        if one > other:
            one -= 1
        elif other > one or (one + other) % 2:
            other -= 1
        else:
            one -= 1
    letters = [tokenizer.id_to_token(number) for number in encoding.ids]
    counts = (letters.count("a"), letters.count("b"))
    assert sum(counts) == one + other
    assert max(abs(counts[0] - one), abs(counts[1] - other)) <= 1
    assert letters[0] == "[CLS]"
    assert letters[-1] == letters[1 + counts[0]] == "[SEP]"
    assert encoding.type_ids == [0] * (counts[0] + 2) + [1] * (counts[1] + 1)


@pytest.mark.parametrize(
    ("file", "key"),
    [
        ("tokenizer_config.json", "model_max_length"),
        ("sentence_bert_config.json", "max_seq_length"),
    ],
)
def test_the_limit_is_that_of_the_folder(tmp_path: Path, file: str, key: str) -> None:
    write_cross_encoder(tmp_path)
    (tmp_path / file).write_text(json.dumps({key: 9}), encoding="utf-8")
    encoder = open_cross_encoder(str(tmp_path), "float32")
    short, long, other = encoder.scores(
        [("a b c", "b c d"), ("a b c d", "b c d e"), ("a", "b c d")]
    )
    assert short == long != other


def test_a_bi_encoder_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    with pytest.raises(PorismError, match="found no classifier: expected a cross-encoder"):
        open_cross_encoder(str(tmp_path))


@pytest.mark.parametrize("kind", KINDS)
def test_a_cross_encoder_is_refused_as_a_bi_encoder(tmp_path: Path, kind: str) -> None:
    write_cross_encoder(tmp_path, kind)
    with pytest.raises(PorismError, match=r"found a cross-encoder, .* expected a bi-encoder"):
        open_encoder(str(tmp_path))


def test_a_classifier_of_more_classes_is_refused(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path, classes=3)
    with pytest.raises(PorismError, match="the classifier has 3 outputs: expected one or two"):
        open_cross_encoder(str(tmp_path))


@pytest.mark.parametrize("name", ["bert.pooler.dense.weight", "classifier.bias"])
def test_a_classifier_that_lacks_a_tensor_is_refused(tmp_path: Path, name: str) -> None:
    write_cross_encoder(tmp_path)
    weights = load_file(tmp_path / "model.safetensors")
    del weights[name]
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(PorismError, match=r"does not match config\.json: there is no"):
        open_cross_encoder(str(tmp_path))


def test_pickled_weights_are_refused(tmp_path: Path) -> None:
    write_cross_encoder(tmp_path)
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(PorismError, match="can run any code"):
        open_cross_encoder(str(tmp_path))


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="there is no such model folder"):
        open_cross_encoder(str(tmp_path / "absent"))


def ready_model(folder: Path, model_cache: Path) -> Path:
    """A folder with the exported model of another, and a tokenizer."""
    (exported,) = model_cache.glob("*.onnx")
    ready = folder.parent / "ready"
    ready.mkdir()
    shutil.copy(exported, ready / "model.onnx")
    shutil.copy(folder / "tokenizer.json", ready)
    (ready / "config.json").write_text(
        json.dumps({"max_position_embeddings": POSITIONS, "model_type": "bert"}), encoding="utf-8"
    )
    return ready


@pytest.mark.parametrize("classes", [1, 2])
def test_a_ready_onnx_model_needs_no_weights(
    tmp_path: Path, model_cache: Path, classes: int
) -> None:
    write_cross_encoder(tmp_path / "weights", classes=classes)
    expected = open_cross_encoder(str(tmp_path / "weights"), "float32").scores(PAIRS)
    encoder = open_cross_encoder(str(ready_model(tmp_path / "weights", model_cache)))
    np.testing.assert_allclose(encoder.scores(PAIRS), expected, rtol=0, atol=1e-6)
    assert encoder.identity.precision == "onnx"


def test_a_ready_bi_encoder_is_refused(tmp_path: Path, model_cache: Path) -> None:
    write_model(tmp_path / "weights", "bert")
    open_encoder(str(tmp_path / "weights"), "float32")
    ready = ready_model(tmp_path / "weights", model_cache)
    with pytest.raises(PorismError, match=r"not a cross-encoder .* no output logits"):
        open_cross_encoder(str(ready))


def test_a_ready_cross_encoder_is_refused_as_a_bi_encoder(
    tmp_path: Path, model_cache: Path
) -> None:
    write_cross_encoder(tmp_path / "weights")
    open_cross_encoder(str(tmp_path / "weights"), "float32")
    ready = ready_model(tmp_path / "weights", model_cache)
    with pytest.raises(PorismError, match="its outputs are logits, and there is no output with"):
        open_encoder(str(ready))
