"""Vectors at full size: time and memory of searching those of a large index, on one core.

The documents are synthetic: 1.4 million answers to 1.1 million questions, as in ARQMath, with one
vector each (``bench/synthetic_vectors.py``). Every twentieth answer has a label. The index is
searched in a process that has not built it.
``python -m bench.vector_search --answers 100000`` measures fewer.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from bench.ann import resident_megabytes
from bench.shared_data import shared_folder
from bench.synthetic_vectors import Vectors, real_vectors, synthetic_vectors
from porism.embed import ModelIdentity
from porism.inverted import (
    DocumentBatch,
    Field,
    FieldTokens,
    Filter,
    IndexWriter,
    key,
    open_inverted_index,
)
from porism.inverted.query import LABELS
from porism.searchindex.components.text_keys import TextKeyWriter, TextKind
from porism.searchindex.components.vector_index import VectorIndex, VectorSpec
from porism.storage.array_file import StoredFile
from porism.vectors.codes import CodedVectors, coded_vectors
from porism.vectors.store import MAX_MERGED, VectorWriter

ANSWERS = 1_400_000
QUESTIONS_PER_ANSWER = 1.1 / 1.4
K = 1000
QUERIES = 50
LABEL = "tag:rare"
EVERY = 20
"""Of so many answers one has the label."""


class Built(NamedTuple):
    """A built index: its folder, its vectors, and the number of its answers."""

    folder: Path
    component: VectorIndex
    answers: int


def report(answers: int = ANSWERS, at: str | None = None, folder: Path | None = None) -> None:
    """Print times and memory; ``folder`` has, or gets, the real vectors, ``at`` the large files."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    with TemporaryDirectory() as made, TemporaryDirectory(dir=at) as large:
        real = real_vectors(shared_folder(), folder or Path(made))
        built = built_vectors(real, answers, Path(large))
        (queries,) = synthetic_vectors(real, QUERIES, seed=2)
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            for line in pool.apply(_measured, (built, queries)):
                print(f"  {line}")


def built_vectors(real: Vectors, answers: int, folder: Path) -> Built:
    """Build an index of synthetic vectors."""
    questions = int(answers * QUESTIONS_PER_ANSWER)
    print(f"{questions:,} questions and {answers:,} answers, one core")
    doc_ids = [f"a{number}" for number in range(answers)]
    _write_documents(doc_ids, folder / "answers")
    start = time.process_time()
    table = TextKeyWriter(folder / "vectors", ())
    owners = np.arange(answers) % questions
    table.add(doc_ids, {TextKind.QUESTION: owners, TextKind.ANSWER: np.arange(answers)})
    table.flush()
    component = VectorIndex(
        VectorSpec(),
        ModelIdentity("minilm", "synthetic", real.shape[1], "mean", "int8"),
        is_complete=True,
        documents=table.files,
        questions=_write_vectors(real, questions, folder / "vectors", TextKind.QUESTION),
        answers=_write_vectors(real, answers, folder / "vectors", TextKind.ANSWER),
    )
    size = sum(file.size for file in component.files)
    print(f"  written in {time.process_time() - start:,.0f} s of one core, {size / 1e9:.2f} GB")
    return Built(folder, component, answers)


def _write_documents(doc_ids: list[str], folder: Path) -> None:
    """Write an inverted index that has only labels."""
    counts = np.arange(len(doc_ids)) % EVERY == 0
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    labels = np.full(starts[-1], key(LABEL), np.uint64)
    with IndexWriter(folder, [Field(LABELS, k1=0)]) as writer:
        writer.add_batch(
            DocumentBatch(doc_ids, {LABELS: FieldTokens(labels, starts)}, {key(LABEL): LABEL})
        )
        writer.commit()


def _write_vectors(
    real: Vectors, count: int, folder: Path, kind: TextKind
) -> tuple[StoredFile, ...]:
    """Write vectors in parts as large as merging leaves them."""
    writer = VectorWriter(folder, kind, (), real.shape[1])
    pieces = (coded_vectors(rows) for rows in synthetic_vectors(real, count, seed=len(kind)))
    at = 0
    while held := list(islice(pieces, MAX_MERGED // 50_000)):
        coded = CodedVectors(*map(np.concatenate, zip(*held, strict=True)))
        writer.add(np.arange(at, at + len(coded.codes)), coded)
        at += len(coded.codes)
    return writer.files


def _measured(built: Built, queries: Vectors) -> list[str]:
    before = resident_megabytes()
    vectors = built.component.open(built.folder / "vectors")
    index = open_inverted_index(built.folder / "answers")
    random = np.random.default_rng(3)
    candidates = [f"a{number}" for number in random.choice(built.answers, K, replace=False)]
    rare = Filter(((LABEL,),))
    lines = [
        _times(
            f"question and answer scores of {K:,} candidates",
            lambda query: [vectors.scores(kind, query, candidates) for kind in TextKind],
            queries,
        )
    ]
    for kind in TextKind:
        for name, within in (("", None), (f" that pass a filter as 1 of {EVERY} does", rare)):

            def nearest(
                query: Vectors, kind: TextKind = kind, within: Filter | None = within
            ) -> object:
                return vectors.nearest(kind, query, K, index, within)

            lines.append(_times(f"the nearest {K:,} by {kind}{name}", nearest, queries))
    megabytes = resident_megabytes()
    return [*lines, f"memory: {megabytes:,.0f} MB with the pages read, {before:,.0f} MB before"]


def _times(name: str, search: Callable[[Vectors], object], queries: Vectors) -> str:
    """The processor times of a search, after one round that reads the files."""
    taken = []
    for query in (*queries, *queries):
        start = time.process_time()
        search(query)
        taken.append(1000 * (time.process_time() - start))
    last = taken[len(queries) :]
    return f"{name}: median {np.median(last):.1f} ms, largest {max(last):.1f} ms"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=ANSWERS)
    parser.add_argument("--at", help="a folder with room for files")
    parser.add_argument("--real", type=Path, help="a folder that has or gets the real vectors")
    given = parser.parse_args()
    report(given.answers, given.at, given.real)
