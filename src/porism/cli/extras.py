"""What is said where a command needs packages that only some users have."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from porism.errors import PorismError


@contextmanager
def needs_extra(name: str) -> Iterator[None]:
    """Turn the lack of a package into a message that says how to get it.

    Only imports belong inside, so that nothing else is taken for a lack.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("porism"):
            raise
        raise PorismError(
            f"this needs the package {error.name}, which is not installed: "
            f"pip install 'porism[{name}]'"
        ) from error
