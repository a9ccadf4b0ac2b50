"""Task 3: one answer per topic, scored by the grades of assessors (S3 section 6.3.1).

The codes 5 (system failure) and 6 (do not know) count as grade 0 here. Means are over the topics
that a run answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from porism.errors import FormatError, PorismError
from porism.evaluation.inputs import QrelsLike, RunLike, as_qrels, as_run
from porism.evaluation.measures import RELEVANT
from porism.evaluation.records import Evaluation, RunScores
from porism.evaluation.scoring import CODES, judged_grades, topic_span
from porism.formats.qrels import RunAnswerId
from porism.formats.tab_separated import column_index, read_tabbed
from porism.model import DocId, Qrels, TopicId

MANUAL_MEASURES = ("AR", "P@1")
"""Average relevance, and the share of relevant answers."""

ANNOTATED_MEASURES = ("MG", "UI")
"""The shares of answers annotated as machine-generated and as unrelated (S3 6.4.3)."""


class AnswerAnnotation(NamedTuple):
    """An assessor's annotation of an answer, besides its grade."""

    is_machine_generated: bool
    is_unrelated: bool


AnswerAnnotations = Mapping[tuple[TopicId, DocId], AnswerAnnotation]


def evaluate_answers(
    qrels: QrelsLike,
    answer_ids: Iterable[RunAnswerId],
    annotations: AnswerAnnotations | None = None,
) -> Evaluation:
    """Scores of runs given as a map from runs to answers, by the judgments of these answers.

    Unjudged answers are omitted, with a note. Two runs with the same answer share its judgment.
    """
    judged = as_qrels(qrels)
    topics = tuple(judged.grades)
    answers: dict[str, dict[TopicId, DocId]] = {}
    for run, topic, answer_id in answer_ids:
        if answers.setdefault(run, {}).setdefault(topic, answer_id) != answer_id:
            raise PorismError(
                f"{run} has two answers to topic {topic}, {answers[run][topic]} and {answer_id}: "
                "expected one; remove the other line"
            )
    if not answers:
        raise PorismError("there are no answers: expected lines of run, topic and answer id")
    known = {(topic, doc_id) for topic, grades in judged.grades.items() for doc_id in grades}
    given = {
        (topic, answer) for run_answers in answers.values() for topic, answer in run_answers.items()
    }
    on_judged_topics = {each for each in given if each[0] in judged.grades}
    if len(given & known) * 2 < len(on_judged_topics) or not given & known:
        raise PorismError(
            f"{len(given & known):,} of {len(given):,} answers are judged. They have topics "
            f"{topic_span({topic for topic, _ in given})}, the judgments {topic_span(topics)}: "
            "are both of the same task and year?"
        )
    names = (*MANUAL_MEASURES, *(ANNOTATED_MEASURES if annotations else ()))
    scored = []
    unjudged = 0
    for run, run_answers in answers.items():
        grades = {
            topic: usefulness(judged.grades[topic][answer_id])
            for topic, answer_id in run_answers.items()
            if (topic, answer_id) in known
        }
        unjudged += len(run_answers.keys() & judged.grades.keys()) - len(grades)
        by_topic = _by_grade(grades)
        if annotations:
            by_topic |= _by_annotation(
                {topic: annotations.get((topic, answer)) for topic, answer in run_answers.items()}
            )
        scored.append(RunScores(run, by_topic, frozenset(grades)))
    notes = (f"unjudged answers to judged topics, omitted: {unjudged}",) if unjudged else ()
    return Evaluation(3, names, topics, tuple(scored), ceilings(judged), notes)


def unjudged_answers(qrels: QrelsLike) -> Evaluation:
    """The topics of judgments, for answers of which none is judged."""
    note = "no answer is judged: --answers names the answers that are"
    return Evaluation(3, MANUAL_MEASURES, tuple(as_qrels(qrels).grades), (), {}, (note,))


def evaluate_first_results(runs: Iterable[RunLike], qrels: QrelsLike) -> Evaluation:
    """Runs of Task 1 cut at rank 1 and scored as answers, by judgments of Task 1 (S3 Table 7).

    A topic whose first result is unjudged or has a code is omitted: no other rule explains the
    topic counts of Table 7.
    """
    judged = as_qrels(qrels)
    grades = judged_grades(judged)
    scored = []
    ungraded = 0
    for run in map(as_run, runs):
        first = {
            topic: hits[0].doc_id
            for topic, hits in run.rankings.items()
            if hits and topic in grades
        }
        graded = {topic: grades[topic][d] for topic, d in first.items() if d in grades[topic]}
        ungraded += len(first) - len(graded)
        scored.append(RunScores(run.name, _by_grade(graded), frozenset(graded)))
    if not any(run.answered for run in scored):
        raise PorismError("no first result is judged: are runs and judgments of the same year?")
    notes = (f"first results without a grade, omitted: {ungraded}",) if ungraded else ()
    best = ceilings(Qrels(grades))
    return Evaluation(3, MANUAL_MEASURES, tuple(grades), tuple(scored), best, notes)


def usefulness(grade: int) -> int:
    """The value of a grade in Task 3."""
    return 0 if grade in CODES else max(grade, 0)


def ceilings(qrels: Qrels) -> dict[str, float]:
    """The scores of a run with the best answer to each topic.

    >>> ceilings(Qrels({"A.1": {"a": 3, "b": 5}, "A.2": {"c": 1}}))
    {'AR': 2.0, 'P@1': 0.5}
    """
    best = [
        max(map(usefulness, topic_grades.values()), default=0)
        for topic_grades in qrels.grades.values()
    ]
    return {"AR": fmean(best), "P@1": fmean(grade >= RELEVANT for grade in best)}


def _by_grade(grades: Mapping[TopicId, int]) -> dict[str, dict[TopicId, float]]:
    return {
        "AR": {topic: float(grade) for topic, grade in grades.items()},
        "P@1": {topic: float(grade >= RELEVANT) for topic, grade in grades.items()},
    }


def _by_annotation(
    annotations: Mapping[TopicId, AnswerAnnotation | None],
) -> dict[str, dict[TopicId, float]]:
    known = {topic: each for topic, each in annotations.items() if each is not None}
    return {
        "MG": {topic: float(each.is_machine_generated) for topic, each in known.items()},
        "UI": {topic: float(each.is_unrelated) for topic, each in known.items()},
    }


_YES, _NO = frozenset({"1", "yes", "true"}), frozenset({"0", "no", "false"})


def read_annotations(path: Path) -> dict[tuple[TopicId, DocId], AnswerAnnotation]:
    """Annotations of answers: a TSV with topic, answer, machine_generated and unrelated.

    The last two are yes or no, or 1 or 0. The format is ours, since the lab published none.
    """
    rows = read_tabbed(path)
    header = next(rows).cells
    names = ("topic", "answer", "machine_generated", "unrelated")
    places = [column_index(header, (name,), path) for name in names]
    annotations = {}
    for cells, line in rows:
        topic, answer, *flags = (cells[place].strip() for place in places)
        if not {flag.lower() for flag in flags} <= _YES | _NO:
            why = f"found {' and '.join(flags)}: expected yes or no for {' and '.join(names[2:])}"
            raise FormatError(str(path), line, why)
        generated, unrelated = (flag.lower() in _YES for flag in flags)
        annotations[TopicId(topic), DocId(answer)] = AnswerAnnotation(generated, unrelated)
    return annotations
