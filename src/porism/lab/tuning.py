"""Parameter tuning by cross-validation.

Scores on the topics that values were chosen on are biased, since the best of many is partly luck.
So topics are divided into folds: for each fold, values are chosen on the other folds, and the
held-out score of a topic is that of values chosen without it. Topics can be of several sets, which
count the same, however many topics they have.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from math import prod
from statistics import fmean

from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.evaluation.inputs import RunLike
from porism.evaluation.records import ByTopic
from porism.evaluation.scoring import RunScorer
from porism.inverted import Filter
from porism.lab.parameters import (
    ParameterValue,
    checked_value,
    full_path,
    parameters,
    with_parameters,
)
from porism.lab.pools.topic_posts import NO_POSTS, ExcludedPosts, RankerWithoutPosts
from porism.model import DocId, Qrels, Ranking, Run, Topic, TopicId
from porism.rank.explanations import Explanation
from porism.rank.fusion import Fuse
from porism.rank.ranker import Ranker
from porism.rank.runs import run_topics

ParameterSetting = tuple[tuple[str, ParameterValue], ...]
"""Values of the tuned parameters, by path, in the order of the grid."""

Grid = Mapping[str, Sequence[ParameterValue]]
"""The values to try for each parameter, by its path or an unambiguous name."""

Folds = Mapping[str, Collection[TopicId]]
"""Topics that are held out together, by name of the fold."""

TopicsBySet = Mapping[str, Collection[TopicId]]
"""The topics of each set, by its name."""

DEPTH = 1000
MAX_GRID = 200
"""Up to this size all settings are tried; a larger grid is searched by ascent."""

CACHED_RANKINGS = 16
"""Number of settings of fused systems whose rankings are cached."""


@dataclass(frozen=True, slots=True)
class TuningSetup:
    """The topics, how a run over them is scored, and its number of results per topic.

    ``sets`` are topics that count as much as those of any other set. Topics of no set are a set of
    their own, so that without any the mean is over topics. ``leave_out`` are posts that rankings
    must not have.
    """

    topics: Sequence[Topic]
    score: Callable[[Run], ByTopic]
    depth: int = DEPTH
    sets: TopicsBySet = field(default_factory=dict)
    leave_out: ExcludedPosts = NO_POSTS


@dataclass(frozen=True, slots=True)
class TuningFold:
    """The topics of a fold, and the setting chosen without them.

    ``training`` is the mean of that setting on the topics it was chosen on, ``held_out`` its mean
    on the topics of the fold, and ``unchanged`` the mean of the untuned system on these.
    """

    name: str
    topics: tuple[TopicId, ...]
    setting: ParameterSetting
    training: float
    held_out: float
    unchanged: float


@dataclass(frozen=True, slots=True)
class TuningResult:
    """The scores with and without tuning, and all settings that were tried.

    ``held_out`` has for each topic the score of a setting chosen without it, ``unchanged`` that of
    the untuned system. ``fitted`` is the setting chosen on all topics, which is the one to use; its
    mean on these topics is not an unbiased estimate. Means are over ``sets``, if there are any.
    """

    own: ParameterSetting
    folds: tuple[TuningFold, ...]
    held_out: ByTopic
    unchanged: ByTopic
    fitted: ParameterSetting
    trials: Mapping[ParameterSetting, ByTopic]
    is_whole_grid: bool
    sets: TopicsBySet = field(default_factory=dict)

    @property
    def fitted_mean(self) -> float:
        """The mean of the fitted setting on the topics it was fitted to."""
        return self.mean(self.trials[self.fitted])

    def mean(self, scores: ByTopic) -> float:
        """The mean by which settings are chosen: that of all topics, or of the means of sets."""
        return mean_score(scores, self.held_out, self.sets)

    @property
    def agreeing(self) -> int:
        """The number of folds that chose the fitted setting."""
        return sum(fold.setting == self.fitted for fold in self.folds)


def topic_scorer(
    qrels: Qrels, measure: str, as_judged: Callable[[Run], RunLike] = lambda run: run
) -> Callable[[Run], ByTopic]:
    """A function that scores runs by one measure, on the topics of the qrels.

    ``as_judged`` converts a run to the ids of the qrels, such as visual ids of formulas. A run
    without results scores 0.
    """
    scorer = RunScorer(qrels, [measure])

    def score(run: Run) -> ByTopic:
        if not any(run.rankings.values()):
            return dict.fromkeys(scorer.topics, 0.0)
        return scorer.scores(as_judged(run)).by_topic[scorer.names[0]]

    return score


def random_folds(*sets: Iterable[TopicId], count: int = 5, seed: int = 0) -> Folds:
    """Topics in random folds of equal size or one less, the same for the same seed.

    Each set of topics is spread over all folds, as evenly as possible.

    >>> [len(fold) for fold in random_folds(["A.1", "A.2", "A.3", "A.4", "A.5"], count=2).values()]
    [3, 2]
    >>> folds = random_folds(["A.1", "A.2"], ["L.1", "L.2", "L.3", "L.4"], count=2)
    >>> [sorted(topic[0] for topic in fold) for fold in folds.values()]
    [['A', 'L', 'L'], ['A', 'L', 'L']]
    """
    shuffled: list[TopicId] = []
    generator = random.Random(seed)
    for topics in sets:
        of_set = sorted(topics)
        generator.shuffle(of_set)
        shuffled += of_set
    if not 2 <= count <= len(shuffled):
        raise PorismError(
            f"{count} folds of {len(shuffled)} topics: expected at least 2 folds, and at most as "
            "many as topics with judgments"
        )
    return {str(number + 1): tuple(shuffled[number::count]) for number in range(count)}


def tune(
    ranker: Ranker,
    grid: Grid,
    bench: TuningSetup,
    folds: Folds,
    watch: Watch = lambda progress: None,
) -> TuningResult:
    """Choose values of parameters by cross-validation.

    The untuned system is a candidate in every choice and is replaced only by better ones. A grid of
    up to ``MAX_GRID`` settings is tried exhaustively; a larger one by coordinate ascent, which
    starts at the system's own values and optimises one parameter at a time until nothing improves.
    Every setting that is tried ranks each topic once.
    """
    known = parameters(ranker)
    named = {full_path(name, known): values for name, values in grid.items()}
    values = {path: _values(path, named[path], known[path]) for path in named}
    _check(values, grid, bench, folds)
    size = prod(map(len, values.values()))
    is_whole = size <= MAX_GRID
    own = tuple((path, known[path]) for path in values)
    total = len({own, *_all_settings(values)}) * len(bench.topics) if is_whole else None
    trials = _Trials(ranker, bench, watch, total)
    best = _whole_grid if is_whole else _ascent
    mean = partial(mean_score, sets=bench.sets)

    def chosen(topics: Collection[TopicId]) -> ParameterSetting:
        return best(values, own, lambda setting: mean(trials.scores(setting), topics))

    all_topics = [topic.id for topic in bench.topics]
    results: list[TuningFold] = []
    for name, topics in folds.items():
        held_out_topics = set(topics)
        others = [topic for topic in all_topics if topic not in held_out_topics]
        setting = chosen(others)
        scores = trials.scores(setting)
        unchanged = mean(trials.scores(own), topics)
        training, held_out = mean(scores, others), mean(scores, topics)
        results.append(TuningFold(name, tuple(topics), setting, training, held_out, unchanged))
    by_fold = {topic: trials.scores(fold.setting) for fold in results for topic in fold.topics}
    return TuningResult(
        own,
        tuple(results),
        {topic: by_fold[topic].get(topic, 0.0) for topic in all_topics},
        {topic: trials.scores(own).get(topic, 0.0) for topic in all_topics},
        chosen(all_topics),
        trials.known,
        is_whole,
        bench.sets,
    )


def _values(
    path: str, values: Sequence[ParameterValue], own: ParameterValue
) -> list[ParameterValue]:
    return list(dict.fromkeys(checked_value(path, value, own) for value in values))


def _check(values: Grid, grid: Grid, bench: TuningSetup, folds: Folds) -> None:
    if not values or not all(values.values()):
        raise PorismError("nothing to tune: give each parameter at least one value to try")
    if len(values) < len(grid):
        raise PorismError(f"two names mean the same parameter: {', '.join(grid)}")
    held_out = [topic for topics in folds.values() for topic in topics]
    if sorted(held_out) != sorted(topic.id for topic in bench.topics):
        raise PorismError("every topic must be in exactly one fold")
    if len(folds) < 2 or not all(folds.values()):
        raise PorismError("expected at least two folds, each with a judged topic")


def mean_score(scores: ByTopic, topics: Collection[TopicId], sets: TopicsBySet) -> float:
    """The mean over ``topics``, or the mean of their means in each set; absent scores are 0."""
    among = set(topics)
    in_sets = [[topic for topic in of_set if topic in among] for of_set in sets.values()]
    others = among.difference(*in_sets)
    groups = [*in_sets, [topic for topic in topics if topic in others]]
    return fmean(fmean(scores.get(topic, 0.0) for topic in group) for group in groups if group)


Objective = Callable[[ParameterSetting], float]


def _all_settings(values: Grid) -> list[ParameterSetting]:
    pairs = [[(path, value) for value in of_path] for path, of_path in values.items()]
    return list(product(*pairs))


def _whole_grid(values: Grid, own: ParameterSetting, mean: Objective) -> ParameterSetting:
    """The best of all settings; ties go to the system's own values, then to the first."""
    return max([own, *_all_settings(values)], key=mean)


def _ascent(values: Grid, own: ParameterSetting, mean: Objective) -> ParameterSetting:
    """The result of changing one parameter at a time, from the system's own values."""
    best, is_better = own, True
    while is_better:
        is_better = False
        for path, of_path in values.items():
            neighbours = [
                tuple((name, value if name == path else current) for name, current in best)
                for value in of_path
            ]
            step = max([best, *neighbours], key=mean)
            is_better |= mean(step) > mean(best)
            best = step
    return best


class _Trials:
    """The scores of settings, each computed on first use."""

    def __init__(self, ranker: Ranker, bench: TuningSetup, watch: Watch, total: int | None) -> None:
        self.known: dict[ParameterSetting, ByTopic] = {}
        self._ranker = ranker
        self._bench = bench
        self._watch = watch
        self._total = total
        self._ranked = 0
        self._cache: OrderedDict[tuple[int, ParameterSetting], _CachedRanker] = OrderedDict()

    def scores(self, setting: ParameterSetting) -> ByTopic:
        if setting not in self.known:
            done = run_topics(
                self._made(setting),
                self._bench.topics,
                self._bench.depth,
                self._reported,
                warm_up=False,
            )
            self.known[setting] = self._bench.score(Run("tuned", done.rankings))
        return self.known[setting]

    def _reported(self, topics: Iterable[Topic]) -> Iterator[Topic]:
        """Report after each topic how many were ranked, and of how many, if that is known."""
        for topic in topics:
            yield topic
            self._ranked += 1
            done = self._ranked if self._total else 0
            self._watch(StepProgress("ranking topics", done, self._total or 0, self._ranked))

    def _made(self, setting: ParameterSetting) -> Ranker:
        """The system with a setting; fused systems that were used before are reused."""
        return RankerWithoutPosts(self._with(setting), self._bench.leave_out)

    def _with(self, setting: ParameterSetting) -> Ranker:
        ranker = with_parameters(self._ranker, dict(setting))
        if not isinstance(ranker, Fuse):
            return ranker
        parts: list[Ranker] = []
        for place, part in enumerate(ranker.rankers):
            own = tuple(pair for pair in setting if pair[0].startswith(f"rankers.{place}."))
            parts.append(self._cache.setdefault((place, own), _CachedRanker(part)))
            self._cache.move_to_end((place, own))
        while len(self._cache) > CACHED_RANKINGS:
            self._cache.popitem(last=False)
        return replace(ranker, rankers=tuple(parts))


@dataclass(frozen=True, slots=True)
class _CachedRanker:
    """A ranker that ranks each topic once."""

    ranker: Ranker
    rankings: dict[tuple[TopicId, int], Ranking] = field(default_factory=dict)

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        assert within is None, "tuning ranks everything"
        if (topic.id, k) not in self.rankings:
            self.rankings[topic.id, k] = self.ranker.rank(topic, k)
        return self.rankings[topic.id, k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return self.ranker.explain(topic, doc_ids, within)

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        return self.ranker.tokens(topic)
