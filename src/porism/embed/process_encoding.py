"""A stream of texts encoded by several processes, each with one thread."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
from numpy.typing import NDArray

from porism.embed.encoder import TextEncoder, Vectors
from porism.embed.models import local_model, open_encoder
from porism.embed.token_windows import WindowSpec, windows
from porism.parallel import map_in_order


@dataclass(frozen=True, slots=True)
class EncodedTexts:
    """The vectors of some texts, in order, and the number of vectors of each text.

    Without windows that is 1; with windows it is their number, 0 for an empty text.
    """

    vectors: Vectors
    counts: NDArray[np.int64]


def encode_in_processes(
    chunks: Iterable[Sequence[str]],
    model: str,
    jobs: int,
    precision: str = "int8",
    spec: WindowSpec | None = None,
) -> Generator[EncodedTexts, None, None]:
    """The vectors of each chunk of texts, in order; with ``spec``, of the windows of each text.

    A chunk should have some dozens of texts or more. Chunks are read a few ahead of the results, so
    whoever stores results as they come can continue with the chunk after the last one stored.
    """
    model = local_model(model)
    # fails here, not in another process, if there is no such model, and exports it once
    open_encoder(model, precision)
    yield from map_in_order(partial(_encoded, model, precision, spec), chunks, jobs)


_encoder = cache(open_encoder)


def _encoded(
    model: str, precision: str, spec: WindowSpec | None, texts: Sequence[str]
) -> EncodedTexts:
    encoder: TextEncoder = _encoder(model, precision)
    if spec is None:
        return EncodedTexts(encoder.encode(texts), np.ones(len(texts), dtype=np.int64))
    of_texts = [windows(text, encoder, spec) for text in texts]
    vectors = encoder.encode([window for of_text in of_texts for window in of_text])
    return EncodedTexts(vectors, np.array([len(each) for each in of_texts], dtype=np.int64))
