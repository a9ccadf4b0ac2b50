"""Speed and size of structure search over millions of formulas, and beside pya0 on the mini one.

Synthetic formulas repeat the features of real ones, in random order, so that the distribution of
paths is kept. A rare feature then has as many more postings as there are more formulas, which is
more than in a real collection: there, rare ones would be other ones. The symbols of the leaves are
changed, so that copies of a formula differ in their scores as renamed formulas do.

``python -m bench.structure_search --formulas 1000000`` measures a smaller index. ``PORISM_PYA0``
may name a Python that has pya0; it then searches the mini collection in turn with ours.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from bench.real_tokens import ingest_mini
from bench.shared_data import real_formulas, shared_folder
from porism.analysis import query_layout
from porism.collection.store import Collection
from porism.errors import LatexError
from porism.formats.topics import read_topics
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.inverted import Filter, Index
from porism.model import Formula
from porism.rank.structure.approach0 import (
    StructureScore,
    best_structures,
    feature_query,
    query_row,
)
from porism.searchindex.components.feature_index import (
    FeatureComponent,
    FeatureIndex,
    FeatureSpec,
)
from porism.structure.feature_rows import FeatureRows, feature_rows
from porism.structure.packed_features import FEATURE_FORMS, PackedFeatures, packed_numbers

FORMULAS = 9_000_000
BATCH = 100_000
EVERY = 5
"""Of the formulas from posts, books and encyclopedias, each fifth is used."""

K = 1000
ROUNDS = 3


class AllFormulas:
    """As much of the inverted index of formulas as a search without filter needs."""

    def __init__(self, documents: int) -> None:
        self.documents = documents

    def count(self, within: Filter | None = None) -> int:
        return self.documents

    def allowed(self, doc_ids: Sequence[str], within: Filter | None = None) -> NDArray[np.bool_]:
        return np.ones(len(doc_ids), bool)


def real_rows(shared: Path, collection: Path, kind: PackedFeatures) -> FeatureRows:
    """The features of real formulas: of the mini collection, and of a sample of other sources."""
    rows: list[list[int]] = []
    with Collection(collection) as opened:
        for formula in opened.formulas():
            rows.append(packed_numbers(kind, formula.layout(), formula.operators))
    for latex in real_formulas(shared)[::EVERY]:
        try:
            layout = parse_latex(latex).tree
        except LatexError:
            continue
        rows.append(packed_numbers(kind, layout, partial(operator_tree, layout)))
    return feature_rows([np.array(row, np.uint64) for row in rows], FEATURE_FORMS[kind].values)


def synthetic_batches(real: FeatureRows, count: int) -> Iterator[tuple[list[str], FeatureRows]]:
    """Batches of formulas with their ids; the features of each are those of a real one."""
    random = np.random.default_rng(18)
    posting_counts = np.bincount(real.rows, minlength=len(real.values))
    firsts = np.concatenate([[0], np.cumsum(posting_counts)[:-1]])
    word_firsts = np.concatenate([[0], np.cumsum(real.word_counts)[:-1]])
    for first in range(0, count, BATCH):
        size = min(BATCH, count - first)
        chosen = random.integers(len(real.values), size=size)
        postings = _spans(firsts[chosen], posting_counts[chosen])
        words = real.words[_spans(word_firsts[chosen], real.word_counts[chosen])]
        noise = random.integers(8, size=len(words), dtype=np.uint64) << np.uint64(61)
        if len(words):
            words = _renamed(words, noise, real.values[chosen], real.word_counts[chosen])
        yield (
            [str(number) for number in range(first, first + size)],
            FeatureRows(
                real.values[chosen],
                real.features[postings],
                np.repeat(np.arange(size, dtype=np.uint32), posting_counts[chosen]),
                real.payloads[postings],
                words,
                real.word_counts[chosen],
            ),
        )


def _spans(firsts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers from each first on, so many of each."""
    ends = np.cumsum(counts)
    return np.arange(ends[-1] if len(ends) else 0) + np.repeat(firsts - ends + counts, counts)


def _renamed(
    words: NDArray[np.uint64],
    noise: NDArray[np.uint64],
    values: NDArray[np.uint32],
    counts: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Rows of operator trees with changed symbols: leaves follow the operators of each row."""
    places = np.arange(len(words)) - np.repeat(np.cumsum(counts) - counts, counts)
    is_leaf = places >= np.repeat(values[:, 1].astype(np.int64), counts)
    return np.where(is_leaf, words ^ noise, words)


class Built(NamedTuple):
    """A feature index, and what building it took."""

    features: FeatureIndex
    seconds: float
    gigabytes: float


def built(folder: Path, kind: PackedFeatures, real: FeatureRows, count: int) -> Built:
    """Write synthetic formulas as an index does, and open it."""
    start = time.process_time()
    component = FeatureComponent(FeatureSpec(kind))
    writer = component.writer(folder, 1 << 30)
    for doc_ids, rows in synthetic_batches(real, count):
        writer.add(doc_ids, rows)
    component = writer.flush()
    writer.close()
    seconds = time.process_time() - start
    size = sum(path.stat().st_size for path in folder.iterdir()) / 1e9
    return Built(component.open(folder), seconds, size)


def topic_formulas(shared: Path) -> list[Formula]:
    """The query formulas of Task 2 of all three years."""
    return [
        topic.focus
        for path in sorted((shared / "data/topics/task2").glob("*.xml"))
        for topic in read_topics(path)
        if topic.focus is not None
    ]


def structure_times(index: FeatureIndex, formulas: Sequence[Formula]) -> NDArray[np.float64]:
    """Milliseconds of each formula, wall clock and processor, medians of ``ROUNDS`` searches."""
    everything = cast(Index, AllFormulas(index.documents))
    scale = StructureScore().scale()
    taken = np.zeros((2, ROUNDS + 1, len(formulas)))
    for turn in range(ROUNDS + 1):  # the first compiles, and reads the files
        for at, formula in enumerate(formulas):
            query_layout.cache_clear()
            start, processor = time.perf_counter(), time.process_time()
            query = feature_query(index, query_row(formula))
            best_structures(index, query, scale, K, everything, None)
            taken[:, turn, at] = time.perf_counter() - start, time.process_time() - processor
    times: NDArray[np.float64] = np.median(taken[:, 1:], axis=1) * 1000
    return times


PYA0 = """
import json, sys, tempfile, time, pya0
formulas, topics = json.load(sys.stdin)
folder = tempfile.mkdtemp()
index = pya0.index_open(folder, option="w")
writer = pya0.index_writer(index)
for number, latex in enumerate(formulas):
    pya0.writer_add_doc(writer, content=f"[imath]{latex}[/imath]", url=str(number))
pya0.writer_flush(writer); pya0.writer_close(writer); pya0.index_close(index)
index = pya0.index_open(folder, option="r")
pya0.index_memcache(index, term_cache=0, math_cache=512)
taken = []
for turn in range(2):
    for latex in topics:
        start, processor = time.perf_counter(), time.process_time()
        pya0.search(index, [{"str": latex, "type": "tex"}], topk=1000, verbose=False)
        taken.append((time.perf_counter() - start, time.process_time() - processor))
print("TIMES", json.dumps(taken[len(topics):]))
"""


def pya0_times(python: str, latex: list[str], topics: list[str]) -> NDArray[np.float64]:
    """Milliseconds of each topic by pya0 over formulas of the mini collection."""
    given = json.dumps([latex, topics])
    done = subprocess.run([python, "-c", PYA0], input=given, capture_output=True, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith("TIMES")]
    if not lines:
        raise SystemExit(f"pya0 failed:\n{done.stderr[-2000:]}")
    return np.array(json.loads(lines[0][5:])).T * 1000


def report(count: int = FORMULAS) -> None:
    """Print size, build and search times, and the times on the mini collection beside pya0."""
    shared = shared_folder()
    topics = topic_formulas(shared)
    with TemporaryDirectory() as name:
        collection = ingest_mini(shared, Path(name))
        real = real_rows(shared, collection, PackedFeatures.SECTORS)
        made = built(Path(name) / "sectors", PackedFeatures.SECTORS, real, count)
        postings = sum(len(part.rows) for part in made.features.parts)
        print(
            f"Structure search of {count:,} synthetic formulas: {postings:,} sectors in "
            f"{len(made.features.parts)} parts, {made.gigabytes:.2f} GB, written in "
            f"{made.seconds:.0f} s of one core",
            flush=True,
        )
        _print_times("approach0", structure_times(made.features, topics))
        python = os.environ.get("PORISM_PYA0")
        if python:
            _compare(collection, Path(name) / "mini-sectors", python, topics)


def _compare(collection: Path, folder: Path, python: str, topics: Sequence[Formula]) -> None:
    """Print the times of both engines on the formulas of the mini collection."""
    with Collection(collection) as opened:
        formulas = {formula.visual_id: formula for formula in opened.formulas()}
    rows = [
        packed_numbers(
            PackedFeatures.SECTORS,
            each.layout(),
            each.operators,
        )
        for each in formulas.values()
    ]
    features = feature_rows([np.array(row, np.uint64) for row in rows], 2)
    component = FeatureComponent(FeatureSpec(PackedFeatures.SECTORS))
    writer = component.writer(folder, 1 << 30)
    writer.add(list(formulas), features)
    index = writer.flush().open(folder)
    print(f"The {len(formulas):,} visually distinct formulas of the mini collection:")
    ours = structure_times(index, topics)
    theirs = pya0_times(
        python, [each.latex for each in formulas.values()], [each.latex for each in topics]
    )
    _print_times("approach0", ours)
    _print_times("pya0", theirs)
    ratios = np.median(theirs, axis=1) / np.median(ours, axis=1)
    print(f"  {ratios[0]:.1f} times as fast, in processor time {ratios[1]:.1f}", flush=True)


def _print_times(name: str, times: NDArray[np.float64]) -> None:
    clock, processor = (np.percentile(row, [50, 99, 100]).tolist() for row in times)
    print(
        f"  {name}: {clock[0]:.1f} ms median, {clock[1]:.1f} at the 99th percentile, at most "
        f"{clock[2]:.1f} (processor: {processor[0]:.1f}, {processor[1]:.1f}, {processor[2]:.1f})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure structure search.")
    parser.add_argument("--formulas", type=int, default=FORMULAS)
    report(parser.parse_args().formulas)


if __name__ == "__main__":
    main()
