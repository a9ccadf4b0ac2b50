"""Differences between runs, and significance tests."""

import re
from itertools import product
from math import sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from porism.errors import PorismError, UnknownName
from porism.evaluation.comparison import (
    Comparison,
    RandomizationSettings,
    RunPairs,
    Significance,
    compare,
    holm,
    interval,
    kendall_tau,
    measure_correlations,
    pearson_r,
    randomization_p,
    randomization_ps,
    system_correlations,
    t_test_p,
)
from porism.evaluation.records import Evaluation, RunScores
from porism.model import TopicId

MEASURE = "MAP'"
SAMPLED = RandomizationSettings(rounds=20_000, exact_up_to=0)

scores = st.integers(0, 1000).map(lambda each: each / 1000)
differences = st.integers(-1000, 1000).map(lambda each: each / 1000)
samples = st.lists(differences, min_size=1, max_size=10)
long_samples = st.lists(differences, min_size=20, max_size=70)
ps = st.lists(st.floats(0, 1), min_size=1, max_size=8)


def evaluation(*values: list[float], names: str = "abcdefg") -> Evaluation:
    """Runs named by letters, with values of one measure for topics A.1, A.2, ..."""
    topics = tuple(TopicId(f"A.{number}") for number in range(1, len(values[0]) + 1))
    runs = (
        RunScores(name, {MEASURE: dict(zip(topics, of, strict=True))})
        for name, of in zip(names, values, strict=False)
    )
    return Evaluation(1, (MEASURE,), topics, tuple(runs))


def only(comparisons: tuple[Comparison, ...]) -> Comparison:
    assert len(comparisons) == 1
    return comparisons[0]


class TestRandomization:
    @pytest.mark.parametrize(
        ("sample", "p"),
        [
            # Sums of all signs: ±6 and ±4, ±2, ±0 (1 + 2 - 3); only ±6 goes as far as 6.
            ([1.0, 2.0, 3.0], 2 / 8),
            # 2 + 3 - 1 = 4: besides ±6, also ±4 goes as far.
            ([-1.0, 2.0, 3.0], 4 / 8),
            # 1 + 2 - 3 = 0: every sum goes as far.
            ([1.0, 2.0, -3.0], 8 / 8),
            # Ones only: ±4 (2 ways) and ±2 (8 ways) go as far as 2, the 6 ways to 0 do not.
            ([1.0, 1.0, 1.0, -1.0], 10 / 16),
            # 1 + 2 + 4 + 8 with any signs: 13 is reached by ±15 and ±13.
            ([-1.0, 2.0, 4.0, 8.0], 4 / 16),
            # A topic without difference changes nothing.
            ([1.0, 0.0, 2.0, 0.0, 3.0], 2 / 8),
            ([5.0], 1.0),
            ([0.0, 0.0], 1.0),
            ([], 1.0),
        ],
    )
    def test_all_assignments_by_hand(self, sample: list[float], p: float) -> None:
        assert randomization_p(sample) == p

    def test_sums_equal_up_to_rounding_count(self) -> None:
        assert 0.1 + 0.2 != 0.3
        assert randomization_p([0.3, -0.3, 0.1, 0.2]) == randomization_p([3.0, -3.0, 1.0, 2.0])

    @given(samples)
    def test_it_is_the_share_of_all_assignments(self, sample: list[float]) -> None:
        thousandths = [round(1000 * each) for each in sample]
        sums = [
            abs(sum(sign * each for sign, each in zip(signs, thousandths, strict=True)))
            for signs in product((1, -1), repeat=len(sample))
        ]
        expected = sum(each >= abs(sum(thousandths)) for each in sums) / len(sums)
        assert randomization_p(sample) == pytest.approx(expected, abs=1e-12)

    @given((samples | long_samples).flatmap(lambda s: st.tuples(st.just(s), st.permutations(s))))
    def test_neither_order_nor_direction_matters(
        self, both: tuple[list[float], list[float]]
    ) -> None:
        sample, shuffled = both
        draws = RandomizationSettings(rounds=500)
        p = randomization_p(sample, draws)
        assert 0 < p <= 1
        assert randomization_p([-each for each in sample], draws) == p
        assert randomization_p(shuffled, draws) == p

    @given(samples)
    def test_draws_approximate_the_exact_p(self, sample: list[float]) -> None:
        exact = randomization_p(sample)
        # Five standard deviations of a share of 20,000 draws, at most 0.018.
        tolerance = 5 * sqrt(exact * (1 - exact) / SAMPLED.rounds) + 1 / SAMPLED.rounds
        assert randomization_p(sample, SAMPLED) == pytest.approx(exact, abs=tolerance)

    def test_the_seed_decides_the_draws(self) -> None:
        sample = [(-1) ** place * place / 100 + 0.1 for place in range(40)]
        drawn = [
            randomization_p(sample, RandomizationSettings(1000, seed)) for seed in (0, 0, 1, 2, 3)
        ]
        assert drawn[0] == drawn[1]
        assert len(set(drawn)) > 2

    def test_a_drawn_p_is_never_0(self) -> None:
        assert randomization_p([1.0] * 100, RandomizationSettings(rounds=999)) == 1 / 1000

    def test_other_samples_do_not_change_p(self) -> None:
        short = [place / 50 - 0.4 for place in range(50)]
        long = [place / 200 - 0.45 for place in range(200)]
        together = randomization_ps([short, [1.0, 2.0], long], RandomizationSettings(rounds=2000))
        assert together == tuple(
            randomization_p(each, RandomizationSettings(rounds=2000))
            for each in (short, [1.0, 2.0], long)
        )

    def test_batches_of_rounds_do_not_change_p(self, monkeypatch: pytest.MonkeyPatch) -> None:
        sample = [place / 50 - 0.4 for place in range(50)]
        whole = randomization_p(sample, RandomizationSettings(rounds=1000))
        monkeypatch.setattr("porism.evaluation.comparison._MAX_CELLS", 64 * 7)
        assert randomization_p(sample, RandomizationSettings(rounds=1000)) == whole


class TestT:
    def test_by_hand(self) -> None:
        # Mean 2, standard deviation 1, so t = 2 / (1 / √3) = 2√3 with 2 degrees of freedom, whose
        # distribution is 1/2 + t / (2 √(2 + t²)): p = 1 - 2√3 / √14.
        assert t_test_p([1.0, 2.0, 3.0]) == pytest.approx(1 - 2 * sqrt(3) / sqrt(14))
        # The 97.5 % point of that distribution is 4.302653.
        low, high = interval([1.0, 2.0, 3.0]) or (0.0, 0.0)
        assert (low, high) == pytest.approx((2 - 4.302653 / sqrt(3), 2 + 4.302653 / sqrt(3)))

    @given(st.lists(st.tuples(scores, scores), min_size=2, max_size=30))
    def test_it_equals_scipy(self, pairs: list[tuple[float, float]]) -> None:
        apart = [after - before for before, after in pairs]
        assume(max(apart) - min(apart) > 1e-6)  # else it warns
        theirs = stats.ttest_rel([after for _, after in pairs], [before for before, _ in pairs])
        assert t_test_p(apart) == pytest.approx(float(theirs.pvalue), abs=1e-12)
        expected = theirs.confidence_interval(0.95)
        assert interval(apart) == pytest.approx((float(expected.low), float(expected.high)))

    @pytest.mark.parametrize(
        ("sample", "p"),
        [([], 1.0), ([0.3], 1.0), ([0.0, 0.0, 0.0], 1.0), ([0.5, 0.5], 0.0), ([-0.5, -0.5], 0.0)],
    )
    def test_it_is_defined_without_variance(self, sample: list[float], p: float) -> None:
        assert t_test_p(sample) == p

    @given(samples)
    def test_direction_does_not_matter(self, sample: list[float]) -> None:
        p = t_test_p(sample)
        assert 0 <= p <= 1
        assert t_test_p([-each for each in sample]) == p

    def test_an_interval_needs_two_topics(self) -> None:
        assert interval([0.3]) is None
        assert interval([0.25, 0.25]) == (0.25, 0.25)


class TestHolm:
    @pytest.mark.parametrize(
        ("raw", "corrected"),
        [
            # 4 · 0.01, 3 · 0.02 = 0.06, 2 · 0.03 = 0.06, 1 · 0.5.
            ([0.02, 0.5, 0.01, 0.03], [0.06, 0.5, 0.04, 0.06]),
            # 3 · 0.02 = 0.06; 2 · 0.025 = 0.05, which may not be below 0.06.
            ([0.025, 0.02, 0.9], [0.06, 0.06, 0.9]),
            # 2 · 0.6 is above 1.
            ([0.6, 0.7], [1.0, 1.0]),
            ([0.04], [0.04]),
            ([], []),
        ],
    )
    def test_by_hand(self, raw: list[float], corrected: list[float]) -> None:
        assert holm(raw) == pytest.approx(corrected)

    @given(ps)
    def test_it_is_at_least_the_raw_p_and_keeps_the_order(self, raw: list[float]) -> None:
        pairs = sorted(zip(raw, holm(raw), strict=True))
        assert all(p <= corrected <= 1 for p, corrected in pairs)
        corrected = [each for _, each in pairs]
        assert corrected == sorted(corrected)
        assert corrected[0] == min(1, len(raw) * pairs[0][0])


class TestCompare:
    def test_two_runs(self) -> None:
        #     differences:        +0.25      -0.125     0       +0.5
        result = only(compare(evaluation([0.25, 0.5, 0.5, 0.0], [0.5, 0.375, 0.5, 0.5])))
        assert (result.baseline, result.run, result.measure) == ("a", "b", MEASURE)
        assert list(result.by_topic.items()) == [
            ("A.4", 0.5),
            ("A.1", 0.25),
            ("A.2", -0.125),
            ("A.3", 0.0),
        ]
        assert (result.baseline_mean, result.mean) == (0.3125, 0.46875)
        assert result.difference == 0.15625
        assert (result.wins, result.ties, result.losses, result.topics) == (2, 1, 1, 4)
        # 0.625 is reached by ±0.875 (equal signs) and ±0.625 (the smallest flipped): 4 of 8.
        assert result.randomization == Significance(0.5, 0.5)
        assert result.t_test.p == result.t_test.corrected == t_test_p([0.25, -0.125, 0.0, 0.5])
        assert result.interval == interval([0.25, -0.125, 0.0, 0.5])

    def test_a_run_against_itself(self) -> None:
        values = [place / 100 for place in range(50)]
        result = only(compare(evaluation(values, values)))
        assert result.randomization == result.t_test == Significance(1.0, 1.0)
        assert (result.wins, result.ties, result.losses) == (0, 50, 0)
        assert result.difference == 0
        assert result.interval == (0, 0)

    def test_rounding_errors_are_ties(self) -> None:
        result = only(compare(evaluation([0.3, 0.5], [0.1 + 0.2, 0.5])))
        assert (result.wins, result.ties, result.losses) == (0, 2, 0)

    def test_pairs_with_the_baseline_or_all(self) -> None:
        three = evaluation([0.1, 0.2], [0.3, 0.1], [0.5, 0.5])

        def names(baseline: str | None, pairs: RunPairs) -> list[str]:
            return [each.baseline + each.run for each in compare(three, baseline, pairs)]

        assert names(None, RunPairs.WITH_BASELINE) == ["ab", "ac"]
        assert names("b", RunPairs.WITH_BASELINE) == ["ba", "bc"]
        assert names(None, RunPairs.ALL) == ["ab", "ac", "bc"]
        assert names("c", RunPairs.ALL) == ["ca", "cb", "ab"]

    def test_a_measure_is_a_family(self) -> None:
        """Three pairs: the smallest p is tripled; another measure changes nothing."""
        ones, zeros = [1.0] * 8, [0.0] * 8
        one = evaluation(zeros, ones, [0.0] * 7 + [1.0])
        by_pair = {
            each.baseline + each.run: each.randomization
            for each in compare(one, pairs=RunPairs.ALL)
        }
        assert by_pair["ab"] == Significance(2 / 256, 6 / 256)  # eight equal signs
        assert by_pair["bc"] == Significance(2 / 128, 4 / 128)  # seven equal signs and a tie
        assert by_pair["ac"] == Significance(1.0, 1.0)  # one topic that differs
        more = Evaluation(
            1,
            (MEASURE, "bpref"),
            one.topics,
            tuple(
                RunScores(each.run, {**each.by_topic, "bpref": each.by_topic[MEASURE]})
                for each in one.runs
            ),
        )
        assert compare(more, pairs=RunPairs.ALL)[:3] == compare(one, pairs=RunPairs.ALL)
        assert [each.measure for each in compare(more)] == [MEASURE, MEASURE, "bpref", "bpref"]

    def test_topics_that_only_one_run_answered_are_ignored(self) -> None:
        topics = (TopicId("A.1"), TopicId("A.2"), TopicId("A.3"))
        first = RunScores("a", {"AR": {topics[0]: 3.0, topics[1]: 1.0}})
        second = RunScores("b", {"AR": {topics[1]: 2.0, topics[2]: 3.0}})
        result = only(compare(Evaluation(3, ("AR",), topics, (first, second))))
        assert result.by_topic == {"A.2": 1.0}
        assert (result.baseline_mean, result.mean, result.difference) == (1.0, 2.0, 1.0)
        assert result.interval is None

    def test_runs_without_a_common_topic_do_not_differ(self) -> None:
        topics = (TopicId("A.1"), TopicId("A.2"))
        first = RunScores("a", {"AR": {topics[0]: 3.0}})
        second = RunScores("b", {"AR": {topics[1]: 2.0}})
        result = only(compare(Evaluation(3, ("AR",), topics, (first, second))))
        assert (result.topics, result.difference, result.randomization.p) == (0, 0.0, 1.0)

    def test_an_unknown_baseline_is_refused_with_similar_names(self) -> None:
        two = evaluation([0.1], [0.2], names="ab")
        with pytest.raises(UnknownName, match=re.escape("no run 'c' to compare with; did you")):
            compare(two, "c")

    def test_one_run_is_too_few(self) -> None:
        with pytest.raises(PorismError, match="found 1 runs: a comparison needs two or more"):
            compare(evaluation([0.1]))

    @given(st.lists(st.tuples(scores, scores), min_size=1, max_size=30))
    def test_exchanging_the_runs_negates_differences(
        self, pairs: list[tuple[float, float]]
    ) -> None:
        before, after = [each for each, _ in pairs], [each for _, each in pairs]
        draws = RandomizationSettings(rounds=200)
        there = only(compare(evaluation(before, after), draws=draws))
        back = only(compare(evaluation(after, before), draws=draws))
        assert back.difference == -there.difference
        assert (back.wins, back.ties, back.losses) == (there.losses, there.ties, there.wins)
        assert (back.randomization, back.t_test) == (there.randomization, there.t_test)


class TestCorrelations:
    def test_tau_with_ties_by_hand(self) -> None:
        # Pairs of (1, 1), (2, 2), (2, 3), (3, 1): 1-2 +, 1-3 +, 1-4 tie in y, 2-3 tie in x,
        # 2-4 -, 3-4 -. So 2 - 2 = 0 of √(5 · 5).
        assert kendall_tau([1, 2, 2, 3], [1, 2, 3, 1]) == 0
        # (1, 1), (2, 2), (2, 3), (3, 4): five pairs +, one tie in x: 5 / √(5 · 6).
        assert kendall_tau([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(5 / sqrt(30))

    def test_r_by_hand(self) -> None:
        # From the means: (-1, 0, 1) and (-1, 1, 0); 1 / √(2 · 2).
        assert pearson_r([1, 2, 3], [1, 3, 2]) == pytest.approx(0.5)

    @given(st.lists(st.tuples(scores, scores), min_size=2, max_size=20))
    def test_they_equal_scipy(self, pairs: list[tuple[float, float]]) -> None:
        x, y = [each for each, _ in pairs], [each for _, each in pairs]
        assume(len(set(x)) > 1 and len(set(y)) > 1)
        assert kendall_tau(x, y) == pytest.approx(float(stats.kendalltau(x, y).statistic))
        assert pearson_r(x, y) == pytest.approx(float(stats.pearsonr(x, y).statistic))

    @pytest.mark.parametrize(("x", "y"), [([], []), ([1.0], [2.0]), ([1.0, 1.0], [1.0, 2.0])])
    def test_constant_values_have_no_correlation(self, x: list[float], y: list[float]) -> None:
        assert kendall_tau(x, y) is pearson_r(x, y) is None
        assert kendall_tau(y, x) is pearson_r(y, x) is None

    def test_between_systems_over_topics(self) -> None:
        result = system_correlations(evaluation([1, 2, 3], [1, 3, 2], [0.3, 0.2, 0.1]), MEASURE)
        assert [(each.first, each.second, each.values) for each in result] == [
            ("a", "b", 3),
            ("a", "c", 3),
            ("b", "c", 3),
        ]
        assert [each.kendall for each in result] == pytest.approx([1 / 3, -1, -1 / 3])
        assert [each.pearson for each in result] == pytest.approx([0.5, -1, -0.5])

    def test_a_run_without_a_measure_is_ignored(self) -> None:
        topic = TopicId("A.1")
        runs = (
            RunScores("a", {"AR": {topic: 1.0}, "LO": {topic: 0.1}}),
            RunScores("b", {"AR": {topic: 2.0}, "LO": {topic: 0.2}}),
            RunScores("c", {"AR": {topic: 3.0}, "LO": {}}),
            RunScores("d", {"AR": {topic: 3.0}}),
        )
        (result,) = measure_correlations(Evaluation(3, ("AR", "LO"), (topic,), runs))
        assert (result.values, result.kendall, result.pearson) == (2, 1.0, 1.0)


# S3 Table 5: AR, P@1, LO and CS of the fourteen runs of Task 3, as printed.
TABLE_5 = (
    (1.346, 0.500, 0.317, 0.851),
    (1.282, 0.436, 0.509, 0.886),
    (1.231, 0.397, 0.515, 0.886),
    (1.179, 0.372, 0.467, 0.879),
    (1.115, 0.321, 0.427, 0.868),
    (0.949, 0.282, 0.444, 0.873),
    (0.462, 0.154, 0.330, 0.846),
    (0.449, 0.154, 0.329, 0.846),
    (0.423, 0.128, 0.325, 0.852),
    (0.385, 0.103, 0.323, 0.851),
    (0.325, 0.078, 0.263, 0.835),
    (0.244, 0.064, 0.248, 0.806),
    (0.231, 0.051, 0.254, 0.813),
    (0.205, 0.026, 0.239, 0.820),
)
# S3 Table 6, Pearson's r and Kendall's tau.
TABLE_6 = {
    ("AR", "P@1"): (0.989, 0.994),
    ("AR", "LO"): (0.837, 0.736),
    ("AR", "CS"): (0.839, 0.670),
    ("P@1", "LO"): (0.787, 0.729),
    ("P@1", "CS"): (0.802, 0.674),
    ("LO", "CS"): (0.952, 0.805),
}


def test_correlations_equal_those_of_the_lab() -> None:
    """The printed values suffice: the lab may have computed with rounded ones."""
    measures = ("AR", "P@1", "LO", "CS")
    topic = TopicId("A.301")  # the means of the table as values of one topic
    runs = tuple(
        RunScores(
            str(place), {name: {topic: value} for name, value in zip(measures, row, strict=True)}
        )
        for place, row in enumerate(TABLE_5)
    )
    result = measure_correlations(Evaluation(3, measures, (topic,), runs))
    assert {
        (each.first, each.second): (round(each.pearson or 0, 3), round(each.kendall or 0, 3))
        for each in result
    } == TABLE_6
