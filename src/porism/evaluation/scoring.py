"""Scores of runs for Tasks 1 and 2, computed by trec_eval and averaged as in the lab.

S1 sections 4.5 and 5.5, S3 sections 4.6 and 5.5: unjudged documents are removed for the primed
measures; the codes 5 (system failure) and 6 (do not know) are not judgments; the mean is over the
topics of the qrels, and a topic that the run lacks counts 0. Documents are ordered by descending
score as a 32-bit float, ties by descending id.
"""

from __future__ import annotations

import subprocess
from array import array
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeVar

import ir_measures

from porism.errors import PorismError, UnknownName
from porism.evaluation.inputs import QrelsLike, RunLike, ScoredRun, as_list, as_qrels, as_scored
from porism.evaluation.measures import DEFAULT_MEASURES, Measure, MeasuresLike, parse_measures
from porism.evaluation.records import Evaluation, RunScores
from porism.model import DocId, Qrels, TopicId, natural_key

CODES = frozenset({5, 6})
"""The lab's codes instead of a grade: system failure, and do not know."""

MAX_GRADE = 1_000_000
"""Far above any scale, and small enough for trec_eval's arithmetic."""

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
    """The scores of one or more runs by the given judgments; for Task 2 both are by visual id.

    ``only_in`` restricts the judgments to the documents of a collection, see ``restricted_qrels``;
    measures then leave out topics that have no relevant document left.

    >>> run = {"A.1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    >>> scores = evaluate([run], {"A.1": {"a": 0, "c": 2}, "A.2": {"d": 3}}, ["nDCG'", "P'@10"])
    >>> {measure: round(scores.runs[0].mean(measure), 3) for measure in scores.measures}
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
            notes.append(
                f"no document of {run.name} is judged: do run and judgments use the same ids?"
            )
    ceilings = scorer.ceilings()
    return Evaluation(task, scorer.names, scorer.topics, tuple(scored), ceilings, tuple(notes))


def has_nonrelevant(grades: Mapping[TopicId, Mapping[DocId, int]]) -> bool:
    """Whether any document was judged not relevant.

    Otherwise measures of judged documents alone, such as the primed ones, are the same for every
    run that has these documents.
    """
    return any(grade < 1 for of_topic in grades.values() for grade in of_topic.values())


class RunScorer:
    """Prepares judgments once, to score any number of runs, one at a time."""

    def __init__(
        self,
        qrels: QrelsLike,
        measures: MeasuresLike = DEFAULT_MEASURES,
        without_relevant: TopicsWithoutRelevant = TopicsWithoutRelevant.COUNT_AS_ZERO,
    ) -> None:
        self.grades = judged_grades(as_qrels(qrels))
        if not any(self.grades.values()):
            raise PorismError("the judgments have no grades, only codes for failures")
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
        # trec_eval does not accept topics without grades, but they count.
        graded = {
            topic: dict(topic_grades) for topic, topic_grades in self.grades.items() if topic_grades
        }
        on_judged = [each for each in self._measures if each.needs_judged_only]
        on_all = [each for each in self._measures if not each.needs_judged_only]
        self._on_judged = _evaluators(on_judged, graded)
        self._on_all = _evaluators(on_all, graded)

    def scores(self, run: RunLike) -> RunScores:
        """The scores of a run by each measure, on every topic of the qrels."""
        scored = as_scored(run, judged=self.grades)
        check_topics(scored, self.topics)
        in_qrels = {
            topic: topic_scores
            for topic, topic_scores in scored.scores.items()
            if topic_scores and self.grades.get(topic)
        }
        by_measure: dict[Measure, dict[TopicId, float]] = {each: {} for each in self._measures}
        for measure, topic, value in self._values(in_qrels):
            by_measure[measure][topic] = value
        by_topic = {
            str(measure): {t: values.get(t, 0.0) for t in self.scored_topics[str(measure)]}
            for measure, values in by_measure.items()
        }
        return RunScores(scored.name, by_topic, frozenset(in_qrels))

    def _values(
        self, run: Mapping[TopicId, Mapping[DocId, float]]
    ) -> Iterator[tuple[Measure, TopicId, float]]:
        # Most documents of a run are unjudged; dropping them here saves most of the time that
        # trec_eval would take to do so.
        judged = {
            topic: {
                doc_id: topic_scores[doc_id] for doc_id in topic_scores.keys() & self.grades[topic]
            }
            for topic, topic_scores in run.items()
        }
        judged = {topic: topic_scores for topic, topic_scores in judged.items() if topic_scores}
        for evaluators, documents in ((self._on_judged, judged), (self._on_all, run)):
            for evaluator in evaluators:
                yield from evaluator(documents)

    def ceilings(self) -> dict[str, float]:
        """The highest possible mean of each measure: that of all judged documents, best first.

        Measures that prefer few documents, and counts, have none.
        """
        best = {
            topic: {doc_id: float(grade) for doc_id, grade in topic_grades.items()}
            for topic, topic_grades in self.grades.items()
        }
        scored = self.scores(ScoredRun("ideal", best))
        return {
            str(measure): scored.mean(str(measure))
            for measure in self._measures
            if measure.definition.NAME not in _WITHOUT_CEILING
        }


_WITHOUT_CEILING = frozenset({"SetP", "SetF", "SetAP", "NumRet", "NumRelRet", "NumRel", "NumQ"})


def judged_grades(qrels: Qrels) -> Grades:
    """The actual grades by topic; topics without any are kept, empty.

    The lab's codes count as unjudged, and so do negative grades, as in trec_eval. If there are
    grades other than the lab's 0 to 3, as at NTCIR, 5 and 6 are grades too.
    """
    codes = codes_of(qrels)
    return {
        topic: {doc: grade for doc, grade in grades.items() if grade >= 0 and grade not in codes}
        for topic, grades in qrels.grades.items()
    }


def codes_of(qrels: Qrels) -> frozenset[int]:
    """The numbers that are codes, not grades: the lab's, if the scale is the lab's."""
    used = {grade for grades in qrels.grades.values() for grade in grades.values()}
    if max(used, default=0) > MAX_GRADE:
        raise PorismError(f"a judgment has grade {max(used)}: expected a scale such as 0 to 3")
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
    """Raise if the judgments seem to be of another task or year than the run."""
    common = run.scores.keys() & set(topics)
    # A run or the qrels may lack topics, but then the smaller set is mostly within the larger.
    if len(common) * 2 < min(len(run.scores), len(topics)) or not common:
        raise PorismError(
            f"{run.name} has topics {topic_span(run.scores)}, the judgments "
            f"{topic_span(topics)}, and {len(common)} are in both: are they of the same task and "
            "year?"
        )


def is_judged(run: ScoredRun, grades: Grades) -> bool:
    """Whether any document of a run is judged; if not, its ids may be of another kind."""
    return any(scores.keys() & grades.get(topic, {}).keys() for topic, scores in run.scores.items())


def topic_span(topics: Iterable[TopicId]) -> str:
    """The first and the last topic in natural order.

    >>> topic_span(["A.10", "A.9", "A.301"])
    'A.9 to A.301'
    """
    ordered = sorted(topics, key=natural_key)
    return f"{ordered[0]} to {ordered[-1]}" if len(ordered) > 1 else "".join(ordered)


_Value = TypeVar("_Value")


class _Evaluator:
    """The measures that one provider of ir-measures computes."""

    def __init__(self, provider: Any, measures: list[Measure], grades: Grades) -> None:
        # Two names may mean the same measure.
        self._by_definition: dict[Any, list[Measure]] = {}
        for measure in measures:
            self._by_definition.setdefault(measure.definition, []).append(measure)
        self._is_trec_eval = provider.NAME == "pytrec_eval"
        # Some providers accept only numeric topics.
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

    def _numbered(self, by_topic: Mapping[TopicId, _Value]) -> dict[str, _Value]:
        return {self._numbers[topic]: value for topic, value in by_topic.items()}


def _evaluators(measures: Sequence[Measure], grades: Grades) -> list[_Evaluator]:
    by_provider: dict[Any, list[Measure]] = {}  # Any: ir_measures has no types
    for measure in measures:
        suitable = (
            each
            for each in ir_measures.DefaultPipeline.providers
            if each.is_available() and each.supports(measure.definition)
        )
        provider = next(suitable, None)
        if provider is None:
            raise UnknownName(
                f"ir-measures knows {measure}, but no installed package computes it; "
                "its documentation says which package does"
            )
        by_provider.setdefault(provider, []).append(measure)
    for same_provider in by_provider.values():
        # ir-measures reads the documents once for each level of relevance. Graded measures join the
        # previous level, so they come last.
        same_provider.sort(key=lambda measure: measure.definition.NAME == "nDCG")
    return [_Evaluator(provider, group, grades) for provider, group in by_provider.items()]


def _without_ties(run: Mapping[TopicId, Mapping[DocId, float]]) -> Grades:
    """Descending numbers as scores, in trec_eval's order: other providers break ties otherwise."""
    ordered: Grades = {}
    for topic, topic_scores in run.items():
        rounded = array("f", topic_scores.values())
        order = sorted(zip(rounded, topic_scores, strict=True), reverse=True)
        ordered[topic] = {doc_id: len(order) - rank for rank, (_, doc_id) in enumerate(order)}
    return ordered
