"""Likely relevant candidates first, learned from the judgments so far. The lab did not do this.

It saves time where a pool is larger than can be judged, and has a price: what is left unjudged is
then no matter of depth but of what a learner took for not relevant, and systems that find what it
does not expect are served worse. So a pool says in its settings that it was ordered so.

The learner is ridge regression over tf-idf vectors of the texts. It begins with the topic as a
relevant text and with the ranks at which runs returned candidates. What is judged together, such as
the instances of a formula, has one place in the order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain
from random import Random

import numpy as np
from numpy.typing import NDArray

from porism.assess.judgments.final_grades import final_choices
from porism.assess.pools.remaining_relevant import (
    ControlDraw,
    RemainingRelevant,
    remaining_relevant,
)
from porism.assess.pools.visual_groups import VisualGroupKey, visual_groups
from porism.assess.records import RELEVANT_GRADE, Candidate, Choice, Judgment, Pool
from porism.errors import PorismError
from porism.model import DocId, TopicId

Floats = NDArray[np.float32]
CandidateTokens = Callable[[Candidate], Sequence[str]]
"""The words of a candidate and whatever else tells what it is about, such as those of formulas."""

JudgedChoices = Mapping[DocId, Choice | None]
"""What stands of candidates of a topic that were judged, in the order in which they first were.

It is None of what was taken back: such a candidate is to be judged again, and yet it was shown.
"""


@dataclass(frozen=True, slots=True)
class ActiveOrderSettings:
    """How candidates are ordered.

    Every ``control_every``-th one is drawn at random instead, from all that are not judged yet, so
    that it can be estimated how many relevant ones are left; 0 draws none. Relevant are grades from
    ``relevant_from``, which are High and Medium.
    """

    seed: int = 0
    control_every: int = 5
    relevant_from: int = RELEVANT_GRADE

    def __post_init__(self) -> None:
        if self.control_every < 0:
            raise PorismError(
                f"found {self.control_every} for control_every: expected a number from 0 on"
            )
        if self.relevant_from not in (1, 2, 3):
            raise PorismError(f"found {self.relevant_from} for relevant_from: expected 1, 2 or 3")


ORDER, ACTIVE = "order", "active"
_CONTROL, _SEED, _RELEVANT = "active_control_every", "active_seed", "active_relevant_from"


def with_active_order(pool: Pool, settings: ActiveOrderSettings) -> Pool:
    """The pool, marked as one whose candidates are shown in this order."""
    marks = {
        ORDER: ACTIVE,
        _CONTROL: str(settings.control_every),
        _SEED: str(settings.seed),
        _RELEVANT: str(settings.relevant_from),
    }
    return replace(pool, settings={**pool.settings, **marks})


def active_order_settings(pool: Pool) -> ActiveOrderSettings | None:
    """How a pool that is so marked is ordered; None for any other pool."""
    if pool.settings.get(ORDER) != ACTIVE:
        return None
    try:
        return ActiveOrderSettings(
            seed=int(pool.settings[_SEED]),
            control_every=int(pool.settings[_CONTROL]),
            relevant_from=int(pool.settings[_RELEVANT]),
        )
    except (KeyError, ValueError):
        raise PorismError(
            f"the pool's settings say that its order is {ACTIVE}, and do not have {_SEED}, "
            f"{_CONTROL} and {_RELEVANT} as numbers: draw the pool again"
        ) from None


def bias_note(pool: Pool, unjudged: int) -> str:
    """What an export says of judgments made in this order; nothing if there is nothing to say."""
    if active_order_settings(pool) is None or not unjudged:
        return ""
    return (
        f"Candidates were shown by active learning, likely relevant ones first, and {unjudged:,} "
        "were not judged. Which ones were judged depends on the learner: these judgments favour "
        "systems that find what it expected."
    )


def choices_in_order(
    judgments: Iterable[Judgment], topic_id: TopicId
) -> dict[DocId, Choice | None]:
    """What the judgments of a topic's candidates come to, in the order of the first act on each.

    What was taken back does not count, and so may leave what others said, or None.
    """
    acts = sorted(
        (each for each in judgments if each.topic_id == topic_id), key=lambda each: each.number
    )
    finals = final_choices(acts)
    begun = dict.fromkeys((topic_id, each.doc_id) for each in acts)
    return {key[1]: finals[key].choice if key in finals else None for key in begun}


class ActiveTopicOrder:
    """The candidates of one topic with what is learned from; made once, asked again and again.

    Making it reads all texts. Asking for an order or an estimate is a function of the judgments
    alone, so that nothing has to be kept when a server is started again.
    """

    def __init__(
        self,
        candidates: Sequence[Candidate],
        tokens: CandidateTokens,
        topic_tokens: Sequence[str],
        settings: ActiveOrderSettings,
    ) -> None:
        self._settings = settings
        self._members = visual_groups(candidates)
        self._names = list(self._members)
        texts = [
            [token for member in members for token in tokens(member)]
            for members in self._members.values()
        ]
        priors = _priors(list(self._members.values()))
        self._alike = _alike([*texts, list(topic_tokens)], np.append(priors, np.float32(1)))
        topic = candidates[0].topic_id if candidates else ""
        # The order of the controls must not depend on anything that the learner sees.
        self._controls = Random(f"{settings.seed} {topic}").sample(self._names, len(self._names))

    def order(self, judged: JudgedChoices) -> tuple[Candidate, ...]:
        """The candidates that are not judged, in the order in which they are to be shown.

        What was taken back comes by its likelihood and is never drawn: it has had its place.
        """
        state = self._state(judged)
        scores = self._scores(judged)
        left = [place for place, name in enumerate(self._names) if name not in state.done]
        # What is begun is ended first. Among equals the order of the pool, which is random, holds.
        left.sort(key=lambda place: (self._names[place] not in state.started, -scores[place]))
        best = [self._names[place] for place in left]
        controls = iter([name for name in self._controls if name not in state.ever_done])
        others = iter(best)
        placed: set[VisualGroupKey] = set()
        shown: list[Candidate] = []
        number = len(state.ever_done)
        while len(placed) < len(best):
            source = chain(controls, others) if self._is_control(number) else others
            name = next(name for name in source if name not in placed)
            placed.add(name)
            number += name not in state.ever_done
            shown += [each for each in self._members[name] if judged.get(each.doc_id) is None]
        return tuple(shown)

    def estimate(self, judged: JudgedChoices) -> RemainingRelevant | None:
        """How many relevant ones are left, by the random draws among what was judged.

        What is counted is what has one place in the order: a formula, not each instance of it. None
        without any draws. What was taken back keeps its place in the order, so that all draws
        before and after it are known as such; until it is judged again it is one of those left.
        """
        done = self._state(judged).done
        draws: list[ControlDraw] = []
        before: set[VisualGroupKey] = set()
        standing = found = 0
        controls = iter(self._controls)
        expected = next(controls, None)
        for name in self._sequence(judged):
            while expected is not None and expected in before:
                expected = next(controls, None)
            is_draw = self._is_control(len(before)) and name == expected
            before.add(name)
            if name in done:
                is_relevant = self._is_relevant(name, judged)
                if is_draw:
                    draws.append(ControlDraw(len(self._names) - standing, found, is_relevant))
                standing += 1
                found += is_relevant
        return remaining_relevant(draws, found, len(self._names) - standing) if draws else None

    def _is_control(self, number: int) -> bool:
        """Whether the candidate with that number, from 0, is one that is drawn at random."""
        every = self._settings.control_every
        return every > 0 and number % every == every - 1

    def _state(self, judged: JudgedChoices) -> _JudgingState:
        begun: set[VisualGroupKey] = set()
        done: set[VisualGroupKey] = set()
        met: set[VisualGroupKey] = set()
        for name, members in self._members.items():
            there = sum(judged.get(member.doc_id) is not None for member in members)
            if there == len(members):
                done.add(name)
            elif there:
                begun.add(name)
            if all(member.doc_id in judged for member in members):
                met.add(name)
        return _JudgingState(begun, done, met)

    def _sequence(self, judged: JudgedChoices) -> list[VisualGroupKey]:
        """What was done at some time, in the order in which it first was."""
        places = {doc_id: place for place, doc_id in enumerate(judged)}
        met = self._state(judged).ever_done
        last = {name: max(places[each.doc_id] for each in self._members[name]) for name in met}
        return sorted(met, key=last.__getitem__)

    def _is_relevant(self, name: VisualGroupKey, judged: JudgedChoices) -> bool:
        grades = _grades(self._members[name], judged)
        return max(grades, default=-1) >= self._settings.relevant_from

    def _scores(self, judged: JudgedChoices) -> Floats:
        """How likely each is relevant, as numbers that only compare."""
        places = [len(self._names)]
        targets = [1.0]
        for place, members in enumerate(self._members.values()):
            if grades := _grades(members, judged):
                places.append(place)
                targets.append(self._target(max(grades)))
        return _predicted(self._alike, np.array(places), np.array(targets, dtype=np.float32))

    def _target(self, grade: int) -> float:
        """A grade below those that count as relevant, but not lowest, pulls neither way."""
        if grade >= self._settings.relevant_from:
            return 1.0
        return 0.0 if grade else -1.0


@dataclass(frozen=True, slots=True)
class _JudgingState:
    """What of a topic is begun, that is judged in part, what is done, and what ever was done."""

    started: Set[VisualGroupKey]
    done: Set[VisualGroupKey]
    ever_done: Set[VisualGroupKey]


def _grades(members: Iterable[Candidate], judged: JudgedChoices) -> list[int]:
    """The grades that candidates have, without those that have none."""
    said = (judged.get(member.doc_id) for member in members)
    return [choice.grade for choice in said if choice is not None and choice.grade is not None]


_RANK_OFFSET = 60
"""As in reciprocal rank fusion: the first ranks of a run do not outweigh all others."""

_PRIOR_WEIGHT = 0.5
_RIDGE = 10.0
"""With fewer judgments than words much smoothing is right; from 3 to 100 it matters little."""


def _priors(units: Sequence[Sequence[Candidate]]) -> Floats:
    """From the ranks at which runs returned each, scaled so that the best has 1."""
    sums = [
        max(
            sum(1 / (_RANK_OFFSET + each.rank) for each in candidate.contributions)
            for candidate in members
        )
        for members in units
    ]
    highest = max(sums, default=0.0) or 1.0
    return np.array(sums, dtype=np.float32) / np.float32(highest)


def _alike(texts: Sequence[Sequence[str]], priors: Floats) -> Floats:
    """How much alike each two texts are: the cosine of their tf-idf vectors, and their priors."""
    counts = [Counter(text) for text in texts]
    having = Counter(token for each in counts for token in each)
    # A token of one text alone makes it like no other; it counts only in the length.
    places = {token: place for place, token in enumerate(t for t, n in having.items() if n > 1)}
    vectors = np.zeros((len(texts), len(places)), dtype=np.float32)
    for row, each in enumerate(counts):
        if not each:
            continue
        tokens = list(each)
        weights = (1 + np.log(np.array([each[token] for token in tokens]))) * np.log(
            len(texts) / np.array([having[token] for token in tokens])
        )
        length = float(np.sqrt(weights @ weights)) or 1.0
        for token, weight in zip(tokens, weights, strict=True):
            if token in places:
                vectors[row, places[token]] = weight / length
    weighed = _PRIOR_WEIGHT * priors
    return vectors @ vectors.T + np.outer(weighed, weighed)


def _predicted(alike: Floats, places: NDArray[np.int64], targets: Floats) -> Floats:
    """Ridge regression on the texts at ``places``, told for all but the last, which is the topic.

    Texts that are not relevant, of which there are more in most pools, together weigh no more than
    those that are.
    """
    positive, negative = targets > 0, targets < 0
    weights = np.ones(len(targets), dtype=np.float32)
    if negative.any():
        weights[negative] = min(1.0, positive.sum() / negative.sum())
    system = alike[np.ix_(places, places)] + np.diag(_RIDGE / weights)
    answer: Floats = alike[:-1, places] @ np.linalg.solve(system, targets).astype(np.float32)
    return answer
