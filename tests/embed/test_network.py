"""Exported networks compared with their definition, and the refusal of other folders."""

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from porism.embed import network as network_module
from porism.embed.encoder import Vectors
from porism.embed.network import Network, open_network
from porism.errors import PorismError
from tests.embed.slow_network import slow_states
from tests.embed.tiny_models import LAYERS, POSITIONS, WIDTH, config, tensors, write_model


def states(network: Network, ids: list[int]) -> Vectors:
    output: Vectors = network.states(np.array([ids]))[0]
    return output


@pytest.mark.parametrize("layer", [0, 1, LAYERS])
@pytest.mark.parametrize(
    ("kind", "prefix", "first_position"),
    [
        ("bert", "", 0),
        ("bert", "bert.", 0),
        ("roberta", "", 2),
        ("roberta", "roberta.", 2),
        ("xlm-roberta", "roberta.", 2),
        ("mpnet", "", 2),
        ("mpnet", "mpnet.", 2),
        ("albert", "", 0),
        ("albert", "albert.", 0),
    ],
)
def test_states_equal_their_definition(
    tmp_path: Path, kind: str, prefix: str, first_position: int, layer: int
) -> None:
    weights = write_model(tmp_path, kind, prefix)
    network = open_network(tmp_path, "float32", layer)
    for ids in ([2, 4, 5, 4, 8, 3], [2, 3], [5], [4, 5, 6] * 12):
        expected = slow_states(weights, ids, layer, first_position)
        np.testing.assert_allclose(states(network, ids), expected, rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize("kind", ["bert", "roberta", "mpnet", "albert"])
def test_integers_are_close_to_floats(tmp_path: Path, kind: str) -> None:
    write_model(tmp_path, kind)
    floats, integers = (open_network(tmp_path, name) for name in ("float32", "int8"))
    ids = [2, 4, 5, 4, 8, 3]
    one, other = states(floats, ids).ravel(), states(integers, ids).ravel()
    assert one @ other / np.linalg.norm(one) / np.linalg.norm(other) > 0.99
    assert floats.digest != integers.digest
    assert (floats.precision, integers.precision) == ("float32", "int8")


def test_the_last_layer_is_the_default(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    default, last = open_network(tmp_path, "float32"), open_network(tmp_path, "float32", LAYERS)
    assert default.layer == LAYERS
    np.testing.assert_array_equal(states(default, [2, 4, 3]), states(last, [2, 4, 3]))


@pytest.mark.parametrize("size", [1, 3, 100])
def test_texts_of_one_length_are_computed_together_on_a_graphics_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    write_model(tmp_path, "bert")
    network = open_network(tmp_path, "float32")
    texts = ["a b", "c", "", "b a", "a b c d", "d e"]
    one_by_one = {each.position: each for each in network.token_states(texts)}
    monkeypatch.setattr(network_module, "_GPU", "CPUExecutionProvider")
    monkeypatch.setattr(network_module, "_GPU_TOKENS", size * 4)
    batched = {each.position: each for each in network.token_states(texts)}
    assert batched.keys() == one_by_one.keys() == {0, 1, 3, 4, 5}
    for position, expected in one_by_one.items():
        np.testing.assert_allclose(batched[position].states, expected.states, rtol=0, atol=1e-5)
        assert batched[position].is_special.tolist() == expected.is_special.tolist()


@pytest.mark.parametrize(("kind", "longest"), [("bert", POSITIONS), ("mpnet", POSITIONS - 2)])
def test_a_text_is_cut_where_positions_end(tmp_path: Path, kind: str, longest: int) -> None:
    write_model(tmp_path, kind)
    network = open_network(tmp_path, "float32")
    assert network.max_tokens == longest
    ids = network.token_ids("a " * 100)
    assert len(ids) == longest
    assert network.tokenizer.id_to_token(ids[-1]) in ("[SEP]", "</s>")
    (only,) = network.token_states(["a " * 100])
    assert len(only.states) == longest


@pytest.mark.parametrize(("setting", "limit"), [(7, 7), (1e30, POSITIONS), ("x", POSITIONS)])
def test_a_text_is_cut_at_the_tokenizers_limit(tmp_path: Path, setting: object, limit: int) -> None:
    write_model(tmp_path, "bert")
    settings = json.dumps({"model_max_length": setting})
    (tmp_path / "tokenizer_config.json").write_text(settings, encoding="utf-8")
    assert len(open_network(tmp_path, "float32").token_ids("a " * 50)) == limit


def test_old_names_and_half_precision_are_read(tmp_path: Path) -> None:
    weights = write_model(tmp_path, "bert")
    halves = {name: tensor.astype(np.float16) for name, tensor in weights.items()}
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): tensor
        for name, tensor in halves.items()
    }
    save_file(old, tmp_path / "model.safetensors")
    output = states(open_network(tmp_path, "float32"), [2, 4, 3])
    assert output.dtype == np.float32
    expected = slow_states(halves, [2, 4, 3], LAYERS, 0)
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=2e-4)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model_type": "t5"}, "a model of type 't5'"),
        (
            {"model_type": "distilbert"},
            "expected 'bert', 'roberta', 'xlm-roberta', 'mpnet', 'albert'",
        ),
        ({"model_type": ["bert"]}, "a model of type"),
        ({"hidden_act": "relu"}, "'relu'"),
        ({"inner_group_num": 2}, "inner_group_num is 2"),
        ({"position_embedding_type": "relative_key"}, "'relative_key' positions"),
        ({"num_hidden_layers": "many"}, "num_hidden_layers is 'many'"),
        ({"num_attention_heads": None}, "num_attention_heads is None"),
        ({"num_attention_heads": 4}, "a width of 6 is not divisible by 4 heads"),
        ({"num_attention_heads": 0}, "not divisible by 0 heads"),
        ({"num_hidden_layers": 4}, "there is no encoder.layer.3"),
        ({"layer_norm_eps": "small"}, "expected the settings of a model"),
    ],
)
def test_other_models_are_refused(tmp_path: Path, changed: dict[str, object], message: str) -> None:
    write_model(tmp_path, "bert")
    text = json.dumps(config("bert") | changed)
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(PorismError, match=message):
        open_network(tmp_path, "int8")


@pytest.mark.parametrize("layer", [-1, LAYERS + 1])
def test_a_missing_layer_is_refused(tmp_path: Path, layer: int) -> None:
    write_model(tmp_path, "bert")
    with pytest.raises(PorismError, match=f"found 3 layers: there is no layer {layer}"):
        open_network(tmp_path, "float32", layer)


@pytest.mark.parametrize("precision", ["int8", "float32"])
def test_a_model_without_layers_gives_its_embeddings(tmp_path: Path, precision: str) -> None:
    weights = write_model(tmp_path, "bert")
    text = json.dumps(config("bert") | {"num_hidden_layers": 0})
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    expected = slow_states(weights, [2, 4, 3], 0, 0)
    output = states(open_network(tmp_path, precision), [2, 4, 3])
    np.testing.assert_allclose(output, expected, rtol=1e-4, atol=1e-4)


def test_a_model_with_too_few_positions_is_refused(tmp_path: Path) -> None:
    weights = write_model(tmp_path, "roberta")
    name = "embeddings.position_embeddings.weight"
    save_file(weights | {name: weights[name][:3]}, tmp_path / "model.safetensors")
    with pytest.raises(PorismError, match="has 3 positions, too few for a text"):
        open_network(tmp_path, "float32")


def test_an_unknown_precision_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="found the precision 'int4': expected int8 or float32"):
        open_network(tmp_path, "int4")


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="there is no such model folder"):
        open_network(tmp_path / "absent", "int8")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_refused(tmp_path: Path, name: str) -> None:
    write_model(tmp_path, "bert")
    (tmp_path / name).unlink()
    with pytest.raises(PorismError, match=name):
        open_network(tmp_path, "int8")


def test_pickled_weights_are_refused_as_unsafe(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    (tmp_path / "model.safetensors").rename(tmp_path / "pytorch_model.bin")
    with pytest.raises(
        PorismError, match=r"only pytorch_model\.bin, .* can run any code"
    ) as raised:
        open_network(tmp_path, "int8")
    assert "safe_serialization=True" in str(raised.value)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"[]", b"x" * 40])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    write_model(tmp_path, "bert")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PorismError, match=name):
        open_network(tmp_path, "int8")


@pytest.mark.parametrize(
    "name",
    [
        "encoder.layer.1.output.dense.bias",
        "embeddings.position_embeddings.weight",
        "encoder.layer.0.attention.self.key.weight",
        "encoder.layer.2.output.LayerNorm.weight",
    ],
)
def test_tensors_of_other_shapes_are_refused(tmp_path: Path, name: str) -> None:
    weights = write_model(tmp_path, "bert")
    shape = tuple(size + 1 for size in weights[name].shape)
    weights[name] = np.zeros(shape, dtype=np.float32)
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(PorismError, match=r"does not match config\.json"):
        open_network(tmp_path, "float32")


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    save_file(tensors(words=5), tmp_path / "model.safetensors")
    with pytest.raises(PorismError, match="has 13 tokens, but the model has 5"):
        open_network(tmp_path, "float32")


def test_a_file_without_word_embeddings_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path, "bert", prefix="distilbert.")
    with pytest.raises(PorismError, match="expected a BERT, RoBERTa or MPNet model"):
        open_network(tmp_path, "float32")


def test_output_has_the_width_of_the_model(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    assert open_network(tmp_path, "int8").dimension == WIDTH
