"""Time until a source can be searched, and until a change of a note is found.

Each start is that of a new user: no collection, no index, and with --compile no compiled code.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from urllib.error import HTTPError
from urllib.request import urlopen

from bench.shared_data import shared_folder

NOTES = 1_000

WORDS = ("quince", "medlar", "cydonia", "sorbus", "loquat", "damson", "bullace", "azarole", "sloe")
"""A word of its own for each change; no entry has it."""


def report(is_compiled: bool = True) -> None:
    """Print the seconds to the first page and the first result, and from change to result."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        variables = {"XDG_CACHE_HOME": str(folder / "cache")}
        if not is_compiled:
            (folder / "code").mkdir()
            variables["NUMBA_CACHE_DIR"] = str(folder / "code")
        print(f"compiled code {'is cached' if is_compiled else 'is not cached'}")
        with _started(variables, "demo", "-o", str(folder / "demo")) as (address, started):
            print(f"porism demo: {_first_times(address, started, 'harmonic series')}")
        if not is_compiled:
            return  # what follows would load the code of the first start
        notes = folder / "notes"
        _write_notes(notes)
        arguments = ("serve", str(notes), "--port", "0", "--no-vectors")
        with _started(variables, *arguments) as (address, started):
            print(f"porism serve, {NOTES:,} notes: {_first_times(address, started, 'group')}")
        with _started(variables, *arguments) as (address, started):
            print(f"the same, second start: {_first_times(address, started, 'group')}")
            times = sorted(
                _seconds_to_result(notes / f"{number * 90:05d}.md", word, address)
                for number, word in enumerate(WORDS)
            )
        print(
            f"from a change to its result: median {median(times):.2f} s, longest {times[-1]:.2f} s"
        )


def _write_notes(folder: Path) -> None:
    """The first entries of PlanetMath as Markdown."""
    folder.mkdir()
    source = shared_folder() / "data" / "planetmath.jsonl.gz"
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for number, line in zip(range(NOTES), lines, strict=False):
            entry = json.loads(line)
            text = f"# {entry['title']}\n\n{entry['tex']}\n"
            (folder / f"{number:05d}.md").write_text(text, encoding="utf-8")


@contextmanager
def _started(variables: dict[str, str], *arguments: str) -> Iterator[tuple[str, float]]:
    """A command that serves, its address, and when it was started."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "porism", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **variables},
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        yield line.split("is at ")[1].split("/ ")[0], started
    finally:
        process.terminate()
        process.wait()


def _first_times(address: str, started: float, query: str) -> str:
    """Seconds until there is a page with progress, the page to search with, and a result."""
    urlopen(address).close()
    progress = time.perf_counter() - started
    while _health(address) != "ok":
        time.sleep(0.02)
    page = time.perf_counter() - started
    assert _results(address, query)
    result = time.perf_counter() - started
    return f"progress {progress:.1f} s, search page {page:.1f} s, first result {result:.1f} s"


def _health(address: str) -> str:
    with urlopen(f"{address}/api/health") as response:
        return str(json.load(response)["status"])


def _results(address: str, query: str) -> int:
    """The number of results; compiling the search may take longer than a request has."""
    while True:
        try:
            with urlopen(f"{address}/api/search?q={query.replace(' ', '+')}") as response:
                return len(json.load(response)["results"])
        except HTTPError as error:
            if error.status not in (422, 503):
                raise
            time.sleep(0.1)


def _seconds_to_result(note: Path, word: str, address: str) -> float:
    """Add a section to a note, and search for its word until it is found."""
    with note.open("a", encoding="utf-8") as file:
        file.write(f"\n## The {word}\n\nA {word} has $x^2 + 1$ seeds.\n")
    started = time.perf_counter()
    while not _results(address, word):
        time.sleep(0.02)
    return time.perf_counter() - started


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", action="store_true", help="start without compiled code")
    report(is_compiled=not parser.parse_args().compile)
