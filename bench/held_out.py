"""``porism`` on topics that its weights were not learned from, and what each feature gives.

Weights are learned from 2020, 2021 and the link topics together. A topic is ranked by weights that
were learned without its fold of five, or without its whole set. Topics of the years are searched in
the index with all links, link topics in the one without.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from bench.link_topics import link_quality, link_scores, link_topic_set
from bench.mini_scores import YEARS, Scores, chance, judged, read_year, scores
from porism.catalog import ranker
from porism.collection.progress import StepProgress
from porism.evaluation.records import ByTopic
from porism.lab.answer_learning import (
    TrainingTopic,
    held_out_rankings,
    learned_weights,
    training_topics,
)
from porism.lab.topic_sets import TopicSet
from porism.lab.tuning import random_folds
from porism.model import DocId, Qrels, Ranking, Task, TopicId
from porism.rank.runs import run_topics
from porism.rank.systems.answer_weights import FeatureWeights, shipped_weights
from porism.searchindex.index_folder import SearchIndex

FOLDS, SEED = 5, 0
K = 1000
LINKS = "links"


@dataclass(frozen=True, slots=True)
class SetScores:
    """The scores of a system on the sets: two measures for a year, MAP for the links."""

    years: Mapping[int, Scores]
    links: ByTopic

    def cells(self) -> list[str]:
        """nDCG' of the years, and MAP of all sets."""
        means = [self.years[year].means() for year in YEARS]
        ndcg = " / ".join(f"{each[0]:.3f}" for each in means)
        precision = " / ".join(f"{each[1]:.3f}" for each in means)
        return [ndcg, f"{precision} / {fmean(self.links.values()):.3f}"]

    def chances(self, other: SetScores) -> str:
        """The p values of the differences in MAP, for all sets."""
        pairs = [
            *(
                (self.years[year].average_precision, other.years[year].average_precision)
                for year in YEARS
            ),
            (self.links, other.links),
        ]
        values = (chance(ours, theirs) for ours, theirs in pairs)
        return " / ".join(f"{value:.3f}" if value >= 0.001 else "<0.001" for value in values)


@dataclass(frozen=True, slots=True)
class Trials:
    """The sets with the features of their topics."""

    shared: Path
    years: Mapping[int, TopicSet]
    links: TopicSet
    topics: Sequence[TrainingTopic]

    def scored(self, rankings: Mapping[TopicId, Ranking]) -> SetScores:
        """The scores of rankings of all topics."""
        by_topic = {str(topic): ranking for topic, ranking in rankings.items()}
        of_years = {year: scores(judged(self.shared, 1, year), by_topic, {}) for year in YEARS}
        ours = {topic_id: rankings[topic_id] for topic_id in self.links.topic_ids}
        return SetScores(of_years, link_scores(self.links, ours).average_precision)

    def cross_validated(
        self, topics: Sequence[TrainingTopic], with_vectors: bool, by_set: bool = False
    ) -> SetScores:
        """The scores by weights learned without the topic's fold, or without its set."""
        sets = {
            **{str(year): each.topic_ids for year, each in self.years.items()},
            LINKS: self.links.topic_ids,
        }
        folds = sets if by_set else random_folds(*sets.values(), count=FOLDS, seed=SEED)
        return self.scored(held_out_rankings(topics, folds, with_vectors))


def read_trials(shared: Path, linked: SearchIndex, unlinked: SearchIndex) -> Trials:
    """Read the sets, and compute the features of their topics."""
    years: dict[int, TopicSet] = {}
    for year in YEARS:
        grades = judged(shared, 1, year)
        topics = tuple(topic for topic in read_year(shared, 1, year) if topic.id in grades)
        qrels = Qrels(
            {
                TopicId(topic): {DocId(doc): grade for doc, grade in of_topic.items()}
                for topic, of_topic in grades.items()
            }
        )
        years[year] = TopicSet(str(year), topics, qrels)
    links = replace(link_topic_set(shared), name=LINKS)
    features = [
        *training_topics(list(years.values()), linked, _silent),
        *training_topics([links], unlinked, _silent),
    ]
    return Trials(shared, years, links, features)


def _silent(progress: StepProgress) -> None:
    """Report no progress."""


def held_out_tables(shared: Path, linked: SearchIndex, unlinked: SearchIndex) -> Iterator[str]:
    """The lines of the tables: held-out scores, ablations, and the weights."""
    trials = read_trials(shared, linked, unlinked)
    yardstick = _system_scores(trials, "l8", linked, unlinked)
    counts = ", ".join(f"{len(each.topics)} of {year}" for year, each in trials.years.items())
    yield (
        f"porism by weights learned without the topic; {counts}, {len(trials.links.topics)} link "
        "topics; p is for the difference to l8 in MAP"
    )
    yield ""
    yield "| system | nDCG' 2020 / 2021 | MAP 2020 / 2021 / links | p |"
    yield "|---|---|---|---|"

    def row(label: str, of: SetScores) -> str:
        return f"| {label} | {' | '.join(of.cells())} | {of.chances(yardstick)} |"

    yield f"| `l8` | {' | '.join(yardstick.cells())} | |"
    for name in ("minilm", "hybrid", "porism"):
        label = f"`{name}`" + (", the shipped weights (not held out)" if name == "porism" else "")
        yield row(label, _system_scores(trials, name, linked, unlinked))
    for with_vectors, words in ((True, "with vectors"), (False, "without vectors")):
        yield row(
            f"`porism` {words}, five folds", trials.cross_validated(trials.topics, with_vectors)
        )
        yield row(
            f"`porism` {words}, each set by the others",
            trials.cross_validated(trials.topics, with_vectors, by_set=True),
        )
    for label, names in ABLATIONS.items():
        topics = [_without(topic, names) for topic in trials.topics]
        yield row(f"without {label}, five folds", trials.cross_validated(topics, True))
    yield ""
    yield from _weight_lines(trials)


ABLATIONS: dict[str, tuple[str, ...]] = {
    "words": ("words",),
    "tuples": ("tuples",),
    "whole formulas": ("formulas",),
    "tuples and whole formulas": ("tuples", "formulas"),
    "question vectors": ("question_vector",),
    "answer vectors": ("answer_vector",),
}
"""Groups of features, and their names in a feature table."""


def _without(topic: TrainingTopic, names: tuple[str, ...]) -> TrainingTopic:
    """The topic with some features 0 for all documents."""
    nothing = np.zeros(len(topic.table.doc_ids))
    zeros: dict[str, Any] = dict.fromkeys(names, nothing)  # Any: keyword arguments
    return replace(topic, table=replace(topic.table, **zeros))


def _system_scores(
    trials: Trials, name: str, linked: SearchIndex, unlinked: SearchIndex
) -> SetScores:
    system = ranker(name, Task.ANSWERS, linked)
    rankings: dict[TopicId, Ranking] = {}
    for each in trials.years.values():
        rankings |= run_topics(system, each.topics, K).rankings
    by_topic = {str(topic): ranking for topic, ranking in rankings.items()}
    of_years = {year: scores(judged(trials.shared, 1, year), by_topic, {}) for year in YEARS}
    of_links = link_quality(trials.links, ranker(name, Task.ANSWERS, unlinked))
    return SetScores(of_years, of_links.average_precision)


def _weight_lines(trials: Trials) -> Iterator[str]:
    """The weights that all topics together give, beside those that are shipped."""
    yield "| weights | tuples | formulas | question vector | answer vector |"
    yield "|---|---|---|---|---|"
    shipped = shipped_weights()
    rows: dict[str, FeatureWeights] = {
        "with vectors, learned here": learned_weights(trials.topics, with_vectors=True),
        "with vectors, shipped": shipped.with_vectors,
        "without vectors, learned here": learned_weights(trials.topics, with_vectors=False),
        "without vectors, shipped": shipped.without_vectors,
    }
    for label, weights in rows.items():
        values = (
            weights.tuples,
            weights.formulas,
            weights.question_vector,
            weights.answer_vector,
        )
        yield f"| {label} | {' | '.join(f'{value:.3f}' for value in values)} |"
