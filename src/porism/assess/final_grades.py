"""From judgments to qrels: what is in force, what it comes to where people differ, and its grades.

Which judgments are handed in is for the caller to say. Those of training rounds are no part of a
collection (S1 section 4.4).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from porism.assess.records import HIGHEST, RELEVANT, Choice, Judgment, Pool
from porism.model import DocId, Qrels, TopicId, by_number

Key = tuple[TopicId, DocId]
"""A candidate, by its topic and document."""


class Rule(StrEnum):
    """Whose choice counts while assessors differ and nobody has adjudicated.

    ``first`` is that of the assessor who began the topic first. ``majority`` is what most say, and
    where that is no single choice, ``first``.
    """

    FIRST = "first"
    MAXIMUM = "maximum"
    MAJORITY = "majority"


class Ground(StrEnum):
    """Why a choice is the final one; ``rule`` says that it is disputed."""

    ADJUDICATION = "adjudication"
    ALONE = "alone"
    AGREED = "agreed"
    RULE = "rule"


@dataclass(frozen=True, slots=True)
class Final:
    """What a candidate's judgments come to, and whose they are, in the order of time."""

    choice: Choice
    ground: Ground
    assessors: tuple[str, ...]
    is_machine_made: bool | None = None
    is_unrelated: bool | None = None

    @property
    def is_disputed(self) -> bool:
        """Whether it waits for somebody to adjudicate."""
        return self.ground is Ground.RULE


@dataclass(frozen=True, slots=True)
class QrelsForm:
    """How qrels are made: the rule for what is disputed, and whether codes are kept.

    ``has_codes`` keeps system failures as 5 and what assessors did not know as 6, as some files of
    the lab have them; else such candidates are not there, as if nobody had judged them.
    """

    rule: Rule = Rule.FIRST
    has_codes: bool = False


PLAIN = QrelsForm()


def current(judgments: Iterable[Judgment]) -> tuple[Judgment, ...]:
    """The latest act of each assessor on each candidate of a batch; what was taken back is gone.

    Adjudications stand beside what the same person said as an assessor. The order is that of time,
    which is that of the numbers.
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


def final_choices(judgments: Iterable[Judgment], rule: Rule = Rule.FIRST) -> dict[Key, Final]:
    """What each candidate's judgments come to; candidates in the order of their first judgment.

    The latest adjudication counts above all. Else a grade counts above a system failure and above
    not knowing, and the rule decides between grades that differ.
    """
    given = tuple(judgments)
    first_acts = _first_acts(given)
    said: dict[Key, list[Judgment]] = {}
    for judgment in current(given):
        said.setdefault((judgment.topic_id, judgment.doc_id), []).append(judgment)
    return {key: _final(of_key, rule, first_acts) for key, of_key in said.items()}


def _first_acts(judgments: Iterable[Judgment]) -> dict[tuple[TopicId, str], int]:
    """When each assessor began each topic, taken back or not."""
    first: dict[tuple[TopicId, str], int] = {}
    for judgment in judgments:
        if not judgment.is_adjudication:
            key = (judgment.topic_id, judgment.assessor)
            first[key] = min(judgment.number, first.get(key, judgment.number))
    return first


def _final(
    said: Sequence[Judgment], rule: Rule, first_acts: Mapping[tuple[TopicId, str], int]
) -> Final:
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
        choice, ground = _choice(adjudications[0]), Ground.ADJUDICATION
    else:
        choice, ground = _ruled([_choice(each) for each in opinions], rule)
    return Final(
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


def _ruled(choices: Sequence[Choice], rule: Rule) -> tuple[Choice, Ground]:
    """The choice of several assessors, that of the first standing first."""
    grades = [choice for choice in choices if choice.grade is not None] or list(choices)
    if len(set(grades)) == 1:
        return grades[0], Ground.AGREED if len(grades) > 1 else Ground.ALONE
    if rule is Rule.MAXIMUM:
        return max(grades, key=_worth), Ground.RULE
    if rule is Rule.MAJORITY:
        (most, votes), (_, next_votes) = Counter(grades).most_common(2)
        if votes > next_votes:
            return most, Ground.RULE
    return grades[0], Ground.RULE


def qrels(judgments: Iterable[Judgment], pool: Pool, form: QrelsForm = PLAIN) -> Qrels:
    """The grades by answer or formula instance, of those candidates that the pool has.

    Topics stand in the order of the pool, documents by number. Topics without a grade are not
    there. ``outside`` tells which judgments are left out.
    """
    finals = final_choices(judgments, form.rule)
    return _ordered(pool, {(*key, str(key[1])): final for key, final in finals.items()}, form)


def qrels_by_look(judgments: Iterable[Judgment], pool: Pool, form: QrelsForm = PLAIN) -> Qrels:
    """The grades by visual id: of the instances of a formula the highest (S1 section 5.4).

    A code counts only where no instance has a grade. What has no visual id is a look of its own,
    under a name that is none (see ``Candidate.shown_with``).
    """
    looks = {(each.topic_id, each.doc_id): each.shown_with for each in pool.candidates}
    finals = final_choices(judgments, form.rule)
    return _ordered(
        pool, {(*key, looks[key]): final for key, final in finals.items() if key in looks}, form
    )


def _ordered(
    pool: Pool, finals: Mapping[tuple[TopicId, DocId, str], Final], form: QrelsForm
) -> Qrels:
    known = {(each.topic_id, each.doc_id) for each in pool.candidates}
    best: dict[TopicId, dict[DocId, Choice]] = {}
    for (topic_id, doc_id, name), final in finals.items():
        if (topic_id, doc_id) in known and (form.has_codes or final.choice.grade is not None):
            of_topic = best.setdefault(topic_id, {})
            earlier = of_topic.get(DocId(name), final.choice)
            of_topic[DocId(name)] = max(earlier, final.choice, key=_worth)
    order = dict.fromkeys((*(topic.id for topic in pool.topics), *best))
    return Qrels(
        {
            topic_id: {
                doc_id: best[topic_id][doc_id].code
                for doc_id in sorted(best[topic_id], key=by_number)
            }
            for topic_id in order
            if topic_id in best
        }
    )


def _worth(choice: Choice) -> int:
    return -choice.code if choice.grade is None else choice.grade


def outside(judgments: Iterable[Judgment], pool: Pool) -> tuple[Judgment, ...]:
    """The judgments of candidates that the pool does not have."""
    known = {(each.topic_id, each.doc_id) for each in pool.candidates}
    return tuple(each for each in judgments if (each.topic_id, each.doc_id) not in known)


def relevant(grades: Mapping[DocId, int], lowest: int = RELEVANT) -> int:
    """How many documents have a grade from ``lowest`` up; codes are no grades.

    >>> relevant({"a": 3, "b": 2, "c": 1, "d": 0, "e": 5, "f": 6})
    2
    """
    return sum(lowest <= grade <= HIGHEST for grade in grades.values())


def few_relevant(qrels: Qrels, fewest: int = 2) -> tuple[TopicId, ...]:
    """The topics with fewer than so many relevant documents, which the lab drops (S1 4.4)."""
    return tuple(topic_id for topic_id, grades in qrels.grades.items() if relevant(grades) < fewest)


def without_topics(qrels: Qrels, dropped: Collection[TopicId]) -> Qrels:
    """The qrels of all other topics."""
    return Qrels(
        {topic_id: grades for topic_id, grades in qrels.grades.items() if topic_id not in dropped}
    )
