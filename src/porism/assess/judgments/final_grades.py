"""From judgments to qrels: what is in force, what it comes to where people differ, and its grades.

Which judgments are handed in is for the caller to say. Those of training rounds are no part of a
collection (S1 section 4.4).
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

    ``first`` is that of the assessor who began the topic first. ``majority`` is what most say, and
    where that is no single choice, ``first``.
    """

    FIRST = "first"
    MAXIMUM = "maximum"
    MAJORITY = "majority"


class FinalChoiceReason(StrEnum):
    """Why a choice is the final one; ``rule`` says that it is disputed."""

    ADJUDICATION = "adjudication"
    ALONE = "alone"
    AGREED = "agreed"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class FinalChoice:
    """What a candidate's judgments come to, and whose they are, in the order of time."""

    choice: Choice
    ground: FinalChoiceReason
    assessors: tuple[str, ...]
    is_machine_made: bool | None = None
    is_unrelated: bool | None = None

    @property
    def is_disputed(self) -> bool:
        """Whether it waits for somebody to adjudicate."""
        return self.ground is FinalChoiceReason.RULE


FinalChoices = Mapping[CandidateKey, FinalChoice]


def current_judgments(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """The latest act of each assessor on each candidate of a batch; what was taken back is gone.

    Adjudications stand beside what the same person said as an assessor. The order is that of the
    numbers, in which judgments came to the store: what was judged elsewhere, without a network or
    with Turkle, counts from when it came.
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
    standing = (judgment for judgment in latest.values() if judgment.choice is not None)
    return tuple(sorted(standing, key=lambda each: each.number))


def final_choices(
    judgments: Iterable[Judgment],
    rule: DisputeRule = DisputeRule.FIRST,
    annotations: Iterable[Annotation] = (),
) -> dict[CandidateKey, FinalChoice]:
    """What each candidate's judgments come to; candidates in the order of their first judgment.

    The latest adjudication counts above all. Else a grade counts above a system failure and above
    not knowing, and the rule decides between grades that differ. What annotations say counts above
    what was said of the same with a judgment.
    """
    given = tuple(judgments)
    first_acts = _first_acts(given)
    said: dict[CandidateKey, list[Judgment]] = {}
    for judgment in current_judgments(given):
        said.setdefault((judgment.topic_id, judgment.doc_id), []).append(judgment)
    finals = {key: _final(of_key, rule, first_acts) for key, of_key in said.items()}
    for key, annotation in _standing(annotations).items():
        if (final := finals.get(key)) is not None:
            machine_made = (annotation.is_machine_made, final.is_machine_made)
            unrelated = (annotation.is_unrelated, final.is_unrelated)
            finals[key] = replace(
                final,
                is_machine_made=_first_told(machine_made),
                is_unrelated=_first_told(unrelated),
            )
    return finals


def _standing(annotations: Iterable[Annotation]) -> dict[CandidateKey, Annotation]:
    """The latest annotation of each candidate that was not taken back."""
    latest: dict[tuple[str, CandidateKey], Annotation] = {}
    for each in sorted(annotations, key=lambda each: each.number):
        # Of several people the latest counts, and leaves what others said if it is taken back.
        latest.pop((each.assessor, (each.topic_id, each.doc_id)), None)
        latest[each.assessor, (each.topic_id, each.doc_id)] = each
    return {
        key: each
        for (_, key), each in latest.items()
        if each.is_machine_made is not None or each.is_unrelated is not None
    }


def _first_acts(judgments: Iterable[Judgment]) -> dict[tuple[TopicId, str], int]:
    """When each assessor began each topic, taken back or not."""
    first: dict[tuple[TopicId, str], int] = {}
    for judgment in judgments:
        if not judgment.is_adjudication:
            key = (judgment.topic_id, judgment.assessor)
            first[key] = min(judgment.number, first.get(key, judgment.number))
    return first


def _final(
    said: Sequence[Judgment], rule: DisputeRule, first_acts: Mapping[tuple[TopicId, str], int]
) -> FinalChoice:
    adjudications = [each for each in said if each.is_adjudication][::-1]  # the latest first
    # The first assessor's judgments come first, those of several batches the latest first.
    opinions = sorted(
        (each for each in said if not each.is_adjudication),
        key=lambda each: (first_acts[each.topic_id, each.assessor], -each.number),
    )
    opinions = [
        each
        for place, each in enumerate(opinions)
        if all(each.assessor != earlier.assessor for earlier in opinions[:place])
    ]
    if adjudications:
        choice, ground = _choice(adjudications[0]), FinalChoiceReason.ADJUDICATION
    else:
        choice, ground = _ruled([_choice(each) for each in opinions], rule)
    return FinalChoice(
        choice=choice,
        ground=ground,
        assessors=tuple(dict.fromkeys(each.assessor for each in said)),
        is_machine_made=_first_told(each.is_machine_made for each in (*adjudications, *opinions)),
        is_unrelated=_first_told(each.is_unrelated for each in (*adjudications, *opinions)),
    )


def _choice(judgment: Judgment) -> Choice:
    assert judgment.choice is not None, "what was taken back is not current"
    return judgment.choice


def _first_told(values: Iterable[bool | None]) -> bool | None:
    return next((value for value in values if value is not None), None)


def _ruled(choices: Sequence[Choice], rule: DisputeRule) -> tuple[Choice, FinalChoiceReason]:
    """The choice of several assessors, that of the first standing first."""
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
    """The grades by answer or formula instance, of those candidates that the pool has.

    Topics stand in the order of the pool, documents by number. Topics without a grade are not
    there. ``has_codes`` keeps system failures as 5 and what assessors did not know as 6, as some
    files of the lab have them; else such candidates are left out, as if nobody had judged them.
    """
    return _ordered(finals, pool, {each: each[1] for each in _keys(pool)}, has_codes)


def visual_qrels(finals: FinalChoices, pool: Pool, has_codes: bool = False) -> Qrels:
    """The grades by visual id: of the instances of a formula the highest (S1 section 5.4).

    A code counts only where no instance has a grade. What has no visual id is a look of its own,
    under a name that is none (see ``Candidate.shown_with``).
    """
    looks = {(each.topic_id, each.doc_id): DocId(each.group_key) for each in pool.candidates}
    return _ordered(finals, pool, looks, has_codes)


def _keys(pool: Pool) -> Iterator[CandidateKey]:
    return ((each.topic_id, each.doc_id) for each in pool.candidates)


def _ordered(
    finals: FinalChoices, pool: Pool, names: Mapping[CandidateKey, DocId], has_codes: bool
) -> Qrels:
    """The grades under the names of candidates; under the same name, the highest."""
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
    """How many documents have a grade from ``lowest`` up; codes are no grades.

    >>> relevant_count({"a": 3, "b": 2, "c": 1, "d": 0, "e": 5, "f": 6})
    2
    """
    return sum(lowest <= grade <= HIGHEST_GRADE for grade in grades.values())


def topics_with_few_relevant(qrels: Qrels, fewest: int = 2) -> tuple[TopicId, ...]:
    """The topics with fewer than so many relevant documents, which the lab drops (S1 4.4)."""
    return tuple(
        topic_id for topic_id, grades in qrels.grades.items() if relevant_count(grades) < fewest
    )


def dropped_topics(finals: FinalChoices, pool: Pool, fewest: int = 2) -> tuple[TopicId, ...]:
    """The topics of a pool that have too few relevant documents; of formulas, by look.

    Short answers do not count: they are no documents that a ranking could have.
    """
    return topics_with_few_relevant(visual_qrels(finals, pool.ranked, has_codes=True), fewest)


def without_topics(qrels: Qrels, dropped: Collection[TopicId]) -> Qrels:
    """The qrels of all other topics."""
    return Qrels(
        {topic_id: grades for topic_id, grades in qrels.grades.items() if topic_id not in dropped}
    )
