"""Speed and memory of ingest, compared with a straightforward implementation, and of indexing."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from html import unescape
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench.process_cost import Cost, measured
from bench.shared_data import shared_folder
from bench.synthetic_dump import write_dump

SIZES = (10_000, 100_000)
PEER_POSTS = 1_500
"""The straightforward way is so slow that its rate is measured on the first posts only."""


class IngestCost(NamedTuple):
    """The cost of an ingest, and what it made."""

    posts: int
    cost: Cost
    formulas: int

    @property
    def rate(self) -> float:
        return self.posts / self.cost.seconds


def report() -> None:
    """Print throughput and memory of ``porism ingest`` for two sizes, and the peer's rate.

    The larger collection is indexed, too.
    """
    shared = shared_folder()
    print("Ingest of a synthetic Stack Exchange dump (bench/synthetic_dump.py)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = []
        for posts in SIZES:
            dump = folder / f"dump-{posts}"
            instances = write_dump(shared, dump, posts)
            result = _ingest(dump, folder / f"collection-{posts}", posts)
            results.append(result)
            print(
                f"  {posts:,} posts, {instances:,} formulas, {result.formulas:,} distinct: "
                f"{result.rate:,.0f} posts per second, {result.cost.cores:.2f} cores busy, "
                f"{result.cost.megabytes:,.0f} MB at most",
                flush=True,
            )
        index = folder / "index"
        cost = _index(folder / f"collection-{SIZES[-1]}", index)
        size = sum(path.stat().st_size for path in index.rglob("*") if path.is_file())
        print(
            f"  indexed for porism, {SIZES[-1]:,} posts: {cost.seconds:.0f} s, "
            f"{cost.cores:.2f} cores busy, {cost.megabytes:,.0f} MB at most, "
            f"{size / 1e6:,.0f} MB on disk",
            flush=True,
        )
        peer = _peer(folder / f"dump-{SIZES[-1]}" / "Posts.xml")
    print(f"  BeautifulSoup and latex2mathml, one process: {peer:,.0f} posts per second")
    print(f"  ratio {results[-1].rate / peer:.1f}; memory of the larger ", end="")
    print(f"{results[-1].cost.megabytes / results[0].cost.megabytes:.2f} times that of the smaller")


def _ingest(dump: Path, collection: Path, posts: int) -> IngestCost:
    command = [sys.executable, "-m", "porism", "ingest", str(dump), "-o", str(collection), "--json"]
    cost, output = measured(command)
    counts = json.loads(output)
    if counts["questions"] + counts["answers"] != posts:
        raise SystemExit(f"expected {posts} posts in the collection, found {counts}")
    return IngestCost(posts, cost, counts["formulas"])


def _index(collection: Path, index: Path) -> Cost:
    arguments = ("index", str(collection), "-o", str(index), "--systems", "porism", "--no-vectors")
    cost, _ = measured([sys.executable, "-m", "porism", *arguments])
    return cost


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
