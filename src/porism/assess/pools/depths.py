"""Pooling depths by kind of run, and the lab's choices in each year."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from porism.assess.pools.instances import InstancePolicy
from porism.assess.records import RunKind
from porism.errors import PorismError
from porism.model import Task

MAX_DEPTH = 1_000_000
"""Deeper than any run; a larger number is a typo."""


@dataclass(frozen=True, slots=True)
class PoolDepths:
    """Documents, or visually distinct formulas, taken from a run for each topic.

    ``manual`` applies to manual runs of any kind; without it they are pooled like others. A depth
    of 0 takes nothing. None is not specified, and no run may need it.

    >>> print(PoolDepths(primary=50, alternate=20))
    primary=50,alternate=20
    """

    primary: int | None = None
    alternate: int | None = None
    manual: int | None = None
    baseline: int | None = None

    def __str__(self) -> str:
        depths = ((each.name, getattr(self, each.name)) for each in fields(self))
        return ",".join(f"{name}={depth}" for name, depth in depths if depth is not None)

    def for_run(self, kind: RunKind, is_manual: bool) -> int:
        """The depth of a run; an error if none is specified for its kind."""
        depth = {
            RunKind.PRIMARY: self.primary,
            RunKind.ALTERNATE: self.alternate,
            RunKind.BASELINE: self.baseline,
        }[kind]
        if is_manual and self.manual is not None:
            depth = self.manual
        if depth is None:
            raise PorismError(
                f"no depth is given for {kind} runs: expected one, as in {kind}=50, or a preset"
            )
        return depth

    def with_defaults(self, defaults: PoolDepths) -> PoolDepths:
        """These depths, and the defaults where none is specified."""
        depths = {each.name: getattr(self, each.name) for each in fields(self)}
        specified = {name: depth for name, depth in depths.items() if depth is not None}
        return replace(defaults, **specified)


def parse_depths(text: str) -> PoolDepths:
    """Parse depths as printed by ``str``.

    >>> parse_depths("primary=50, baseline=50") == PoolDepths(primary=50, baseline=50)
    True
    """
    names = [each.name for each in fields(PoolDepths)]
    depths: dict[str, int] = {}
    for part in text.split(","):
        name, _, depth = (piece.strip() for piece in part.partition("="))
        if name not in names or name in depths or not is_depth(depth):
            raise PorismError(
                f"found {part.strip()!r} among the depths: expected each of {', '.join(names)} once"
                " at most with a whole number, as in primary=50,alternate=20"
            )
        depths[name] = int(depth)
    return PoolDepths(**depths)


def is_depth(text: str) -> bool:
    """Whether a text is a depth: a whole number that is not too large.

    >>> [is_depth(text) for text in ("0", "50", "-1", "1e3", "99999999")]
    [True, True, False, False, False]
    """
    return text.isascii() and text.isdecimal() and len(text) < 8 and int(text) <= MAX_DEPTH


@dataclass(frozen=True, slots=True)
class PoolingPreset:
    """How the lab pooled in one year, and the number of instances of a formula it judged."""

    depths: PoolDepths
    instances: int | None = None
    policy: InstancePolicy = InstancePolicy.RUNS


MAX_INSTANCES = 5
"""At most this many instances of a formula were judged, in every year."""

_ANSWERS_2020 = PoolDepths(primary=50, alternate=20, manual=50, baseline=50)
_FORMULAS_2020 = PoolDepths(primary=25, alternate=10, baseline=25)
_ANSWERS_2022 = PoolDepths(primary=45, alternate=20, baseline=20)
_FORMULAS_2022 = PoolDepths(primary=25, alternate=15, baseline=25)

PRESETS: dict[str, dict[int, PoolingPreset]] = {
    # S1 sections 4.4 and 5.4, figure 2.
    "2020": {
        Task.ANSWERS: PoolingPreset(_ANSWERS_2020),
        Task.FORMULAS: PoolingPreset(_FORMULAS_2020, MAX_INSTANCES, InstancePolicy.RUNS),
    },
    # For 2021 the papers describe how instances were chosen (S3 section 5.4) but not how deep runs
    # were pooled, so the depths are those of the year before.
    "2021": {
        Task.ANSWERS: PoolingPreset(_ANSWERS_2020),
        Task.FORMULAS: PoolingPreset(
            _FORMULAS_2020, MAX_INSTANCES, InstancePolicy.RECIPROCAL_RANKS
        ),
    },
    # S3 sections 4.4 and 5.4. Two baselines were pooled as primary runs; list them as such.
    "2022": {
        Task.ANSWERS: PoolingPreset(_ANSWERS_2022),
        Task.FORMULAS: PoolingPreset(
            _FORMULAS_2022, MAX_INSTANCES, InstancePolicy.RECIPROCAL_RANKS
        ),
    },
}
"""By year and task. Task 3 is pooled with Task 1: everything in its runs is taken."""


def pooling_preset(year: str, task: int) -> PoolingPreset:
    """The preset of a year for a task."""
    return PRESETS[year][Task.FORMULAS if task == Task.FORMULAS else Task.ANSWERS]
