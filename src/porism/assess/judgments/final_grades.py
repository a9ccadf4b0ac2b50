"""From judgments to qrels: current judgments, final choices where assessors differ, and grades.

The caller selects the judgments. Those of training rounds are not part of a collection (S1 section
4.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from porism.assess.records import (
    HIGHEST_GRADE,
    RELEVANT_GRADE,
    Annotation,
    Choice,
    Judgment,
    Pool,
)
from porism.model import DocId, Qrels, TopicId, natural_key

CandidateKey = tuple[TopicId, DocId]
"""A candidate, by its topic and document."""


class DisputeRule(StrEnum):
    """Whose choice counts while assessors differ and nobody has adjudicated.

    ``first`` is that of the assessor who started the topic first. ``majority`` is the most frequent
    choice, or ``first`` in a tie.
    """

    FIRST = "first"
    MAXIMUM = "maximum"
    MAJORITY = "majority"


class FinalChoiceReason(StrEnum):
    """Why a choice is final; ``rule`` means that it is disputed."""

    ADJUDICATION = "adjudication"
    ALONE = "alone"
    AGREED = "agreed"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class FinalChoice:
    """The final choice for a candidate, and its assessors in the order of their judgments."""

    choice: Choice
    reason: FinalChoiceReason
    assessors: tuple[str, ...]
    is_machine_made: bool | None = None
    is_unrelated: bool | None = None

    @property
    def is_disputed(self) -> bool:
        """Whether it needs adjudication."""
        return self.reason is FinalChoiceReason.RULE


FinalChoices = Mapping[CandidateKey, FinalChoice]


def current_judgments(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """The latest act of each assessor on each candidate of a batch, without withdrawn judgments.

    Adjudications are separate from the judgments of the same person as an assessor. The order is
    that of the numbers, in which judgments arrived in the store: judgments made offline or with
    Turkle count from their arrival.
    """
    latest: dict[tuple[str, str, TopicId, DocId, bool], Judgment] = {}
    for judgment in sorted(judgments, key=lambda each: each.number):
        latest[
            judgment.batch,
            judgment.assessor,
            judgment.topic_id,
            judgment.doc_id,
            judgment.is_adjudication,
        ] = judgment
    current = (judgment for judgment in latest.values() if judgment.choice is not None)
    return tuple(sorted(current, key=lambda each: each.number))


def final_choices(
    judgments: Iterable[Judgment],
    rule: DisputeRule = DisputeRule.FIRST,
    annotations: Iterable[Annotation] = (),
) -> dict[CandidateKey, FinalChoice]:
    """The final choice for each candidate, in the order of first judgment.

    The latest adjudication wins. Else grades win over system failures and "do not know", and the
    rule decides between different grades. Annotations win over those given with a judgment.
    """
    given = tuple(judgments)
    first_acts = _first_acts(given)
    by_candidate: dict[CandidateKey, list[Judgment]] = {}
    for judgment in current_judgments(given):
        by_candidate.setdefault((judgment.topic_id, judgment.doc_id), []).append(judgment)
    finals = {key: _final(of_key, rule, first_acts) for key, of_key in by_candidate.items()}
    for key, annotation in _current_annotations(annotations).items():
        if (final := finals.get(key)) is not None:
            machine_made = (annotation.is_machine_made, final.is_machine_made)
            unrelated = (annotation.is_unrelated, final.is_unrelated)
            finals[key] = replace(
                final,
                is_machine_made=_first_given(machine_made),
                is_unrelated=_first_given(unrelated),
            )
    return finals


def _current_annotations(annotations: Iterable[Annotation]) -> dict[CandidateKey, Annotation]:
    """The latest annotation of each candidate that was not withdrawn."""
    latest: dict[tuple[str, CandidateKey], Annotation] = {}
    for each in sorted(annotations, key=lambda each: each.number):
        # The latest assessor's counts; if it is withdrawn, those of others remain.
        latest.pop((each.assessor, (each.topic_id, each.doc_id)), None)
        latest[each.assessor, (each.topic_id, each.doc_id)] = each
    return {
        key: each
        for (_, key), each in latest.items()
        if each.is_machine_made is not None or each.is_unrelated is not None
    }


def _first_acts(judgments: Iterable[Judgment]) -> dict[tuple[TopicId, str], int]:
    """When each assessor started each topic, withdrawn judgments included."""
    first: dict[tuple[TopicId, str], int] = {}
    for judgment in judgments:
        if not judgment.is_adjudication:
            key = (judgment.topic_id, judgment.assessor)
            first[key] = min(judgment.number, first.get(key, judgment.number))
    return first


def _final(
    judgments: Sequence[Judgment],
    rule: DisputeRule,
    first_acts: Mapping[tuple[TopicId, str], int],
) -> FinalChoice:
    adjudications = [each for each in judgments if each.is_adjudication][::-1]  # latest first
    # Judgments of the first assessor come first; of one assessor in several batches the latest.
    opinions = sorted(
        (each for each in judgments if not each.is_adjudication),
        key=lambda each: (first_acts[each.topic_id, each.assessor], -each.number),
    )
    opinions = [
        each
        for place, each in enumerate(opinions)
        if all(each.assessor != earlier.assessor for earlier in opinions[:place])
    ]
    if adjudications:
        choice, reason = _choice(adjudications[0]), FinalChoiceReason.ADJUDICATION
    else:
        choice, reason = _ruled([_choice(each) for each in opinions], rule)
    return FinalChoice(
        choice=choice,
        reason=reason,
        assessors=tuple(dict.fromkeys(each.assessor for each in judgments)),
        is_machine_made=_first_given(each.is_machine_made for each in (*adjudications, *opinions)),
        is_unrelated=_first_given(each.is_unrelated for each in (*adjudications, *opinions)),
    )


def _choice(judgment: Judgment) -> Choice:
    assert judgment.choice is not None, "withdrawn judgments are not current"
    return judgment.choice


def _first_given(values: Iterable[bool | None]) -> bool | None:
    return next((value for value in values if value is not None), None)


def _ruled(choices: Sequence[Choice], rule: DisputeRule) -> tuple[Choice, FinalChoiceReason]:
    """The final choice among those of several assessors, the first assessor's first."""
    grades = [choice for choice in choices if choice.grade is not None] or list(choices)
    if len(set(grades)) == 1:
        return grades[0], FinalChoiceReason.AGREED if len(grades) > 1 else FinalChoiceReason.ALONE
    if rule is DisputeRule.MAXIMUM:
        return max(grades, key=_worth), FinalChoiceReason.RULE
    if rule is DisputeRule.MAJORITY:
        (most, votes), (_, next_votes) = Counter(grades).most_common(2)
        if votes > next_votes:
            return most, FinalChoiceReason.RULE
    return grades[0], FinalChoiceReason.RULE


def document_qrels(finals: FinalChoices, pool: Pool, has_codes: bool = False) -> Qrels:
    """The grades by answer or formula instance, for the candidates of the pool.

    Topics are in the order of the pool, documents by number; topics without a grade are left out.
    ``has_codes`` keeps system failures as 5 and "do not know" as 6, as some files of the lab do;
    else such candidates are left out, as if unjudged.
    """
    return _ordered(finals, pool, {each: each[1] for each in _keys(pool)}, has_codes)


def visual_qrels(finals: FinalChoices, pool: Pool, has_codes: bool = False) -> Qrels:
    """The grades by visual id: the highest of the instances of a formula (S1 section 5.4).

    A code counts only if no instance has a grade. A candidate without a visual id has a name of its
    own (see ``Candidate.group_key``).
    """
    names = {(each.topic_id, each.doc_id): DocId(each.group_key) for each in pool.candidates}
    return _ordered(finals, pool, names, has_codes)


def _keys(pool: Pool) -> Iterator[CandidateKey]:
    return ((each.topic_id, each.doc_id) for each in pool.candidates)


def _ordered(
    finals: FinalChoices, pool: Pool, names: Mapping[CandidateKey, DocId], has_codes: bool
) -> Qrels:
    """The grades under the names of candidates; of several with one name, the highest."""
    best: dict[TopicId, dict[DocId, Choice]] = {topic.id: {} for topic in pool.topics}
    for key, name in names.items():
        final = finals.get(key)
        if final is not None and (has_codes or final.choice.grade is not None):
            of_topic = best.setdefault(key[0], {})
            of_topic[name] = max(of_topic.get(name, final.choice), final.choice, key=_worth)
    return Qrels(
        {
            topic_id: {name: choices[name].code for name in sorted(choices, key=natural_key)}
            for topic_id, choices in best.items()
            if choices
        }
    )


def _worth(choice: Choice) -> int:
    return -choice.code if choice.grade is None else choice.grade


def relevant_count(grades: Mapping[DocId, int], lowest: int = RELEVANT_GRADE) -> int:
    """The number of documents graded ``lowest`` or higher; codes are not grades.

    >>> relevant_count({"a": 3, "b": 2, "c": 1, "d": 0, "e": 5, "f": 6})
    2
    """
    return sum(lowest <= grade <= HIGHEST_GRADE for grade in grades.values())


def topics_with_few_relevant(qrels: Qrels, fewest: int = 2) -> tuple[TopicId, ...]:
    """The topics with fewer than ``fewest`` relevant documents, which the lab drops (S1 4.4)."""
    return tuple(
        topic_id for topic_id, grades in qrels.grades.items() if relevant_count(grades) < fewest
    )


def dropped_topics(finals: FinalChoices, pool: Pool, fewest: int = 2) -> tuple[TopicId, ...]:
    """The topics of a pool with too few relevant documents; formulas count by visual id.

    Short answers do not count: a ranking cannot contain them.
    """
    return topics_with_few_relevant(visual_qrels(finals, pool.ranked, has_codes=True), fewest)


def without_topics(qrels: Qrels, dropped: Collection[TopicId]) -> Qrels:
    """The qrels without the given topics."""
    return Qrels(
        {topic_id: grades for topic_id, grades in qrels.grades.items() if topic_id not in dropped}
    )
