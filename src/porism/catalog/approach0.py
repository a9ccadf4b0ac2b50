"""The names of Approach0, and what was built on it."""

from __future__ import annotations

from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.structure import approach0

APPROACH0 = systems_of(
    Family.APPROACH0,
    {
        "approach0": System(
            "Approach0: the best common subtree of operator trees, with wildcards",
            {Task.ANSWERS: approach0.APPROACH0, Task.FORMULAS: approach0.APPROACH0_FORMULAS},
            source=Source(
                "Approach0 2022 (S3 Tables 3 and 4)",
                runs=(
                    ("Baselines", "Approach0"),
                    ("approach0", "a0porter"),
                    ("Approach0", "P300"),
                    ("approach0", "a0"),
                ),
                note="queries made by hand",
            ),
        ),
    },
)
