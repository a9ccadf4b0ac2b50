"""Whether one run is better than another, and whether that may be chance.

Differences are taken topic by topic, so that it does not count which topics are hard for every
run. What two rankings have in common, whatever it is worth, is for ``common_results`` to say.
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
from porism.evaluate.records import ByTopic, Evaluation, RunScores

TIE = 1e-9
"""Values that differ by less are equal: so small a difference comes from rounding."""

_CELLS = 1 << 21
"""Numbers that the randomization test holds at a time: 16 MB for each of its two tables."""


class RunPairs(StrEnum):
    """Which runs are compared: each with the baseline, or each with each."""

    WITH_BASELINE = "with-baseline"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class RandomizationSettings:
    """How the randomization test is done.

    Up to ``exact_up_to`` topics that differ, all ways to exchange the runs are gone through, which
    needs no chance. Of more topics ``rounds`` ways are drawn; the same ``seed`` draws the same.
    """

    rounds: int = 100_000
    seed: int = 0
    exact_up_to: int = 16


DEFAULT_RANDOMIZATION = RandomizationSettings()


@dataclass(frozen=True, slots=True)
class Significance:
    """How often chance alone would give such a difference: ``p``, and ``corrected`` after Holm."""

    p: float
    corrected: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ``run`` has over ``baseline`` by one measure.

    ``topics`` are those for which both have a value: in Tasks 1 and 2 those of the qrels, in Task
    3 those that both runs answered. Means, differences and tests are over these. ``by_topic`` has
    the difference of each, the largest first, whatever its sign. ``interval`` holds the true
    difference of the means in 95 of 100 cases, by the t distribution; a single topic tells none.
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
        """The mean difference, above 0 where the run has more than the baseline."""
        return fmean(self.by_topic.values()) if self.by_topic else 0.0

    @property
    def topics(self) -> int:
        return len(self.by_topic)

    @property
    def wins(self) -> int:
        """In how many topics the run has more than the baseline."""
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
    """Every measure of every pair of runs, the pairs of the first measure first.

    The baseline is the first run if none is named. Where all pairs are compared, the baseline of
    each is the one that comes first, which the named one always does. The p values of one measure
    are one family for Holm's correction: the chance that any of them is below 0.05 where no two
    runs differ is 0.05 at most. Different measures are not corrected for each other.
    """
    compared = _pairs(evaluation.runs, baseline, pairs)
    found: list[Comparison] = []
    for measure in evaluation.measures:
        differences = [_differences(first, second, measure) for first, second in compared]
        samples = [list(each.values()) for each in differences]
        by_randomization = _significances(randomization_ps(samples, draws))
        by_t = _significances(map(t_test_p, samples))
        for place, (first, second) in enumerate(compared):
            topics = differences[place].keys()
            found.append(
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
    return tuple(found)


def _pairs(
    runs: Sequence[RunScores], baseline: str | None, pairs: RunPairs
) -> list[tuple[RunScores, RunScores]]:
    if len(runs) < 2:
        raise PorismError(f"found {len(runs)} runs to compare: expected two or more")
    names = [each.run for each in runs]
    if baseline is not None and baseline not in names:
        near_names = get_close_matches(baseline, names, n=3, cutoff=0.5) or names
        raise UnknownName(
            f"there is no run {baseline!r} to compare with; did you mean {' or '.join(near_names)}?"
        )
    place = 0 if baseline is None else names.index(baseline)
    ordered = [runs[place], *runs[:place], *runs[place + 1 :]]
    if pairs is RunPairs.ALL:
        return list(combinations(ordered, 2))
    return [(ordered[0], other) for other in ordered[1:]]


def _differences(baseline: RunScores, run: RunScores, measure: str) -> ByTopic:
    """The differences in the topics that both have, the largest first, equal ones as they come."""
    before = baseline.by_topic.get(measure, {})
    after = run.by_topic.get(measure, {})
    exact = {topic: after[topic] - before[topic] for topic in before if topic in after}
    told = {topic: value if abs(value) >= TIE else 0.0 for topic, value in exact.items()}
    return dict(sorted(told.items(), key=lambda item: -abs(item[1])))


def _significances(ps: Iterable[float]) -> list[Significance]:
    raw = list(ps)
    return [Significance(p, corrected) for p, corrected in zip(raw, holm(raw), strict=True)]


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """The p values of one family after Holm's correction, in the order given.

    The smallest counts as often as there are values, the next one time less, and so on; none
    comes out below a smaller one, and none above 1.

    >>> holm([0.01, 0.5, 0.02])
    (0.03, 0.5, 0.04)
    """
    corrected = [1.0] * len(ps)
    highest = 0.0
    for done, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        highest = max(highest, min(1.0, (len(ps) - done) * ps[place]))
        corrected[place] = highest
    return tuple(corrected)


def randomization_p(
    differences: Sequence[float], draws: RandomizationSettings = DEFAULT_RANDOMIZATION
) -> float:
    """The p of the paired randomization test, two-sided.

    If the runs were equally good, each topic could as well have had them exchanged. So p is the
    share of all ways to give signs to the differences whose sum is at least as far from 0.
    Equal values say nothing, and if all are equal p is 1.

    >>> randomization_p([0.25, 0.5, 0.125])  # of 8 ways, all signs + and all signs - go as far
    0.25
    """
    return randomization_ps([differences], draws)[0]


def randomization_ps(
    samples: Sequence[Sequence[float]], draws: RandomizationSettings = DEFAULT_RANDOMIZATION
) -> tuple[float, ...]:
    """``randomization_p`` of several samples, faster than of each, and with the same results.

    Where ways are drawn, p is (hits + 1) / (rounds + 1), because the way found is one of them. All
    samples get the same draws. Neither the order of topics nor which run comes first changes p.
    """
    # Signs of the differences are drawn anyway, so only their sizes count; in order of size they
    # do not depend on the order of the topics.
    untied = [[each for each in sample if abs(each) >= TIE] for sample in samples]
    sizes = [np.sort(np.abs(np.array(each, dtype=np.float64))) for each in untied]
    observed = [abs(sum(each)) for each in untied]
    ps = [1.0] * len(samples)
    drawn: list[int] = []
    for place, of_sample in enumerate(sizes):
        if of_sample.size > draws.exact_up_to:
            drawn.append(place)
        elif of_sample.size:
            ps[place] = _enumerated_p(of_sample, observed[place])
    if drawn:
        found = _drawn_ps([sizes[place] for place in drawn], [observed[p] for p in drawn], draws)
        for place, p in zip(drawn, found, strict=True):
            ps[place] = p
    return tuple(ps)


def _reached(observed: float, total: float) -> float:
    """From where on a sum counts as going as far, in spite of the rounding of sums."""
    return observed - 1e-10 * total


def _enumerated_p(sizes: NDArray[np.float64], observed: float) -> float:
    # Each way and its opposite go as far, so the first sign may stay.
    sums = sizes[:1]
    for size in sizes[1:]:
        sums = np.concatenate((sums + size, sums - size))
    return float(np.mean(np.abs(sums) >= _reached(observed, float(sizes.sum()))))


def _drawn_ps(
    sizes: Sequence[NDArray[np.float64]], observed: Sequence[float], draws: RandomizationSettings
) -> list[float]:
    longest = max(each.size for each in sizes)
    table = np.zeros((longest, len(sizes)))
    for column, each in enumerate(sizes):
        table[: each.size, column] = each
    totals = table.sum(axis=0)
    limits = np.array([_reached(*each) for each in zip(observed, totals, strict=True)])
    # One stream of bits for every 64 topics, so that a p does not depend on what else is tested.
    streams = [np.random.default_rng((draws.seed, block)) for block in range(-(-longest // 64))]
    hits = np.zeros(len(sizes), dtype=np.int64)
    at_a_time = max(1, _CELLS // max(64 * len(streams), len(sizes)))
    for begin in range(0, draws.rounds, at_a_time):
        rounds = min(at_a_time, draws.rounds - begin)
        is_kept = _bits(streams, rounds)[:, :longest].astype(np.float64)
        sums = 2 * (is_kept @ table) - totals
        hits += np.count_nonzero(np.abs(sums) >= limits, axis=0)
    return [(int(each) + 1) / (draws.rounds + 1) for each in hits]


def _bits(streams: Sequence[np.random.Generator], rounds: int) -> NDArray[np.uint8]:
    """A row of random bits for each round, 64 from each stream."""
    top = np.iinfo(np.uint64).max
    words = [stream.integers(0, top, rounds, np.uint64, endpoint=True) for stream in streams]
    together = np.stack(words, axis=1).astype("<u8")  # the same bits on every machine
    return np.unpackbits(together.view(np.uint8), axis=1)


def t_test_p(differences: Sequence[float]) -> float:
    """The p of the paired t test, two-sided.

    Differences that are all 0 give 1, and so does a single topic, which tells nothing of their
    spread. If all are equal and not 0 there is no spread, and p is 0, as it is in the limit.

    >>> round(t_test_p([1.0, 2.0, 3.0]), 4)
    0.0742
    """
    if len(differences) < 2 or not any(abs(each) >= TIE for each in differences):
        return 1.0
    mean, error = fmean(differences), _standard_error(differences)
    t = mean / error if error else copysign(inf, mean)
    return min(1.0, 2 * float(stdtr(len(differences) - 1, -abs(t))))


def interval(differences: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """Where the true mean difference is with that confidence, by the t distribution.

    None for fewer than two topics, which tell nothing of the spread.
    """
    if len(differences) < 2:
        return None
    mean = fmean(differences)
    reach = float(stdtrit(len(differences) - 1, (1 + level) / 2)) * _standard_error(differences)
    return mean - reach, mean + reach


def _standard_error(differences: Sequence[float]) -> float:
    return stdev(differences) / sqrt(len(differences))


@dataclass(frozen=True, slots=True)
class Correlation:
    """How far two measures, or two runs, go together: 1 wholly, 0 not at all, -1 in opposition.

    ``pearson`` says whether their values lie on a line, ``kendall`` (tau-b, which allows
    for ties) whether they give the same order. Both are None where one is the same everywhere.
    ``values`` is the number of runs, or topics, for which there are both.
    """

    first: str
    second: str
    pearson: float | None
    kendall: float | None
    values: int


def measure_correlations(evaluation: Evaluation) -> tuple[Correlation, ...]:
    """Every pair of measures, over the means of the runs that have both."""
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
    """Every pair of runs, over the values of one measure in the topics that both have."""
    found: list[Correlation] = []
    for first, second in combinations(evaluation.runs, 2):
        xs, ys = first.by_topic.get(measure, {}), second.by_topic.get(measure, {})
        both = [(xs[topic], ys[topic]) for topic in xs if topic in ys]
        found.append(_correlation(first.run, second.run, both))
    return tuple(found)


def _correlation(first: str, second: str, values: Sequence[tuple[float, float]]) -> Correlation:
    x, y = [each for each, _ in values], [each for _, each in values]
    return Correlation(first, second, pearson_r(x, y), kendall_tau(x, y), len(values))


def pearson_r(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's r; None where one of the two is the same everywhere.

    >>> pearson_r([1, 2, 3], [3, 5, 7])
    1.0
    """
    if not x or max(x) - min(x) < TIE or max(y) - min(y) < TIE:
        return None
    apart_x, apart_y = np.array(x) - fmean(x), np.array(y) - fmean(y)
    r = float(apart_x @ apart_y / sqrt((apart_x @ apart_x) * (apart_y @ apart_y)))
    return max(-1.0, min(1.0, r))


def kendall_tau(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Kendall's tau-b; None where one of the two is the same everywhere.

    >>> kendall_tau([1, 2, 3], [1, 3, 2])  # two pairs in the same order, one in the other
    0.3333333333333333
    """
    if not x or max(x) - min(x) < TIE or max(y) - min(y) < TIE:
        return None
    order_x, order_y = _order(x), _order(y)
    # Each pair counts twice above and below, and not at all where it is a tie.
    untied = np.count_nonzero(order_x) * np.count_nonzero(order_y)
    return float(np.sum(order_x * order_y) / sqrt(untied))


def _order(values: Sequence[float]) -> NDArray[np.int64]:
    """For each pair of places 1, 0 or -1: which of the two has the higher value."""
    column = np.array(values, dtype=np.float64)
    apart = column[:, None] - column[None, :]
    return np.where(np.abs(apart) < TIE, 0, np.sign(apart)).astype(np.int64)
