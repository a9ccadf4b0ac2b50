"""Language models of the llama architecture in GGUF files, as the network of transformers has them.

A file is read as weights in 32 bits, and weights are written to a new file that has the metadata
and the tokenizer of the one they come from. The rows of queries and keys are in another order in a
file than in the network, because the two rotate other pairs of components.

Importing this loads gguf, of the extra ``train``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, GGUFValueType, GGUFWriter, LlamaFileType
from numpy.typing import NDArray

from porism.errors import PorismError

ARCHITECTURE = "llama"

Weights = Mapping[str, NDArray[np.float32]]
"""The weights of a network by the names that transformers gives them."""

_WHOLE = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_LAYER = {
    "attn_norm.weight": "input_layernorm.weight",
    "attn_q.weight": "self_attn.q_proj.weight",
    "attn_k.weight": "self_attn.k_proj.weight",
    "attn_v.weight": "self_attn.v_proj.weight",
    "attn_output.weight": "self_attn.o_proj.weight",
    "ffn_norm.weight": "post_attention_layernorm.weight",
    "ffn_gate.weight": "mlp.gate_proj.weight",
    "ffn_up.weight": "mlp.up_proj.weight",
    "ffn_down.weight": "mlp.down_proj.weight",
}


class TensorType(StrEnum):
    """How the matrices of a written file are stored; vectors have 32 bits."""

    Q8_0 = "q8_0"
    F16 = "f16"


_TYPES = {
    TensorType.Q8_0: (GGMLQuantizationType.Q8_0, LlamaFileType.MOSTLY_Q8_0),
    TensorType.F16: (GGMLQuantizationType.F16, LlamaFileType.MOSTLY_F16),
}


@dataclass(frozen=True, slots=True)
class LlamaShape:
    """The sizes and constants of a network."""

    words: int
    width: int
    inner_width: int
    layers: int
    heads: int
    key_heads: int
    context: int
    epsilon: float
    rotation: float
    is_tied: bool

    @property
    def weights(self) -> int:
        """The number of weights."""
        head = self.width // self.heads
        attention = 2 * self.width * (self.width + self.key_heads * head)
        layer = attention + 3 * self.width * self.inner_width + 2 * self.width
        words = self.words * self.width * (1 if self.is_tied else 2)
        return words + self.layers * layer + self.width


@dataclass(frozen=True, slots=True)
class LlamaFile:
    """A file whose metadata is read, and whose weights can be."""

    path: Path
    shape: LlamaShape
    _reader: Any = field(repr=False)  # of gguf, which may be absent where types are checked

    def value(self, name: str, default: Any = None) -> Any:
        """A field of the metadata; Any: whatever it has."""
        found = self._reader.get_field(name)
        return default if found is None else found.contents()

    def weights(self) -> dict[str, NDArray[np.float32]]:
        """All weights; this takes four bytes for each."""
        read = {}
        for tensor in self._reader.tensors:
            name = network_name(tensor.name)
            try:
                array = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
            except NotImplementedError:
                raise PorismError(
                    f"{self.path}: the type {tensor.tensor_type.name} of {tensor.name} cannot be "
                    "read; use a file with other types, such as F16 or Q8_0"
                ) from None
            array = np.array(array, np.float32)  # a copy, not the file
            assert name is not None  # ``open_llama`` refuses others
            read[name] = _rotated(array, tensor.name, self.shape, to_file=False)
        return read


def open_llama(path: Path) -> LlamaFile:
    """Open a file; PorismError where it is not a model that can be trained."""
    expected = "expected a GGUF file of a language model of the llama architecture"
    if not path.is_file():
        raise PorismError(f"there is no file {path}: {expected}")
    try:
        with path.open("rb") as file:
            magic = file.read(4)
        if magic != b"GGUF":
            raise PorismError(f"{path}: not a GGUF file: {expected}")
        reader = GGUFReader(path)
    except (ValueError, IndexError, KeyError, OverflowError) as error:
        raise PorismError(f"{path}: a damaged GGUF file ({error}): {expected}") from error
    architecture = reader.get_field("general.architecture")
    found = None if architecture is None else architecture.contents()
    if found != ARCHITECTURE:
        raise PorismError(f"{path}: a model of the architecture {found}: {expected}")
    names = {tensor.name for tensor in reader.tensors}
    if strange := sorted(name for name in names if network_name(name) is None):
        raise PorismError(
            f"{path}: the model has weights that training does not know ({strange[0]}), such as "
            "those of biases, experts or scaled rotations: use a plain llama model"
        )
    return LlamaFile(path, _shape(path, reader, names), reader)


def _shape(path: Path, reader: Any, names: set[str]) -> LlamaShape:
    def value(name: str, default: Any = None) -> Any:
        found = reader.get_field(f"{ARCHITECTURE}.{name}")
        if found is None and default is None:
            raise PorismError(f"{path}: found no {ARCHITECTURE}.{name} in the metadata")
        return default if found is None else found.contents()

    if value("rope.scaling.type", "none") != "none":
        raise PorismError(f"{path}: scaled rotations (rope.scaling) cannot be trained")
    width, heads = int(value("embedding_length")), int(value("attention.head_count"))
    head = width // heads
    sizes = {int(value(name, head)) for name in ("rope.dimension_count", "attention.key_length")}
    if sizes != {head}:
        raise PorismError(f"{path}: heads of another size than {head} cannot be trained")
    embedded = next((each for each in reader.tensors if each.name == "token_embd.weight"), None)
    if embedded is None:
        raise PorismError(f"{path}: found no weights of tokens (token_embd.weight)")
    shape = LlamaShape(
        words=int(embedded.shape[1]),
        width=width,
        inner_width=int(value("feed_forward_length")),
        layers=int(value("block_count")),
        heads=heads,
        key_heads=int(value("attention.head_count_kv", heads)),
        context=int(value("context_length")),
        epsilon=float(value("attention.layer_norm_rms_epsilon")),
        rotation=float(value("rope.freq_base", 10_000.0)),
        is_tied="output.weight" not in names,
    )
    wanted = {name for name in _WHOLE if name != "output.weight"} | {
        f"blk.{layer}.{name}" for layer in range(shape.layers) for name in _LAYER
    }
    if missing := sorted(wanted - names):
        raise PorismError(f"{path}: found no weights {missing[0]}; the file is incomplete")
    return shape


def network_name(name: str) -> str | None:
    """The name of a tensor of a file in the network; None if the network has none such."""
    if name in _WHOLE:
        return _WHOLE[name]
    block, _, rest = name.partition(".")
    layer, _, part = rest.partition(".")
    if block == "blk" and layer.isdecimal() and part in _LAYER:
        return f"model.layers.{layer}.{_LAYER[part]}"
    return None


def _rotated(
    array: NDArray[np.float32], name: str, shape: LlamaShape, to_file: bool
) -> NDArray[np.float32]:
    """The rows of queries or keys in the order of a file, or of the network; others unchanged.

    The network rotates component i of a head with i + half of them, llama.cpp 2i with 2i + 1.
    """
    if name.endswith("attn_q.weight"):
        heads = shape.heads
    elif name.endswith("attn_k.weight"):
        heads = shape.key_heads
    else:
        return array
    half = len(array) // heads // 2
    parts = (2, half) if to_file else (half, 2)
    return array.reshape(heads, *parts, -1).swapaxes(1, 2).reshape(array.shape)


def write_llama(base: LlamaFile, weights: Weights, path: Path, kind: TensorType) -> None:
    """Write a file with the metadata of ``base`` and other weights of the same shapes."""
    matrix_type, file_type = _TYPES[kind]
    writer = GGUFWriter(path, ARCHITECTURE)
    try:
        for each in base._reader.fields.values():
            if not each.name.startswith("GGUF.") and each.name not in _WRITTEN_ANEW:
                sub_type = each.types[-1] if each.types[0] == GGUFValueType.ARRAY else None
                writer.add_key_value(each.name, each.contents(), each.types[0], sub_type)
        writer.add_file_type(file_type)
        writer.add_quantization_version(gguf.GGML_QUANT_VERSION)
        for name, array in _file_arrays(base, weights):
            if array.ndim == 1:
                writer.add_tensor(name, array)
            elif matrix_type is GGMLQuantizationType.F16 or array.shape[-1] % _BLOCK:
                writer.add_tensor(name, array.astype(np.float16))
            else:
                packed = gguf.quants.quantize(array, matrix_type)
                writer.add_tensor(name, packed, raw_dtype=matrix_type)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
    finally:
        writer.close()


_BLOCK = gguf.GGML_QUANT_SIZES[GGMLQuantizationType.Q8_0][0]
"""Components of a row that are stored together; rows of other lengths keep 16 bits."""

_WRITTEN_ANEW = ("general.architecture", "general.file_type", "general.quantization_version")


def _file_arrays(base: LlamaFile, weights: Weights) -> Iterator[tuple[str, NDArray[np.float32]]]:
    for tensor in base._reader.tensors:
        name = network_name(tensor.name)
        assert name is not None
        array = np.ascontiguousarray(weights[name], np.float32)
        yield tensor.name, _rotated(array, tensor.name, base.shape, to_file=True)
