"""A load test with faults: honest requests next to hostile clients, while the index is updated.

    python -m bench.faults [--minutes 10] [--rate 20]

``porism serve`` on a small collection gets ``--rate`` honest requests per second: searches,
formulas, results as you type, threads. At the same time there are clients that hang in the middle
of a head or body or do not read, far too large uploads, searches that are abandoned at once, and
every 10 seconds a changed collection with ``porism update``. The report has the times of honest
requests, all 5xx responses, and descriptors and memory of the server: medians over some seconds
after two updates and at the end, because an upload takes memory while it lasts. Exits with 1 on any
5xx, if an honest request fails, if the 99th percentile is not under a second, or if descriptors or
memory have grown.
"""

from __future__ import annotations

import argparse
import http.client
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from statistics import median
from urllib.parse import quote

import numpy as np

POSTS = 400
UPDATE_SECONDS = 10.0
SENDERS = 16
HANGING = 40
"""Number of concurrent hanging clients; each reconnects when it is cut off."""

P99_SECONDS = 1.0
MORE_DESCRIPTORS, MORE_MEGABYTES = 20, 60.0
"""Allowed growth until the end: other connections are open, other results cached."""

FORMULAS = (
    r"\sum_{n=1}^\infty \frac{1}{n^{%d}}",
    r"\int_0^%d e^{-x^2}\,dx",
    r"x^%d + y^2 = z^2",
    r"\lim_{n\to\infty} \left(1+\frac{%d}{n}\right)^n",
    r"\begin{pmatrix}a & b\\c & %d\end{pmatrix}",
    r"f(x) = \sqrt{x^2 + %d}",
)
WORDS = "prove that this series converges group ring integral limit matrix prime number".split()
EXPLODING = r"\def\a#1{#1#1#1#1#1#1#1#1#1}\a{\a{\a{\a{xyzw}}}}"

HANGS = (
    b"GET /api/search?q=x HTTP/1.1\r\nHost: localhost\r\nX-Slow: ",
    b"POST /api/convert HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{",
    b"POST /runs/try HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\nA",
    20 * b"GET /?q=sum HTTP/1.1\r\nHost: localhost\r\n\r\n",
)


# The collection ----------------------------------------------------------------------------------


def write_dump(folder: Path, state: int) -> None:
    """Write a dump in which some posts differ between states."""
    rng = random.Random(state)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "Posts.xml").open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        for number in range(1, POSTS + 1):
            seed = rng.random() if number % 40 == state % 40 else number
            out.write(_row(number, random.Random(seed)))
        out.write("</posts>\n")


def _row(number: int, rng: random.Random) -> str:
    body = "".join(
        f"<p>{' '.join(rng.choices(WORDS, k=8))} "
        f'<span class="math-container">${_formula(rng)}$</span></p>'
        for _ in range(5)
    )
    kind = f'PostTypeId="1" Title="Question {number}" Tags="&lt;sums&gt;"'
    if number % 4 != 1:
        kind = f'PostTypeId="2" ParentId="{number - (number - 1) % 4}"'
    return f'  <row Id="{number}" {kind} Score="1" Body="{escape(body)}" />\n'


def _formula(rng: random.Random) -> str:
    return rng.choice(FORMULAS) % rng.randrange(100)


def porism(*arguments: str) -> None:
    """Run a command in a separate process, which must succeed."""
    command = [sys.executable, "-m", "porism", *arguments, "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")


@contextmanager
def running_server(index: Path, log: Path) -> Iterator[tuple[int, int]]:
    """A running server; yields its process id and port."""
    command = [sys.executable, "-m", "porism", "serve", str(index), "--port", "0"]
    with log.open("w") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        try:
            assert process.stdout is not None
            address = process.stdout.readline().split("http://")[1].split("/")[0]
            yield process.pid, int(address.rpartition(":")[2])
        finally:
            process.terminate()
            process.wait(30)


# Clients -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Outcome:
    """The times and statuses of honest requests, and the statuses of hostile ones."""

    seconds: list[float] = field(default_factory=list)
    honest: Counter[str] = field(default_factory=Counter)
    hostile: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, counter: Counter[str], what: str, seconds: float | None = None) -> None:
        with self.lock:
            counter[what] += 1
            if seconds is not None:
                self.seconds.append(seconds)

    @property
    def server_errors(self) -> int:
        """The number of 5xx responses to any client."""
        both = (*self.honest.items(), *self.hostile.items())
        return sum(number for what, number in both if what.startswith("5"))

    @property
    def failures(self) -> int:
        """The number of honest requests without success."""
        return sum(number for what, number in self.honest.items() if what != "200")


@dataclass(frozen=True, slots=True)
class Clients:
    """Clients that send requests until ``ending`` is set."""

    port: int
    ending: threading.Event
    outcome: Outcome

    def _ask(self, method: str, path: str, body: bytes | None = None) -> str:
        """The status of a response, or the name of the error."""
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as link:
                link.request(method, path, body, {"Connection": "close"})
                answer = link.getresponse()
                answer.read()
                return str(answer.status)
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__

    def honest(self, sender: int, rate: float, start: float) -> None:
        """Send requests at fixed times, whether or not earlier ones were answered."""
        rng = random.Random(sender)
        at = sender
        while not self.ending.is_set():
            due = start + at / rate
            if self.ending.wait(max(0.0, due - time.perf_counter())):
                return
            status = self._ask("GET", _honest_path(rng))
            # The time before sending counts: a person would have waited, too.
            self.outcome.note(self.outcome.honest, status, time.perf_counter() - due)
            at += SENDERS

    def hanging(self, number: int) -> None:
        """Hang, and reconnect when the server closes the connection."""
        while not self.ending.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as link:
                link.sendall(HANGS[number % len(HANGS)])
                while not self.ending.wait(1.0):
                    link.sendall(b"x" if number % 3 else b"")  # some trickle
            self.ending.wait(1.0)

    def huge(self) -> None:
        """Post far too much: with a length, chunked, and as a run of the maximum size."""
        megabytes = (("/api/convert", 50), ("/runs/try", 50), ("/runs/try", 20))
        while not self.ending.wait(1.0):
            for path, size in megabytes:
                status = self._ask("POST", path, b"A.1 0 7 1 2.5 mine\n" * (50_000 * size))
                self.outcome.note(self.outcome.hostile, status)
            with suppress(OSError):
                status = self._chunked()
                self.outcome.note(self.outcome.hostile, status)

    def _chunked(self) -> str:
        head = b"POST /api/convert HTTP/1.1\r\nHost: localhost\r\n"
        with socket.create_connection(("127.0.0.1", self.port), 30) as link:
            link.sendall(head + b"Transfer-Encoding: chunked\r\n\r\n")
            chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
            with suppress(OSError):
                for _ in range(200):
                    link.sendall(chunk)
            return (link.recv(100).split() or [b"", b"nothing"])[1].decode()

    def abandoned(self) -> None:
        """Send costly requests and disconnect at once, five times per second."""
        rng = random.Random(5)
        while not self.ending.wait(0.2):
            text = rng.choice((EXPLODING, "x+" * 900, " ".join(f"$x_{n}$" for n in range(200))))
            path = rng.choice(("/api/formulas?k=100&q=", "/?what=formulas&q=", "/api/search?q="))
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as link:
                request = f"GET {path}{quote(text)} HTTP/1.1\r\nHost: localhost\r\n\r\n"
                link.sendall(request.encode())


def _honest_path(rng: random.Random) -> str:
    formula, words = _formula(rng), " ".join(rng.choices(WORDS, k=4))
    return rng.choice(
        (
            f"/api/search?q={quote(f'{words} ${formula}$')}",
            f"/api/formulas?q={quote(formula)}",
            f"/?fragment=results&q={quote(words)}",
            f"/threads/{rng.randrange(POSTS // 4) * 4 + 1}",
        )
    )


# Report ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Usage:
    """The resources of the server."""

    descriptors: int
    megabytes: float

    def __str__(self) -> str:
        return f"{self.descriptors} descriptors, {self.megabytes:.0f} MB"


def usage(process: int) -> Usage:
    """The descriptors and resident memory of a process."""
    folder = Path("/proc") / str(process)
    lines = (folder / "status").read_text().splitlines()
    resident = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return Usage(len(list((folder / "fd").iterdir())), resident / 1024)


def run(minutes: float, rate: float) -> list[str]:
    """Load a server and print a report; returns the criteria that are not met."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dump, collection = folder / "dump", folder / "collection"
        write_dump(dump, 0)
        porism("ingest", str(dump), "-o", str(collection))
        porism("index", str(collection), "--systems", "porism,l8")
        with running_server(collection / "index", folder / "log") as (process, port):
            outcome, first, last, updates = _load(
                process, port, minutes, rate, lambda state: _update(dump, collection, state)
            )
        log = (folder / "log").read_text()
    usual, late = np.percentile(outcome.seconds, (50, 99))
    print(
        f"honest requests: {len(outcome.seconds):,} in {minutes:g} minutes, "
        f"{dict(outcome.honest)}; "
        f"median {1000 * usual:.0f} ms, 99th percentile {1000 * late:.0f} ms\n"
        f"hostile posts: {dict(outcome.hostile)}; 5xx in all: {outcome.server_errors}\n"
        f"updates: {updates}\n"
        f"after two updates: {first}\n"
        f"at the end: {last}"
    )
    if log.strip():
        print(f"the server's log:\n{log[-2000:]}")
    faults = {
        "there were 5xx responses": outcome.server_errors > 0,
        "honest requests failed": outcome.failures > 0,
        f"the 99th percentile is not under {P99_SECONDS:g} s": late >= P99_SECONDS,
        "descriptors have grown": last.descriptors > first.descriptors + MORE_DESCRIPTORS,
        "memory has grown": last.megabytes > first.megabytes + MORE_MEGABYTES,
    }
    return [fault for fault, is_present in faults.items() if is_present]


def _update(dump: Path, collection: Path, state: int) -> None:
    write_dump(dump, state)
    porism("ingest", str(dump), "-o", str(collection))
    porism("update", str(collection / "index"))


def _load(
    process: int, port: int, minutes: float, rate: float, update: Callable[[int], None]
) -> tuple[Outcome, Usage, Usage, int]:
    outcome, ending = Outcome(), threading.Event()
    clients = Clients(port, ending, outcome)
    start = time.perf_counter() + 0.5
    threads = [
        *(threading.Thread(target=clients.honest, args=(n, rate, start)) for n in range(SENDERS)),
        *(threading.Thread(target=clients.hanging, args=(n,)) for n in range(HANGING)),
        threading.Thread(target=clients.huge),
        threading.Thread(target=clients.abandoned),
    ]
    for thread in threads:
        thread.start()
    samples: list[Usage] = []
    updates = 0
    try:
        while time.perf_counter() < start + 60 * minutes:
            due = start + UPDATE_SECONDS * (updates + 1)
            while time.perf_counter() < due:
                time.sleep(1.0)
                if updates >= 2:  # by then all threads have opened the index
                    samples.append(usage(process))
            updates += 1
            update(updates)
    finally:
        ending.set()
        for thread in threads:
            thread.join()
    return outcome, _median(samples[:SAMPLES]), _median(samples[-SAMPLES:]), updates


SAMPLES = 20


def _median(samples: Sequence[Usage]) -> Usage:
    return Usage(
        round(median(each.descriptors for each in samples)),
        median(each.megabytes for each in samples),
    )


MINUTES, RATE = 10.0, 20.0


def report(minutes: float = MINUTES, rate: float = RATE) -> bool:
    """Print the measurements and the criteria that are not met; returns whether all are."""
    faults = run(minutes, rate)
    for fault in faults:
        print(f"FAILED: {fault}")
    return not faults


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.faults")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--rate", type=float, default=RATE, help="honest requests per second")
    options = parser.parse_args()
    sys.exit(0 if report(options.minutes, options.rate) else 1)


if __name__ == "__main__":
    main()
