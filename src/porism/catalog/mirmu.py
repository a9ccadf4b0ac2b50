"""The names of the systems of MIRMU and MSM."""

from __future__ import annotations

from porism.catalog.system import Family, Source, System, systems_of
from porism.model import Task
from porism.rank.neural import compubert
from porism.rank.structure import mias

MIRMU = systems_of(
    Family.MIRMU,
    {
        "mias": System(
            "MIaS 2020: formulas among all subformulas, as written and unified, and words",
            {Task.ANSWERS: mias.MIAS, Task.FORMULAS: mias.MIAS_FORMULAS},
        ),
        "compubert": System(
            "MIRMU 2020 (CompuBERT): a bi-encoder's answers, formulas in prefix notation",
            {Task.ANSWERS: compubert.COMPUBERT},
            source=Source("S1 4.2; MIRMU's paper of 2020", (("MIRMU", "CompuBERT"),)),
        ),
        "compubert22": System(
            "MSM 2022 (CompuBERT22): a bi-encoder's answers, formulas in LaTeX",
            {Task.ANSWERS: compubert.COMPUBERT22},
            source=Source("S3 4.3", (("MSM", "CompuBERT22"),)),
        ),
    },
)
