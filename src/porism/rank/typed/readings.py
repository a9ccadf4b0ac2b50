r"""Near-equal formulas: other notations that a typed formula may have in posts.

Most notations are equal already, because features use one label for a symbol (``\dfrac``,
``\mathrm d``, ``\left(``), or compare operator trees (``a/b``). The rest is rewritten here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from porism.inverted import Clause, Term
from porism.model import Content, Formula, Topic
from porism.rank.query_builder import QueryBuilder
from porism.rank.systems.porism_answers import WORDS
from porism.rank.typed.slashes import with_fractions

_CALL = re.compile(
    r"(\\(?:sin|cos|tan|cot|sec|csc|log|ln|exp|arctan|arcsin|arccos))\s*\(([A-Za-z0-9])\)"
)

_SWAPS = {
    "ln": "log",
    "log": "ln",
    "epsilon": "varepsilon",
    "varepsilon": "epsilon",
    "phi": "varphi",
    "varphi": "phi",
    "mathbf": "mathbb",
}
_SWAPPED = re.compile(rf"\\({'|'.join(sorted(_SWAPS))})(?![A-Za-z])")


def near_formulas(formula: Formula) -> tuple[Formula, ...]:
    r"""Return a formula as typed and, if there is one, in another notation.

    >>> [each.latex for each in near_formulas(Formula("", r"\ln(x)/x^2"))]
    ['\\ln(x)/x^2', '\\frac{\\log x}{x^2}']
    >>> [each.latex for each in near_formulas(Formula("", "x + 1"))]
    ['x + 1']
    """
    latex = _SWAPPED.sub(lambda match: f"\\{_SWAPS[match[1]]}", formula.latex)
    latex = with_fractions(_CALL.sub(r"\1 \2", latex))
    return (formula,) if latex == formula.latex else (formula, replace(formula, latex=latex))


@dataclass(frozen=True, slots=True)
class WithVariants:
    """The query of another builder, with other spellings of words and notations of formulas.

    They count as much as what they stand for; nobody uses two spellings in one text.
    """

    builder: QueryBuilder
    expansions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        clauses = self.builder(topic)
        rewritten = _in_other_notation(topic)
        others = clauses if rewritten == topic else self.builder(rewritten)
        return tuple(
            self._expanded(clause) if clause.field == WORDS.name else _joined(clause, other)
            for clause, other in zip(clauses, others, strict=True)
        )

    def _expanded(self, clause: Clause) -> Clause:
        weights = {term.token: term.weight for term in clause.terms}
        for term in clause.terms:
            for stem in self.expansions.get(term.token, ()):
                weights.setdefault(stem, term.weight)
        return replace(clause, terms=tuple(map(Term, weights, weights.values())))


def _in_other_notation(topic: Topic) -> Topic:
    def rewritten(content: Content) -> Content:
        return tuple(
            piece if isinstance(piece, str) else near_formulas(piece)[-1] for piece in content
        )

    return replace(topic, title=rewritten(topic.title), body=rewritten(topic.body))


def _joined(clause: Clause, other: Clause) -> Clause:
    known = {term.token for term in clause.terms}
    more = tuple(term for term in other.terms if term.token not in known)
    return replace(clause, terms=(*clause.terms, *more)) if more else clause
