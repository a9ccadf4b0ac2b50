"""An index asked by clauses: what most systems are, each with clauses of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from porism.analysis import FormulaTokens, query_tokens
from porism.index import Clause, Filter, Index, Term
from porism.model import Formula, Ranking, Topic


class QueryBuilder(Protocol):
    """What a system asks of an index: a value that holds all its parameters."""

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        """The clauses for a topic."""
        ...


@dataclass(frozen=True, slots=True)
class IndexRanker:
    """The documents of an index by the score of what is asked; those with score 0 are not found."""

    index: Index = field(repr=False)
    query_builder: QueryBuilder

    def rank(self, topic: Topic, k: int, where: Filter | None = None) -> Ranking:
        return self.index.search(self.query_builder(topic), k, where)


def weighted_terms(tokens: Iterable[str], weight: float = 1.0) -> tuple[Term, ...]:
    """Each token once, with its count times the weight.

    >>> weighted_terms(["sum", "n", "sum"], 0.5)
    (Term(token='sum', weight=1.0, similarity=1.0), Term(token='n', weight=0.5, similarity=1.0))
    """
    return tuple(Term(token, count * weight) for token, count in Counter(tokens).items())


def formula_tokens(formulas: Iterable[Formula], *notations: FormulaTokens) -> list[str]:
    """The tokens of query formulas, in each of the notations."""
    return [
        token
        for formula in formulas
        for notation in notations
        for token in query_tokens(notation, formula.latex, formula.macros).tokens
    ]


def focus_formulas(topic: Topic) -> tuple[Formula, ...]:
    """The formula that a formula topic is about; a topic of words alone has none.

    Of a topic without focus, which is what a person types, all formulas are meant.
    """
    if topic.focus is not None:
        return (topic.focus,)
    content = (*topic.title, *topic.body)
    return tuple(piece for piece in content if isinstance(piece, Formula))


def filtered_by_labels(where: Filter | None, *labels: str) -> Filter:
    """The same documents, but only those that have one of the labels."""
    if where is None:
        return Filter((labels,))
    return Filter((*where.labels, labels), where.documents)
