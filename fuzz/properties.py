"""What a target consists of: random values, and what must hold of each of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError, LatexError, PorismError

SECONDS = 5.0
SECONDS_A_CHARACTER = 1e-4
"""Allowed CPU time: some hundred times what is needed."""


@dataclass(frozen=True)
class Property:
    """A check that must hold of every value; it fails by any exception.

    ``size`` is the number of characters of a value, to which the cost of the check is bounded.
    """

    name: str
    # Strategies and checks of different properties have different types, but always the same two.
    strategy: st.SearchStrategy[Any]
    check: Callable[[Any], None]
    size: Callable[[Any], int] = len


def check_examples(one: Property, examples: int) -> None:
    """Check a property of some values, which the profile of hypothesis chooses, for the tests."""

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(one.strategy)
    def check(value: object) -> None:
        one.check(value)

    check()


@contextmanager
def bounded_cost(size: int) -> Iterator[None]:
    """Fail if what is done takes more CPU time than so many characters may.

    Only long runs ask for it: tests must not depend on the speed of a machine.
    """
    start = time.process_time()
    yield
    seconds = time.process_time() - start
    allowed = SECONDS + SECONDS_A_CHARACTER * size
    assert seconds < allowed, f"took {seconds:.1f} s for {size:,} characters"


@contextmanager
def file_of(data: str | bytes, name: str) -> Iterator[Path]:
    """A file with that content, gone afterwards."""
    with TemporaryDirectory(prefix="porism-fuzz-") as folder:
        path = Path(folder, name)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "replace"))
        yield path


@contextmanager
def refusals(data: bytes) -> Iterator[None]:
    """Let Porism refuse the data, with a message whose place is in it."""
    refusal: PorismError | None = None
    try:
        yield
    except PorismError as error:
        refusal = error
    if isinstance(refusal, LatexError):
        assert 0 <= refusal.offset <= len(refusal.source), "the error shows a place in the formula"
    elif isinstance(refusal, FormatError):
        assert refusal.why
        assert 0 <= refusal.line <= len(data.splitlines()) + 1, "the error names a line of the file"
    elif refusal is not None:
        assert str(refusal)
