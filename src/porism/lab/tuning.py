"""Which values of a system's parameters are best, and what such a choice is worth on new topics.

The score of values on the topics that they were chosen by says little, since the best of many is
partly luck. So topics are divided into folds: for each fold the values are chosen on the others
alone, and the held-out score of a topic is that of values which never saw it.
"""

from __future__ import annotations

import random
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod
from statistics import fmean

from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.evaluate.inputs import RunLike
from porism.evaluate.records import ByTopic
from porism.evaluate.scoring import RunScorer
from porism.index import Filter
from porism.lab.parameters import (
    ParameterValue,
    checked_value,
    full_path,
    parameters,
    with_parameters,
)
from porism.model import DocId, Qrels, Ranking, Run, Topic, TopicId
from porism.rank.explanations import Explanation
from porism.rank.fusion import Fuse
from porism.rank.ranker import Ranker
from porism.rank.runs import run_topics

ParameterSetting = tuple[tuple[str, ParameterValue], ...]
"""Values of the parameters that are tuned, by their paths, in the order of the grid."""

Grid = Mapping[str, Sequence[ParameterValue]]
"""The values to try of each parameter, by its path or a name that will do."""

Folds = Mapping[str, Collection[TopicId]]
"""Topics that are held out together, by a name for them."""

DEPTH = 1000
MAX_GRID = 200
"""Up to so many settings all are tried; of a larger grid only those that lead upwards."""

CACHED_RANKINGS = 16
"""Of how many settings of the systems in a fusion the rankings stay in memory."""


@dataclass(frozen=True, slots=True)
class TuningSetup:
    """The topics, how a run over them is scored, and how many results it has for each."""

    topics: Sequence[Topic]
    score: Callable[[Run], ByTopic]
    depth: int = DEPTH


@dataclass(frozen=True, slots=True)
class TuningFold:
    """The topics of a fold, and what was chosen without them.

    ``training`` is the mean of the chosen setting on the topics that it was chosen by, ``held_out``
    its mean on those of the fold, and ``unchanged`` that of the system as it is.
    """

    name: str
    topics: tuple[TopicId, ...]
    setting: ParameterSetting
    training: float
    held_out: float
    unchanged: float


@dataclass(frozen=True, slots=True)
class TuningResult:
    """What tuning is worth, and all that was tried.

    ``held_out`` has for each topic the score by a setting that was chosen without it, ``unchanged``
    that of the system as it is. ``fitted`` is what all topics together choose, which is the setting
    to use; its own mean was reached on the topics that it was chosen by and is no estimate.
    """

    own: ParameterSetting
    folds: tuple[TuningFold, ...]
    held_out: ByTopic
    unchanged: ByTopic
    fitted: ParameterSetting
    trials: Mapping[ParameterSetting, ByTopic]
    is_whole_grid: bool

    @property
    def fitted_mean(self) -> float:
        """The mean of the fitted setting on the topics that it was fitted to."""
        return fmean(self.trials[self.fitted].values())

    @property
    def agreeing(self) -> int:
        """How many folds chose what all topics together choose."""
        return sum(fold.setting == self.fitted for fold in self.folds)


def topic_scorer(
    qrels: Qrels, measure: str, as_judged: Callable[[Run], RunLike] = lambda run: run
) -> Callable[[Run], ByTopic]:
    """How runs are scored by one measure, on the topics of the qrels.

    ``as_judged`` makes of a run what the qrels speak of, such as visual ids of formulas. A setting
    that finds nothing at all is worth nothing.
    """
    scorer = RunScorer(qrels, [measure])

    def score(run: Run) -> ByTopic:
        if not any(run.rankings.values()):
            return dict.fromkeys(scorer.topics, 0.0)
        return scorer.scores(as_judged(run)).by_topic[scorer.names[0]]

    return score


def random_folds(topics: Iterable[TopicId], count: int = 5, seed: int = 0) -> Folds:
    """Topics dealt into folds of the same size or one less, always alike for the same seed.

    >>> [len(fold) for fold in random_folds(["A.1", "A.2", "A.3", "A.4", "A.5"], 2).values()]
    [3, 2]
    """
    shuffled = sorted(topics)
    if not 2 <= count <= len(shuffled):
        raise PorismError(
            f"{count} folds of {len(shuffled)} topics: expected 2 folds or more, and no more folds "
            "than topics with judgments"
        )
    random.Random(seed).shuffle(shuffled)
    return {str(number + 1): tuple(shuffled[number::count]) for number in range(count)}


def tune(
    ranker: Ranker,
    grid: Grid,
    bench: TuningSetup,
    folds: Folds,
    watch: Watch = lambda progress: None,
) -> TuningResult:
    """Choose values of parameters by cross-validation.

    The system as it is takes part in every choice and is left only for what is better. A grid of
    up to ``MAX_GRID`` settings is tried whole; of a larger one, each parameter in turn is given
    the value that is best beside the others, from the system's own values on, until no such step
    gains anything. Every setting that is tried ranks each topic once.
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

    def chosen(topics: Collection[TopicId]) -> ParameterSetting:
        return best(values, own, lambda setting: _mean(trials.scores(setting), topics))

    everything = [topic.id for topic in bench.topics]
    made: list[TuningFold] = []
    for name, topics in folds.items():
        held_out_topics = set(topics)
        others = [topic for topic in everything if topic not in held_out_topics]
        setting = chosen(others)
        scores = trials.scores(setting)
        unchanged = _mean(trials.scores(own), topics)
        training, held_out = _mean(scores, others), _mean(scores, topics)
        made.append(TuningFold(name, tuple(topics), setting, training, held_out, unchanged))
    by_fold = {topic: trials.scores(fold.setting) for fold in made for topic in fold.topics}
    return TuningResult(
        own,
        tuple(made),
        {topic: by_fold[topic].get(topic, 0.0) for topic in everything},
        {topic: trials.scores(own).get(topic, 0.0) for topic in everything},
        chosen(everything),
        trials.known,
        is_whole,
    )


def _values(
    path: str, values: Sequence[ParameterValue], own: ParameterValue
) -> list[ParameterValue]:
    return list(dict.fromkeys(checked_value(path, value, own) for value in values))


def _check(values: Grid, grid: Grid, bench: TuningSetup, folds: Folds) -> None:
    if not values or not all(values.values()):
        raise PorismError("nothing to tune: give each parameter one value or more to try")
    if len(values) < len(grid):
        raise PorismError(f"one parameter is named twice: {', '.join(grid)}")
    held_out = [topic for topics in folds.values() for topic in topics]
    if sorted(held_out) != sorted(topic.id for topic in bench.topics):
        raise PorismError("every topic must be in one fold, and in no other")
    if len(folds) < 2 or not all(folds.values()):
        raise PorismError("expected two folds or more, each with a topic that has judgments")


def _mean(scores: ByTopic, topics: Collection[TopicId]) -> float:
    return fmean(scores.get(topic, 0.0) for topic in topics)


Worth = Callable[[ParameterSetting], float]


def _all_settings(values: Grid) -> list[ParameterSetting]:
    pairs = [[(path, value) for value in of_path] for path, of_path in values.items()]
    return list(product(*pairs))


def _whole_grid(values: Grid, own: ParameterSetting, worth: Worth) -> ParameterSetting:
    """The best setting of all; of equal ones the first, the system's own before any."""
    return max([own, *_all_settings(values)], key=worth)


def _ascent(values: Grid, own: ParameterSetting, worth: Worth) -> ParameterSetting:
    """What is reached from the system's own values by changing one parameter at a time."""
    best, is_better = own, True
    while is_better:
        is_better = False
        for path, of_path in values.items():
            beside = [
                tuple((name, value if name == path else kept) for name, kept in best)
                for value in of_path
            ]
            step = max([best, *beside], key=worth)
            is_better |= worth(step) > worth(best)
            best = step
    return best


class _Trials:
    """The scores of every setting that was tried, each made when it is first asked for."""

    def __init__(self, ranker: Ranker, bench: TuningSetup, watch: Watch, total: int | None) -> None:
        self.known: dict[ParameterSetting, ByTopic] = {}
        self._ranker = ranker
        self._bench = bench
        self._watch = watch
        self._total = total
        self._ranked = 0
        self._kept: OrderedDict[tuple[int, ParameterSetting], _Remembered] = OrderedDict()

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
        """The system of a setting; of a fusion, the parts that were there before stay the same."""
        ranker = with_parameters(self._ranker, dict(setting))
        if not isinstance(ranker, Fuse):
            return ranker
        parts: list[Ranker] = []
        for place, part in enumerate(ranker.rankers):
            own = tuple(pair for pair in setting if pair[0].startswith(f"rankers.{place}."))
            kept = self._kept.setdefault((place, own), _Remembered(part))
            self._kept.move_to_end((place, own))
            parts.append(kept)
        while len(self._kept) > CACHED_RANKINGS:
            self._kept.popitem(last=False)
        return replace(ranker, rankers=tuple(parts))


@dataclass(frozen=True, slots=True)
class _Remembered:
    """A ranker that ranks a topic once, however often it is asked."""

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
