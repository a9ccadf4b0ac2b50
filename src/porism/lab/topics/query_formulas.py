"""The formula of a question that makes a formula topic, and how complex formulas are.

The lab chose formulas and said how complex they are by hand (S1 section 5.1, S3 section 5.1). Here
complexity is counted, with bounds by which the lab's published examples get the lab's labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from porism.collection.schema import InstancePlace
from porism.collection.store import Collection, StoredFormula
from porism.model import DocId

LEAST_SYMBOLS = 5
"""With fewer, a formula is too common to be asked for: of the lab's 285 queries 12 have."""

LOW_UP_TO = 14
MEDIUM_UP_TO = 24


class Complexity(StrEnum):
    """How complex a formula is."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class QueryFormula:
    """A formula of a question that could be asked for. ``id`` is that in the collection."""

    id: str
    latex: str
    place: InstancePlace
    symbols: int
    complexity: Complexity


def complexity(slt: str) -> Complexity:
    """By the symbols of the layout tree and the rows that hang on them, counted together.

    >>> complexity("[V!x[=[V!y]]]")
    <Complexity.LOW: 'low'>
    """
    # In Tangent's notation a symbol opens one bracket and a row that hangs on it has one comma;
    # brackets and commas that are symbols have names.
    size = slt.count("[") + slt.count(",")
    if size <= LOW_UP_TO:
        return Complexity.LOW
    return Complexity.MEDIUM if size <= MEDIUM_UP_TO else Complexity.HIGH


def query_formulas(collection: Collection, question_id: str) -> tuple[QueryFormula, ...]:
    """The formulas of a question that could be asked for, by their ids, each LaTeX once.

    They are those of the title, if any of them is fit, and else those of the body (S3 section 5).
    """
    fit: dict[str, QueryFormula] = {}
    for instance in sorted(
        collection.instances_in(question_id), key=lambda each: (each.place, int(each.id))
    ):
        if instance.place is not InstancePlace.COMMENT and _is_fit(instance.formula):
            slt = instance.formula.slt
            formula = QueryFormula(
                instance.id, instance.formula.latex, instance.place, slt.count("["), complexity(slt)
            )
            fit.setdefault("".join(formula.latex.split()), formula)
    in_title = tuple(each for each in fit.values() if each.place is InstancePlace.TITLE)
    return in_title or tuple(fit.values())


def _is_fit(formula: StoredFormula) -> bool:
    """Whether it was read without trouble, is not trivial, and means the same without macros."""
    has_trouble = formula.problem is not None or bool(formula.macros)
    return not has_trouble and formula.slt.count("[") >= LEAST_SYMBOLS


def chosen_formulas(
    choices: Mapping[DocId, Sequence[QueryFormula]], seed: int
) -> dict[DocId, QueryFormula]:
    """One formula of each question that has any, so that all complexities are as even as can be.

    Questions whose formulas leave no choice of complexity come first. Of several formulas of the
    complexity that is wanted most, chance takes one, by the number of their symbols: what has
    twice as many says more, and is taken twice as often.
    """
    random = Random(seed)
    taken: Counter[Complexity] = Counter()
    chosen: dict[DocId, QueryFormula] = {}
    having = [question_id for question_id, found in choices.items() if found]
    random.shuffle(having)
    for question_id in sorted(having, key=lambda id_: len({f.complexity for f in choices[id_]})):
        found = choices[question_id]
        wanted = min(found, key=lambda formula: taken[formula.complexity]).complexity
        alike = [each for each in found if each.complexity is wanted]
        (chosen[question_id],) = random.choices(alike, [each.symbols for each in alike])
        taken[wanted] += 1
    return {id_: chosen[id_] for id_ in choices if id_ in chosen}
