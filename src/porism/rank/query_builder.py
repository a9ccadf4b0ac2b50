"""Systems that search an index with weighted terms, as most do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from porism.analysis import FormulaTokens, query_tokens
from porism.inverted import Clause, Filter, Idf, Index, Term, TermScore
from porism.model import DocId, Formula, Ranking, Topic
from porism.rank.explanations import Explanation, summed


class QueryBuilder(Protocol):
    """How a topic becomes clauses of weighted terms: a value that holds all its parameters."""

    def __call__(self, topic: Topic) -> tuple[Clause, ...]:
        """Return the clauses for a topic."""
        ...


@dataclass(frozen=True, slots=True)
class IndexRanker:
    """Documents of an index by the sum of their term scores; those with score 0 are not found."""

    index: Index = field(repr=False)
    query_builder: QueryBuilder

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        return self.index.search(self.query_builder(topic), k, within)

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        clauses = self.query_builder(topic)
        return [explained_terms(self.index.explain(clauses, doc_id)) for doc_id in doc_ids]

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        clauses = self.query_builder(topic)
        return tuple(dict.fromkeys(term.token for clause in clauses for term in clause.terms))


def explained_terms(parts: Sequence[TermScore]) -> Explanation:
    """Return the score of a document as the sum of its term scores, by field if there are several.

    >>> explained = explained_terms([TermScore("words", "sum", 3, 125, 2.5)])
    >>> explained.label, explained.details[0].label
    ('terms in field words', 'sum (×3, in 125 documents)')
    """
    fields = [
        summed(
            f"terms in field {name}",
            (
                Explanation(
                    f"{part.token} (×{part.count:,}, in {part.documents:,} documents)", part.score
                )
                for part in parts
                if part.field == name
            ),
        )
        for name in dict.fromkeys(part.field for part in parts)
    ]
    return fields[0] if len(fields) == 1 else summed("terms", fields)


def weighted_terms(tokens: Iterable[str], weight: float = 1.0) -> tuple[Term, ...]:
    """Return each token once, with its count times the weight.

    >>> weighted_terms(["sum", "n", "sum"], 0.5)
    (Term(token='sum', weight=1.0, similarity=1.0), Term(token='n', weight=0.5, similarity=1.0))
    """
    return tuple(Term(token, count * weight) for token, count in Counter(tokens).items())


def terms_without_idf(
    index: Index, field_name: str, weights: Mapping[str, float], idf: Idf
) -> tuple[Term, ...]:
    """Return tokens with weights that do not depend on how many documents have each.

    A weight is divided by the ``idf`` that the clause's model multiplies it by. Tokens that no
    document has are left out.
    """
    having = index.frequencies(field_name, tuple(weights)).tolist()
    return tuple(
        Term(token, weight / idf(index.documents, number))
        for (token, weight), number in zip(weights.items(), having, strict=True)
        if number
    )


def formula_tokens(formulas: Iterable[Formula], *notations: FormulaTokens) -> list[str]:
    """Return the tokens of query formulas, in each of the notations."""
    return [
        token
        for formula in formulas
        for notation in notations
        for token in query_tokens(notation, formula.latex, formula.macros).tokens
    ]


def focus_formulas(topic: Topic) -> tuple[Formula, ...]:
    """Return the formula that a formula topic is about.

    A topic without focus, such as a typed one with several formulas, is about all its formulas.
    """
    if topic.focus is not None:
        return (topic.focus,)
    content = (*topic.title, *topic.body)
    return tuple(piece for piece in content if isinstance(piece, Formula))


def filtered_by_labels(within: Filter | None, *labels: str) -> Filter:
    """Return a filter that also demands one of the labels."""
    if within is None:
        return Filter((labels,))
    return Filter((*within.labels, labels), within.documents)
