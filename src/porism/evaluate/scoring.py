"""Scores of runs for Tasks 1 and 2, as trec_eval computes them and the lab takes their means.

S1 sections 4.5 and 5.5, S3 sections 4.6 and 5.5: unjudged documents are removed for the primed
measures; the codes 5 (system failure) and 6 (do not know) are no judgments; the mean is over the
topics of the qrels, and a topic that the run lacks counts 0. Documents are ordered by their score
as a 32-bit number, equal ones by their ids, from the highest down.
"""

from __future__ import annotations

import subprocess
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar

import ir_measures

from porism.errors import PorismError, UnknownName
from porism.evaluate.inputs import QrelsLike, RunLike, ScoredRun, as_list, as_qrels, as_scored
from porism.evaluate.measures import DEFAULT_MEASURES, Measure, MeasuresLike, parse_measures
from porism.evaluate.records import Evaluation, RunScores
from porism.model import DocId, Qrels, TopicId, natural_key

CODES = frozenset({5, 6})
"""What the lab has instead of a grade: a system failure, and do not know."""

LARGEST_GRADE = 1_000_000
"""Far above any scale, and small enough for trec_eval to count with."""

Grades = dict[TopicId, dict[DocId, int]]

OnlyIn = Container[str] | Callable[[DocId], bool]
"""The documents of a collection: their ids, or a function that tells whether one is in it."""


class TopicsWithoutRelevant(Enum):
    """How a measure treats topics that have no document of the grade that it calls relevant."""

    COUNT_AS_ZERO = "as trec_eval -c"
    LEAVE_OUT = "no run could score on them"


def evaluate(
    runs: RunLike | Iterable[RunLike],
    qrels: QrelsLike,
    measures: MeasuresLike = DEFAULT_MEASURES,
    task: int = 1,
    only_in: OnlyIn | None = None,
) -> Evaluation:
    """The scores of runs, or of one, by given judgments; those of Task 2 both by visual id.

    ``only_in`` restricts the judgments to the documents of a collection, see ``restricted_qrels``;
    measures then leave out topics that have no relevant document left.

    >>> run = {"A.1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> found = evaluate([run], {"A.1": {"a": 0, "c": 2}, "A.2": {"d": 3}}, ["nDCG'", "P'@10"])
    >>> {measure: round(found.runs[0].mean(measure), 3) for measure in found.measures}
    {"nDCG'": 0.315, "P'@10": 0.05}
    """
    if only_in is None:
        scorer, notes = RunScorer(qrels, measures), []
    else:
        left = restricted_qrels(qrels, only_in)
        scorer = RunScorer(left, measures, TopicsWithoutRelevant.LEAVE_OUT)
        notes = restriction_notes(as_qrels(qrels), scorer)
    scored = []
    for each in as_list(runs):
        run = as_scored(each, judged=scorer.grades)
        scored.append(scorer.scores(run))
        if not is_judged(run, scorer.grades):
            notes.append(f"nothing that {run.name} found is judged: are their ids of one kind?")
    ceilings = scorer.ceilings()
    return Evaluation(task, scorer.names, scorer.topics, tuple(scored), ceilings, tuple(notes))


class RunScorer:
    """Judgments made ready once, to score any number of runs, one at a time."""

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasuresLike = DEFAULT_MEASURES,
        without_relevant: TopicsWithoutRelevant = TopicsWithoutRelevant.COUNT_AS_ZERO,
    ) -> None:
        self.grades = judged_grades(as_qrels(qrels))
        if not any(self.grades.values()):
            raise PorismError("the judgments have no grade at all, only codes for failures")
        self.topics = tuple(self.grades)
        self._measures = parse_measures(measures)
        self.names = tuple(map(str, self._measures))
        self.scored_topics = {str(each): self.topics for each in self._measures}
        if without_relevant is TopicsWithoutRelevant.LEAVE_OUT:
            self.scored_topics |= {
                str(each): tuple(
                    topic
                    for topic, of_topic in self.grades.items()
                    if max(of_topic.values(), default=0) >= each.definition["rel"]
                )
                for each in self._measures
                if "rel" in each.definition.SUPPORTED_PARAMS
            }
        # A topic of which nothing is known cannot be handed to trec_eval, but counts.
        known = {topic: dict(of_topic) for topic, of_topic in self.grades.items() if of_topic}
        of_judged = [each for each in self._measures if each.needs_judged_only]
        of_all = [each for each in self._measures if not each.needs_judged_only]
        self._of_judged = _evaluators(of_judged, known)
        self._of_all = _evaluators(of_all, known)

    def scores(self, run: RunLike) -> RunScores:
        """What a run is worth by each measure, on every topic of the qrels."""
        scored = as_scored(run, judged=self.grades)
        check_topics(scored, self.topics)
        of_qrels = {
            topic: of_topic
            for topic, of_topic in scored.scores.items()
            if of_topic and self.grades.get(topic)
        }
        found: dict[Measure, dict[TopicId, float]] = {each: {} for each in self._measures}
        for measure, topic, value in self._values(of_qrels):
            found[measure][topic] = value
        by_topic = {
            str(measure): {t: values.get(t, 0.0) for t in self.scored_topics[str(measure)]}
            for measure, values in found.items()
        }
        return RunScores(scored.name, by_topic, frozenset(of_qrels))

    def _values(
        self, run: Mapping[TopicId, Mapping[DocId, float]]
    ) -> Iterator[tuple[Measure, TopicId, float]]:
        # Those that nobody judged are most of a run, and leaving them out here saves most of the
        # time that trec_eval would take to throw them away.
        judged = {
            topic: {doc_id: of_topic[doc_id] for doc_id in of_topic.keys() & self.grades[topic]}
            for topic, of_topic in run.items()
        }
        judged = {topic: of_topic for topic, of_topic in judged.items() if of_topic}
        for evaluators, documents in ((self._of_judged, judged), (self._of_all, run)):
            for evaluator in evaluators:
                yield from evaluator(documents)

    def ceilings(self) -> dict[str, float]:
        """The highest mean of each measure: that of a run with all that is judged, in order.

        Measures that want few documents, or that only count, have none.
        """
        best = {
            topic: {doc_id: float(grade) for doc_id, grade in of_topic.items()}
            for topic, of_topic in self.grades.items()
        }
        scored = self.scores(ScoredRun("the best of all", best))
        return {
            str(measure): scored.mean(str(measure))
            for measure in self._measures
            if measure.definition.NAME not in _WITHOUT_CEILING
        }


_WITHOUT_CEILING = frozenset({"SetP", "SetF", "SetAP", "NumRet", "NumRelRet", "NumRel", "NumQ"})


def judged_grades(qrels: Qrels) -> Grades:
    """The judgments that say something, by topic; topics of which none is left stay, empty.

    The lab's codes count as not judged, and so do grades below 0, as trec_eval has it. Where there
    are other grades than the lab's 0 to 3, as NTCIR has them, 5 and 6 are grades too.
    """
    codes = codes_of(qrels)
    return {
        topic: {doc: grade for doc, grade in of.items() if grade >= 0 and grade not in codes}
        for topic, of in qrels.grades.items()
    }


def codes_of(qrels: Qrels) -> frozenset[int]:
    """Which numbers are codes and no grades: the lab's, if the grades are the lab's."""
    used = {grade for of in qrels.grades.values() for grade in of.values()}
    if max(used, default=0) > LARGEST_GRADE:
        raise PorismError(f"a judgment has the grade {max(used)}: expected a scale such as 0 to 3")
    return CODES if not used - CODES - {0, 1, 2, 3} - {g for g in used if g < 0} else frozenset()


def restricted_qrels(qrels: QrelsLike, only_in: OnlyIn) -> Qrels:
    """The judgments of documents in a collection, without topics that cannot compare systems.

    A topic stays if a document of grade 1 or higher and one of grade 0 are left. Codes go.

    >>> judged = {"A.1": {"a": 2, "b": 0, "c": 3}, "A.2": {"a": 1, "d": 0}}
    >>> restricted_qrels(judged, {"a", "b"}).grades
    {'A.1': {'a': 2, 'b': 0}}
    """
    contains = only_in if callable(only_in) else only_in.__contains__
    judged = judged_grades(as_qrels(qrels))
    left = {
        topic: {doc_id: grade for doc_id, grade in of.items() if contains(doc_id)}
        for topic, of in judged.items()
    }
    useful = {t: of for t, of in left.items() if 0 in of.values() and max(of.values()) > 0}
    if not useful:
        raise PorismError(
            f"{sum(map(len, left.values())):,} of {sum(map(len, judged.values())):,} judged "
            "documents are in the collection: no topic has relevant and non-relevant ones left"
        )
    return Qrels(useful)


def restriction_notes(qrels: Qrels, scorer: RunScorer) -> list[str]:
    """What ``restricted_qrels`` left of judgments, and how many topics measures average."""
    documents, left = (sum(map(len, of.values())) for of in (qrels.grades, scorer.grades))
    notes = [
        f"judgments restricted to the collection: {left:,} of {documents:,}, "
        f"{len(scorer.topics)} of {len(qrels.grades)} topics"
    ]
    by_count: dict[int, list[str]] = {}
    for measure, topics in scorer.scored_topics.items():
        if len(topics) < len(scorer.topics):
            by_count.setdefault(len(topics), []).append(measure)
    notes += [
        f"{', '.join(names)}: mean over {count} topics, those with a relevant document left"
        for count, names in by_count.items()
    ]
    return notes


def check_topics(run: ScoredRun, topics: Sequence[TopicId]) -> None:
    """Refuse judgments that are of another task or year than the run."""
    common = run.scores.keys() & set(topics)
    # A run may lack topics and qrels may have few of them, but then one has most of the other.
    if len(common) * 2 < min(len(run.scores), len(topics)) or not common:
        raise PorismError(
            f"{run.name} has the topics {topic_span(run.scores)}, the judgments have {topic_span(topics)}, and "
            f"{len(common)} are in both: are they of the same task and year?"
        )


def is_judged(run: ScoredRun, grades: Grades) -> bool:
    """Whether anything at all of a run is judged; if not, its ids may be of another kind."""
    return any(of.keys() & grades.get(topic, {}).keys() for topic, of in run.scores.items())


def topic_span(topics: Iterable[TopicId]) -> str:
    """The first and the last topic, by number where they have one.

    >>> topic_span(["A.10", "A.9", "A.301"])
    'A.9 to A.301'
    """
    ordered = sorted(topics, key=natural_key)
    return f"{ordered[0]} to {ordered[-1]}" if len(ordered) > 1 else "".join(ordered)


_Of = TypeVar("_Of")


class _Evaluator:
    """Measures that one part of ir-measures computes."""

    def __init__(self, provider: Any, measures: list[Measure], grades: Grades) -> None:
        # A measure may have been asked for by two of its names.
        self._by_definition: dict[Any, list[Measure]] = {}
        for measure in measures:
            self._by_definition.setdefault(measure.definition, []).append(measure)
        self._is_trec_eval = provider.NAME == "pytrec_eval"
        # Some programs take only topics that are numbers.
        self._numbers = {topic: str(number) for number, topic in enumerate(grades, start=1)}
        self._topics = {number: topic for topic, number in self._numbers.items()}
        known = grades if self._is_trec_eval else self._numbered(grades)
        self._evaluator = provider.evaluator(list(self._by_definition), known)

    def __call__(
        self, run: Mapping[TopicId, Mapping[DocId, float]]
    ) -> Iterator[tuple[Measure, TopicId, float]]:
        documents = run if self._is_trec_eval else self._numbered(_without_ties(run))
        try:
            for metric in self._evaluator.iter_calc(documents):
                topic = metric.query_id if self._is_trec_eval else self._topics[metric.query_id]
                for measure in self._by_definition[metric.measure]:
                    yield measure, topic, metric.value
        except subprocess.CalledProcessError as error:
            names = ", ".join(map(str, self._by_definition))
            raise PorismError(f"the program that computes {names} failed ({error})") from error

    def _numbered(self, documents: Mapping[TopicId, _Of]) -> dict[str, _Of]:
        return {self._numbers[topic]: of for topic, of in documents.items()}


def _evaluators(measures: Sequence[Measure], grades: Grades) -> list[_Evaluator]:
    by_provider: dict[Any, list[Measure]] = {}  # Any: ir_measures has no types
    for measure in measures:
        able = (
            each
            for each in ir_measures.DefaultPipeline.providers
            if each.is_available() and each.supports(measure.definition)
        )
        provider = next(able, None)
        if provider is None:
            raise UnknownName(
                f"{measure} is known to ir-measures, but nothing that is installed computes it; "
                "its documentation says which package does"
            )
        by_provider.setdefault(provider, []).append(measure)
    for of_provider in by_provider.values():
        # ir-measures goes through the documents once for each level of relevance. Graded measures
        # join whichever was there before, so they come last.
        of_provider.sort(key=lambda measure: measure.definition.NAME == "nDCG")
    return [_Evaluator(provider, of, grades) for provider, of in by_provider.items()]


def _without_ties(run: Mapping[TopicId, Mapping[DocId, float]]) -> Grades:
    """The documents in trec_eval's order, numbered down: others have other rules for ties."""
    ordered: Grades = {}
    for topic, of_topic in run.items():
        rounded = array("f", of_topic.values())
        order = sorted(zip(rounded, of_topic, strict=True), reverse=True)
        ordered[topic] = {doc_id: len(order) - rank for rank, (_, doc_id) in enumerate(order)}
    return ordered
