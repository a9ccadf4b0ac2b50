"""Encoders of models, each opened once for all that a process encodes."""

from __future__ import annotations

import threading
from contextlib import suppress
from functools import cache

from porism.embed import (
    CrossEncoder,
    SparseEncoder,
    TextEncoder,
    open_cross_encoder,
    open_encoder,
    open_sparse_encoder,
)
from porism.errors import PorismError

_OPENING = threading.Lock()


def shared_encoder(model: str) -> TextEncoder:
    """Return the encoder of a model; threads may share it. PorismError if it is not installed."""
    with _OPENING:
        return _opened(model)


def open_in_background(model: str) -> None:
    """Begin to open the encoder of a model, which takes a tenth of a second, in a thread."""
    threading.Thread(target=_open_quietly, args=(model,)).start()


def _open_quietly(model: str) -> None:
    with suppress(PorismError):  # raised again to whoever needs the encoder
        shared_encoder(model)


def shared_cross_encoder(model: str) -> CrossEncoder:
    """Return the cross-encoder of a model; threads may share it."""
    with _OPENING:
        return _opened_cross_encoder(model)


def shared_sparse_encoder(model: str) -> SparseEncoder:
    """Return the learned-sparse encoder of a model; threads may share it."""
    with _OPENING:
        return _opened_sparse_encoder(model)


@cache
def _opened(model: str) -> TextEncoder:
    return open_encoder(model)


@cache
def _opened_cross_encoder(model: str) -> CrossEncoder:
    return open_cross_encoder(model)


@cache
def _opened_sparse_encoder(model: str) -> SparseEncoder:
    return open_sparse_encoder(model)
