"""A network opened with onnxruntime: tokens in, one vector per token out, or what its head makes.

Texts with the same number of tokens are computed together and none is padded, so a vector does not
depend on the other texts. On a processor one text at a time is as fast as many.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from tokenizers import Tokenizer

from porism.embed.encoder import Vectors
from porism.embed.graph_cache import graph_path, write_graph
from porism.embed.heads.kinds import Head, takes_token_types
from porism.embed.model_folder import (
    Architecture,
    max_tokens,
    onnx_file,
    read_architecture,
    ready_max_tokens,
)
from porism.embed.model_tokenizers import (
    TOKENIZER_FILE,
    pair_encoding,
    read_model_tokenizer,
    token_encoding,
)
from porism.embed.model_weights import Weights, model_width, open_encoder_weights, weights_file
from porism.errors import PorismError
from porism.packaged_models import sha256

log = logging.getLogger(__name__)

PRECISIONS = ("int8", "float32")
_VERSION = "1"
"""Of the exported graphs; changes whenever the same model gives other vectors."""

_FEWEST_TOKENS = 3
"""One token between the two special tokens that most models have."""

_GPU = "CUDAExecutionProvider"
_GPU_TOKENS = 16_384
"""Tokens per batch on a graphics card."""

_TYPICAL_TEXTS = (
    "The weather is lovely today.",
    r"Let $G$ be a finite group and $H$ a subgroup of index two. Show that $H$ is normal in $G$.",
    r"How do I compute $\int_0^\infty e^{-x^2} dx$ without polar coordinates?",
    "I think the answer is no, because the sequence does not converge; see the comment above.",
    r"Prove that $\sum_{k=1}^n k = \frac{n(n+1)}{2}$ by induction.",
    "Hello! What have you tried so far? A good start is the definition of continuity.",
)
"""They show which channels of a network are large; see ``encoder_graph``."""


class TokenStates(NamedTuple):
    """The tokens of one text in their context, with the position of the text in the input."""

    position: int
    states: Vectors
    is_special: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Network:
    """An opened network with its tokenizer. ``digest`` is a hash of everything that is in it."""

    tokenizer: Tokenizer
    session: onnxruntime.InferenceSession
    digest: str
    precision: str
    dimension: int
    layer: int | None
    """The layer whose output is used; None for a ready ONNX model."""
    max_tokens: int
    """The longest text, with special tokens; longer ones are cut."""
    output: str = Head.STATES.value

    def token_ids(self, text: str) -> list[int]:
        """The tokens of a text, with special tokens."""
        ids: list[int] = token_encoding(self.tokenizer, text, self.max_tokens).ids
        return ids

    def token_states(self, texts: Sequence[str]) -> Iterator[TokenStates]:
        """The output for each text, in any order; texts without tokens are left out."""
        encodings = [token_encoding(self.tokenizer, text, self.max_tokens) for text in texts]
        is_special = [np.array(each.special_tokens_mask, dtype=np.bool_) for each in encodings]
        lengths = {at: len(encodings[at]) for at in range(len(texts)) if not is_special[at].all()}
        for batch in self.batches(lengths):
            ids = np.array([encodings[at].ids for at in batch], dtype=np.int64)
            for at, states in zip(batch, self.states(ids), strict=True):
                yield TokenStates(at, states, is_special[at])

    def batches(self, lengths: Mapping[int, int]) -> Iterator[list[int]]:
        """The positions of texts, given with their lengths, that are computed together.

        They have the same length, and on a processor there is one.
        """
        positions = sorted(lengths, key=lengths.__getitem__)
        for length, group in groupby(positions, key=lengths.__getitem__):
            same = list(group)
            size = max(1, _GPU_TOKENS // length) if self._uses_gpu else 1
            for start in range(0, len(same), size):
                yield same[start : start + size]

    def states(
        self, token_ids: NDArray[np.int64], token_types: NDArray[np.int64] | None = None
    ) -> Vectors:
        """The output for texts with the same number of tokens: of three dimensions, without a head.

        ``token_types`` says which of the two texts of a pair each token belongs to.
        """
        feed = {}
        for each in self.session.get_inputs():
            tokens = _input(each.name, token_ids, token_types)
            feed[each.name] = tokens.astype(_INTEGERS[each.type])
        output: Vectors = self.session.run([self.output], feed)[0]
        return output

    @property
    def _uses_gpu(self) -> bool:
        return _GPU in self.session.get_providers()


_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


def _input(
    name: str, token_ids: NDArray[np.int64], token_types: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    if name == "attention_mask":
        return np.ones_like(token_ids)
    if name == "token_type_ids":
        return np.zeros_like(token_ids) if token_types is None else token_types
    return token_ids


def _output(session: onnxruntime.InferenceSession, head: Head) -> str:
    """The name of the output with one vector per token, or that of a head."""
    dimensions = {output.name: len(output.shape) for output in session.get_outputs()}
    if head is Head.SCORES and dimensions.get(head.value) == 2:
        return head.value
    names = [name for name, number in dimensions.items() if number == 3]
    if head is not Head.STATES or not names:
        outputs = ", ".join(sorted(dimensions))
        raise ValueError(f"its outputs are {outputs}, and there is no {_OUTPUTS[head]}")
    return next((known for known in _TOKEN_OUTPUTS if known in names), names[0])


_TOKEN_OUTPUTS = (Head.STATES.value, "token_embeddings")
_OUTPUTS = {
    Head.STATES: "output with one vector per token, as a bi-encoder has",
    Head.SCORES: "output logits with one row per pair, as a cross-encoder has",
    Head.TERMS: "output for terms, which only models with weights have",
}


def open_network(
    folder: Path,
    precision: str,
    layer: int | None = None,
    threads: int = 1,
    head: Head = Head.STATES,
) -> Network:
    """The network in a model folder up to ``layer`` (None: the last; 0: only the embeddings).

    Weights are preferred to a ready ``model.onnx``, which has a precision and layers of its own.
    ``threads`` may be 0: as many as there are cores.
    """
    if precision not in PRECISIONS:
        raise PorismError(f"found the precision {precision!r}: expected {' or '.join(PRECISIONS)}")
    if not folder.is_dir():
        raise PorismError(f"{folder}: there is no such model folder")
    ready = onnx_file(folder)
    if ready is not None and layer is None and not has_supported_weights(folder):
        return _ready_network(folder, ready, threads, head)
    return _exported_network(folder, precision, layer, threads, head)


def has_supported_weights(folder: Path) -> bool:
    """Whether a folder has weights of an architecture that is exported here."""
    try:
        weights_file(folder)
        read_architecture(folder)
    except PorismError:
        return False
    return True


def _exported_network(
    folder: Path, precision: str, layer: int | None, threads: int, head: Head
) -> Network:
    architecture = read_architecture(folder)
    layer = architecture.layers if layer is None else layer
    if not 0 <= layer <= architecture.layers:
        raise PorismError(
            f"{folder}: found {architecture.layers} layers: there is no layer {layer}"
        )
    tokenizer = read_model_tokenizer(folder)
    path = weights_file(folder)
    weights = open_encoder_weights(path)
    try:
        words, _ = weights.shape("embeddings.word_embeddings.weight")
        width = weights.classes if head is Head.SCORES else model_width(weights)
        positions, _ = weights.shape("embeddings.position_embeddings.weight")
    except ValueError as error:
        raise PorismError(f"{path}: does not match config.json: {error}") from None
    if tokenizer.get_vocab_size() > words:
        raise PorismError(
            f"{folder / TOKENIZER_FILE}: has {tokenizer.get_vocab_size()} tokens, but the model has"
            f" {words}: use the files of one model"
        )
    longest = min(positions - architecture.first_position, max_tokens(folder))
    if longest < _FEWEST_TOKENS:
        raise PorismError(f"{path}: has {positions} positions, too few for a text")
    parts: list[object] = [_VERSION, precision, layer, architecture, sha256(path)]
    parts.append(sha256(folder / TOKENIZER_FILE))
    # left out if they have the value that all models had before there were others
    parts += [each for each in (architecture.activation, head) if each not in _FIRST_SETTINGS]
    parts += [architecture.groups] if architecture.groups else []
    digest = _digest(*parts)

    def make() -> bytes:
        try:
            has_types = takes_token_types(architecture, weights, head)
            feeds = [] if precision == "float32" else _typical_feeds(tokenizer, longest, has_types)
            return _graph(architecture, weights, layer, feeds, head)
        except (ValueError, IndexError) as error:
            raise PorismError(f"{path}: does not match config.json: {error}") from None

    session = _cached_session(f"{digest}.onnx", make, precision, threads)
    return Network(tokenizer, session, digest, precision, width, layer, longest, head.value)


_FIRST_SETTINGS = ("gelu", Head.STATES)


def _typical_feeds(
    tokenizer: Tokenizer, longest: int, has_types: bool
) -> list[dict[str, NDArray[np.int64]]]:
    """The inputs for typical texts, or for pairs of them if these are told apart."""
    if not has_types:
        texts = [token_encoding(tokenizer, text, longest) for text in _TYPICAL_TEXTS]
        return [{"input_ids": np.array([each.ids], dtype=np.int64)} for each in texts]
    pairs = zip(_TYPICAL_TEXTS, reversed(_TYPICAL_TEXTS), strict=True)
    encodings = [pair_encoding(tokenizer, *pair, longest) for pair in pairs]
    return [
        {
            "input_ids": np.array([each.ids], dtype=np.int64),
            "token_type_ids": np.array([each.type_ids], dtype=np.int64),
        }
        for each in encodings
    ]


def _graph(
    architecture: Architecture,
    weights: Weights,
    layer: int,
    feeds: list[dict[str, NDArray[np.int64]]],
    head: Head,
) -> bytes:
    """The exported network; in 8-bit integers if there are inputs of typical texts.

    The package onnx is imported only if that is necessary, since loading it takes a while.
    """
    graphs = import_module("porism.embed.encoder_graph")
    if feeds:
        model = graphs.int8_graph(architecture, weights, layer, feeds, head)
    else:
        model = graphs.float_graph(architecture, weights, layer, head)
    exported: bytes = model.SerializeToString()
    return exported


def _cached_session(
    name: str, make: Callable[[], bytes], precision: str, threads: int
) -> onnxruntime.InferenceSession:
    """The session of a graph from the cache, or of one that is made and cached now."""
    path = graph_path(name)
    if path is not None and path.is_file():
        try:
            return _session(str(path), precision, threads)
        except Exception as error:  # onnxruntime's errors have no common class
            log.warning("%s: exported again, because it cannot be read (%s)", path, error)
    return _session(write_graph(path, make), precision, threads)


def _ready_network(folder: Path, path: Path, threads: int, head: Head) -> Network:
    tokenizer = read_model_tokenizer(folder)
    try:
        session = _session(str(path), "float32", threads)
    except Exception as error:  # onnxruntime's errors have no common class
        raise PorismError(f"{path}: cannot be read as an ONNX model: {error}") from None
    names = {each.name for each in session.get_inputs()}
    known = {"input_ids", "attention_mask", "token_type_ids"}
    digest = _digest("onnx", sha256(path), sha256(folder / TOKENIZER_FILE))
    network = Network(tokenizer, session, digest, "onnx", 0, None, ready_max_tokens(folder))
    try:
        if "input_ids" not in names or not names <= known:
            raise ValueError(f"its inputs are {', '.join(sorted(names))}")
        network = replace(network, output=_output(session, head))
        last = np.array([[tokenizer.get_vocab_size() - 1]])
        dimension = network.states(last).shape[-1]
    except Exception as error:  # onnxruntime's errors have no common class
        raise PorismError(
            f"{path}: not {_EXPECTED[head]} that fits {TOKENIZER_FILE}: {error}: expected the"
            " inputs input_ids, attention_mask and token_type_ids, and one"
            f" {'vector per token' if head is Head.STATES else 'output logits per pair'}"
        ) from None
    return replace(network, dimension=dimension)


_EXPECTED = {
    Head.STATES: "an encoder",
    Head.SCORES: "a cross-encoder",
    Head.TERMS: "a learned-sparse encoder",
}


def _session(model: str | bytes, precision: str, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # threads that wait for work use no processor time
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    providers = ["CPUExecutionProvider"]
    if precision == "float32" and _GPU in onnxruntime.get_available_providers():
        providers.insert(0, _GPU)
    return onnxruntime.InferenceSession(model, options, providers=providers)


def _digest(*parts: object) -> str:
    text = "\0".join(map(str, parts))
    return hashlib.blake2b(text.encode("utf-8"), digest_size=12).hexdigest()
