"""Time to the first result of a search in a new process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

ROUNDS = 7
SEARCHES = {
    "answers": ["How do I evaluate $\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx$?"],
    "formulas": ["--formulas", "\\sum_{n=1}^\\infty \\frac{1}{n^2}"],
}


def report() -> None:
    """Print the seconds of ``porism search`` on the sample, and the share of start-up.

    Compiled code is cached, as after any earlier search.
    """
    print(f"porism search on the sample, a new process each time, median of {ROUNDS}")
    with tempfile.TemporaryDirectory() as name:
        collection = Path(name) / "sample"
        _porism("ingest", "sample", "-o", str(collection))
        _porism("index", str(collection), "--systems", "porism")
        for what, query in SEARCHES.items():
            arguments = ("search", str(collection / "index"), *query, "--json")
            _porism(*arguments)
            runs = [_timed(*arguments) for _ in range(ROUNDS)]
            whole, start, search = (median(column) for column in zip(*runs, strict=True))
            print(
                f"  {what}: {whole:.2f} s, of which {start:.2f} s until Python, Numba and the "
                f"compiled code are loaded, {search * 1000:.0f} ms to rank and read"
            )


def _timed(*arguments: str) -> tuple[float, float, float]:
    """Seconds in total, for start-up, and for ranking and reading."""
    start = time.perf_counter()
    output = json.loads(_porism(*arguments))
    whole = time.perf_counter() - start
    times = output["milliseconds"]
    return whole, times["start"] / 1000, (times["search"] + times["read"]) / 1000


def _porism(*arguments: str) -> str:
    command = [sys.executable, "-m", "porism", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
