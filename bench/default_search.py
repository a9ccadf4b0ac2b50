"""The complete default search at full size: each step of ``porism`` for answers, and their sum.

The first stage searches 1.4 million synthetic answers (``bench/synthetic_tokens.py``), vectors are
synthetic (``bench/synthetic_vectors.py``). Whole formulas are compared on the mini collection: how
long that takes depends on the number of candidates, not on the size of the collection. Encoding a
query is reported apart. ``python -m bench.default_search --documents 100000`` measures fewer.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.index_build import built
from bench.mini_scores import read_year
from bench.quality import mini_index
from bench.search import ANSWERS, K, answers, clauses
from bench.shared_data import shared_folder
from bench.synthetic_tokens import source_of
from bench.synthetic_vectors import real_vectors, synthetic_vectors
from bench.vector_search import built_vectors
from porism.embed import open_encoder
from porism.inverted import open_inverted_index
from porism.model import Task, Topic
from porism.rank.rerank import Rerank
from porism.rank.similarity import FormulaSimilarity
from porism.rank.systems.porism_answers import NEAREST, SimilarityScorer, porism
from porism.searchindex.components.text_keys import TextKind
from porism.searchindex.components.vector_index import question_text
from porism.searchindex.index_folder import SearchIndex

QUERIES = 50


def report(documents: int = ANSWERS, at: str | None = None) -> None:
    """Print the processor time of each step, and of all of them; ``at`` is for large files."""
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    shared = shared_folder()
    print(f"The default search of {documents:,} answers, processor time of one core")
    with TemporaryDirectory(dir=at) as name, mini_index(shared) as mini:
        steps = {
            **_lexical_steps(documents, mini, shared, Path(name)),
            **_vector_steps(documents, mini, shared, Path(name)),
            **_formula_steps(mini, shared),
        }
    first = float(np.median(steps["first stage"]))
    for step, spent in steps.items():
        print(f"  {step}: median {np.median(spent):.1f} ms, largest {max(spent):.1f} ms")
    whole = sum(float(np.median(spent)) for spent in steps.values())
    print(f"  together: {whole:.1f} ms, {whole / first:.2f} times the first stage")
    encoder = open_encoder("minilm")
    texts = [question_text(topic.title, topic.body) for topic in _topics(shared)]
    encoding = _milliseconds(lambda number: encoder.encode([texts[number]]), len(texts))
    print(f"  besides, encoding a topic: median {np.median(encoding):.1f} ms")


def _topics(shared: Path) -> list[Topic]:
    return read_year(shared, Task.ANSWERS, 2021)[:QUERIES]


def _lexical_steps(
    documents: int, mini: SearchIndex, shared: Path, folder: Path
) -> dict[str, list[float]]:
    kind = answers(documents)
    source_of(kind.tokens(mini.collection_path), kind.growth).write(folder / "source")
    built(folder / "source", folder / "tokens", kind.documents)
    index = open_inverted_index(folder / "tokens")
    queries = [clauses(query) for query in kind.queries(shared)[:QUERIES]]
    doc_ids = [doc_id for doc_id, _ in zip(index.doc_ids(), range(NEAREST), strict=False)]
    return {
        "first stage": _milliseconds(lambda number: index.search(queries[number], K), QUERIES),
        f"lexical scores of {NEAREST} near documents": _milliseconds(
            lambda number: index.scores(queries[number], doc_ids), QUERIES
        ),
    }


def _vector_steps(
    documents: int, mini: SearchIndex, shared: Path, folder: Path
) -> dict[str, list[float]]:
    real = real_vectors(shared, mini.folder.parent)
    made = built_vectors(real, documents, folder / "made")
    vectors = made.component.open(made.folder / "vectors")
    index = open_inverted_index(made.folder / "answers")
    (queries,) = synthetic_vectors(real, QUERIES, seed=2)
    random = np.random.default_rng(3)
    candidates = [f"a{number}" for number in random.choice(documents, K + NEAREST, replace=False)]
    return {
        f"the {NEAREST} nearest questions": _milliseconds(
            lambda number: vectors.nearest(TextKind.QUESTION, queries[number], NEAREST, index),
            QUERIES,
        ),
        f"question and answer cosines of {K + NEAREST:,} candidates": _milliseconds(
            lambda number: [vectors.scores(kind, queries[number], candidates) for kind in TextKind],
            QUERIES,
        ),
    }


def _formula_steps(mini: SearchIndex, shared: Path) -> dict[str, list[float]]:
    ranker = porism(mini)
    assert isinstance(ranker, Rerank)
    scorer = SimilarityScorer(FormulaSimilarity(mini), mini.answers)
    topics = _topics(shared)
    hits = [ranker.first.rank(topic, K) for topic in topics]
    return {
        "whole formulas of the candidates": _milliseconds(
            lambda number: scorer.scores(topics[number], hits[number]), len(topics)
        )
    }


def _milliseconds(step: Callable[[int], object], count: int) -> list[float]:
    """The processor time of a step for each query, after one round that reads the files."""
    taken: list[float] = []
    for number in (*range(count), *range(count)):
        start = time.process_time()
        step(number)
        taken.append(1000 * (time.process_time() - start))
    return taken[count:]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=ANSWERS)
    parser.add_argument("--at", help="a folder with room for files")
    given = parser.parse_args()
    report(given.documents, given.at)
