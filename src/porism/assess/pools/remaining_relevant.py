"""The number of relevant candidates left, estimated from some that were drawn at random.

The probability that a candidate drawn at random from all unjudged ones is relevant is the share of
relevant ones among them. The number known by then is known, so each draw informs about the one
unknown, the total number of relevant ones:

    probability of draw i  =  (total - known before i) / unjudged before i

The product of these is the likelihood of a total. It does not depend on the order in which other
candidates were judged. It assumes that draws were judged like any other candidate, that none was
skipped for its content, and that nobody stops because of the estimate: checking repeatedly and
stopping at the first good news makes it overconfident.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from porism.errors import PorismError

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class ControlDraw:
    """A random draw: unjudged and known relevant candidates before it, and its outcome."""

    unjudged: int
    known_relevant: int
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class RemainingRelevant:
    """The estimated number of relevant ones left, with a 95 % interval from ``low`` to ``high``.

    ``known_relevant`` and ``unjudged`` are current counts. ``draws`` is the number of draws used.
    """

    likely: int
    low: int
    high: int
    known_relevant: int
    unjudged: int
    draws: int


def remaining_relevant(
    draws: Sequence[ControlDraw], known_relevant: int, unjudged: int
) -> RemainingRelevant:
    """The estimate under a uniform prior over the number of relevant ones.

    Without draws the interval is from 0 to all unjudged ones.

    >>> draws = [ControlDraw(40, 0, True), ControlDraw(39, 1, False), ControlDraw(38, 1, False)]
    >>> remaining_relevant(draws, 1, unjudged=37).likely  # a third of 40, less the known one
    12
    """
    _check(draws, known_relevant, unjudged)
    left = np.arange(unjudged + 1)
    chances = np.zeros(unjudged + 1)
    with np.errstate(divide="ignore"):  # the logarithm of 0 is minus infinity
        for draw in draws:
            share = np.clip((known_relevant + left - draw.known_relevant) / draw.unjudged, 0, 1)
            chances += np.log(share if draw.is_relevant else 1 - share)
    weights = np.exp(chances - chances.max())
    weights /= weights.sum()
    # The most likely numbers that make up 95 %, so that the most likely of all is among them.
    likeliest = np.argsort(-weights, kind="stable")
    inside = likeliest[: int(np.searchsorted(np.cumsum(weights[likeliest]), CONFIDENCE)) + 1]
    return RemainingRelevant(
        likely=int(likeliest[0]),
        low=int(inside.min()),
        high=int(inside.max()),
        known_relevant=known_relevant,
        unjudged=unjudged,
        draws=len(draws),
    )


def _check(draws: Sequence[ControlDraw], known_relevant: int, unjudged: int) -> None:
    for draw in draws:
        relevant_since = known_relevant - draw.known_relevant
        judged_since = draw.unjudged - unjudged
        if not 0 <= draw.known_relevant <= known_relevant or not (
            draw.is_relevant <= relevant_since <= judged_since - (not draw.is_relevant)
        ):
            raise PorismError(
                f"found {draw} with {known_relevant} relevant and {unjudged} unjudged now: "
                "expected fewer relevant and more unjudged before a draw, and no more relevant "
                "since then than judged"
            )
    if known_relevant < 0 or unjudged < 0:
        raise PorismError(
            f"found {known_relevant} relevant and {unjudged} unjudged: expected 0 or more"
        )
