"""Speed and memory of ingest, compared with a straightforward implementation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from html import unescape
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.shared_data import shared_folder
from bench.synthetic_dump import write_dump

SIZES = (10_000, 100_000)
PEER_POSTS = 1_500
"""The straightforward way is so slow that its rate is measured on the first posts only."""


class IngestCost(NamedTuple):
    """The time of an ingest, and the peak memory of its processes together."""

    posts: int
    seconds: float
    megabytes: float
    formulas: int

    @property
    def rate(self) -> float:
        return self.posts / self.seconds


def report() -> None:
    """Print throughput and memory of ``porism ingest`` for two sizes, and the peer's rate."""
    shared = shared_folder()
    print("Ingest of a synthetic Stack Exchange dump (bench/synthetic_dump.py)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured = []
        for posts in SIZES:
            dump = folder / f"dump-{posts}"
            instances = write_dump(shared, dump, posts)
            result = _ingest(dump, folder / f"collection-{posts}", posts)
            measured.append(result)
            print(
                f"  {posts:,} posts, {instances:,} formulas, {result.formulas:,} distinct: "
                f"{result.rate:,.0f} posts per second, {result.megabytes:,.0f} MB at most"
            )
        peer = _peer(folder / f"dump-{SIZES[-1]}" / "Posts.xml")
    print(f"  BeautifulSoup and latex2mathml, one process: {peer:,.0f} posts per second")
    print(f"  ratio {measured[-1].rate / peer:.1f}; memory of the larger ", end="")
    print(f"{measured[-1].megabytes / measured[0].megabytes:.2f} times that of the smaller")


def _ingest(dump: Path, collection: Path, posts: int) -> IngestCost:
    command = [sys.executable, "-m", "porism", "ingest", str(dump), "-o", str(collection), "--json"]
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    peak = _Peak(process.pid)
    out, _ = process.communicate()
    seconds = time.monotonic() - start
    megabytes = peak.stop()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with status {process.returncode}")
    counts = json.loads(out)
    if counts["questions"] + counts["answers"] != posts:
        raise SystemExit(f"expected {posts} posts in the collection, found {counts}")
    return IngestCost(posts, seconds, megabytes, counts["formulas"])


class _Peak:
    """Watches the total resident memory of a process and its descendants."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.peak = 0.0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()

    def _watch(self) -> None:
        while not self.ended.wait(0.2):
            self.peak = max(self.peak, sum(map(_megabytes, _family(self.pid))))

    def stop(self) -> float:
        self.ended.set()
        self.thread.join()
        return self.peak


def _family(pid: int) -> list[int]:
    """The process and its descendants, from /proc."""
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
        children = [
            int(child)
            for task in tasks
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split()
        ]
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return []
    return [pid, *(each for child in children for each in _family(child))]


def _megabytes(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    lines = (line.split() for line in status.splitlines())
    return sum(int(line[1]) for line in lines if line[0] == "VmRSS:") / 1024


def _peer(posts: Path) -> float:
    """Posts per second with BeautifulSoup for XML and bodies and latex2mathml for formulas.

    Repeated formulas are converted once, which favours the peer.
    """
    from bs4 import BeautifulSoup
    from latex2mathml.converter import convert

    with posts.open(encoding="utf-8") as file:
        xml = "".join(islice(file, 2 + PEER_POSTS)) + "</posts>"
    converted: dict[str, str] = {}
    start = time.monotonic()
    for row in BeautifulSoup(xml, "lxml-xml").find_all("row"):
        body = BeautifulSoup(str(row["Body"]), "lxml")
        for span in body.find_all("span", class_="math-container"):
            latex = unescape(span.get_text()).strip("$")
            if latex in converted:
                continue
            try:
                converted[latex] = convert(latex)
            except Exception:  # latex2mathml raises all kinds of exceptions
                converted[latex] = ""
    return PEER_POSTS / (time.monotonic() - start)


if __name__ == "__main__":
    report()
