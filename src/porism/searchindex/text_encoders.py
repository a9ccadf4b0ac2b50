"""The encoder of a model, opened once for all that a process encodes."""

from __future__ import annotations

import threading
from functools import cache

from porism.embed import TextEncoder, open_encoder

_OPENING = threading.Lock()


def shared_encoder(model: str) -> TextEncoder:
    """Return the encoder of a model; threads may share it. PorismError if it is not installed."""
    with _OPENING:
        return _opened(model)


@cache
def _opened(model: str) -> TextEncoder:
    return open_encoder(model)
