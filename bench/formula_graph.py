"""``formula-graph`` on the mini collection: each of its stages, and the weights of its last one.

The second stage is measured by weights that were learned without the fold of a topic, of five, or
without its whole year. The weights of all topics are those that Porism ships. As its own program it
can be given an index: ``python -m bench.formula_graph INDEX``, made with ``--systems
formula-graph``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from math import isnan, nan
from pathlib import Path

from bench.mini_scores import YEARS, judged, read_year
from bench.quality import SystemQuality, chances, means, mini_index, scored, system_quality
from bench.shared_data import shared_folder
from porism.collection.progress import StepProgress
from porism.lab.formula_learning import (
    FeatureStage,
    FormulaTopic,
    formula_topics,
    learned_formula_weights,
)
from porism.lab.topic_sets import TopicSet
from porism.lab.tuning import Folds, random_folds
from porism.model import DocId, Qrels, Ranking, Task, Topic, TopicId
from porism.rank.occurrences import FirstOccurrences
from porism.rank.ranker import Ranker
from porism.rank.rerank import Replace, Rerank
from porism.rank.structure.formula_graph import (
    DEPTH,
    EMBEDDING,
    by_symbol_runs,
    formula_graph,
    fused_ranker,
    graph_features,
)
from porism.rank.structure.formula_vectors import formula_vector_ranker
from porism.rank.structure.ltr import WeightedFeatures
from porism.searchindex.index_folder import SearchIndex, open_index

FOLDS, SEED = 5, 0
K = 1000
FIRST_STAGE = "both, fused"


def report(index: Path | None = None) -> None:
    """Print the table of stages and the learned weights."""
    shared = shared_folder()
    if index is not None:
        with open_index(index) as library:
            _print_tables(shared, library)
        return
    with mini_index(shared) as library:
        _print_tables(shared, library)


def _print_tables(shared: Path, library: SearchIndex) -> None:
    for line in stage_table(shared, library):
        print(line, flush=True)


def stage_table(shared: Path, library: SearchIndex) -> Iterator[str]:
    """The lines of the table of stages, and the weights that all topics give."""
    yield "Task 2, 2020 / 2021; p is for the difference to both rankings fused"
    yield ""
    yield "| stage | nDCG' | MAP | P@10 | p of nDCG' | p of MAP | ms per topic |"
    yield "|---|---|---|---|---|---|---|"
    stages: dict[str, Ranker] = {
        "symbols by BM25": by_symbol_runs(library),
        "graph vectors": formula_vector_ranker(library, EMBEDDING),
        FIRST_STAGE: fused_ranker(library),
    }
    qualities = {
        name: system_quality(shared, Task.FORMULAS, FirstOccurrences(library, stage))
        for name, stage in stages.items()
    }
    trials = _Trials(shared, library)
    years = {str(year): [topic.id for topic in trials.sets[year].topics] for year in YEARS}
    folds = random_folds(*years.values(), count=FOLDS, seed=SEED)
    qualities["re-ranked, weights of other folds"] = trials.held_out(folds)
    qualities["re-ranked, weights of the other year"] = trials.held_out(years)
    qualities["re-ranked, the shipped weights (not held out)"] = system_quality(
        shared, Task.FORMULAS, formula_graph(library)
    )
    first = qualities[FIRST_STAGE]
    for name, quality in qualities.items():
        p_values = (" ", " ") if name == FIRST_STAGE else chances(quality, first)
        milliseconds = "" if isnan(quality.milliseconds) else f"{quality.milliseconds:.0f}"
        cells = [*means(quality.years), *p_values, milliseconds]
        yield f"| {name} | {' | '.join(cells)} |"
    yield ""
    yield json.dumps(trials.weights(()), indent=1)


class _Trials:
    """The candidates of all judged topics with their features."""

    def __init__(self, shared: Path, library: SearchIndex) -> None:
        self._shared = shared
        self._library = library
        self._fused = fused_ranker(library)
        self._features = graph_features(library)
        self.sets = {year: _year_set(shared, year) for year in YEARS}
        stage = FeatureStage(self._fused, self._features, DEPTH)
        self._topics: Sequence[FormulaTopic] = formula_topics(
            list(self.sets.values()), library, stage, _no_progress
        )

    def weights(self, without: Sequence[TopicId]) -> dict[str, float]:
        """The weights that all but some topics give."""
        excluded = set(without)
        return learned_formula_weights(
            [topic for topic in self._topics if topic.topic_id not in excluded],
            self._features.names,
        )

    def held_out(self, folds: Folds) -> SystemQuality:
        """The quality of rankings by weights that were learned without the topic's fold."""
        topics = {topic.id: topic for each in self.sets.values() for topic in each.topics}
        rankings: dict[TopicId, Ranking] = {}
        for ids in folds.values():
            scorer = WeightedFeatures(self._features, self.weights(tuple(ids)))
            ranker = FirstOccurrences(
                self._library, Rerank(self._fused, scorer, DEPTH, Replace(is_stable=False))
            )
            rankings |= {each: ranker.rank(topics[each], K) for each in ids}
        by_year = tuple(
            scored(self._shared, Task.FORMULAS, year, _of(rankings, self.sets[year].topics))
            for year in YEARS
        )
        return SystemQuality(by_year, nan)


def _of(rankings: Mapping[TopicId, Ranking], topics: Sequence[Topic]) -> dict[TopicId, Ranking]:
    return {topic.id: rankings[topic.id] for topic in topics}


def _year_set(shared: Path, year: int) -> TopicSet:
    """The judged topics of a year, with the judgments of formulas that are in the collection."""
    grades = judged(shared, Task.FORMULAS, year)
    topics = tuple(topic for topic in read_year(shared, Task.FORMULAS, year) if topic.id in grades)
    qrels = Qrels(
        {
            topic.id: {DocId(doc_id): grade for doc_id, grade in grades[topic.id].items()}
            for topic in topics
        }
    )
    return TopicSet(str(year), topics, qrels)


def _no_progress(progress: StepProgress) -> None:
    """Print nothing meanwhile."""


if __name__ == "__main__":
    report(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
