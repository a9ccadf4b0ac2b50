"""The default system, apart from the others: they take longer to import than a search takes."""

from __future__ import annotations

from porism.catalog.system import Source, System
from porism.model import Task
from porism.rank.systems import porism_answers, porism_formulas

DEFAULT = "porism"

PORISM = System(
    "words, formulas and sentence vectors with learned weights: the default",
    {Task.ANSWERS: porism_answers.ANSWERS, Task.FORMULAS: porism_formulas.FORMULAS},
    source=Source("no paper; docs/systems.md"),
    learned_on=("2020", "2021", "links"),
)
