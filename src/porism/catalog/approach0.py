"""The names of Approach0, and what was built on it."""

from __future__ import annotations

from porism.catalog.system import Family, System, systems_of
from porism.model import Task
from porism.rank.structure import approach0

APPROACH0 = systems_of(
    Family.APPROACH0,
    {
        "approach0": System(
            "Approach0: the best common subtree of operator trees, with wildcards",
            {Task.ANSWERS: approach0.APPROACH0, Task.FORMULAS: approach0.APPROACH0_FORMULAS},
        ),
    },
)
