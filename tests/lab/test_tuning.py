"""Cross-validation on systems whose scores come from a table."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.collection.progress import StepProgress
from porism.errors import PorismError, UnknownName
from porism.inverted import Filter
from porism.lab import tuning
from porism.lab.parameters import ParameterValue
from porism.lab.pools.topic_posts import ExcludedPosts
from porism.lab.tuning import (
    Folds,
    TuningResult,
    TuningSetup,
    mean_score,
    random_folds,
    topic_scorer,
    tune,
)
from porism.model import DocId, Hit, Qrels, Ranking, Run, Topic, TopicId
from porism.rank.explanations import Explanation
from porism.rank.fusion import Fuse

TOPICS = [Topic(TopicId(f"A.{number}")) for number in range(1, 5)]
IDS = [topic.id for topic in TOPICS]
X, Y = IDS[:2], IDS[2:]
TWO_FOLDS: Folds = {"x": X, "y": Y}


@dataclass(frozen=True)
class Dials:
    """A system with two parameters that returns one document, named after their values."""

    one: int = 0
    other: int = 0
    calls: Counter[tuple[int, int, str]] = field(default_factory=Counter, repr=False)

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        self.calls[self.one, self.other, topic.id] += 1
        return (Hit(DocId(f"{self.one} {self.other}"), 1.0),)

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return ()

    def tokens(self, topic: Topic) -> None:
        return None


Worth = Mapping[tuple[int, int], Mapping[TopicId, float]]


def bench(scores_by_values: Worth) -> TuningSetup:
    """Scores runs of dials by a table."""

    def score(run: Run) -> dict[TopicId, float]:
        values = {topic: ranking[0].doc_id.split() for topic, ranking in run.rankings.items()}
        return {
            topic: scores_by_values[int(one), int(other)][topic]
            for topic, (one, other) in values.items()
        }

    return TuningSetup(TOPICS, score)


def of_folds(x: float, y: float) -> dict[TopicId, float]:
    return dict.fromkeys(X, x) | dict.fromkeys(Y, y)


OVERFITTED = {
    (0, 0): of_folds(0.5, 0.5),
    (1, 0): of_folds(1.0, 0.125),
    (2, 0): of_folds(0.25, 0.75),
}
"""Each of the two other settings is the best on one fold and bad on the other."""


def test_a_fold_is_scored_with_the_setting_of_the_other_folds() -> None:
    result = tune(Dials(), {"one": [0, 1, 2]}, bench(OVERFITTED), TWO_FOLDS)
    without_x, without_y = result.folds
    assert without_x.setting == (("one", 2),)
    assert (without_x.training, without_x.held_out, without_x.unchanged) == (0.75, 0.25, 0.5)
    assert without_y.setting == (("one", 1),)
    assert (without_y.training, without_y.held_out, without_y.unchanged) == (1.0, 0.125, 0.5)
    assert result.held_out == of_folds(0.25, 0.125)
    assert result.unchanged == of_folds(0.5, 0.5)
    assert fmean(result.held_out.values()) < fmean(result.unchanged.values()) < result.fitted_mean
    assert result.fitted == (("one", 1),)
    assert result.fitted_mean == (1.0 + 0.125) / 2
    assert result.agreeing == 1
    assert result.trials == {
        (("one", one),): scores_by_values for (one, _), scores_by_values in OVERFITTED.items()
    }


def test_ties_keep_the_systems_own_values() -> None:
    equal = {(one, 0): of_folds(0.5, 0.5) for one in range(3)}
    result = tune(Dials(2), {"one": [0, 1]}, bench(equal), TWO_FOLDS)
    assert result.own == result.fitted == (("one", 2),)
    assert all(fold.setting == result.own for fold in result.folds)


VALUES = (0, 1, 2)
TABLES = st.fixed_dictionaries(
    {
        (one, other): st.fixed_dictionaries({topic: st.floats(0, 1) for topic in IDS})
        for one in VALUES
        for other in VALUES
    }
)
GRID = {"one": VALUES, "other": VALUES}


@pytest.mark.parametrize("whole_grid", [200, 0])
@given(scores_by_values=TABLES, changed=TABLES)
def test_held_out_topics_do_not_affect_the_choice(
    whole_grid: int, scores_by_values: Worth, changed: Worth
) -> None:
    mixed = {
        setting: {**scores_by_values[setting], **_only(changed[setting], X)}
        for setting in scores_by_values
    }
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuning, "MAX_GRID", whole_grid)
        before = tune(Dials(), GRID, bench(scores_by_values), TWO_FOLDS)
        after = tune(Dials(), GRID, bench(mixed), TWO_FOLDS)
    assert before.folds[0].setting == after.folds[0].setting
    assert before.folds[0].training == after.folds[0].training
    for result in (before, after):
        _check(result)


def _only(scores: Mapping[TopicId, float], topics: list[TopicId]) -> dict[TopicId, float]:
    return {topic: scores[topic] for topic in topics}


def _check(result: TuningResult) -> None:
    for fold in result.folds:
        for topic in fold.topics:
            assert result.held_out[topic] == result.trials[fold.setting][topic]
        others = [topic for topic in IDS if topic not in fold.topics]
        # The system as it is takes part in every choice.
        assert fold.training >= fmean(result.unchanged[topic] for topic in others)
    assert result.fitted_mean >= fmean(result.unchanged.values())


@given(scores_by_values=TABLES)
def test_an_exhaustive_search_finds_the_best_setting(scores_by_values: Worth) -> None:
    result = tune(Dials(), GRID, bench(scores_by_values), TWO_FOLDS)
    assert result.is_whole_grid
    assert len(result.trials) == 9
    assert result.fitted_mean == max(fmean(scores.values()) for scores in scores_by_values.values())


def test_a_large_grid_is_searched_one_parameter_at_a_time() -> None:
    hill = {
        (one, other): of_folds(*[1 - abs(one - 13) / 20 - abs(other - 4) / 40] * 2)
        for one in range(20)
        for other in range(20)
    }
    result = tune(Dials(), {"one": range(20), "other": range(20)}, bench(hill), TWO_FOLDS)
    assert not result.is_whole_grid
    assert result.fitted == (("one", 13), ("other", 4))
    assert result.fitted_mean == 1.0
    # The first row, the column of its best, and the row and column through the top.
    assert len(result.trials) == 20 + 19 + 19


def test_every_setting_ranks_every_topic_once_and_reports_progress() -> None:
    dials, reports = Dials(), list[StepProgress]()
    scores_by_values = {(one, other): of_folds(one, other) for one in VALUES for other in VALUES}
    tune(dials, GRID, bench(scores_by_values), TWO_FOLDS, reports.append)
    assert len(dials.calls) == 9 * 4
    assert set(dials.calls.values()) == {1}
    assert [(each.done, each.total) for each in reports] == [(n, 36) for n in range(1, 37)]


def test_fused_systems_rank_once_if_only_weights_change() -> None:
    dials, others = Dials(), Dials(1)
    fused = Fuse((dials, others), (1.0, 1.0))
    weighed = TuningSetup(
        TOPICS, lambda run: {topic: hits[0].score for topic, hits in run.rankings.items()}
    )
    result = tune(fused, {"weights.0": [0.5, 1, 2]}, weighed, TWO_FOLDS)
    assert result.fitted == (("weights.0", 2.0),)
    assert set(dials.calls.values()) == set(others.calls.values()) == {1}
    tune(fused, {"weights.0": [1, 2], "rankers.0.one": [0, 5]}, weighed, TWO_FOLDS)
    assert dials.calls == {(one, 0, topic): 2 - (one == 5) for one in (0, 5) for topic in IDS}


@given(st.sets(st.integers(1, 400), min_size=2), st.integers(2, 10), st.integers())
def test_random_folds_are_even_and_reproducible(numbers: set[int], count: int, seed: int) -> None:
    topics = [TopicId(f"A.{number}") for number in numbers]
    count = min(count, len(topics))
    folds = random_folds(topics, count=count, seed=seed)
    assert sorted(topic for fold in folds.values() for topic in fold) == sorted(topics)
    assert {len(fold) for fold in folds.values()} <= {
        len(topics) // count,
        -(-len(topics) // count),
    }
    assert random_folds(reversed(topics), count=count, seed=seed) == folds


def test_another_seed_gives_other_folds() -> None:
    topics = [TopicId(f"A.{number}") for number in range(50)]
    assert random_folds(topics, seed=1) != random_folds(topics, seed=2)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_too_few_and_too_many_folds_are_refused(count: int) -> None:
    with pytest.raises(PorismError, match=f"{count} folds of 4 topics: expected at least 2 folds"):
        random_folds(IDS, count=count)


@pytest.mark.parametrize(
    ("grid", "folds", "error", "message"),
    [
        ({}, TWO_FOLDS, PorismError, "nothing to tune"),
        ({"one": []}, TWO_FOLDS, PorismError, "at least one value"),
        ({"won": [1]}, TWO_FOLDS, UnknownName, "did you mean one"),
        ({"one": [0.5]}, TWO_FOLDS, PorismError, "one is 0 and cannot be 0.5"),
        ({"one": [1]}, {"x": X, "y": X}, PorismError, "every topic must be in exactly one fold"),
        ({"one": [1]}, {"x": X}, PorismError, "every topic must be in exactly one fold"),
        ({"one": [1]}, {"x": IDS}, PorismError, "at least two folds"),
        ({"one": [1]}, {"x": IDS, "y": []}, PorismError, "at least two folds"),
    ],
)
def test_invalid_grids_and_folds_are_refused(
    grid: dict[str, list[ParameterValue]], folds: Folds, error: type[PorismError], message: str
) -> None:
    with pytest.raises(error, match=message):
        tune(Dials(), grid, bench(OVERFITTED), folds)


def test_two_names_of_one_parameter_are_refused() -> None:
    fused = Fuse((Dials(),), (1.0,))
    with pytest.raises(PorismError, match=r"the same parameter: 0\.one, rankers\.0\.one"):
        tune(fused, {"0.one": [1], "rankers.0.one": [1]}, bench(OVERFITTED), TWO_FOLDS)


JUDGED = Qrels({TopicId("A.1"): {DocId("a"): 3, DocId("b"): 0}, TopicId("A.2"): {DocId("c"): 2}})


def test_runs_are_scored_by_a_measure_on_the_topics_of_the_qrels() -> None:
    score = topic_scorer(JUDGED, "P'@1")
    run = Run("r", {TopicId("A.1"): (Hit(DocId("unjudged"), 2.0), Hit(DocId("a"), 1.0))})
    assert score(run) == {"A.1": 1.0, "A.2": 0.0}
    assert score(Run("r", {TopicId("A.1"): ()})) == {"A.1": 0.0, "A.2": 0.0}


def test_runs_are_converted_to_the_ids_of_the_judgments() -> None:
    def swapped(run: Run) -> Run:
        names = {"a": "b", "b": "a"}
        return Run(
            run.name,
            {
                topic: tuple(Hit(DocId(names[hit.doc_id]), hit.score) for hit in ranking)
                for topic, ranking in run.rankings.items()
            },
        )

    run = Run("r", {TopicId("A.1"): (Hit(DocId("b"), 1.0),)})
    assert topic_scorer(JUDGED, "P'@1")(run)[TopicId("A.1")] == 0.0
    assert topic_scorer(JUDGED, "P'@1", swapped)(run)[TopicId("A.1")] == 1.0


UNEQUAL = {
    (0, 0): {IDS[0]: 0.5, IDS[1]: 0.5, IDS[2]: 0.5, IDS[3]: 0.5},
    (1, 0): {IDS[0]: 0.0, IDS[1]: 0.75, IDS[2]: 0.75, IDS[3]: 0.75},
}
"""The other setting is better on all topics but the first."""


def test_sets_count_the_same_however_many_topics_they_have() -> None:
    folds: Folds = {"1": [IDS[1]], "2": [IDS[0], IDS[2], IDS[3]]}
    over_topics = tune(Dials(), {"one": [0, 1]}, bench(UNEQUAL), folds)
    assert over_topics.fitted == (("one", 1),)
    assert over_topics.fitted_mean == 0.5625
    sets = {"few": IDS[:1], "many": IDS[1:]}
    over_sets = tune(Dials(), {"one": [0, 1]}, replace(bench(UNEQUAL), sets=sets), folds)
    assert over_sets.fitted == over_sets.own == (("one", 0),)
    assert over_sets.mean(UNEQUAL[1, 0]) == 0.375
    # A fold with topics of one set only has the mean of these.
    assert over_sets.folds[0].unchanged == 0.5


@given(scores=st.fixed_dictionaries({topic: st.floats(0, 1) for topic in IDS}))
def test_one_set_of_all_topics_is_the_mean_over_topics(scores: Mapping[TopicId, float]) -> None:
    everything = mean_score(scores, IDS, {})
    assert everything == mean_score(scores, IDS, {"all": IDS}) == fmean(scores.values())
    assert mean_score(scores, IDS, {"x": X}) == fmean([mean_of(scores, X), mean_of(scores, Y)])


def mean_of(scores: Mapping[TopicId, float], topics: list[TopicId]) -> float:
    return fmean(scores[topic] for topic in topics)


def test_every_set_is_in_every_fold() -> None:
    small = [TopicId(f"A.{number}") for number in range(7)]
    large = [TopicId(f"L.{number}") for number in range(33)]
    folds = random_folds(small, large, count=5, seed=3)
    assert sorted(topic for fold in folds.values() for topic in fold) == sorted(small + large)
    for fold in folds.values():
        assert len(fold) == 8
        assert 1 <= sum(topic.startswith("A.") for topic in fold) <= 2
    assert folds == random_folds(reversed(small), reversed(large), count=5, seed=3)


def test_left_out_posts_are_in_no_ranking() -> None:
    rankings: list[Mapping[TopicId, Ranking]] = []

    def score(run: Run) -> dict[TopicId, float]:
        rankings.append(run.rankings)
        return dict.fromkeys(IDS, 0.0)

    excluded = ExcludedPosts({IDS[0]: (DocId("0 0"),)})
    tune(Dials(), {"one": [1]}, TuningSetup(TOPICS, score, leave_out=excluded), TWO_FOLDS)
    own, other = rankings
    assert [len(own[topic]) for topic in IDS] == [0, 1, 1, 1]
    assert [len(other[topic]) for topic in IDS] == [1, 1, 1, 1]
