"""Error for missing optional dependencies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from porism.errors import PorismError


@contextmanager
def needs_extra(name: str, what: str = "this needs") -> Iterator[None]:
    """Turn a missing package into an error that says how to install it.

    Put only imports inside. ``what`` begins the message, such as "encoders need".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("porism"):
            raise
        raise PorismError(
            f"{what} the package {error.name}, which is not installed: pip install 'porism[{name}]'"
        ) from error
