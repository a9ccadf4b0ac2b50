"""The names of the systems of teams with few."""

from __future__ import annotations

from porism.catalog.system import Family, System, systems_of
from porism.model import Task
from porism.rank.structure import nits, tangent_cft

OTHER_TEAMS = systems_of(
    Family.OTHER_TEAMS,
    {
        "nits-bits": System(
            "NLP_NITS 2020: the share of symbols at the same positions",
            {Task.FORMULAS: nits.NITS_BITS},
        ),
        "nits-embedding": System(
            "JU_NITS 2022: embedded sequences of LaTeX and tree strings; needs porism train nits",
            {Task.FORMULAS: tangent_cft.NITS_EMBEDDING},
        ),
    },
)
