"""The names of the systems of MIRMU and MSM."""

from __future__ import annotations

from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.structure import mias

MIRMU = systems_of(
    Family.MIRMU,
    {
        "mias": System(
            "MIaS 2020: formulas among all subformulas, as written and unified, and words",
            {Task.ANSWERS: mias.MIAS, Task.FORMULAS: mias.MIAS_FORMULAS},
            source=Source("MIaS 2020 (S1 Table A1)", runs=(("MIRMU", "MIaS"),)),
        ),
    },
)
