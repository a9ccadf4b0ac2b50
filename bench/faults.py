"""Load with faults: honest requests beside hostile clients, while the index is updated.

    python -m bench.faults [--minutes 10] [--rate 20]

A server of a small collection, as ``porism serve`` starts it, gets ``--rate`` honest requests a
second: searches, formulas, results as one types, threads. Beside them are clients that hang in the
middle of a head or a body or do not read, posts far too large, searches that are given up at once,
and every 10 seconds a changed collection and ``porism update``. Reported are the times of honest
requests, answers with 5xx to anybody, and descriptors and memory of the server: the medians of the
seconds after two updates and of those at the end, because an upload takes memory while it lasts.
Exits with 1 if there is any 5xx, an honest request fails, the 99th percentile is not under a
second, or descriptors or memory have grown.
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
"""Clients that hang at the same time; each that is cut off comes again."""

P99_SECONDS = 1.0
MORE_DESCRIPTORS, MORE_MEGABYTES = 20, 60.0
"""What the server may have more at the end: other connections are open, other results kept."""

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
    """Write a dump of which some posts differ from state to state."""
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
    """Do a command in a process of its own, which must succeed."""
    command = [sys.executable, "-m", "porism", *arguments, "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{done.stderr[-2000:]}")


@contextmanager
def running_server(index: Path, log: Path) -> Iterator[tuple[int, int]]:
    """The server; its process and its port."""
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
    """What honest clients saw, and the statuses that hostile ones got."""

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
        """How many answers to anybody were 5xx."""
        both = (*self.honest.items(), *self.hostile.items())
        return sum(number for what, number in both if what.startswith("5"))

    @property
    def failures(self) -> int:
        """How many honest requests were not answered with success."""
        return sum(number for what, number in self.honest.items() if what != "200")


@dataclass(frozen=True, slots=True)
class Clients:
    """All that is sent to a server until ``ending`` is set."""

    port: int
    ending: threading.Event
    outcome: Outcome

    def _ask(self, method: str, path: str, body: bytes | None = None) -> str:
        """The status of an answer, or the name of what went wrong."""
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as link:
                link.request(method, path, body, {"Connection": "close"})
                answer = link.getresponse()
                answer.read()
                return str(answer.status)
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__

    def honest(self, sender: int, rate: float, begun: float) -> None:
        """Send requests at their times, whether or not those before have been answered."""
        rng = random.Random(sender)
        at = sender
        while not self.ending.is_set():
            due = begun + at / rate
            if self.ending.wait(max(0.0, due - time.perf_counter())):
                return
            status = self._ask("GET", _honest_path(rng))
            # Waiting to be sent counts: a person would have waited, too.
            taken = time.perf_counter() - due
            self.outcome.note(self.outcome.honest, status, taken)
            at += SENDERS

    def hanging(self, number: int) -> None:
        """Hang, and when the server has had enough, hang again."""
        while not self.ending.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 5) as link:
                link.sendall(HANGS[number % len(HANGS)])
                while not self.ending.wait(1.0):
                    link.sendall(b"x" if number % 3 else b"")  # some trickle
            self.ending.wait(1.0)

    def huge(self) -> None:
        """Post far too much: with its length said, without, and as a run of the largest size."""
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
        """Ask for what is costly and go away at once, five times a second."""
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
    """What the server uses."""

    descriptors: int
    megabytes: float

    def __str__(self) -> str:
        return f"{self.descriptors} descriptors, {self.megabytes:.0f} MB"


def usage(process: int) -> Usage:
    """The descriptors and the resident memory of a process."""
    folder = Path("/proc") / str(process)
    lines = (folder / "status").read_text().splitlines()
    resident = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    return Usage(len(list((folder / "fd").iterdir())), resident / 1024)


def run(minutes: float, rate: float) -> list[str]:
    """Put a server under load and report; what of the criteria is not met."""
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
        "there were answers with 5xx": outcome.server_errors > 0,
        "honest requests failed": outcome.failures > 0,
        f"the 99th percentile is not under {P99_SECONDS:g} s": late >= P99_SECONDS,
        "descriptors have grown": last.descriptors > first.descriptors + MORE_DESCRIPTORS,
        "memory has grown": last.megabytes > first.megabytes + MORE_MEGABYTES,
    }
    return [fault for fault, is_so in faults.items() if is_so]


def _update(dump: Path, collection: Path, state: int) -> None:
    write_dump(dump, state)
    porism("ingest", str(dump), "-o", str(collection))
    porism("update", str(collection / "index"))


def _load(
    process: int, port: int, minutes: float, rate: float, update: Callable[[int], None]
) -> tuple[Outcome, Usage, Usage, int]:
    outcome, ending = Outcome(), threading.Event()
    clients = Clients(port, ending, outcome)
    begun = time.perf_counter() + 0.5
    threads = [
        *(threading.Thread(target=clients.honest, args=(n, rate, begun)) for n in range(SENDERS)),
        *(threading.Thread(target=clients.hanging, args=(n,)) for n in range(HANGING)),
        threading.Thread(target=clients.huge),
        threading.Thread(target=clients.abandoned),
    ]
    for thread in threads:
        thread.start()
    samples: list[Usage] = []
    updates = 0
    try:
        while time.perf_counter() < begun + 60 * minutes:
            due = begun + UPDATE_SECONDS * (updates + 1)
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
    """Print what was measured and what of the criteria is not met; whether all are."""
    faults = run(minutes, rate)
    for fault in faults:
        print(f"FAILED: {fault}")
    return not faults


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.faults")
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--rate", type=float, default=RATE, help="honest requests a second")
    options = parser.parse_args()
    sys.exit(0 if report(options.minutes, options.rate) else 1)


if __name__ == "__main__":
    main()
