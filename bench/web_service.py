"""The web service on the mini collection: search times, alone and at 50 requests per second.

Everything runs on this machine, over loopback, with a fixed number of requests.
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
from porism.model import Formula, Topic, plain_text

RATE, SECONDS = 50, 60
"""Requests per second, and duration of the load."""

SENDERS = 32
"""Maximum number of concurrent senders, with one connection per request, as of different people."""


def report() -> None:
    """Print the times of single searches, then times, errors and memory under load."""
    shared = shared_folder()
    queries = [short_query(topic) for year in YEARS for topic in read_year(shared, 1, year)]
    with mini_index(shared) as library, running_server(library.folder, 1) as (process, port):
        for query in queries:
            _search(port, query)  # loads compiled code and maps files
        times = [_search(port, query) for query in queries]
        print(f"/api/search, one at a time, {len(queries)} topics: {_times_line(times)}")
        times = [ask(port, AS_YOU_TYPE, query) for query in queries]
        print(f"results on the page as you type, one at a time: {_times_line(times)}")
    for processes in (1, 2):
        with running_server(library.folder, processes) as (process, port):
            _load(port, queries, 15)  # starts all threads, each with the index open
            before = _megabytes(process.pid)
            times, errors = _load(port, queries, SECONDS)
            after = _megabytes(process.pid)
            print(
                f"{RATE} requests per second for {SECONDS} s with --processes {processes}: "
                f"{_times_line(times)}, {errors} errors; memory of the first process "
                f"{before:.0f} MB before, {after:.0f} MB after"
            )


def short_query(topic: Topic) -> str:
    """The title of a topic and its first formula, as a person might type them."""
    title = plain_text(topic.title)
    formulas = (piece for piece in (*topic.title, *topic.body) if isinstance(piece, Formula))
    first = next(formulas, None)
    return title if first is None or "$" in title else f"{title} ${first.latex}$"


@contextmanager
def running_server(index: Path, processes: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "porism", "serve", str(index), "--port", "0"]
    command += ["--processes", str(processes)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield process, int(line.split("http://")[1].split("/")[0].rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(10)


_API, AS_YOU_TYPE = "/api/search?q=", "/?fragment=results&q="


def _search(port: int, query: str) -> float:
    return ask(port, _API, query)


def ask(port: int, address: str, query: str) -> float:
    """Milliseconds of a search; any status but 200 raises."""
    start = time.perf_counter()
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as link:
        link.request("GET", f"{address}{quote(query)}", headers={"Connection": "close"})
        answer = link.getresponse()
        answer.read()
    if answer.status != 200:
        raise RuntimeError(f"{answer.status} for {query[:80]}")
    return 1000 * (time.perf_counter() - start)


def _load(port: int, queries: Sequence[str], seconds: int) -> tuple[list[float], int]:
    """Send requests at fixed times, whether or not earlier ones were answered."""
    times: list[float] = []
    errors = 0
    lock = threading.Lock()
    start = time.perf_counter() + 0.5

    def send(number: int) -> None:
        nonlocal errors
        for at in range(number, RATE * seconds, SENDERS):
            due = start + at / RATE
            time.sleep(max(0.0, due - time.perf_counter()))
            try:
                _search(port, queries[at % len(queries)])
                taken = 1000 * (time.perf_counter() - due)  # includes the time before sending
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
