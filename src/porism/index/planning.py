"""Clauses into what each segment is asked: terms found, statistics and weights drawn together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite, sqrt

import numpy as np

from porism.errors import PorismError
from porism.index.compiled import Array
from porism.index.documents import Field
from porism.index.keys import key
from porism.index.layout import Meta
from porism.index.query import Clause, Model
from porism.index.scoring import Query
from porism.index.segment import ABSENT, Found, Segment
from porism.index.segment_writing import norms, sharing


@dataclass(frozen=True, slots=True)
class Asked:
    """A term of a field with all that is asked of it: (weight, similarity, model) each time."""

    field: int
    token: str
    key: int
    times: list[tuple[float, float, Model]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Plan:
    """The terms that the index has, in the query's order, with what a posting of each gives.

    ``found`` says for each segment where the terms stand; ``documents`` how many have each.
    """

    terms: Sequence[Asked]
    documents: Array
    tf_weights: Array
    deltas: Array
    found: Sequence[Found]

    @property
    def has_negative_weights(self) -> bool:
        """Whether a posting may make a score smaller."""
        return bool((self.tf_weights < 0).any() or (self.deltas < 0).any())


def asked(clauses: Sequence[Clause], fields: Sequence[Field]) -> list[Asked]:
    """The terms of all clauses, each once for a field, in the order of their first places."""
    numbers = {of.name: number for number, of in enumerate(fields)}
    terms: dict[tuple[int, str], Asked] = {}
    for clause in clauses:
        if clause.field not in numbers:
            raise PorismError(
                f"the index has no field {clause.field!r}; its fields are {', '.join(numbers)}"
            )
        number = numbers[clause.field]
        for term in clause.terms:
            weight = clause.weight * term.weight
            if not (isfinite(weight) and isfinite(term.similarity)):
                raise PorismError(f"the weights of {term.token!r} must be finite numbers")
            if weight == 0:
                continue
            entry = terms.get((number, term.token))
            if entry is None:
                entry = Asked(number, term.token, key(term.token))
                terms[number, term.token] = entry
            entry.times.append((weight, term.similarity, clause.model))
    return list(terms.values())


def plan(clauses: Sequence[Clause], meta: Meta, segments: Sequence[Segment]) -> Plan:
    """What a query asks of an index; terms that no live document has are left out."""
    terms = asked(clauses, meta.fields)
    found = [_find(terms, segment) for segment in segments]
    documents = np.zeros(len(terms), np.int64)
    for of_segment in found:
        documents += of_segment.documents
    kept = np.flatnonzero(documents)
    tf_weights, deltas = np.zeros(len(kept)), np.zeros(len(kept))
    for i, number in enumerate(kept):
        term = terms[number]
        k1 = meta.fields[term.field].k1
        for weight, similarity, model in term.times:
            scaled = weight * model.idf(meta.documents, int(documents[number]))
            tf_weights[i] += scaled * (similarity * model.numerator(k1))
            deltas[i] += scaled * model.delta
    return Plan(
        [terms[number] for number in kept],
        documents[kept],
        tf_weights,
        deltas,
        [Found(of.kinds[kept], of.places[kept], of.documents[kept]) for of in found],
    )


def _find(terms: Sequence[Asked], segment: Segment) -> Found:
    kinds = np.full(len(terms), ABSENT, np.uint8)
    places = np.zeros(len(terms), np.int64)
    documents = np.zeros(len(terms), np.int64)
    for number in {term.field for term in terms}:
        at = [i for i, term in enumerate(terms) if term.field == number]
        found = segment.find(number, np.array([terms[i].key for i in at], np.uint64))
        kinds[at], places[at], documents[at] = found.kinds, found.places, found.documents
    return Found(kinds, places, documents)


def query_of(plan: Plan, number: int, segment: Segment, meta: Meta) -> Query:
    """What the plan asks of the segment of this number; terms it has not are left out."""
    found = plan.found[number]
    here = np.flatnonzero(found.kinds != ABSENT)
    fields = np.array([term.field for term in plan.terms], np.int64)[here]
    now = [norms(of, total.average) for of, total in zip(meta.fields, meta.totals, strict=True)]
    then = [
        norms(of, written.average)
        for of, written in zip(meta.fields, segment.meta.fields, strict=True)
    ]
    members = np.zeros((len(meta.fields), len(meta.fields)), np.uint8)
    for row, others in enumerate(sharing(meta.fields)):
        members[row, others] = 1
    wanted = np.zeros(len(meta.fields), np.uint8)
    wanted[fields] = 1
    return Query(
        found.kinds[here],
        found.places[here],
        fields,
        plan.tf_weights[here],
        plan.deltas[here],
        np.array([of.base for of in now]),
        np.array([of.slope for of in now]),
        np.array([of.base for of in then]),
        np.array([of.slope for of in then]),
        members,
        wanted,
    )


def drift(field: Field, average: float, written: float) -> float:
    """How far tf / (tf + K) may have moved since codes were written for another average length.

    K and K' differ by a factor of at most r = the ratio of the averages, and for any tf the two
    values differ by at most (sqrt(r) - 1) / (sqrt(r) + 1), reached at tf = sqrt(K K').
    """
    if field.b == 0 or field.k1 == 0 or average == written:
        return 0.0
    if average <= 0 or written <= 0:
        return 1.0
    root = sqrt(max(average / written, written / average))
    return (root - 1) / (root + 1)


def one_term(query: Query, term: int) -> Query:
    """A query of one of the terms alone."""
    at = slice(term, term + 1)
    return query._replace(
        kinds=query.kinds[at],
        places=query.places[at],
        fields=query.fields[at],
        tf_weights=query.tf_weights[at],
        deltas=query.deltas[at],
    )


def counting(query: Query) -> Query:
    """A query under which a term that stands tf times gives tf / (tf + COUNTING)."""
    return query._replace(
        tf_weights=np.ones_like(query.tf_weights),
        deltas=np.zeros_like(query.deltas),
        bases=np.full_like(query.bases, COUNTING),
        slopes=np.zeros_like(query.slopes),
    )


COUNTING = 1e6
"""With so large a K each count up to 2^32 comes back from the score: K * score / (1 - score)."""
