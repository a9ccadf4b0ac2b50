"""The web service on the mini collection: search times, alone and at fixed rates of requests.

Everything runs on this machine, over loopback, with a fixed number of requests. Under load, the
service and the sender of requests either share two cores, or have one each.

    python -m bench serve
"""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote

import numpy as np

from bench.mini_scores import YEARS, read_year
from bench.shared_data import shared_folder
from bench.typed_queries import indexed
from porism.model import Formula, Topic, plain_text

RATES, SECONDS = (50, 100), 60
"""Requests per second, and duration of the load."""

SENDERS = 32
"""Maximum number of concurrent senders, with one connection per request, as of different people."""


def report() -> None:
    """Print the times of single searches, then times, errors and memory under load."""
    permanent = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as temporary:
        index = indexed("mini", Path(permanent or temporary))
        queries = topic_queries(shared_folder())
        with running_server(index, 1) as (_, port):
            for query in queries:
                _search(port, query)  # loads compiled code and maps files
            times = [_search(port, query) for query in queries]
            print(f"/api/search, one at a time, {len(queries)} topics: {_times_line(times)}")
            times = [ask(port, AS_YOU_TYPE, query) for query in queries]
            print(f"results on the page as you type, one at a time: {_times_line(times)}")
        cores = sorted(os.sched_getaffinity(0))
        shared, pinned = (set(cores[:2]),) * 2, ({cores[0]}, {cores[-1]})
        for name, (of_service, of_sender) in {"shared": shared, "one core each": pinned}.items():
            for rate in RATES:
                _report_load(name, index, queries, rate, of_service, of_sender)


def _report_load(
    name: str,
    index: Path,
    queries: Sequence[str],
    rate: int,
    of_service: set[int],
    of_sender: set[int],
) -> None:
    """Print what a service with as many processes as it has cores does at a rate."""
    own = os.sched_getaffinity(0)
    os.sched_setaffinity(0, of_service)  # which the service inherits
    try:
        with running_server(index, len(of_service)) as (process, port):
            os.sched_setaffinity(0, of_sender)  # of this thread, and of those that it starts
            _load(port, queries, rate, 15)  # starts all threads, each with the index open
            before = _megabytes(process.pid)
            times, errors = _load(port, queries, rate, SECONDS)
            after = _megabytes(process.pid)
    finally:
        os.sched_setaffinity(0, own)
    print(
        f"{rate} requests per second for {SECONDS} s, cores {name}, --processes "
        f"{len(of_service)}: {_times_line(times)}, {errors} errors; memory of the first process "
        f"{before:.0f} MB before, {after:.0f} MB after",
        flush=True,
    )


def topic_queries(shared: Path) -> list[str]:
    """The real topics of both years as short queries."""
    return [short_query(topic) for year in YEARS for topic in read_year(shared, 1, year)]


def short_query(topic: Topic) -> str:
    """The title of a topic and its first formula, as a person might type them."""
    title = plain_text(topic.title)
    formulas = (piece for piece in (*topic.title, *topic.body) if isinstance(piece, Formula))
    first = next(formulas, None)
    return title if first is None or "$" in title else f"{title} ${first.latex}$"


@contextmanager
def running_server(index: Path, processes: int) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "porism", "serve", str(index), "--port", "0"]
    command += ["--processes", str(processes), "--rate", "0"]
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


def _load(port: int, queries: Sequence[str], rate: int, seconds: int) -> tuple[list[float], int]:
    """Send requests at fixed times, whether or not earlier ones were answered."""
    times: list[float] = []
    errors = 0
    lock = threading.Lock()
    start = time.perf_counter() + 0.5

    def send(number: int) -> None:
        nonlocal errors
        for at in range(number, rate * seconds, SENDERS):
            due = start + at / rate
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
