"""Query formulas for formula topics, and the complexity of formulas.

The lab chose formulas and rated their complexity by hand (S1 section 5.1, S3 section 5.1). Here
complexity is computed, with bounds that give the lab's published examples the lab's labels.
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

MIN_SYMBOLS = 5
"""With fewer, a formula is too common as a query: only 12 of the lab's 285 queries have fewer."""

LOW_UP_TO = 14
MEDIUM_UP_TO = 24


class Complexity(StrEnum):
    """The complexity of a formula."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class QueryFormula:
    """A formula of a question that could be a query. ``id`` is that in the collection."""

    id: str
    latex: str
    place: InstancePlace
    symbols: int
    complexity: Complexity


def complexity(slt: str) -> Complexity:
    """The complexity by the number of symbols and of attached rows in the layout tree.

    >>> complexity("[V!x[=[V!y]]]")
    <Complexity.LOW: 'low'>
    """
    # In Tangent's notation each symbol opens one bracket and each attached row has one comma;
    # brackets and commas that are symbols are written as names.
    size = slt.count("[") + slt.count(",")
    if size <= LOW_UP_TO:
        return Complexity.LOW
    return Complexity.MEDIUM if size <= MEDIUM_UP_TO else Complexity.HIGH


def query_formulas(collection: Collection, question_id: str) -> tuple[QueryFormula, ...]:
    """The formulas of a question that could be queries, by id, without repeated LaTeX.

    They are the suitable ones of the title, or if it has none, of the body (S3 section 5).
    """
    suitable: dict[str, QueryFormula] = {}
    for instance in sorted(
        collection.instances_in(question_id), key=lambda each: (each.place, int(each.id))
    ):
        if instance.place is not InstancePlace.COMMENT and _is_suitable(instance.formula):
            stored = instance.formula
            formula = QueryFormula(
                instance.id,
                stored.latex,
                instance.place,
                stored.symbols,
                complexity(str(stored.layout())),
            )
            suitable.setdefault("".join(formula.latex.split()), formula)
    in_title = tuple(each for each in suitable.values() if each.place is InstancePlace.TITLE)
    return in_title or tuple(suitable.values())


def _is_suitable(formula: StoredFormula) -> bool:
    """Whether a formula parsed without problems, uses no macros, and is not trivial."""
    is_clean = formula.problem is None and not formula.macros
    return is_clean and formula.symbols >= MIN_SYMBOLS


def chosen_formulas(
    choices: Mapping[DocId, Sequence[QueryFormula]], seed: int
) -> dict[DocId, QueryFormula]:
    """One formula of each question that has any, balanced over complexities.

    Questions with the least choice of complexity come first. Among the formulas of the rarest
    complexity so far, one is drawn with probability proportional to its symbols: larger formulas
    say more.
    """
    random = Random(seed)
    counts: Counter[Complexity] = Counter()
    chosen: dict[DocId, QueryFormula] = {}
    questions = [question_id for question_id, formulas in choices.items() if formulas]
    random.shuffle(questions)
    for question_id in sorted(questions, key=lambda id_: len({f.complexity for f in choices[id_]})):
        formulas = choices[question_id]
        rarest = min(formulas, key=lambda formula: counts[formula.complexity]).complexity
        candidates = [each for each in formulas if each.complexity is rarest]
        (chosen[question_id],) = random.choices(candidates, [each.symbols for each in candidates])
        counts[rarest] += 1
    return {id_: chosen[id_] for id_ in choices if id_ in chosen}
