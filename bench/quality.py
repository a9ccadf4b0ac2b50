"""How well every system ranks the mini collection, and how long that takes to become searchable.

``PORISM_BENCH_FOLDER`` may name a folder in which collection and index are kept from run to run;
what is found there is taken as it is, so it must be removed when what is indexed has changed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.mini_scores import YEARS, Scores, chance, judged, read_year, scores, visual_ids
from bench.real_tokens import ingest_mini
from bench.shared_data import shared_folder
from porism.catalog import SYSTEMS, ranker
from porism.model import Ranking, Task, Topic, TopicId
from porism.rank.ranker import Ranker
from porism.rank.runs import run_topics
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.manifest import is_search_index

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
    with mini_index(shared) as library:
        for task in (Task.ANSWERS, Task.FORMULAS):
            print()
            for line in _table(shared, library, task):
                print(line, flush=True)


@contextmanager
def mini_index(shared: Path) -> Iterator[SearchIndex]:
    """The mini collection, indexed for all systems; says how long that took."""
    kept = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as made:
        folder = Path(kept or made)
        folder.mkdir(parents=True, exist_ok=True)
        collection, index = folder / "mini", folder / "index"
        if not collection.exists():
            ingest_mini(shared, folder)
        if not is_search_index(index):
            _index(collection, index)
        with open_index(index) as library:
            answers, formulas = library.answers.documents, library.formulas.documents
            print(f"{answers:,} answers, {formulas:,} formulas that look different", flush=True)
            yield library


def _index(collection: Path, folder: Path) -> None:
    """Run ``porism index`` for all systems and say how long it took, start of Python included.

    On a busy machine the time of the processors says more than that of the clock.
    """
    command = [sys.executable, "-m", "porism", "index", str(collection), "-o", str(folder)]
    begun, used = time.monotonic(), _processor_seconds()
    done = subprocess.run([*command, "--jobs", str(JOBS)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    print(
        f"The mini collection from store to searchable, {JOBS} jobs: "
        f"{time.monotonic() - begun:.0f} s, {_processor_seconds() - used:.0f} s of processors"
    )


def _processor_seconds() -> float:
    """What all processes that were started and have ended took."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True, slots=True)
class SystemQuality:
    """A system on the topics of each year, and what a topic takes, in milliseconds."""

    years: tuple[Scores, ...]
    milliseconds: float


def system_quality(shared: Path, task: Task, system: Ranker) -> SystemQuality:
    """What a system's rankings are worth on each year."""
    found: list[Scores] = []
    times: list[float] = []
    for year in YEARS:
        topics = judged_topics(shared, task, year)
        done = run_topics(system, topics, K)
        times += done.milliseconds.values()
        found.append(scored(shared, task, year, done.rankings))
    return SystemQuality(tuple(found), median(times))


def judged_topics(shared: Path, task: Task, year: int) -> list[Topic]:
    """The topics that the yardstick scores."""
    grades = judged(shared, task, year)
    return [topic for topic in read_year(shared, task, year) if topic.id in grades]


def scored(shared: Path, task: Task, year: int, rankings: Mapping[TopicId, Ranking]) -> Scores:
    """What rankings are worth, as the yardstick says."""
    looks = visual_ids(shared) if task == 2 else {}
    return scores(
        judged(shared, task, year), {str(topic): each for topic, each in rankings.items()}, looks
    )


def _table(shared: Path, library: SearchIndex, task: Task) -> Iterator[str]:
    """The lines of the table of all systems that do a task."""
    names = [name for name, each in SYSTEMS.items() if each.maker(task) and name not in UNABLE]
    yardstick = system_quality(shared, task, ranker(YARDSTICK, task, library))
    yield heading(task, yardstick)
    yield ""
    yield "| system | nDCG' | MAP | P@10 | p of nDCG' | p of MAP | ms a topic |"
    yield "|---|---|---|---|---|---|---|"
    for name in names:
        is_yardstick = name == YARDSTICK
        found = (
            yardstick if is_yardstick else system_quality(shared, task, ranker(name, task, library))
        )
        cells = [*means(found.years), *((" ", " ") if is_yardstick else chances(found, yardstick))]
        yield f"| `{name}` | {' | '.join(cells)} | {found.milliseconds:.0f} |"


def heading(task: Task, found: SystemQuality) -> str:
    """What a table is about, and on how many topics; not all have anything that is relevant."""
    counts = ((len(each.ndcg_primed), len(each.average_precision)) for each in found.years)
    topics, useful = (" / ".join(map(str, column)) for column in zip(*counts, strict=True))
    years = " / ".join(map(str, YEARS))
    return (
        f"Task {task}, {years}: nDCG' of {topics} topics, MAP and P@10 of {useful}; "
        f"p is that of the difference to {YARDSTICK}"
    )


def means(years: tuple[Scores, ...]) -> list[str]:
    """nDCG', MAP and P@10, each of all years."""
    by_measure = zip(*(each.means() for each in years), strict=True)
    return [" / ".join(f"{value:.3f}" for value in values) for values in by_measure]


def chances(ours: SystemQuality, theirs: SystemQuality) -> list[str]:
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
