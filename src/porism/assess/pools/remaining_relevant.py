"""How many relevant candidates are left, estimated from some that were drawn at random.

Of a candidate that was drawn at random from all that were unjudged then, the chance to be relevant
was the share of relevant ones among these. How many had been found by then is known, so each draw
tells of the one unknown, the number of relevant ones in all:

    chance of draw i  =  (all - found before i) / unjudged before i

The product of these chances is the likelihood of a number. It needs nothing of the order in which
other candidates were judged. It assumes that draws were judged as any other candidate would be,
that none was skipped for what it said, and that nobody stops because of the estimate: who looks
again and again and stops at the first good news will be too sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from porism.errors import PorismError

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class ControlDraw:
    """A candidate drawn at random: from how many, with how many relevant ones found before it."""

    unjudged: int
    found: int
    is_relevant: bool


@dataclass(frozen=True, slots=True)
class RemainingRelevant:
    """How many relevant ones are left: most likely, and from ``low`` to ``high`` by 95 %.

    ``found`` and ``unjudged`` are as things are now. ``draws`` is what the estimate rests on.
    """

    likely: int
    low: int
    high: int
    found: int
    unjudged: int
    draws: int


def remaining_relevant(
    draws: Sequence[ControlDraw], found: int, unjudged: int
) -> RemainingRelevant:
    """What is left, every number of relevant ones being as likely as another before the draws.

    Without draws that is anything from none to all that is unjudged.

    >>> draws = [ControlDraw(40, 0, True), ControlDraw(39, 1, False), ControlDraw(38, 1, False)]
    >>> remaining_relevant(draws, found=1, unjudged=37).likely  # a third of 40, but for the one found
    12
    """
    _check(draws, found, unjudged)
    left = np.arange(unjudged + 1)
    chances = np.zeros(unjudged + 1)
    with np.errstate(divide="ignore"):  # what is impossible has the logarithm minus infinity
        for draw in draws:
            share = np.clip((found + left - draw.found) / draw.unjudged, 0, 1)
            chances += np.log(share if draw.is_relevant else 1 - share)
    weights = np.exp(chances - chances.max())
    weights /= weights.sum()
    # The likeliest numbers that make up 95 %: so the likeliest of all is always among them.
    likeliest = np.argsort(-weights, kind="stable")
    inside = likeliest[: int(np.searchsorted(np.cumsum(weights[likeliest]), CONFIDENCE)) + 1]
    return RemainingRelevant(
        likely=int(likeliest[0]),
        low=int(inside.min()),
        high=int(inside.max()),
        found=found,
        unjudged=unjudged,
        draws=len(draws),
    )


def _check(draws: Sequence[ControlDraw], found: int, unjudged: int) -> None:
    for draw in draws:
        found_since = found - draw.found
        judged_since = draw.unjudged - unjudged
        if not 0 <= draw.found <= found or not draw.is_relevant <= found_since <= judged_since - (
            not draw.is_relevant
        ):
            raise PorismError(
                f"found {draw} where {found} relevant are found and {unjudged} unjudged now: "
                "expected fewer found, and more unjudged, before a draw, and no more found since "
                "than were judged"
            )
    if found < 0 or unjudged < 0:
        raise PorismError(
            f"found {found} relevant and {unjudged} unjudged: expected no less than 0"
        )
