"""How well every system ranks the mini collection, and how long that takes to become searchable.

``PORISM_BENCH_FOLDER`` may name a folder in which collection and index are kept from run to run;
what is found there is taken as it is, so it must be removed when what is indexed has changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.mini_scores import YEARS, Scores, chance, judged, read_year, scores, visual_ids
from bench.real_tokens import ingest_mini
from bench.shared import shared_folder
from porism.catalog import SYSTEMS, ranker
from porism.indexing.library import Library, is_library, open_library
from porism.model import Ranking, Topic
from porism.rank.ranker import Ranker

K = 1000
"""How many results a topic has in a run."""

YARDSTICK = "l8"
"""The system that others are compared with."""

UNABLE = frozenset({"linked"})
"""Systems that need what the mini collection does not have: the links of topics."""

JOBS = 2


def report() -> None:
    """Print a table of systems for each task, and before it how long indexing took."""
    shared = shared_folder()
    with mini_library(shared) as library:
        for task in (1, 2):
            print()
            for line in _table(shared, library, task):
                print(line, flush=True)


@contextmanager
def mini_library(shared: Path) -> Iterator[Library]:
    """The mini collection, indexed for all systems; says how long that took."""
    kept = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as made:
        folder = Path(kept or made)
        folder.mkdir(parents=True, exist_ok=True)
        collection, index = folder / "mini", folder / "index"
        if not collection.exists():
            ingest_mini(shared, folder)
        if not is_library(index):
            seconds = _index(collection, index)
            print(f"The mini collection from store to searchable, {JOBS} jobs: {seconds:.0f} s")
        with open_library(index) as library:
            yield library


def _index(collection: Path, folder: Path) -> float:
    """The seconds that ``porism index`` takes for all systems, the start of Python included."""
    command = [sys.executable, "-m", "porism", "index", str(collection), "-o", str(folder)]
    begun = time.monotonic()
    done = subprocess.run([*command, "--jobs", str(JOBS)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return time.monotonic() - begun


@dataclass(frozen=True, slots=True)
class Measured:
    """A system on the topics of each year, and what a topic takes, in milliseconds."""

    years: tuple[Scores, ...]
    milliseconds: float


def measured(shared: Path, task: int, system: Ranker) -> Measured:
    """What a system's rankings are worth on each year."""
    found: list[Scores] = []
    times: list[float] = []
    for year in YEARS:
        topics = judged_topics(shared, task, year)
        if not times:
            # What is compiled or first mapped now is not what a topic takes.
            system.rank(topics[0], K)
        rankings: dict[str, Ranking] = {}
        for topic in topics:
            begun = time.perf_counter()
            rankings[topic.id] = system.rank(topic, K)
            times.append(1000 * (time.perf_counter() - begun))
        found.append(scored(shared, task, year, rankings))
    return Measured(tuple(found), median(times))


def judged_topics(shared: Path, task: int, year: int) -> list[Topic]:
    """The topics that the yardstick scores."""
    grades = judged(shared, task, year)
    return [topic for topic in read_year(shared, task, year) if topic.id in grades]


def scored(shared: Path, task: int, year: int, rankings: dict[str, Ranking]) -> Scores:
    """What rankings are worth, as the yardstick says."""
    looks = visual_ids(shared) if task == 2 else {}
    return scores(judged(shared, task, year), rankings, looks)


def _table(shared: Path, library: Library, task: int) -> Iterator[str]:
    """The lines of the table of all systems that do a task."""
    names = [name for name, each in SYSTEMS.items() if each.searcher(task) and name not in UNABLE]
    yardstick = measured(shared, task, ranker(YARDSTICK, task, library))
    years = " / ".join(map(str, YEARS))
    yield f"Task {task}, {years}; p is that of the difference to {YARDSTICK}"
    yield ""
    yield "| system | nDCG' | MAP | P@10 | p of nDCG' | p of MAP | ms a topic |"
    yield "|---|---|---|---|---|---|---|"
    for name in names:
        is_yardstick = name == YARDSTICK
        found = yardstick if is_yardstick else measured(shared, task, ranker(name, task, library))
        cells = [*means(found.years), *((" ", " ") if is_yardstick else chances(found, yardstick))]
        yield f"| `{name}` | {' | '.join(cells)} | {found.milliseconds:.0f} |"


def means(years: tuple[Scores, ...]) -> list[str]:
    """nDCG', MAP and P@10, each of all years."""
    by_measure = zip(*(each.means() for each in years), strict=True)
    return [" / ".join(f"{value:.3f}" for value in values) for values in by_measure]


def chances(ours: Measured, theirs: Measured) -> list[str]:
    """How probable the differences of nDCG' and of MAP are by chance, each on all years."""
    pairs = list(zip(ours.years, theirs.years, strict=True))
    ndcg = [chance(our.ndcg_primed, their.ndcg_primed) for our, their in pairs]
    precision = [chance(our.average_precision, their.average_precision) for our, their in pairs]
    return [" / ".join(map(probability, values)) for values in (ndcg, precision)]


def probability(value: float) -> str:
    """A probability, with no more digits than the test can tell."""
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


if __name__ == "__main__":
    report()
