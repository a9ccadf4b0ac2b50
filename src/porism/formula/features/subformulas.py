"""The subformulas of a formula as terms, after MIaS: as written, and unified.

A term is a subtree of the operator tree as text, in canonical form. It is preceded by its depth in
the formula and by what is unified:

    0:plus(SUP(x,2),y)        x^2 + y as a whole
    0v:plus(#1,SUP(#2,2))     the same with variables numbered in their order
    0vc:plus(#1,SUP(#2,#))    and with all constants equal
    1:SUP(x,2)                its first operand, one step down

MIaS has Presentation MathML instead, and orders the operands of commutative operators by their
shape. What it leaves open, and how it is here:

- The trees are operator trees: their operators and operands are known, so that every operand is a
  subformula, and the fences of ``(x+1)^2`` do not hide one.
- The operands of commutative operators are ordered by their text, so ``a + b`` and ``b + a`` are
  one term. Where variables are unified, they are ordered by their text without the names of
  variables, and equal ones stay as written; only then variables are numbered.
- Variables are letters, also those of functions; a wildcard of a query counts as a variable, so it
  matches any other variable where these are unified. Constants are numbers.
- Variables are unified first, then constants too, then operators too, by their kinds, as in
  ``leaf_paths``. MIaS also has terms in which constants alone are unified. Whatever these match,
  the next ones match too, and most terms are unique to their formula: they would be a sixth of
  all terms of an index.
- A lone symbol is not unified: it would match every other one.
"""

from __future__ import annotations

from itertools import chain
from operator import itemgetter
from typing import NamedTuple

from porism.formula.caches import LabelCache
from porism.formula.features.leaf_paths import COMMUTING, SUM, operator_kind
from porism.formula.features.tangent_layout import SYMBOL_NAMES, is_wildcard
from porism.formula.tree import Node, Tree

MAX_SUBFORMULA_DEPTH = 6
"""Deeper subformulas have no terms: MIaS would weight them by less than 0.016."""

MAX_SUBFORMULAS = 500
"""Subformulas that have terms, the first in reading order: more than a matrix of 20 by 20 has."""


class Unification(NamedTuple):
    """What is unified in a term; ``name`` says so in the term."""

    name: str
    variables: bool = False
    constants: bool = False
    operators: bool = False


UNIFICATIONS = (
    Unification(""),
    Unification("v", variables=True),
    Unification("vc", variables=True, constants=True),
    Unification("vco", variables=True, constants=True, operators=True),
)


def subformula_terms(tree: Tree) -> list[str]:
    """Return the terms of all subformulas of an operator tree, each subformula before its parts.

    A unified term is left out if it equals one in which less is unified.

    >>> from porism.formula.tree import parse_tree
    >>> subformula_terms(parse_tree("[O!SUP,0[V!y],1[N!2]]", "opt"))
    ['0:SUP(y,2)', '0v:SUP(#1,2)', '0vc:SUP(#1,#)', '1:y', '1:2']
    """
    terms: list[list[str]] = []
    for root in tree.row:
        _add_terms(root, 0, terms)
    return [term for each in terms for term in each]


class _Form(NamedTuple):
    """The text of a subformula with a mark for each unified variable, and their names in order."""

    text: str
    variables: tuple[str, ...]

    def numbered(self) -> str:
        """The text with the number of each variable, by first occurrence."""
        if not self.variables:
            return self.text
        numbers = {name: f"#{place}" for place, name in enumerate(dict.fromkeys(self.variables), 1)}
        pieces = self.text.split(_MARK)
        ends = (
            numbers[name] + piece for name, piece in zip(self.variables, pieces[1:], strict=True)
        )
        return "".join((pieces[0], *ends))


_MARK = "\0"
_CONSTANT = "#"


def _add_terms(node: Node, depth: int, terms: list[list[str]]) -> list[_Form]:
    """Add the terms of a node and of what is below it; return its form for each unification."""
    place = len(terms)
    has_terms = depth <= MAX_SUBFORMULA_DEPTH and place < MAX_SUBFORMULAS
    if has_terms:
        terms.append([])
    label, operands = node.label, node.operands
    if not operands:
        forms = _LEAVES[label]
    else:
        below = [_add_terms(operand, depth + 1, terms) for operand in operands]
        forms = [
            _operation(label, unification, [each[number] for each in below])
            for number, unification in enumerate(UNIFICATIONS)
        ]
    if has_terms:
        texts: dict[str, str] = {}
        used = UNIFICATIONS if operands else UNIFICATIONS[:1]
        for form, unification in zip(forms, used, strict=False):
            texts.setdefault(form.numbered(), unification.name)
        terms[place] = [f"{depth}{name}:{text}" for text, name in texts.items()]
    return forms


def _operation(label: str, unification: Unification, operands: list[_Form]) -> _Form:
    """Return the form of an operator with its operands."""
    name, variables = _text(label), tuple[str, ...]()
    if unification.operators:
        name = operator_kind(label)
        if name == SUM and len(operands) == 1:
            return operands[0]  # a difference is a sum with a sign
    if unification.variables and _is_variable(label):
        name, variables = _MARK, (label[2:],)
    if label[:2] == "U!" or (unification.operators and name in COMMUTING):
        operands = sorted(operands, key=itemgetter(0))
    return _Form(
        f"{name}({','.join([each.text for each in operands])})",
        (*variables, *chain.from_iterable(each.variables for each in operands)),
    )


def _leaf_forms(label: str) -> list[_Form]:
    return [_leaf_form(label, unification) for unification in UNIFICATIONS]


def _leaf_form(label: str, unification: Unification) -> _Form:
    if unification.variables and _is_variable(label):
        return _Form(_MARK, (label[2:] if label[1] == "!" else label,))
    if unification.constants and label[:2] == "N!":
        return _Form(_CONSTANT, ())
    return _Form(_text(label), ())


_LEAVES = LabelCache(_leaf_forms)


def _is_variable(label: str) -> bool:
    """Whether a label is a letter, as a variable or as a function, or a wildcard."""
    if is_wildcard(label):
        return True
    return len(label) == 3 and label[:2] in ("V!", "F!") and label[2].isalpha()


def _text(label: str) -> str:
    """Return the name of a symbol without its type; a wildcard as typed, which no formula has."""
    name = label if is_wildcard(label) else SYMBOL_NAMES[label]
    return name[2:] if name[1:2] == "!" and len(name) > 2 else name
