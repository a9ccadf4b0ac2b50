"""The web service on the mini collection: how long a search takes, and 50 requests a second held.

All of it on this machine, over loopback, for a fixed number of requests.
"""

from __future__ import annotations

import http.client
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import numpy as np

from bench.mini_scores import YEARS, read_year
from bench.quality import mini_index
from bench.shared_data import shared_folder
from porism.model import Content, Formula, Topic

A_SECOND, SECONDS = 50, 60
"""What is held: so many requests a second, for so long."""

SENDERS = 32
"""So many send at the same time at most, each request over a connection of its own, as if by
another person."""


def report() -> None:
    """Print the times of single searches, then those under load with errors and memory."""
    shared = shared_folder()
    queries = [_cut(topic) for year in YEARS for topic in read_year(shared, 1, year)]
    with mini_index(shared) as library, _running_server(library.folder, 1) as (process, port):
        for query in queries:
            _search(port, query)  # the first time compiled code is loaded and files are mapped
        times = [_search(port, query) for query in queries]
        print(f"/api/search, one at a time, {len(queries)} topics: {_times_line(times)}")
        times = [_ask(port, _AS_YOU_TYPE, query) for query in queries]
        print(f"results on the page as one types, one at a time: {_times_line(times)}")
    for processes in (1, 2):
        with _running_server(library.folder, processes) as (process, port):
            _load(port, queries, 15)  # so that all threads are there, each with the index opened
            before = _megabytes(process.pid)
            times, errors = _load(port, queries, SECONDS)
            after = _megabytes(process.pid)
            print(
                f"{A_SECOND} requests a second for {SECONDS} s by --processes {processes}: "
                f"{_times_line(times)}, {errors} errors; memory of the first {before:.0f} MB before, "
                f"{after:.0f} MB after"
            )


def _cut(topic: Topic) -> str:
    """The title of a topic and its first formula, as a person would type them."""
    title = _text(topic.title)
    formulas = (piece for piece in (*topic.title, *topic.body) if isinstance(piece, Formula))
    first = next(formulas, None)
    return title if first is None or "$" in title else f"{title} ${first.latex}$"


def _text(content: Content) -> str:
    return "".join(piece if isinstance(piece, str) else f"${piece.latex}$" for piece in content)


@contextmanager
def _running_server(index: Path, processes: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "porism", "serve", str(index), "--port", "0"]
    command += ["--processes", str(processes)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        told = process.stdout.readline()
        yield process, int(told.split("http://")[1].split("/")[0].rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(10)


_API, _AS_YOU_TYPE = "/api/search?q=", "/?fragment=results&q="


def _search(port: int, query: str) -> float:
    return _ask(port, _API, query)


def _ask(port: int, address: str, query: str) -> float:
    """Milliseconds of a search; anything but success is an error."""
    begun = time.perf_counter()
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as link:
        link.request("GET", f"{address}{quote(query[:2000])}", headers={"Connection": "close"})
        answer = link.getresponse()
        answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{answer.status} for {query[:80]}")
    return 1000 * (time.perf_counter() - begun)


def _load(port: int, queries: Sequence[str], seconds: int) -> tuple[list[float], int]:
    """Send requests at their times, whether or not those before have been answered."""
    times: list[float] = []
    errors = 0
    lock = threading.Lock()
    begun = time.perf_counter() + 0.5

    def send(number: int) -> None:
        nonlocal errors
        for at in range(number, A_SECOND * seconds, SENDERS):
            due = begun + at / A_SECOND
            time.sleep(max(0.0, due - time.perf_counter()))
            try:
                _search(port, queries[at % len(queries)])
                taken = 1000 * (time.perf_counter() - due)  # waiting to be sent counts
                with lock:
                    times.append(taken)
            except (OSError, RuntimeError, http.client.HTTPException):
                with lock:
                    errors += 1

    senders = [threading.Thread(target=send, args=(number,)) for number in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    return times, errors


def _times_line(times: Sequence[float]) -> str:
    median, late = np.percentile(times, (50, 99))
    return f"median {median:.1f} ms, 99th percentile {late:.1f} ms"


def _megabytes(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    report()
