"""The whole way from a dump to an answering page, by the real commands, at any size.

``python -m bench whole`` generates a synthetic site (``bench/synthetic_site.py``), and runs ingest,
index, search and serve in their own processes. ``--extrapolate`` does so for several sizes up to
``--posts``, and prints what 2.5 million posts would cost. ``--docs docs`` renews docs/scaling.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.mini_scores import YEARS, read_year
from bench.process_cost import Cost, MeasuredProcess, measured
from bench.scaling import (
    WHOLE,
    Measurements,
    add_measurements,
    growth,
    read_measurements,
    write_page,
)
from bench.shared_data import shared_folder
from bench.site_statistics import statistics_table
from bench.synthetic_site import site_archive
from bench.web_service import ask, short_query
from porism.model import Task, Topic, plain_text

MINI_INSTANCES, MINI_FORMULAS = 76_275, 37_987
WHOLE_INSTANCES, WHOLE_FORMULAS = 28_000_000, 9_300_000
"""Formulas and visually distinct ones, in the mini collection and in all of ARQMath."""


def heaps(instances: float) -> float:
    """The number of distinct formulas to be expected by Heaps' law."""
    exponent = np.log(WHOLE_FORMULAS / MINI_FORMULAS) / np.log(WHOLE_INSTANCES / MINI_INSTANCES)
    return float(MINI_FORMULAS * (instances / MINI_INSTANCES) ** exponent)


def measurements(posts: int, folder: Path, topics: Sequence[Topic], shared: Path) -> Measurements:
    """Run all stages for a site of that size in ``folder``, printing the cost of each."""
    print(f"{posts:,} posts", flush=True)
    start = time.monotonic()
    archive = site_archive(shared, folder, posts)
    print(f"  generated or found: {time.monotonic() - start:,.0f} s, {_size(archive):,.0f} MB")
    found: Measurements = {"size.archive": _size(archive)}
    with TemporaryDirectory(dir=folder) as name:
        collection, index = Path(name) / "collection", Path(name) / "index"
        cost, output = measured(_porism("ingest", archive, "-o", collection, "--json"))
        counts = json.loads(output)
        found |= _of_cost("ingest", cost)
        found |= {f"count.{each}": counts[each] for each in COUNTED}
        rate = posts / cost.seconds
        formulas, expected = counts["formulas"], heaps(counts["instances"])
        print(f"    {rate:,.0f} posts per second; {counts['instances']:,} formulas, ", end="")
        print(f"{formulas:,} distinct, {formulas / expected:.2f} times what Heaps' law promises")
        index_command = ("index", collection, "-o", index, "--systems", "porism", "--no-vectors")
        cost, _ = measured(_porism(*index_command))
        found |= _of_cost("index", cost)
        found |= _sizes(collection, index)
        first = short_query(topics[0])
        measured(_porism("search", index, "-k", "10", "--json", "--", first))  # reads the files
        cost, _ = measured(_porism("search", index, "-k", "10", "--json", "--", first))
        found |= _of_cost("first result", cost)
        found |= _served(index, topics)
    stages = ("ingest.seconds", "index.seconds", "start.seconds")
    found["total.seconds"] = sum(found[stage] for stage in stages)
    print(f"  from the archive to the first result on the page: {found['total.seconds']:,.0f} s")
    return found


COUNTED = ("questions", "answers", "comments", "instances", "formulas")


def _served(index: Path, topics: Sequence[Topic]) -> Measurements:
    """The start of a server, and searches over HTTP, one at a time."""
    server = MeasuredProcess(_porism("serve", index, "--port", "0", "--processes", "1"))
    try:
        assert server.process.stdout is not None
        line = server.process.stdout.readline()
        port = int(line.split("http://")[1].split("/")[0].rpartition(":")[2])
        ask(port, "/api/search?q=", short_query(topics[0]))
        found = {"start.seconds": server.seconds()}
        print(f"  first result of a new server: {found['start.seconds']:.2f} s")
        kinds = {"title": short_query, "question": _long_query}
        for kind, query in kinds.items():
            queries = [query(topic) for topic in topics]
            for each in queries:
                ask(port, "/api/search?q=", each)
            spent = [ask(port, "/api/search?q=", each) for each in queries]
            median, late = np.percentile(spent, (50, 99)).tolist()
            found |= {f"search by {kind}.median": median, f"search by {kind}.p99": late}
            print(f"  /api/search by {kind}: median {median:.1f} ms, 99th percentile {late:.1f} ms")
    finally:
        server.process.terminate()
    cost, _ = server.wait()
    return found | _of_cost("serve", cost)


def _long_query(topic: Topic) -> str:
    """Title and body, as people paste a question."""
    return f"{plain_text(topic.title)} {plain_text(topic.body)}"


def _porism(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "porism", *map(str, arguments)]


def _of_cost(stage: str, cost: Cost) -> Measurements:
    print(
        f"  {stage}: {cost.seconds:,.1f} s, {cost.processor_seconds:,.1f} s of processor time, "
        f"{cost.cores:.2f} cores busy, {cost.megabytes:,.0f} MB, "
        f"{cost.mapped_megabytes:,.0f} MB with mapped files",
        flush=True,
    )
    return {
        f"{stage}.seconds": cost.seconds,
        f"{stage}.processor": cost.processor_seconds,
        f"{stage}.megabytes": cost.megabytes,
        f"{stage}.mapped": cost.mapped_megabytes,
    }


def _sizes(collection: Path, index: Path) -> Measurements:
    """Megabytes on disk of the database and of the parts of the index."""
    found = {"size.collection": _size(collection), "size.index": _size(index)}
    for part in sorted(index.glob("generation-*/*")):
        name = part.name.partition("-0")[0]  # without the number of a segment
        found[f"size.index {name}"] = found.get(f"size.index {name}", 0.0) + _size(part)
    for name, size in found.items():
        print(f"  {name.removeprefix('size.')}: {size:,.1f} MB")
    return found


def _size(path: Path) -> float:
    files = (path,) if path.is_file() else filter(Path.is_file, path.rglob("*"))
    return sum(file.stat().st_size for file in files) / 1e6


def _extrapolated(sizes: Mapping[int, Measurements]) -> Iterator[str]:
    """What the whole collection is expected to cost, as lines."""
    yield f"expected of {WHOLE:,} posts"
    for name in sizes[max(sizes)]:
        if (fitted := growth(sizes, name)) is not None:
            expected = fitted.at(WHOLE)
            yield f"  {name:<36} {expected:14,.1f}   exponent {fitted.exponent:.2f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one size, or several."""
    parser = argparse.ArgumentParser(prog="python -m bench whole", description=__doc__)
    parser.add_argument("--posts", type=int, default=WHOLE)
    parser.add_argument("--extrapolate", action="store_true", help="measure smaller sizes too")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10_000, 50_000])
    parser.add_argument("--topics", type=int, help="use only the first of the lab's topics")
    parser.add_argument("--at", type=Path, help="keeps dumps, and has room for the rest")
    parser.add_argument("--results", type=Path, help="a TSV file that gets the measurements")
    parser.add_argument("--docs", type=Path, help="renew scaling.md, its table and its plot here")
    given = parser.parse_args(arguments)
    shared = shared_folder()
    topics = [topic for year in YEARS for topic in read_year(shared, Task.ANSWERS, year)]
    with TemporaryDirectory() as temporary:
        folder = given.at or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sizes = [*given.sizes, given.posts] if given.extrapolate else [given.posts]
        found: dict[int, Measurements] = {}
        for posts in sizes:
            found[posts] = measurements(posts, folder, topics[: given.topics], shared)
        print("statistics: synthetic, mini collection")
        mini = shared / "data/arqmath-mini"
        for line in statistics_table(site_archive(shared, folder, sizes[0]), mini):
            print(line)
    if given.extrapolate:
        print("\n".join(_extrapolated(found)))
    results = given.results or (given.docs and given.docs / "scaling.tsv")
    if results:
        add_measurements(results, found)
    if given.docs:
        write_page(given.docs, read_measurements(given.docs / "scaling.tsv"))


if __name__ == "__main__":
    main()
