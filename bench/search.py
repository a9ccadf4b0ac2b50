"""Speed and size of a full-size index, compared with a plain search loop.

``python -m bench.search --documents 200000 --formulas 1000000`` measures a smaller one in a minute;
the full one takes about 15 minutes, 20 GB of memory and 20 GB of disk.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from bench.index_build import FIELD, built, sizes
from bench.plain_loop import DELTA, Counted, PlainLoop, counted, write_arrays
from bench.real_tokens import (
    WeightedTopic,
    answer_queries,
    answer_tokens,
    formula_queries,
    formula_tokens,
    ingest_mini,
)
from bench.shared_data import shared_folder
from bench.synthetic_tokens import ANSWERS_GROWTH, FORMULAS_GROWTH, Growth, Source, source_of
from bench.timing import times
from porism.inverted import Clause, Idf, Index, Term, WeightingModel, open_inverted_index

ANSWERS, FORMULAS = 1_400_000, 9_000_000
K = 1000
PAGE = 10
PLUS = WeightingModel(Idf.PLUS, delta=DELTA)

ROUNDING = 1e-5
"""Relative tolerance for sums of scores in 32 bits."""


class DocumentKind(NamedTuple):
    """Synthetic documents of one kind, the queries for them, and the real statistics of both."""

    name: str
    documents: int
    tokens: Callable[[Path], list[list[str]]]
    growth: Growth
    queries: Callable[[Path], list[WeightedTopic]]
    target: str


def answers(documents: int) -> DocumentKind:
    """Answers as in ARQMath."""
    target = "1,400,000 documents: 539, 17,500,000 (9,700,000 once), 754,000,000, 0.67; 16"
    return DocumentKind("answers", documents, answer_tokens, ANSWERS_GROWTH, answer_queries, target)


def formulas(documents: int) -> DocumentKind:
    """Visually distinct formulas as in ARQMath."""
    target = "9,000,000 formulas: about 35"
    return DocumentKind(
        "formulas", documents, formula_tokens, FORMULAS_GROWTH, formula_queries, target
    )


def report(documents: int = ANSWERS, formula_count: int = FORMULAS, at: str | None = None) -> None:
    """Print size, build and search times for answers and formulas; ``at`` is for large files."""
    shared = shared_folder()
    with TemporaryDirectory() as small:
        collection = ingest_mini(shared, Path(small))
        for kind in (answers(documents), formulas(formula_count)):
            with TemporaryDirectory(dir=at) as name:
                _measure(kind, collection, shared, Path(name))


def _measure(kind: DocumentKind, collection: Path, shared: Path, folder: Path) -> None:
    print(f"Search of {kind.documents:,} synthetic {kind.name} (bench/synthetic_tokens.py)")
    source = source_of(kind.tokens(collection), kind.growth)
    source.write(folder / "source")
    took = built(folder / "source", folder / "index", kind.documents)
    size = sizes(folder / "index")
    print(
        f"  built in {took.seconds:.0f} s ({took.processor_seconds:.0f} s of one core) "
        f"with at most {took.megabytes:,.0f} MB of memory"
    )
    print(
        f"  postings {size.postings / 1e9:.2f} GB; keys of all terms and strings of real ones "
        f"{size.dictionary / 1e9:.2f} GB; document ids {size.names / 1e9:.2f} GB",
        flush=True,
    )
    queries = kind.queries(shared)
    plain = plain_loop(folder, source, counted(source, kind.documents), queries, kind.target)
    index = open_inverted_index(folder / "index")
    check(index, plain, queries)
    native = {query: clauses(query) for query in queries}
    measured = times(
        {
            "plain loop": lambda query: plain.search(query, K),
            "porism": lambda query: index.search(native[query], K),
            "porism, two cores": lambda query: index.search(native[query], K, cores=2),
            "porism, ten results": lambda query: index.search(native[query], PAGE),
        },
        queries,
    )
    for name, spent in measured.items():
        print(f"  {name}: {spent}")
    for ours, theirs, unit in zip(
        measured["porism"], measured["plain loop"], ("time", "processor time"), strict=True
    ):
        print(
            f"  ratio to the plain loop in {unit}: {ours.median / theirs.median:.2f} of the "
            f"median, {ours.p99 / theirs.p99:.2f} of the 99th percentile",
            flush=True,
        )


def plain_loop(
    folder: Path, source: Source, counts: Counted, queries: Sequence[WeightedTopic], target: str
) -> PlainLoop:
    """The plain loop over a collection; prints its statistics next to the targets."""
    write_arrays(folder, source, counts)
    plain = PlainLoop(folder, source, counts)
    touched = [plain.touched(query) / counts.documents for query in queries]
    grown = log(counts.terms / len(source.tokens)) / log(counts.documents / source.documents)
    print(
        f"  a document has {counts.postings / counts.documents:.0f} distinct terms, "
        f"the collection {counts.terms:,} terms ({counts.once:,} once) "
        f"and {counts.postings:,} postings;\n"
        f"  from {source.documents:,} real ones the terms grew with an exponent of {grown:.2f};\n"
        f"  {len(queries)} topics of {np.mean([len(each.tokens) for each in queries]):.0f} terms, "
        f"which touch {np.mean(touched):.1f} postings per document, at most {max(touched):.0f}\n"
        f"  (targets: {target})",
        flush=True,
    )
    return plain


def clauses(query: WeightedTopic) -> tuple[Clause, ...]:
    """The clauses of a topic."""
    terms = tuple(map(Term, query.tokens, query.weights))
    return (Clause(FIELD, terms, PLUS),)


def check(index: Index, plain: PlainLoop, queries: Sequence[WeightedTopic]) -> None:
    """Exit with a message unless both give the same rankings, up to rounding of 32-bit sums."""
    for query in queries:
        hits = index.search(clauses(query), K)
        ids, scores = plain.search(query, K)
        ours = np.array([hit.score for hit in hits])
        if len(ours) != len(scores) or not np.allclose(ours, scores, rtol=ROUNDING, atol=0):
            raise SystemExit(f"topic {query.topic}: scores differ from those of the plain loop")
        if not hits:
            continue
        only = {hit.doc_id for hit in hits} - set(map(str, ids.tolist()))
        last = float(scores[-1]) * (1 + 2 * ROUNDING)
        if any(hit.score > last for hit in hits if hit.doc_id in only):
            raise SystemExit(f"topic {query.topic}: documents differ from those of the plain loop")
    print(f"  the rankings of all {len(queries)} topics agree with the plain loop's", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure index building and search.")
    parser.add_argument("--documents", type=int, default=ANSWERS)
    parser.add_argument("--formulas", type=int, default=FORMULAS)
    parser.add_argument("--at", help="a folder with 20 GB of free space")
    options = parser.parse_args()
    report(options.documents, options.formulas, options.at)


if __name__ == "__main__":
    main()
