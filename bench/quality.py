"""The quality of every system on the mini collection, and the time to index it.

``PORISM_BENCH_FOLDER`` may name a folder that keeps collection and index between runs; remove it
when the index format or the systems' fields have changed.
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

from bench.held_out import held_out_tables
from bench.learned_formulas import learned_formula_table
from bench.link_topics import link_table, link_topic_set, unlinked_index
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
"""Results per topic in a run."""

YARDSTICK = "l8"
"""The system that others are compared with."""

UNABLE = frozenset({"linked"})
"""Systems that need data that the mini collection lacks: links of topics."""

SLOW = frozenset(
    {
        "minilm-maxsim",
        "tu-dbs",
        "mirmu-minilm-roberta",
        "approach0-colbert",
        "approach0-colbert-rerank",
    }
)
"""Systems that take seconds a topic, and are left out where there are hundreds."""

EMBEDDINGS = ("cft", "nits")
"""Embeddings of formulas that are trained on the collection."""

JOBS = 2


def report() -> None:
    """Print the time of indexing, tables of systems, and scores on held-out topics."""
    shared = shared_folder()
    with mini_index(shared) as library:
        for task in (Task.ANSWERS, Task.FORMULAS):
            print()
            for line in _table(shared, library, task):
                print(line, flush=True)
        with unlinked_index(library.collection_path, library.folder.parent) as unlinked:
            print()
            names = [name for name in system_names(Task.ANSWERS) if name not in SLOW]
            for line in link_table(link_topic_set(shared), unlinked, names, YARDSTICK):
                print(line, flush=True)
            print()
            for line in held_out_tables(shared, library, unlinked):
                print(line, flush=True)
            print()
            for line in learned_formula_table(shared, library):
                print(line, flush=True)


@contextmanager
def mini_index(shared: Path) -> Iterator[SearchIndex]:
    """The mini collection, indexed for all systems; prints how long that took."""
    permanent = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as temporary:
        folder = Path(permanent or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        collection, index = folder / "mini", folder / "index"
        if not collection.exists():
            ingest_mini(shared, folder)
        if not is_search_index(index):
            _index(collection, index)
            for embedding in EMBEDDINGS:
                _train(index, embedding)
        with open_index(index) as library:
            answers, formulas = library.answers.documents, library.formulas.documents
            print(f"{answers:,} answers, {formulas:,} visually distinct formulas", flush=True)
            yield library


def _index(collection: Path, folder: Path) -> None:
    """Run ``porism index`` for all systems and print its time."""
    _run("The mini collection from store to searchable", "index", collection, "-o", folder)


def _train(folder: Path, embedding: str) -> None:
    """Run ``porism train`` for an embedding and print its time."""
    _run(f"The embedding {embedding} of its formulas", "train", embedding, folder)


def _run(what: str, *arguments: object) -> None:
    """Run a command and print its time, including the start of Python.

    On a busy machine, processor time is more reliable than wall-clock time.
    """
    command = [sys.executable, "-m", "porism", *map(str, arguments)]
    start, processor_start = time.monotonic(), _processor_seconds()
    done = subprocess.run([*command, "--jobs", str(JOBS)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    print(
        f"{what}, {JOBS} jobs: "
        f"{time.monotonic() - start:.0f} s, "
        f"{_processor_seconds() - processor_start:.0f} s of processor time"
    )


def _processor_seconds() -> float:
    """The processor time of all child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@dataclass(frozen=True, slots=True)
class SystemQuality:
    """The scores of a system by year, and its median time per topic."""

    years: tuple[Scores, ...]
    milliseconds: float


def system_quality(shared: Path, task: Task, system: Ranker) -> SystemQuality:
    """The quality of a system on each year's topics."""
    by_year: list[Scores] = []
    times: list[float] = []
    for year in YEARS:
        topics = judged_topics(shared, task, year)
        done = run_topics(system, topics, K)
        times += done.milliseconds.values()
        by_year.append(scored(shared, task, year, done.rankings))
    return SystemQuality(tuple(by_year), median(times))


def judged_topics(shared: Path, task: Task, year: int) -> list[Topic]:
    """The topics with judgments."""
    grades = judged(shared, task, year)
    return [topic for topic in read_year(shared, task, year) if topic.id in grades]


def scored(shared: Path, task: Task, year: int, rankings: Mapping[TopicId, Ranking]) -> Scores:
    """The scores of rankings on a year's topics."""
    by_topic = {str(topic): ranking for topic, ranking in rankings.items()}
    ids = visual_ids(shared) if task is Task.FORMULAS else {}
    return scores(judged(shared, task, year), by_topic, ids)


def system_names(task: Task) -> list[str]:
    """The systems that do a task and can run on the mini collection."""
    return [name for name, each in SYSTEMS.items() if each.maker(task) and name not in UNABLE]


def _table(shared: Path, library: SearchIndex, task: Task) -> Iterator[str]:
    """The lines of the table of all systems for a task."""
    names = system_names(task)
    yardstick = system_quality(shared, task, ranker(YARDSTICK, task, library))
    yield heading(task, yardstick)
    yield ""
    yield "| system | nDCG' | MAP | P@10 | p of nDCG' | p of MAP | ms per topic |"
    yield "|---|---|---|---|---|---|---|"
    for name in names:
        is_yardstick = name == YARDSTICK
        quality = (
            yardstick if is_yardstick else system_quality(shared, task, ranker(name, task, library))
        )
        chance_cells = (" ", " ") if is_yardstick else chances(quality, yardstick)
        cells = [*means(quality.years), *chance_cells]
        yield f"| `{name}` | {' | '.join(cells)} | {quality.milliseconds:.0f} |"


def heading(task: Task, quality: SystemQuality) -> str:
    """Task, years and numbers of topics; topics without relevant documents have no MAP."""
    counts = ((len(each.ndcg_primed), len(each.average_precision)) for each in quality.years)
    topics, useful = (" / ".join(map(str, column)) for column in zip(*counts, strict=True))
    years = " / ".join(map(str, YEARS))
    return (
        f"Task {task}, {years}: nDCG' of {topics} topics, MAP and P@10 of {useful}; "
        f"p is for the difference to {YARDSTICK}"
    )


def means(years: tuple[Scores, ...]) -> list[str]:
    """nDCG', MAP and P@10, each for all years."""
    by_measure = zip(*(each.means() for each in years), strict=True)
    return [" / ".join(f"{value:.3f}" for value in values) for values in by_measure]


def chances(ours: SystemQuality, theirs: SystemQuality) -> list[str]:
    """The p values of the differences in nDCG' and MAP, each for all years."""
    pairs = list(zip(ours.years, theirs.years, strict=True))
    ndcg = [chance(our.ndcg_primed, their.ndcg_primed) for our, their in pairs]
    precision = [chance(our.average_precision, their.average_precision) for our, their in pairs]
    return [" / ".join(map(probability, values)) for values in (ndcg, precision)]


def probability(value: float) -> str:
    """A p value, with the digits that the test can resolve."""
    return f"{value:.3f}" if value >= 0.001 else "<0.001"


if __name__ == "__main__":
    report()
