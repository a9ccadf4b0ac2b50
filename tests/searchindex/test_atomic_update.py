"""``porism update``, killed or interrupted at any moment, leaves the old index or the new one.

Moments are events and not times: the process ends itself at its n-th call that changes files.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from porism.catalog import index_plan, ranker
from porism.cli.main import porism
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.store import open_collection
from porism.model import Formula, Ranking, Task, Topic, TopicId
from porism.searchindex.builder import LOCK, IndexOptions, build_index
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import MANIFEST, generation_folder, read_manifest
from tests.killing import End, forked, interrupt, kill

SUM = Formula("q", r"\sum_n n^2")
TOPIC = Topic(TopicId("1"), ("large sum of squares ", SUM), focus=SUM)

Results = tuple[Ranking, Ranking, list[str]]


@dataclass(frozen=True, slots=True)
class States:
    """An index of an earlier state of notes, their later state, and the results of both."""

    index: Path
    later: Path
    before: Results
    after: Results
    moments: int


def collection_of(folder: Path, notes: dict[str, str]) -> Path:
    source = folder / "notes"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for name, text in notes.items():
        (source / f"{name}.md").write_text(f"# Sum {name}\n\nThe large sum {text}.\n")
    ingest(source, folder / "collection", IngestOptions(jobs=1))
    return folder / "collection"


def results(index: Path, collection: Path) -> Results:
    with open_index(index, collection) as search_index:
        answers, formulas = (
            ranker("porism", task, search_index).rank(TOPIC, 10)
            for task in (Task.ANSWERS, Task.FORMULAS)
        )
        return answers, formulas, sorted(search_index.keywords)


def copied(index: Path, target: Path) -> Path:
    """A copy of an index, whose files are never changed but replaced, so links will do."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(index, target, copy_function=os.link)
    return target


def update(index: Path, collection: Path) -> None:
    arguments = ["update", str(index), "--collection", str(collection), "--jobs", "1", "--json"]
    porism(arguments, standalone_mode=False)


@pytest.fixture(scope="module")
def states(tmp_path_factory: pytest.TempPathFactory) -> States:
    folder = tmp_path_factory.mktemp("atomic")
    notes = {str(number): f"$\\sum_n n^{number}$ of powers" for number in range(4)}
    earlier = collection_of(folder / "earlier", notes)
    del notes["1"]
    notes |= {"2": "$\\sum_n n^2 + 1$ of squares", "new": "$\\sum_n n^2$ of squares and cubes"}
    later = collection_of(folder / "later", notes)
    index = folder / "index"
    with open_collection(earlier) as opened:
        build_index(opened, index, index_plan(["porism"]), IndexOptions(), lambda progress: None)
    before = results(index, later)
    updated = copied(index, folder / "updated")
    update(updated, later)
    after = results(updated, later)
    assert before != after
    counted = copied(index, folder / "counted")
    moments = forked(lambda: update(counted, later), 0, kill)
    assert moments > 100
    return States(index, later, before, after, moments)


def check_moments(states: States, folder: Path, moments: range, end: End) -> None:
    """End an update at each of some events: no state between is left, and nothing for long."""
    index = folder / "index"
    outcomes = set()
    for at in moments:
        copied(states.index, index)
        forked(lambda: update(index, states.later), at, end)
        left = results(index, states.later)
        assert left in (states.before, states.after), at
        outcomes.add(left == states.after)
        update(index, states.later)
        assert results(index, states.later) == states.after, at
        assert leftovers(index) == set(), at
    assert outcomes == {False, True}


def leftovers(index: Path) -> set[str]:
    """The files and folders of an index that its manifest does not name."""
    manifest = read_manifest(index)
    generation = generation_folder(index, manifest.generation)
    named = {generation / inside / file.name for inside, file in manifest.files()}
    folders = {generation, *(generation / each.name for each in manifest.components)}
    locks = {index / LOCK, *(folder / "writer.lock" for folder in folders)}
    unnamed = set(index.rglob("*")) - named - folders - locks - {index / MANIFEST}
    return {str(path.relative_to(index)) for path in unnamed}


@pytest.mark.parametrize(("end", "every"), [(kill, 1), (interrupt, 4)], ids=["kill", "interrupt"])
def test_a_killed_update_leaves_the_old_or_the_new_state(
    states: States, tmp_path: Path, end: End, every: int
) -> None:
    # Up to the last event, which comes after the new state is in force.
    check_moments(states, tmp_path, range(states.moments, 0, -every), end)
