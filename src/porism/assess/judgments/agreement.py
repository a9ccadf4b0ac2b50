"""How far assessors agree, beyond what chance would bring about: the kappas of Cohen and Fleiss.

Grades are compared four-way, and as relevant or not (High and Medium against the others, H+M).
Candidates of which somebody said that the system failed, or that they did not know, have no grade
to compare.
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
"""The judgment in force of each assessor, by candidate."""


def cohen_kappa(first: Sequence[Hashable], second: Sequence[Hashable]) -> float | None:
    """How far two agree who judged the same things in the same order: 1 at most, 0 by chance.

    None if there is nothing judged, or if both always said the same one thing, when chance alone
    would make them agree.

    >>> cohen_kappa("yynn", "ynnn")
    0.5
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} judgments of one, {len(second)} of the other")
    count = len(first)
    equal = sum(one == other for one, other in zip(first, second, strict=True))
    of_first, of_second = Counter(first), Counter(second)
    by_chance = sum(of_first[label] * of_second[label] for label in of_first)
    # Whole numbers as long as possible: so what is undefined is told apart from what is nearly so.
    if by_chance == count * count:
        return None
    return (equal * count - by_chance) / (count * count - by_chance)


def fleiss_kappa(rows: Sequence[Sequence[Hashable]]) -> float | None:
    """How far several agree; a row is a thing judged, with a label by each of them.

    Every row has as many labels. None where Cohen's would be undefined too, and for fewer than two
    assessors.

    >>> fleiss_kappa(["aa", "ab", "bb", "bb"])
    0.4666666666666667
    """
    raters = len(rows[0]) if rows else 0
    if any(len(row) != raters for row in rows):
        raise ValueError("not everything was judged by as many")
    if raters < 2:
        return None
    together: Counter[Hashable] = Counter()
    pairs = 0
    for row in rows:
        counts = Counter(row)
        together.update(counts)
        pairs += sum(count * (count - 1) for count in counts.values())
    labels = len(rows) * raters
    by_chance = sum(count * count for count in together.values())
    if by_chance == labels * labels:
        return None
    observed = pairs / (labels * (raters - 1))
    expected = by_chance / (labels * labels)
    return (observed - expected) / (1 - expected)


def binarised(choice: Choice) -> bool:
    """Whether it is High or Medium, which is relevant where only two classes are told apart."""
    return choice.grade is not None and choice.grade >= RELEVANT_GRADE


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Cohen's kappa of two assessors over the candidates that both have graded."""

    first: str
    second: str
    shared: int
    four_way: float | None
    binary: float | None


@dataclass(frozen=True, slots=True)
class MeanKappa:
    """The mean of Cohen's kappas where they are defined, and of how many it is for four-way."""

    four_way: float | None
    binary: float | None
    of: int


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far assessors agree: all pairs that share a candidate, and Fleiss' kappa over all.

    ``judged_by_all`` is over how many candidates Fleiss' kappas are: those that all have graded.
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
        means = [mean for each in self.assessors if (mean := self.of(each)).of]
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
    """How far those agree who judged the same candidates, by what each said last.

    Adjudications are left out, since nobody made them alone. Assessors stand by name.
    """
    said = latest_judgments(judgments)
    assessors = tuple(sorted({name for of_key in said.values() for name in of_key}))
    grades = {key: _grades(of_key) for key, of_key in said.items()}
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
    """What each assessor said last of each candidate; candidates by their first judgment."""
    said: JudgmentsByCandidate = {}
    for judgment in current_judgments(judgments):
        if not judgment.is_adjudication:
            said.setdefault((judgment.topic_id, judgment.doc_id), {})[judgment.assessor] = judgment
    return said


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
    """What an assessor said of a candidate."""

    assessor: str
    choice: Choice
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A candidate of which assessors said different things, and what was decided, if anything.

    ``spread`` is how far the grades lie apart. ``is_binary`` says that some find it relevant and
    some do not (H+M).
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
    """The candidates of which assessors said different things, to talk about.

    Topics stand in the order in which they were begun. Within a topic those come first that some
    find relevant and some do not, then those whose grades lie far apart.
    """
    given = tuple(judgments)
    decided: dict[CandidateKey, Choice | None] = {
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
                Disagreement(topic_id, doc_id, opinions, decided.get((topic_id, doc_id)))
            )
    return tuple(
        each
        for of_topic in by_topic.values()
        for each in sorted(of_topic, key=lambda one: (not one.is_binary, -one.spread))
    )
