"""Differences between runs, and their statistical significance.

Differences are paired by topic, so that topics that are hard for every run do not add variance.
``run_overlap`` measures what two rankings have in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from itertools import combinations
from math import copysign, inf, sqrt
from statistics import fmean, stdev

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from porism.errors import PorismError, UnknownName
from porism.evaluation.records import ByTopic, Evaluation, RunScores

TIE = 1e-9
"""Values that differ by less count as equal: smaller differences come from rounding."""

_MAX_CELLS = 1 << 21
"""Maximum size of each of the two tables of the randomization test: 16 MB."""


class RunPairs(StrEnum):
    """Which runs are compared: each with the baseline, or each with each."""

    WITH_BASELINE = "with-baseline"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class RandomizationSettings:
    """Settings of the randomization test.

    With up to ``exact_up_to`` topics that differ, all permutations are enumerated. With more,
    ``rounds`` permutations are drawn at random, the same ones for the same ``seed``.
    """

    rounds: int = 100_000
    seed: int = 0
    exact_up_to: int = 16


DEFAULT_RANDOMIZATION = RandomizationSettings()


@dataclass(frozen=True, slots=True)
class Significance:
    """The p value of a difference, and the same after Holm's correction."""

    p: float
    corrected: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The difference between ``run`` and ``baseline`` by one measure.

    ``topics`` are those for which both have a value: in Tasks 1 and 2 those of the qrels, in Task
    3 those that both runs answered. Means, differences and tests are over these. ``by_topic`` has
    the difference of each, largest absolute value first. ``interval`` is the 95 % confidence
    interval of the mean difference by the t distribution; None for a single topic.
    """

    measure: str
    baseline: str
    run: str
    baseline_mean: float
    mean: float
    by_topic: ByTopic
    interval: tuple[float, float] | None
    randomization: Significance
    t_test: Significance

    @property
    def difference(self) -> float:
        """The mean difference, positive if the run is better than the baseline."""
        return fmean(self.by_topic.values()) if self.by_topic else 0.0

    @property
    def topics(self) -> int:
        return len(self.by_topic)

    @property
    def wins(self) -> int:
        """The number of topics where the run is better than the baseline."""
        return sum(value > 0 for value in self.by_topic.values())

    @property
    def ties(self) -> int:
        return self.topics - self.wins - self.losses

    @property
    def losses(self) -> int:
        return sum(value < 0 for value in self.by_topic.values())


def compare(
    evaluation: Evaluation,
    baseline: str | None = None,
    pairs: RunPairs = RunPairs.WITH_BASELINE,
    draws: RandomizationSettings = DEFAULT_RANDOMIZATION,
) -> tuple[Comparison, ...]:
    """Every pair of runs by every measure, ordered by measure.

    The baseline is the first run by default. If all pairs are compared, the baseline of a pair is
    the run that comes first; the named baseline comes before all others. The p values of one
    measure are one family for Holm's correction: if no two runs differ, the probability of any p
    below 0.05 is at most 0.05. There is no correction across measures.
    """
    run_pairs = _pairs(evaluation.runs, baseline, pairs)
    comparisons: list[Comparison] = []
    for measure in evaluation.measures:
        differences = [_differences(first, second, measure) for first, second in run_pairs]
        samples = [list(each.values()) for each in differences]
        by_randomization = _significances(randomization_ps(samples, draws))
        by_t = _significances(map(t_test_p, samples))
        for place, (first, second) in enumerate(run_pairs):
            topics = differences[place].keys()
            comparisons.append(
                Comparison(
                    measure,
                    first.run,
                    second.run,
                    first.mean(measure, topics),
                    second.mean(measure, topics),
                    differences[place],
                    interval(samples[place]),
                    by_randomization[place],
                    by_t[place],
                )
            )
    return tuple(comparisons)


def _pairs(
    runs: Sequence[RunScores], baseline: str | None, pairs: RunPairs
) -> list[tuple[RunScores, RunScores]]:
    if len(runs) < 2:
        raise PorismError(f"found {len(runs)} runs: a comparison needs two or more")
    names = [each.run for each in runs]
    if baseline is not None and baseline not in names:
        similar = get_close_matches(baseline, names, n=3, cutoff=0.5) or names
        raise UnknownName(
            f"there is no run {baseline!r} to compare with; did you mean {' or '.join(similar)}?"
        )
    place = 0 if baseline is None else names.index(baseline)
    ordered = [runs[place], *runs[:place], *runs[place + 1 :]]
    if pairs is RunPairs.ALL:
        return list(combinations(ordered, 2))
    return [(ordered[0], other) for other in ordered[1:]]


def _differences(baseline: RunScores, run: RunScores, measure: str) -> ByTopic:
    """The differences by topic where both have a value, largest absolute value first."""
    base = baseline.by_topic.get(measure, {})
    values = run.by_topic.get(measure, {})
    exact = {topic: values[topic] - base[topic] for topic in base if topic in values}
    rounded = {topic: value if abs(value) >= TIE else 0.0 for topic, value in exact.items()}
    return dict(sorted(rounded.items(), key=lambda item: -abs(item[1])))


def _significances(ps: Iterable[float]) -> list[Significance]:
    raw = list(ps)
    return [Significance(p, corrected) for p, corrected in zip(raw, holm(raw), strict=True)]


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """The p values of one family after Holm's correction, in the given order.

    The smallest of n values is multiplied by n, the next by n - 1, and so on; the results are
    monotone and at most 1.

    >>> holm([0.01, 0.5, 0.02])
    (0.03, 0.5, 0.04)
    """
    corrected = [1.0] * len(ps)
    highest = 0.0
    for smaller, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - smaller) * ps[place]))
        corrected[place] = highest
    return tuple(corrected)


def randomization_p(
    differences: Sequence[float], draws: RandomizationSettings = DEFAULT_RANDOMIZATION
) -> float:
    """The p value of the two-sided paired randomization test.

    If the runs were equally good, they could be exchanged in any topic. So p is the share of all
    assignments of signs to the differences whose sum is at least as far from 0. Topics with equal
    values do not count, and if all are equal p is 1.

    >>> randomization_p([0.25, 0.5, 0.125])  # 2 of 8 assignments: all signs + and all signs -
    0.25
    """
    return randomization_ps([differences], draws)[0]


def randomization_ps(
    samples: Sequence[Sequence[float]], draws: RandomizationSettings = DEFAULT_RANDOMIZATION
) -> tuple[float, ...]:
    """``randomization_p`` of several samples: the same results, but faster.

    If assignments are drawn, p is (hits + 1) / (rounds + 1), since the observed one is among them.
    All samples share the draws. The order of topics and the order of runs do not change p.
    """
    # Signs are drawn, so only absolute values matter; sorting makes the result independent of the
    # order of topics.
    untied = [[each for each in sample if abs(each) >= TIE] for sample in samples]
    sizes = [np.sort(np.abs(np.array(each, dtype=np.float64))) for each in untied]
    observed = [abs(sum(each)) for each in untied]
    ps = [1.0] * len(samples)
    large: list[int] = []
    for place, sample_sizes in enumerate(sizes):
        if sample_sizes.size > draws.exact_up_to:
            large.append(place)
        elif sample_sizes.size:
            ps[place] = _enumerated_p(sample_sizes, observed[place])
    if large:
        drawn = _drawn_ps([sizes[place] for place in large], [observed[p] for p in large], draws)
        for place, p in zip(large, drawn, strict=True):
            ps[place] = p
    return tuple(ps)


def _threshold(observed: float, total: float) -> float:
    """The smallest sum that counts as large as the observed one, allowing for rounding."""
    return observed - 1e-10 * total


def _enumerated_p(sizes: NDArray[np.float64], observed: float) -> float:
    # An assignment and its opposite have the same absolute sum, so the first sign is fixed.
    sums = sizes[:1]
    for size in sizes[1:]:
        sums = np.concatenate((sums + size, sums - size))
    return float(np.mean(np.abs(sums) >= _threshold(observed, float(sizes.sum()))))


def _drawn_ps(
    sizes: Sequence[NDArray[np.float64]], observed: Sequence[float], draws: RandomizationSettings
) -> list[float]:
    longest = max(each.size for each in sizes)
    table = np.zeros((longest, len(sizes)))
    for column, each in enumerate(sizes):
        table[: each.size, column] = each
    totals = table.sum(axis=0)
    limits = np.array([_threshold(*each) for each in zip(observed, totals, strict=True)])
    # One stream of bits per 64 topics, so that p does not depend on the other samples.
    streams = [np.random.default_rng((draws.seed, block)) for block in range(-(-longest // 64))]
    hits = np.zeros(len(sizes), dtype=np.int64)
    batch = max(1, _MAX_CELLS // max(64 * len(streams), len(sizes)))
    for start in range(0, draws.rounds, batch):
        rounds = min(batch, draws.rounds - start)
        is_kept = _bits(streams, rounds)[:, :longest].astype(np.float64)
        sums = 2 * (is_kept @ table) - totals
        hits += np.count_nonzero(np.abs(sums) >= limits, axis=0)
    return [(int(each) + 1) / (draws.rounds + 1) for each in hits]


def _bits(streams: Sequence[np.random.Generator], rounds: int) -> NDArray[np.uint8]:
    """A row of random bits for each round, 64 from each stream."""
    top = np.iinfo(np.uint64).max
    words = [stream.integers(0, top, rounds, np.uint64, endpoint=True) for stream in streams]
    stacked = np.stack(words, axis=1).astype("<u8")  # the same bits on every machine
    return np.unpackbits(stacked.view(np.uint8), axis=1)


def t_test_p(differences: Sequence[float]) -> float:
    """The p value of the two-sided paired t test.

    It is 1 if all differences are 0, and for a single topic, which has no variance. If all
    differences are equal and not 0, p is 0, the limit of vanishing variance.

    >>> round(t_test_p([1.0, 2.0, 3.0]), 4)
    0.0742
    """
    if len(differences) < 2 or not any(abs(each) >= TIE for each in differences):
        return 1.0
    mean, error = fmean(differences), _standard_error(differences)
    t = mean / error if error else copysign(inf, mean)
    return min(1.0, 2 * float(stdtr(len(differences) - 1, -abs(t))))


def interval(differences: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """The confidence interval of the mean difference by the t distribution.

    None for fewer than two topics, which have no variance.
    """
    if len(differences) < 2:
        return None
    mean = fmean(differences)
    margin = float(stdtrit(len(differences) - 1, (1 + level) / 2)) * _standard_error(differences)
    return mean - margin, mean + margin


def _standard_error(differences: Sequence[float]) -> float:
    return stdev(differences) / sqrt(len(differences))


@dataclass(frozen=True, slots=True)
class Correlation:
    """The correlation of two measures or two runs.

    ``pearson`` is linear, ``kendall`` (tau-b, which allows for ties) of the order. Both are None if
    one of the two is constant. ``values`` is the number of runs or topics with both values.
    """

    first: str
    second: str
    pearson: float | None
    kendall: float | None
    values: int


def measure_correlations(evaluation: Evaluation) -> tuple[Correlation, ...]:
    """Every pair of measures, over the means of runs that have both."""
    return tuple(
        _correlation(
            first,
            second,
            [
                (scores.mean(first), scores.mean(second))
                for scores in evaluation.runs
                if scores.by_topic.get(first) and scores.by_topic.get(second)
            ],
        )
        for first, second in combinations(evaluation.measures, 2)
    )


def system_correlations(evaluation: Evaluation, measure: str) -> tuple[Correlation, ...]:
    """Every pair of runs, over the values of one measure in topics that both have."""
    correlations: list[Correlation] = []
    for first, second in combinations(evaluation.runs, 2):
        xs, ys = first.by_topic.get(measure, {}), second.by_topic.get(measure, {})
        both = [(xs[topic], ys[topic]) for topic in xs if topic in ys]
        correlations.append(_correlation(first.run, second.run, both))
    return tuple(correlations)


def _correlation(first: str, second: str, values: Sequence[tuple[float, float]]) -> Correlation:
    x, y = [each for each, _ in values], [each for _, each in values]
    return Correlation(first, second, pearson_r(x, y), kendall_tau(x, y), len(values))


def pearson_r(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's r; None if one of the two is constant.

    >>> pearson_r([1, 2, 3], [3, 5, 7])
    1.0
    """
    if not x or max(x) - min(x) < TIE or max(y) - min(y) < TIE:
        return None
    centred_x, centred_y = np.array(x) - fmean(x), np.array(y) - fmean(y)
    r = float(centred_x @ centred_y / sqrt((centred_x @ centred_x) * (centred_y @ centred_y)))
    return max(-1.0, min(1.0, r))


def kendall_tau(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Kendall's tau-b; None if one of the two is constant.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])  # two concordant pairs, one discordant
    0.3333333333333333
    """
    if not x or max(x) - min(x) < TIE or max(y) - min(y) < TIE:
        return None
    order_x, order_y = _order(x), _order(y)
    # Each pair counts twice in numerator and denominator; ties do not count.
    untied = np.count_nonzero(order_x) * np.count_nonzero(order_y)
    return float(np.sum(order_x * order_y) / sqrt(untied))


def _order(values: Sequence[float]) -> NDArray[np.int64]:
    """The sign of the difference for each pair of places: 1, 0 or -1."""
    column = np.array(values, dtype=np.float64)
    differences = column[:, None] - column[None, :]
    return np.where(np.abs(differences) < TIE, 0, np.sign(differences)).astype(np.int64)
