"""The properties of a target: random values, and a check that must hold for each."""

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
SECONDS_PER_CHARACTER = 1e-4
"""Allowed CPU time: about a hundred times the usual."""


@dataclass(frozen=True)
class Property:
    """A check that must hold for every value; any exception is a failure.

    ``size`` is the number of characters of a value, which bounds the cost of the check.
    """

    name: str
    # The types differ between properties, but strategy and check of one property agree.
    strategy: st.SearchStrategy[Any]
    check: Callable[[Any], None]
    size: Callable[[Any], int] = len


def check_examples(one: Property, examples: int) -> None:
    """Check a property with values chosen by the hypothesis profile, for the tests."""

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(one.strategy)
    def check(value: object) -> None:
        one.check(value)

    check()


@contextmanager
def bounded_cost(size: int) -> Iterator[None]:
    """Fail if the block takes more CPU time than allowed for this many characters.

    Only long runs use it: tests must not depend on the speed of a machine.
    """
    start = time.process_time()
    yield
    seconds = time.process_time() - start
    allowed = SECONDS + SECONDS_PER_CHARACTER * size
    assert seconds < allowed, f"took {seconds:.1f} s for {size:,} characters"


@contextmanager
def file_of(data: str | bytes, name: str) -> Iterator[Path]:
    """A temporary file with that content."""
    with TemporaryDirectory(prefix="porism-fuzz-") as folder:
        path = Path(folder, name)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "replace"))
        yield path


@contextmanager
def refusals(data: bytes) -> Iterator[None]:
    """Accept a refusal of the data, with a position within it."""
    refusal: PorismError | None = None
    try:
        yield
    except PorismError as error:
        refusal = error
    if isinstance(refusal, LatexError):
        assert 0 <= refusal.offset <= len(refusal.source), "the error has a position in the formula"
    elif isinstance(refusal, FormatError):
        assert refusal.why
        assert 0 <= refusal.line <= len(data.splitlines()) + 1, "the error has a line of the file"
    elif refusal is not None:
        assert str(refusal)
