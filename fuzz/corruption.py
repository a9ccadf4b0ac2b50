"""Damaged index files: no crash, no traceback, and no wrong result that ``porism check`` misses.

    python -m fuzz.corruption --trials 1000 --seed 1

An index of the sample is built and updated once, so that it has several segments, deleted documents
and forward stores. Each trial damages one file of a copy, by a changed byte or by truncation, and a
child process searches it, updates it, searches it again and checks it. Children are forked from a
process that has compiled code loaded, so that a trial takes a fraction of a second.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from porism import catalog
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.progress import StepProgress
from porism.collection.sample import sample_source
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.inverted.query import LABELS
from porism.model import Task
from porism.query.typed_topics import typed_answer_topic, typed_formula_topic
from porism.rank.filters import PostFilter
from porism.rank.results import explained, search_results
from porism.searchindex.builder import IndexOptions, build_index, update_index
from porism.searchindex.files import check_index
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import Manifest, generation_folder, read_manifest

SYSTEMS = ("porism", "l8")
EXPLAINED = "l8"
CPU_SECONDS = 60
"""A trial that takes more CPU time counts as a crash."""

DELETED = 'Id="139"'
CHANGES = (("coin tosses", "throws of a coin"), ("harmonic", "divergent"))
"""The post that the first update deletes, and the words that each update changes."""

ANSWERS = "why does $\\sum_{n=1}^\\infty \\frac1n$ diverge, and a coin"
FORMULAS = "\\sum_{n=1}^\\infty \\frac{1}{n^2}"
FILTER = PostFilter(tag=("calculus",))


class Outcome(StrEnum):
    """The outcome of a trial."""

    REFUSED = "refused with a message"
    SAME = "same results"
    REPORTED = "other results, reported by porism check"
    SILENT = "other results, not reported"
    MISSED = "damage not reported"
    TRACEBACK = "traceback"
    CRASH = "crash"


BAD = (Outcome.SILENT, Outcome.MISSED, Outcome.TRACEBACK, Outcome.CRASH)


@dataclass(frozen=True, slots=True)
class Samples:
    """An updated index, its collection, and a later collection to update it to."""

    index: Path
    collection: Path
    later: Path


@dataclass(frozen=True, slots=True)
class Trial:
    """The damage, the outcome, and the error message, if any."""

    damage: str
    outcome: Outcome
    message: str


def _no_progress(progress: StepProgress) -> None:
    pass


def samples_in(folder: Path) -> Samples:
    """Three versions of the sample as collections, and an index updated to the second."""
    source = folder / "source"
    shutil.copytree(sample_source(), source, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    posts = source / "Posts.xml"
    whole = posts.read_text("utf-8")
    kept = "".join(line for line in whole.splitlines(keepends=True) if DELETED not in line)
    index = folder / "index"
    texts = (whole, kept.replace(*CHANGES[0]), kept.replace(*CHANGES[1]))
    for number, text in enumerate(texts):
        posts.write_text(text, "utf-8")
        collection = folder / f"collection-{number}"
        ingest(source, collection, IngestOptions(jobs=1))
        with open_collection(collection) as opened:
            if number == 0:
                build_index(
                    opened, index, catalog.index_plan(SYSTEMS), IndexOptions(), _no_progress
                )
            if number == 1:
                update_index(opened, index, IndexOptions(), _no_progress)
    return Samples(index, folder / "collection-1", folder / "collection-2")


def results(index: Path, collection: Path) -> str:
    """The results of searches of all kinds, with explanations, as text."""
    found: list[object] = []
    with open_index(index, collection) as library:
        for name in SYSTEMS:
            for task, typed in (
                (Task.ANSWERS, typed_answer_topic(ANSWERS)),
                (Task.FORMULAS, typed_formula_topic(FORMULAS)),
            ):
                ranker = catalog.ranker(name, task, library)
                found.append([(hit.doc_id, hit.score) for hit in ranker.rank(typed.topic, 1000)])
                if name == EXPLAINED:
                    results = search_results(library, ranker, typed, 5, FILTER)
                    found.append(repr(explained(results.search, results.results)))
        found += library.answers.doc_ids(), library.answers.tokens(LABELS)
    return json.dumps(found, default=list)


def updated_results(index: Path, samples: Samples) -> str:
    """The results of searches after an update to the later collection."""
    with open_collection(samples.later) as opened:
        update_index(opened, index, IndexOptions(), _no_progress)
    return results(index, samples.later)


def damaged_copy(samples: Samples, target: Path, number: int, chance: random.Random) -> str:
    """Copy the index and damage one file; returns a description of the damage."""
    shutil.copytree(samples.index, target, copy_function=os.link)
    files = sorted(path for path in target.rglob("*") if path.is_file() and path.stat().st_size)
    path = files[number % len(files)]
    content = bytearray(path.read_bytes())
    name = path.relative_to(target)
    if chance.random() < 0.2:
        size = chance.choice([0, len(content) - 1, chance.randrange(len(content))])
        del content[size:]
        damage = f"{name} cut to {size} bytes"
    else:
        place = _place(read_manifest(samples.index), samples, name, len(content), chance)
        content[place] ^= chance.choice([1 << chance.randrange(8), 0xFF, chance.randrange(1, 256)])
        damage = f"{name} byte {place}"
    path.unlink()  # it is a hard link to the undamaged file
    path.write_bytes(content)
    return damage


def _place(
    contents: Manifest, samples: Samples, name: Path, size: int, chance: random.Random
) -> int:
    """A random byte of a file, or of a random array in it, so that small arrays are hit too."""
    if chance.random() < 0.7:
        generation = generation_folder(samples.index, contents.generation)
        for folder, file in contents.files():
            if generation / folder / file.name == samples.index / name:
                entry = chance.choice([each for each in file.arrays if each.size])
                return entry.offset + chance.randrange(entry.size)
    return chance.randrange(size)


def in_child(work: Callable[[], dict[str, str]]) -> dict[str, str] | int:
    """The result of work in a forked process, or the signal that ended it."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns that threads may hold locks at the fork; the child uses none of these.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        os.close(reading)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        try:
            with os.fdopen(writing, "w") as out:
                json.dump(work(), out)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as received:
        text = received.read()
    _, status = os.waitpid(child, 0)
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else json.loads(text)


def steps(index: Path, samples: Samples) -> dict[str, str]:
    """The result of each step: its output, or the message of a refusal or a traceback."""
    done: dict[str, str] = {}
    work: dict[str, Callable[[], str]] = {
        "check": lambda: "\n".join(check_index(index, _no_progress).damages),
        "search": lambda: results(index, samples.collection),
        "update": lambda: updated_results(index, samples),
    }
    for name, step in work.items():
        try:
            done[name] = step()
        except PorismError as error:
            done[f"{name} refused"] = str(error)
        except Exception:
            done["traceback"] = traceback.format_exc()
    return done


def classified(done: dict[str, str] | int, expected: dict[str, str]) -> tuple[Outcome, str]:
    """The outcome of a trial, compared with the results on an undamaged index."""
    if isinstance(done, int):
        return Outcome.CRASH, signal.Signals(done).name
    if "traceback" in done:
        return Outcome.TRACEBACK, done["traceback"]
    refused = [message for name, message in done.items() if name.endswith("refused")]
    is_reported = bool(done.get("check")) or "check refused" in done
    is_other = any(
        done.get(name, expected[name]) != expected[name] for name in ("search", "update")
    )
    if is_other:
        return (Outcome.REPORTED if is_reported else Outcome.SILENT), ""
    if not is_reported:
        return Outcome.MISSED, ""
    return (Outcome.REFUSED, refused[0]) if refused else (Outcome.SAME, "")


def run(folder: Path, trials: int, seed: int) -> list[Trial]:
    """Run trials; the same seed damages the same bytes."""
    samples = samples_in(folder)
    whole = folder / "whole"
    shutil.copytree(samples.index, whole)
    expected = steps(whole, samples)  # in this process, which loads compiled code for its children
    if set(expected) != {"check", "search", "update"} or expected["check"]:
        raise PorismError(f"the undamaged index fails: {expected}")
    chance = random.Random(seed)
    finished = []
    target = folder / "damaged"
    for number in range(trials):
        damage = damaged_copy(samples, target, number, chance)
        outcome, message = classified(in_child(lambda: steps(target, samples)), expected)
        finished.append(Trial(damage, outcome, message))
        shutil.rmtree(target)
    return finished


def main() -> None:
    parser = argparse.ArgumentParser(description="Damage index files and use the index.")
    parser.add_argument("--trials", type=int, default=1000, help="number of trials (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="random seed (default 1)")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        trials = run(Path(folder), arguments.trials, arguments.seed)
    for trial in trials:
        if trial.outcome in BAD:
            print(f"{trial.outcome}: {trial.damage}\n{trial.message}")
    counts = Counter(trial.outcome for trial in trials)
    for outcome in Outcome:
        print(f"{counts[outcome]:6,}  {outcome}")
    sys.exit(any(trial.outcome in BAD for trial in trials))


if __name__ == "__main__":
    main()
