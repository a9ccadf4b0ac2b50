"""Search times of this checkout beside those of another, on synthetic answers, topic by topic.

    git worktree add /tmp/before COMMIT
    python -m bench.search_versions /tmp/before --documents 200000

Each checkout builds its index and searches it in a process of its own. The processes take turns
with each topic, so that both meet the same noise, and must return the same rankings. The CPU time
of a search counts, because a busy machine changes it less than the clock.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from bench.real_tokens import answer_queries, answer_tokens, ingest_mini
from bench.search import answers, clauses
from bench.shared_data import shared_folder
from bench.synthetic_tokens import source_of
from porism.inverted import open_inverted_index

HERE = Path(__file__).parent.parent
CUTOFFS = (1000, 10)
ROUNDS = 3


class Searcher:
    """A process that searches the index of a checkout."""

    def __init__(self, checkout: Path, source: Path, index: Path, documents: int) -> None:
        paths = os.pathsep.join([str(checkout / "src"), str(checkout)])
        environment = {**os.environ, "PYTHONPATH": paths}
        command = [sys.executable, "-m", "bench.index_build", str(source), str(index)]
        done = subprocess.run(
            [*command, str(documents)], env=environment, cwd=checkout, capture_output=True
        )
        if done.returncode:
            raise SystemExit(f"{checkout}: {done.stderr.decode()}")
        # -P: the folder of this file has modules with the names of others.
        command = [sys.executable, "-P", __file__, "--serve", str(index)]
        self._process = subprocess.Popen(
            command,
            env=environment,
            cwd=checkout,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def search(self, topic: int, k: int) -> tuple[float, str]:
        """Return the CPU time in milliseconds, and a checksum of the ranking."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(topic, k, file=self._process.stdin, flush=True)
        seconds, ranking = self._process.stdout.readline().split()
        return float(seconds) * 1000, ranking

    def stop(self) -> None:
        """End the process."""
        self._process.communicate()


def serve(index_folder: Path) -> None:
    """Answer each line of standard input, the number of a topic and k, with time and ranking."""
    index = open_inverted_index(index_folder)
    queries = [clauses(query) for query in answer_queries(shared_folder())]
    for line in sys.stdin:
        topic, k = map(int, line.split())
        start = time.process_time()
        hits = index.search(queries[topic], k)
        seconds = time.process_time() - start
        ranking = repr([(hit.doc_id, hit.score) for hit in hits])
        print(seconds, crc32(ranking.encode()), flush=True)


def compared(searchers: tuple[Searcher, Searcher], topics: int, k: int) -> NDArray[np.float64]:
    """The time of each searcher for each topic, the median of some rounds."""
    for topic in range(topics):  # also reads files and compiles
        if len({searcher.search(topic, k)[1] for searcher in searchers}) > 1:
            raise SystemExit(f"topic {topic}: the rankings differ")
    taken = np.zeros((ROUNDS, len(searchers), topics))
    for turn in range(ROUNDS):
        for topic in range(topics):
            for which in (0, 1) if (turn + topic) % 2 == 0 else (1, 0):
                taken[turn, which, topic] = searchers[which].search(topic, k)[0]
    return np.median(taken, axis=0)


def compare(before: Path, documents: int, at: str | None) -> None:
    """Print the times of both checkouts, and their ratios."""
    shared = shared_folder()
    with TemporaryDirectory(dir=at) as name:
        folder = Path(name)
        kind = answers(documents)
        source = source_of(answer_tokens(ingest_mini(shared, folder)), kind.growth)
        source.write(folder / "source")
        searchers = (
            Searcher(before, folder / "source", folder / "before", documents),
            Searcher(HERE, folder / "source", folder / "after", documents),
        )
        topics = len(answer_queries(shared))
        print(f"Search of {documents:,} synthetic answers, CPU time of {topics} topics")
        for k in CUTOFFS:
            times = compared(searchers, topics, k)
            (old_median, old_p99), (median, p99) = np.percentile(times, (50, 99), axis=1).T
            print(
                f"  {k} results: before {old_median:.1f} ms median, {old_p99:.1f} ms at the 99th "
                f"percentile; after {median:.1f} and {p99:.1f}; "
                f"{median / old_median:.2f} and {p99 / old_p99:.2f} times",
                flush=True,
            )
        for searcher in searchers:
            searcher.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("before", type=Path, nargs="?", help="the other checkout")
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--at", help="a folder with room for both indexes")
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve is not None:
        serve(options.serve)
    elif options.before is None:
        parser.error("name the other checkout")
    else:
        compare(options.before.resolve(), options.documents, options.at)


if __name__ == "__main__":
    main()
