"""Time to the first result of a search in a new process."""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROUNDS = 7
SEARCHES = {
    "answers": ["How do I evaluate $\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx$?"],
    "formulas": ["--formulas", "\\sum_{n=1}^\\infty \\frac{1}{n^2}"],
}
SOURCE = Path(__file__).parents[1] / "src"


class Times(NamedTuple):
    """Seconds of one command: by the clock, of the processor, and until the search began."""

    wall: float
    processor: float
    start: float


def report(before: Path | None = None, index: Path | None = None) -> None:
    """Print the seconds of ``porism search``, with stored code and without.

    ``before`` is a checkout of an earlier version, which takes turns with this one. Each version
    makes a collection and an index of the sample of its own; ``index``, if given, is searched
    instead, and both must be able to read it.
    """
    versions = {"now": SOURCE} | ({} if before is None else {"before": before / "src"})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for version, source in versions.items():
            sample = str(folder / version / "sample")
            _porism(source, "ingest", "sample", "-o", sample)
            _porism(source, "index", sample, "--systems", "porism")
        indexes = {version: index or folder / version / "sample" / "index" for version in versions}
        print(f"porism search on {index or 'the sample'}, a new process each, median of {ROUNDS}")
        for what, query in SEARCHES.items():
            searches = {
                version: ("search", str(searched), *query, "--json")
                for version, searched in indexes.items()
            }
            for version, source in versions.items():
                _porism(source, *searches[version])  # compiles, and reads files into memory
            rounds = [
                {
                    version: _timed(source, *searches[version])
                    for version, source in versions.items()
                }
                for _ in range(ROUNDS)
            ]
            for line in _lines(rounds):
                print(f"  {what}, {line}")
        print("without stored code: porism index of the sample, and the first search after it")
        for version, source in versions.items():
            print(f"  {version}: {_uncompiled(source, folder / version)}")


def _lines(rounds: list[dict[str, Times]]) -> Iterator[str]:
    middle = {
        version: Times(*map(median, zip(*(each[version] for each in rounds), strict=True)))
        for version in rounds[0]
    }
    for version, times in middle.items():
        yield (
            f"{version}: {times.wall:.2f} s, {times.processor:.2f} s of the processor, "
            f"{times.start:.2f} s until the search began"
        )
    if "before" in middle:
        ratios = [each["before"].wall / each["now"].wall for each in rounds]
        yield f"before / now: {median(ratios):.1f} ({min(ratios):.1f} to {max(ratios):.1f})"


def _uncompiled(source: Path, folder: Path) -> str:
    """The times of an index of the sample and of a search as after an installation."""
    (folder / "code").mkdir()
    code = {"NUMBA_CACHE_DIR": str(folder / "code")}
    index, sample = str(folder / "index"), str(folder / "sample")
    search = ("search", index, *SEARCHES["answers"], "--json")
    built = _timed(source, "index", sample, "-o", index, "--systems", "porism", **code)
    first, second = (_timed(source, *search, **code) for _ in range(2))
    return f"{built.wall:.1f} s, {first.wall:.2f} s; a second search {second.wall:.2f} s"


def _timed(source: Path, *arguments: str, **variables: str) -> Times:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    output = _porism(source, *arguments, **variables)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    is_search = arguments[0] == "search"
    begun = json.loads(output)["milliseconds"]["start"] / 1000 if is_search else 0.0
    return Times(wall, processor, begun)


def _porism(source: Path, *arguments: str, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(source), **variables}
    # As in an installation, where the bytecode of modules is stored.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "porism", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return done.stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version")
    parser.add_argument("--index", type=Path, help="an index to search instead of the sample's")
    options = parser.parse_args()
    report(options.before, options.index)
