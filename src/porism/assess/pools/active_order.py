"""Likely relevant candidates first, learned from the judgments so far. The lab did not do this.

It saves time if a pool is larger than can be judged, at a price: what is left unjudged then depends
on the learner and not on a depth, and systems that find what it does not expect are at a
disadvantage. So the settings of a pool record this order.

The learner is ridge regression over tf-idf vectors of the texts. It starts with the topic as a
relevant text and with the ranks at which runs returned candidates. Candidates that are judged
together, such as the instances of a formula, have one place in the order.
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
"""The words of a candidate, and other tokens for its content, such as those of formulas."""

JudgedChoices = Mapping[DocId, Choice | None]
"""The current choices of judged candidates of a topic, in the order of their first judgments.

None means withdrawn: such a candidate must be judged again, but has been shown already.
"""


@dataclass(frozen=True, slots=True)
class ActiveOrderSettings:
    """How candidates are ordered.

    Every ``control_every``-th one is drawn at random from all unjudged ones, so that the number of
    relevant ones left can be estimated; 0 draws none. Grades from ``relevant_from`` count as
    relevant, by default High and Medium.
    """

    seed: int = 0
    control_every: int = 5
    relevant_from: int = RELEVANT_GRADE

    def __post_init__(self) -> None:
        if self.control_every < 0:
            raise PorismError(f"found {self.control_every} for control_every: expected 0 or more")
        if self.relevant_from not in (1, 2, 3):
            raise PorismError(f"found {self.relevant_from} for relevant_from: expected 1, 2 or 3")


ORDER, ACTIVE = "order", "active"
_CONTROL, _SEED, _RELEVANT = "active_control_every", "active_seed", "active_relevant_from"


def with_active_order(pool: Pool, settings: ActiveOrderSettings) -> Pool:
    """The pool, with settings that say that candidates are shown in this order."""
    order = {
        ORDER: ACTIVE,
        _CONTROL: str(settings.control_every),
        _SEED: str(settings.seed),
        _RELEVANT: str(settings.relevant_from),
    }
    return replace(pool, settings={**pool.settings, **order})


def active_order_settings(pool: Pool) -> ActiveOrderSettings | None:
    """The settings of a pool with this order; None for any other pool."""
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
            f"the pool's order is {ACTIVE}, but its settings do not have {_SEED}, {_CONTROL} and "
            f"{_RELEVANT} as numbers: draw the pool again"
        ) from None


def bias_note(pool: Pool, unjudged: int) -> str:
    """The note in an export of judgments made in this order; empty if all are judged."""
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
    """The final choices for a topic's candidates, in the order of the first act on each.

    Withdrawn judgments do not count, which leaves the judgments of others, or None.
    """
    acts = sorted(
        (each for each in judgments if each.topic_id == topic_id), key=lambda each: each.number
    )
    finals = final_choices(acts)
    keys = dict.fromkeys((topic_id, each.doc_id) for each in acts)
    return {key[1]: finals[key].choice if key in finals else None for key in keys}


class ActiveTopicOrder:
    """The candidates of one topic with their features, which are computed once from all texts.

    Orders and estimates are functions of the judgments alone, so that no state has to be kept when
    a server restarts.
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
        self._similarities = _similarities(
            [*texts, list(topic_tokens)], np.append(priors, np.float32(1))
        )
        topic = candidates[0].topic_id if candidates else ""
        # The order of the controls must not depend on anything that the learner sees.
        self._controls = Random(f"{settings.seed} {topic}").sample(self._names, len(self._names))

    def order(self, judged: JudgedChoices) -> tuple[Candidate, ...]:
        """The unjudged candidates in display order.

        Withdrawn ones come by their likelihood and are never drawn: they have had their place.
        """
        state = self._state(judged)
        scores = self._scores(judged)
        left = [place for place, name in enumerate(self._names) if name not in state.done]
        # Started groups are finished first. Ties keep the order of the pool, which is random.
        left.sort(key=lambda place: (self._names[place] not in state.started, -scores[place]))
        best = [self._names[place] for place in left]
        controls = iter([name for name in self._controls if name not in state.ever_done])
        others = iter(best)
        placed: set[VisualGroupKey] = set()
        ordered: list[Candidate] = []
        number = len(state.ever_done)
        while len(placed) < len(best):
            source = chain(controls, others) if self._is_control(number) else others
            name = next(name for name in source if name not in placed)
            placed.add(name)
            number += name not in state.ever_done
            ordered += [each for each in self._members[name] if judged.get(each.doc_id) is None]
        return tuple(ordered)

    def estimate(self, judged: JudgedChoices) -> RemainingRelevant | None:
        """The number of relevant ones left, estimated from the random draws among the judged.

        Groups are counted: a formula, not each instance of it. None without any draws. A withdrawn
        judgment keeps its place in the order, so that all draws before and after it are recognised;
        until it is judged again it counts as unjudged.
        """
        done = self._state(judged).done
        draws: list[ControlDraw] = []
        before: set[VisualGroupKey] = set()
        judged_count = known_relevant = 0
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
                    unjudged = len(self._names) - judged_count
                    draws.append(ControlDraw(unjudged, known_relevant, is_relevant))
                judged_count += 1
                known_relevant += is_relevant
        left = len(self._names) - judged_count
        return remaining_relevant(draws, known_relevant, left) if draws else None

    def _is_control(self, number: int) -> bool:
        """Whether the candidate with this number, from 0, is drawn at random."""
        every = self._settings.control_every
        return every > 0 and number % every == every - 1

    def _state(self, judged: JudgedChoices) -> _JudgingState:
        started: set[VisualGroupKey] = set()
        done: set[VisualGroupKey] = set()
        ever_done: set[VisualGroupKey] = set()
        for name, members in self._members.items():
            count = sum(judged.get(member.doc_id) is not None for member in members)
            if count == len(members):
                done.add(name)
            elif count:
                started.add(name)
            if all(member.doc_id in judged for member in members):
                ever_done.add(name)
        return _JudgingState(started, done, ever_done)

    def _sequence(self, judged: JudgedChoices) -> list[VisualGroupKey]:
        """The groups that were ever completely judged, in the order of completion."""
        places = {doc_id: place for place, doc_id in enumerate(judged)}
        ever_done = self._state(judged).ever_done
        last = {
            name: max(places[each.doc_id] for each in self._members[name]) for name in ever_done
        }
        return sorted(ever_done, key=last.__getitem__)

    def _is_relevant(self, name: VisualGroupKey, judged: JudgedChoices) -> bool:
        grades = _grades(self._members[name], judged)
        return max(grades, default=-1) >= self._settings.relevant_from

    def _scores(self, judged: JudgedChoices) -> Floats:
        """Scores for the likelihood of relevance, comparable only with each other."""
        places = [len(self._names)]
        targets = [1.0]
        for place, members in enumerate(self._members.values()):
            if grades := _grades(members, judged):
                places.append(place)
                targets.append(self._target(max(grades)))
        return _predicted(self._similarities, np.array(places), np.array(targets, dtype=np.float32))

    def _target(self, grade: int) -> float:
        """Grades between not relevant and ``relevant_from`` count neither way."""
        if grade >= self._settings.relevant_from:
            return 1.0
        return 0.0 if grade else -1.0


@dataclass(frozen=True, slots=True)
class _JudgingState:
    """The groups of a topic that are partly judged, all judged, and were ever all judged."""

    started: Set[VisualGroupKey]
    done: Set[VisualGroupKey]
    ever_done: Set[VisualGroupKey]


def _grades(members: Iterable[Candidate], judged: JudgedChoices) -> list[int]:
    """The grades of candidates, without choices that are not grades."""
    choices = (judged.get(member.doc_id) for member in members)
    return [choice.grade for choice in choices if choice is not None and choice.grade is not None]


_RANK_OFFSET = 60
"""As in reciprocal rank fusion: the first ranks of a run do not outweigh all others."""

_PRIOR_WEIGHT = 0.5
_RIDGE = 10.0
"""With fewer judgments than words strong smoothing is right; from 3 to 100 it matters little."""


def _priors(units: Sequence[Sequence[Candidate]]) -> Floats:
    """Priors from the ranks at which runs returned each group, scaled to a maximum of 1."""
    sums = [
        max(
            sum(1 / (_RANK_OFFSET + each.rank) for each in candidate.contributions)
            for candidate in members
        )
        for members in units
    ]
    highest = max(sums, default=0.0) or 1.0
    return np.array(sums, dtype=np.float32) / np.float32(highest)


def _similarities(texts: Sequence[Sequence[str]], priors: Floats) -> Floats:
    """The similarity of each two texts: the cosine of their tf-idf vectors, plus their priors."""
    counts = [Counter(text) for text in texts]
    text_counts = Counter(token for each in counts for token in each)
    # A token of a single text adds nothing to a similarity; it counts only in the length.
    places = {
        token: place for place, token in enumerate(t for t, n in text_counts.items() if n > 1)
    }
    vectors = np.zeros((len(texts), len(places)), dtype=np.float32)
    for row, each in enumerate(counts):
        if not each:
            continue
        tokens = list(each)
        weights = (1 + np.log(np.array([each[token] for token in tokens]))) * np.log(
            len(texts) / np.array([text_counts[token] for token in tokens])
        )
        length = float(np.sqrt(weights @ weights)) or 1.0
        for token, weight in zip(tokens, weights, strict=True):
            if token in places:
                vectors[row, places[token]] = weight / length
    weighted = _PRIOR_WEIGHT * priors
    return vectors @ vectors.T + np.outer(weighted, weighted)


def _predicted(similarities: Floats, places: NDArray[np.int64], targets: Floats) -> Floats:
    """Ridge regression on the texts at ``places``, for all but the last, which is the topic.

    In most pools more texts are not relevant; together they weigh no more than the relevant ones.
    """
    positive, negative = targets > 0, targets < 0
    weights = np.ones(len(targets), dtype=np.float32)
    if negative.any():
        weights[negative] = min(1.0, positive.sum() / negative.sum())
    system = similarities[np.ix_(places, places)] + np.diag(_RIDGE / weights)
    solution = np.linalg.solve(system, targets).astype(np.float32)
    predicted: Floats = similarities[:-1, places] @ solution
    return predicted
