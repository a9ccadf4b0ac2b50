"""Formulas to train the network of ``formula-graph`` on, of an index or of a file."""

from __future__ import annotations

import gzip
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection, open_collection
from porism.errors import FormatError, LatexError, PorismError
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.parallel import map_in_order
from porism.searchindex.builder import IndexOptions
from porism.searchindex.formula_vector_filling import formula_input, indexed_formulas
from porism.searchindex.index_build import chunks
from porism.structure.embeddings.formula_graph import EMBEDDING
from porism.structure.graphs.formula_views import GraphCorpus, graph_corpus
from porism.structure.graphs.tree_graphs import formula_graphs
from porism.structure.packed_trees import PackedTrees, packed_trees

MIN_SYMBOLS = 3
"""Symbols of a formula that is learned from: smaller ones have nothing to tell apart."""

MAX_NUMBERS = 400
"""Numbers of the packed trees of a formula that is learned from; larger ones fill a batch."""

MAX_FORMULAS = 500_000
"""Formulas that are learned from: more take memory, and 5,000 steps do not see more."""

CHUNK_FORMULAS = 1_000

Rows = list[NDArray[np.uint64]]


class _IndexChunk(NamedTuple):
    collection: Path
    run: str
    numbers: list[int]


def index_corpus(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch
) -> GraphCorpus:
    """Return the formulas of an index, or a sample of them, which is the same each time."""
    # Numbers are hashes, so the smallest ones are a sample.
    numbers = indexed_formulas(collection, folder, EMBEDDING)[:MAX_FORMULAS].tolist()
    run = f"{os.getpid()}-{time.monotonic_ns()}"
    waiting = (_IndexChunk(collection.path, run, each) for each in chunks(CHUNK_FORMULAS, numbers))
    return _corpus(_packed_of_index, waiting, len(numbers), options, watch, str(folder))


def file_corpus(path: Path, options: IndexOptions, watch: Watch) -> GraphCorpus:
    """Return the formulas of a file with one LaTeX formula on each line, which may be gzipped."""
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            lines = file.read().decode("utf-8").splitlines()
    except OSError as error:
        raise PorismError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise FormatError(str(path), line, "not UTF-8") from None
    # Every n-th of too many lines: neighbours are often from one text.
    lines = lines[:: 1 + (len(lines) - 1) // MAX_FORMULAS] if lines else []
    waiting = chunks(CHUNK_FORMULAS, lines)
    return _corpus(_packed_of_lines, waiting, len(lines), options, watch, str(path))


def _corpus(
    pack: Callable[..., Rows],
    waiting: Iterable[object],
    total: int,
    options: IndexOptions,
    watch: Watch,
    source: str,
) -> GraphCorpus:
    rows: Rows = []
    done = 0
    for packed in map_in_order(pack, waiting, options.jobs):
        rows += packed
        done = min(done + CHUNK_FORMULAS, total)
        watch(StepProgress("trees of formulas", done, total, done))
    if not rows:
        raise PorismError(
            f"{source}: none of {total:,} formulas has {MIN_SYMBOLS} symbols or more, and is not "
            "too large, so there is nothing to train on"
        )
    starts = np.zeros(len(rows) + 1, np.int64)
    np.cumsum([len(row) for row in rows], out=starts[1:])
    return graph_corpus(formula_graphs(PackedTrees(np.concatenate(rows), starts)))


def _packed_of_index(chunk: _IndexChunk) -> Rows:
    """Return the packed trees of a chunk of an index; runs in another process."""
    return list(_useful(_stored_rows(_collection(chunk.collection, chunk.run), chunk.numbers)))


def _stored_rows(collection: Collection, numbers: Sequence[int]) -> Iterator[list[int]]:
    for number in numbers:
        formula = collection.formula(number)
        if formula is not None:
            given = formula_input(formula)
            yield packed_trees(given.layout, given.operators())


@lru_cache(maxsize=1)
def _collection(path: Path, run: str) -> Collection:
    """Open the collection once in a run: it may change later."""
    return open_collection(path)


def _packed_of_lines(lines: Sequence[str]) -> Rows:
    """Return the packed trees of a chunk of lines; runs in another process."""
    return list(_useful(_parsed_rows(lines)))


def _parsed_rows(lines: Iterable[str]) -> Iterator[list[int]]:
    for line in lines:
        try:
            layout = parse_latex(line).tree
        except LatexError:
            continue  # a refused formula has no trees
        yield packed_trees(layout, operator_tree(layout))


def _useful(rows: Iterable[list[int]]) -> Iterator[NDArray[np.uint64]]:
    for row in rows:
        if row[0] & 0xFFFFFFFF >= MIN_SYMBOLS and len(row) <= MAX_NUMBERS:
            yield np.array(row, np.uint64)
