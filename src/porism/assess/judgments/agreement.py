"""Agreement between assessors beyond chance: the kappas of Cohen and Fleiss.

Grades are compared four-way and binary (High and Medium against the others, H+M). System failures
and "do not know" are not grades and are not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from porism.assess.judgments.final_grades import CandidateKey, current_judgments
from porism.assess.records import RELEVANT_GRADE, Choice, Judgment
from porism.model import DocId, TopicId

JudgmentsByCandidate = dict[CandidateKey, dict[str, Judgment]]
"""The current judgment of each assessor, by candidate."""


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """Agreement of two raters who judged the same items in the same order: at most 1, 0 by chance.

    None without items, or if both raters always gave the same single label, so that chance alone
    makes them agree.
    >>> cohen_kappa("yynn", "ynnn")
    0.5
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} judgments of one, {len(second)} of the other")
    count = len(first)
    equal = sum(one == other for one, other in zip(first, second, strict=True))
    of_first, of_second = Counter(first), Counter(second)
    by_chance = sum(of_first[label] * of_second[label] for label in of_first)
    # Integers as long as possible: undefined is then exactly distinguished from nearly undefined.
    if by_chance == count * count:
        return None
    return (equal * count - by_chance) / (count * count - by_chance)


def fleiss_kappa(rows: Sequence[Sequence[Hashable]]) -> float | None:
    """Agreement of several raters; a row is an item with one label per rater.

    All rows must have the same length. None where Cohen's kappa would be undefined too, and for
    fewer than two raters.
    >>> fleiss_kappa(["aa", "ab", "bb", "bb"])
    0.4666666666666667
    """
    raters = len(rows[0]) if rows else 0
    if any(len(row) != raters for row in rows):
        raise ValueError("not all items have the same number of labels")
    if raters < 2:
        return None
    totals: Counter[Hashable] = Counter()
    pairs = 0
    for row in rows:
        counts = Counter(row)
        totals.update(counts)
        pairs += sum(count * (count - 1) for count in counts.values())
    labels = len(rows) * raters
    by_chance = sum(count * count for count in totals.values())
    if by_chance == labels * labels:
        return None
    observed = pairs / (labels * (raters - 1))
    expected = by_chance / (labels * labels)
    return (observed - expected) / (1 - expected)


def binarised(choice: Choice) -> bool:
    """Whether a choice is relevant in a binary comparison: High or Medium."""
    return choice.grade is not None and choice.grade >= RELEVANT_GRADE


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Cohen's kappa of two assessors over the candidates that both graded."""

    first: str
    second: str
    shared: int
    four_way: float | None
    binary: float | None


@dataclass(frozen=True, slots=True)
class MeanKappa:
    """The mean of the defined kappas of Cohen; ``count`` is the number of four-way ones."""

    four_way: float | None
    binary: float | None
    count: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of all pairs that share a candidate, and Fleiss' kappa over all assessors.

    ``judged_by_all`` counts the candidates that all assessors graded; Fleiss' kappas are over them.
    """

    assessors: tuple[str, ...]
    pairs: tuple[PairAgreement, ...]
    judged_by_all: int
    fleiss_four_way: float | None
    fleiss_binary: float | None

    def of(self, assessor: str) -> MeanKappa:
        """The mean over an assessor's pairs, as in figures 4 and 5 of S1 and 3 and 4 of S3."""
        return _mean([pair for pair in self.pairs if assessor in (pair.first, pair.second)])

    @property
    def total(self) -> MeanKappa:
        """The mean over all assessors of their own means, ``Total`` in S1's figures."""
        means = [mean for each in self.assessors if (mean := self.of(each)).count]
        return MeanKappa(
            _mean_of([mean.four_way for mean in means]),
            _mean_of([mean.binary for mean in means]),
            len(means),
        )


def _mean(pairs: Sequence[PairAgreement]) -> MeanKappa:
    return MeanKappa(
        _mean_of([pair.four_way for pair in pairs]),
        _mean_of([pair.binary for pair in pairs]),
        sum(pair.four_way is not None for pair in pairs),
    )


def _mean_of(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def agreement(judgments: Iterable[Judgment]) -> Agreement:
    """Agreement over the current judgments of each assessor, assessors by name.

    Adjudications are left out, since nobody made them alone.
    """
    by_candidate = latest_judgments(judgments)
    assessors = tuple(sorted({name for of_key in by_candidate.values() for name in of_key}))
    grades = {key: _grades(of_key) for key, of_key in by_candidate.items()}
    pairs = [_pair(pair, list(grades.values())) for pair in combinations(assessors, 2)]
    by_all = [of_key for of_key in grades.values() if len(of_key) == len(assessors)]
    rows = [[of_key[name] for name in assessors] for of_key in by_all]
    return Agreement(
        assessors=assessors,
        pairs=tuple(pair for pair in pairs if pair.shared),
        judged_by_all=len(rows) if len(assessors) > 1 else 0,
        fleiss_four_way=fleiss_kappa(rows),
        fleiss_binary=fleiss_kappa([list(map(binarised, row)) for row in rows]),
    )


def latest_judgments(judgments: Iterable[Judgment]) -> JudgmentsByCandidate:
    """The current judgment of each assessor on each candidate, in the order of first judgment."""
    by_candidate: JudgmentsByCandidate = {}
    for each in current_judgments(judgments):
        if not each.is_adjudication:
            by_candidate.setdefault((each.topic_id, each.doc_id), {})[each.assessor] = each
    return by_candidate


def _grades(of_key: dict[str, Judgment]) -> dict[str, Choice]:
    return {
        name: judgment.choice
        for name, judgment in of_key.items()
        if judgment.choice is not None and judgment.choice.grade is not None
    }


def _pair(pair: tuple[str, str], grades: Sequence[dict[str, Choice]]) -> PairAgreement:
    first, second = pair
    shared = [
        (of_key[first], of_key[second]) for of_key in grades if first in of_key and second in of_key
    ]
    return PairAgreement(
        first, second, len(shared), _kappa(shared, _itself), _kappa(shared, binarised)
    )


def _itself(choice: Choice) -> Hashable:
    return choice


def _kappa(
    shared: Sequence[tuple[Choice, Choice]], label: Callable[[Choice], Hashable]
) -> float | None:
    return cohen_kappa([label(one) for one, _ in shared], [label(other) for _, other in shared])


@dataclass(frozen=True, slots=True)
class Opinion:
    """The judgment of one assessor on a candidate."""

    assessor: str
    choice: Choice
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A candidate that assessors judged differently, and its adjudication, if any.

    ``spread`` is the difference between the highest and lowest grade. ``is_binary`` means that
    some find it relevant and some do not (H+M).
    """

    topic_id: TopicId
    doc_id: DocId
    opinions: tuple[Opinion, ...]
    adjudicated: Choice | None = None

    @property
    def spread(self) -> int:
        grades = [each.choice.grade for each in self.opinions if each.choice.grade is not None]
        return max(grades) - min(grades) if grades else 0

    @property
    def is_binary(self) -> bool:
        graded = [each.choice for each in self.opinions if each.choice.grade is not None]
        return len(set(map(binarised, graded))) > 1


def disagreements(judgments: Iterable[Judgment]) -> tuple[Disagreement, ...]:
    """The candidates that assessors judged differently.

    Topics are in the order in which they were started. Within a topic, binary disagreements come
    first, then those with the largest spread.
    """
    given = tuple(judgments)
    adjudicated: dict[CandidateKey, Choice | None] = {
        (each.topic_id, each.doc_id): each.choice
        for each in current_judgments(given)
        if each.is_adjudication
    }
    by_topic: dict[TopicId, list[Disagreement]] = {}
    for (topic_id, doc_id), of_key in latest_judgments(given).items():
        opinions = tuple(
            Opinion(name, judgment.choice, judgment.comment)
            for name, judgment in sorted(of_key.items())
            if judgment.choice is not None
        )
        of_topic = by_topic.setdefault(topic_id, [])
        if len({opinion.choice for opinion in opinions}) > 1:
            of_topic.append(
                Disagreement(topic_id, doc_id, opinions, adjudicated.get((topic_id, doc_id)))
            )
    return tuple(
        each
        for of_topic in by_topic.values()
        for each in sorted(of_topic, key=lambda one: (not one.is_binary, -one.spread))
    )
