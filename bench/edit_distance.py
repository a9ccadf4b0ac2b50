"""The time of weighted tree edit distances of both trees for 1,000 candidates, one core.

The candidates of each topic of two years are those that ``tangent-cft-ted`` re-ranks on the mini
collection, and the 1,000 formulas of the collection with the largest trees, the worst that a topic
can meet there. The apted package computes the distances to a few candidates of each topic.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from bench.apted_distance import apted_distance
from bench.mini_scores import YEARS, read_year
from bench.quality import mini_index
from bench.shared_data import shared_folder
from porism.analysis import query_layout
from porism.formula.operators import operator_tree
from porism.model import DocId, Hit, Ranking, Task, Topic, TopicId
from porism.rank.query_builder import focus_formulas
from porism.rank.structure.formula_vectors import formula_vector_ranker
from porism.rank.structure.tree_edit import LAYOUT_COSTS, OPERATOR_COSTS, TreeEditScorer
from porism.searchindex.index_folder import SearchIndex
from porism.structure.packed_trees import packed_tree, stored_trees
from porism.structure.tree_edit_distance import edit_distance

CANDIDATES = 1000
ROUNDS = 3
SAMPLE = 5
"""Candidates of each topic that apted is given."""


def report() -> None:
    """Print the times of ours for all candidates, and of apted for each pair."""
    shared = shared_folder()
    with mini_index(shared) as library:
        topics = [topic for year in YEARS for topic in read_year(shared, Task.FORMULAS, year)]
        ranker = formula_vector_ranker(library, "cft")
        first = {topic.id: ranker.rank(topic, CANDIDATES) for topic in topics}
        largest = _largest(library)
        scorer = TreeEditScorer(library)
        scorer.scores(topics[0], largest)  # compiles
        print(f"Tree edit distances of {len(topics)} topics to 1,000 formulas, both trees:")
        _print("the first 1,000 of tangent-cft", _times(scorer, topics, lambda t: first[t.id]))
        _print("the 1,000 largest formulas", _times(scorer, topics, lambda t: largest))
        _print_peer(library, topics, {topic.id: first[topic.id][:SAMPLE] for topic in topics})


def _largest(library: SearchIndex) -> Ranking:
    doc_ids = sorted(library.formulas.doc_ids())
    sizes = np.diff(library.trees(doc_ids).starts)
    return tuple(
        Hit(DocId(doc_ids[at]), 0.0) for at in np.argsort(-sizes, kind="stable")[:CANDIDATES]
    )


def _times(
    scorer: TreeEditScorer, topics: Sequence[Topic], candidates: Callable[[Topic], Ranking]
) -> list[float]:
    """The best processor milliseconds of each topic in some rounds."""
    times: list[float] = []
    for topic in topics:
        hits = candidates(topic)
        rounds = []
        for _ in range(ROUNDS):
            start = time.process_time()
            scorer.scores(topic, hits)
            rounds.append(1000 * (time.process_time() - start))
        times.append(min(rounds))
    return times


def _print(what: str, times: Sequence[float]) -> None:
    median, p99, most = np.percentile(times, [50, 99, 100])
    print(f"  {what}: {median:.0f} ms median, {p99:.0f} ms p99, at most {most:.0f} ms", flush=True)


def _print_peer(
    library: SearchIndex, topics: Sequence[Topic], samples: Mapping[TopicId, Ranking]
) -> None:
    """Compare with apted: its time for a pair of formulas, and whether distances are equal."""
    pairs = different = 0
    spent = 0.0
    for topic in topics:
        layout = query_layout(focus_formulas(topic)[0].latex).tree
        queries = packed_tree(layout), packed_tree(operator_tree(layout))
        trees = library.trees([hit.doc_id for hit in samples[topic.id]])
        for place in range(len(trees.starts) - 1):
            stored = stored_trees(trees, place)
            for query, other, costs in zip(
                queries, stored, (LAYOUT_COSTS, OPERATOR_COSTS), strict=True
            ):
                start = time.process_time()
                expected = apted_distance(query, other, costs)
                spent += time.process_time() - start
                different += expected != edit_distance(query, other, costs)
            pairs += 1
    print(
        f"  apted: {1000 * spent / max(1, pairs):.1f} ms for both trees of one formula, mean of "
        f"{pairs:,} of the first {SAMPLE}; {different} distances differ"
    )


if __name__ == "__main__":
    report()
