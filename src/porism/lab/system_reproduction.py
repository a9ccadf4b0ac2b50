"""Systems scored on sets of judged topics.

A system is given with its name and how it is made; which systems there are is left to others. One
that fails does not stop the others.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median

from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.evaluation.comparison import randomization_p
from porism.evaluation.inputs import RunLike
from porism.evaluation.records import ByTopic
from porism.evaluation.scoring import OnlyIn, RunScorer, TopicsWithoutRelevant, restricted_qrels
from porism.lab.pools.topic_posts import RankerWithoutPosts
from porism.lab.system_scores import MEASURES, SystemScore
from porism.lab.topic_sets import TopicSet
from porism.lab.visual_ids import CollectionVisualIds, judged_in_collection
from porism.model import Run, Task, Topic
from porism.rank.ranker import Ranker
from porism.rank.runs import run_topics
from porism.searchindex.index_folder import SearchIndex

log = logging.getLogger(__name__)

LAB_ANSWERS = 1_400_000
"""Answers of the lab's collection (S4 section 1); an index with fewer is of another."""

LINKS = "links"
"""The label of topics that were made of links."""


@dataclass(frozen=True, slots=True)
class SystemFailure:
    """A system that could not be made or failed, and the reason."""

    system: str
    task: int
    reason: str


@dataclass(frozen=True, slots=True)
class CandidateSystem:
    """A system to score: its name, how it is made, and what is recorded of it.

    ``describe`` gives model, training and notes.
    """

    name: str
    make: Callable[[], Ranker]
    describe: Callable[[], tuple[str, str, str]]


def set_label(topics: TopicSet) -> str:
    """The year of a set of topics of the lab, ``links``, or else the name of its file.

    The lab numbered the topics of 2020 up to 100, and those of later years from 201 and 301.
    """
    letters = {topic_id.partition(".")[0] for topic_id in topics.topic_ids}
    numbers = [topic_id.partition(".")[2] for topic_id in topics.topic_ids]
    if letters == {"L"}:
        return LINKS
    if letters <= {"A", "B"} and all(number.isdecimal() for number in numbers):
        hundreds = {(int(number) - 1) // 100 for number in numbers}
        if len(hundreds) == 1 and (year := _YEARS.get(hundreds.pop())) is not None:
            return year
    return topics.name


_YEARS = {0: "2020", 2: "2021", 3: "2022"}


def scored_systems(
    candidates: Sequence[CandidateSystem],
    topics: TopicSet,
    task: Task,
    search_index: SearchIndex,
    baseline: str,
    watch: Watch,
    k: int = 1000,
    keep: Callable[[Run], object] = lambda run: None,
) -> Iterator[SystemScore | SystemFailure]:
    """Score systems on a set of topics, the baseline first, if it is among them.

    Judgments are restricted to the documents of the index, unless all of them are relevant: those
    of links are as they are. Each run is passed to ``keep``.
    """
    scorer = _SetScorer(topics, task, search_index)
    ordered = sorted(candidates, key=lambda each: each.name != baseline)
    reference: Mapping[str, ByTopic] = {}
    for candidate in ordered:
        step = f"{candidate.name}, {set_label(topics)}"
        try:
            ranker = RankerWithoutPosts(candidate.make(), topics.leave_out)
            done = run_topics(ranker, scorer.topics, k, partial(_watched, step=step, watch=watch))
            run = Run(candidate.name, done.rankings)
            keep(run)
            by_topic = scorer.scores(run)
        except PorismError as error:
            yield SystemFailure(candidate.name, task, str(error))
            continue
        except Exception as error:  # one system must not stop the others
            log.exception("%s failed on %s", candidate.name, topics.name)
            yield SystemFailure(candidate.name, task, f"failed ({type(error).__name__}: {error})")
            continue
        if candidate.name == baseline:
            reference = by_topic
        model, trained, notes = candidate.describe()
        yield SystemScore(
            candidate.name,
            task,
            set_label(topics),
            len(scorer.topics),
            search_index.answers.documents,
            model,
            trained,
            {name: fmean(of.values()) for name, of in by_topic.items() if of},
            _p_values(by_topic, reference if candidate.name != baseline else {}),
            median(done.milliseconds.values()),
            notes,
        )


def _watched(topics: Iterable[Topic], step: str, watch: Watch) -> Iterator[Topic]:
    listed = list(topics)
    for number, topic in enumerate(listed):
        watch(StepProgress(step, number, len(listed), number))
        yield topic
    watch(StepProgress(step, len(listed), len(listed), len(listed)))


def _p_values(ours: Mapping[str, ByTopic], baseline: Mapping[str, ByTopic]) -> dict[str, float]:
    return {
        measure: randomization_p([ours[measure][topic] - value for topic, value in of.items()])
        for measure, of in baseline.items()
    }


class _SetScorer:
    """The topics of a set that can tell systems apart on an index, and the scores of runs."""

    def __init__(self, topics: TopicSet, task: Task, search_index: SearchIndex) -> None:
        collection, qrels = search_index.collection, topics.qrels
        self._as_judged: Callable[[Run], RunLike] = lambda run: run
        if topics.has_nonrelevant:
            present: OnlyIn = (
                judged_in_collection(qrels, collection)
                if task is Task.FORMULAS
                else collection.has_answer
            )
            qrels = restricted_qrels(qrels, present)
        if task is Task.FORMULAS:
            visual_ids = CollectionVisualIds(collection, qrels)
            qrels, self._as_judged = visual_ids.qrels, visual_ids.run
        measures = MEASURES if topics.has_nonrelevant else MEASURES[-2:]
        self._scorer = RunScorer(qrels, measures, TopicsWithoutRelevant.LEAVE_OUT)
        self.topics = [topic for topic in topics.topics if qrels.grades.get(topic.id)]

    def scores(self, run: Run) -> Mapping[str, ByTopic]:
        """The scores of a run by measure and topic; a run without any result has zeros."""
        if not any(run.rankings.values()):
            scored = self._scorer.scored_topics
            return {name: dict.fromkeys(scored[name], 0.0) for name in self._scorer.names}
        return self._scorer.scores(self._as_judged(run)).by_topic
