"""Query plans: the terms of a query looked up, and their weights with the index's statistics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from porism import deadlines
from porism.compiler import Array
from porism.errors import PorismError
from porism.inverted.documents import Field
from porism.inverted.keys import key
from porism.inverted.layout import IndexMeta
from porism.inverted.query import Clause, WeightingModel
from porism.inverted.scoring import SegmentQuery
from porism.inverted.segments.segment import ABSENT, Segment, TermLookup
from porism.inverted.segments.segment_writer import length_groups, norm_coefficients

QueryTerms = dict[tuple[int, str, bool], list[tuple[float, float, WeightingModel]]]
"""Each occurrence of a term in a query, as (weight, similarity, model).

They are by field, token, and whether the weights of its counts are logarithmic.
"""


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The query terms that the index has, in the query's order, with the weights of postings.

    ``lookups`` has the places of the terms in each segment, ``documents`` how many have each.
    """

    tokens: Sequence[str]
    fields: Array
    logarithmic: Array
    documents: Array
    tf_weights: Array
    deltas: Array
    lookups: Sequence[TermLookup]

    @property
    def has_negative_weights(self) -> bool:
        """Whether a posting may lower a score."""
        return bool((self.tf_weights < 0).any() or (self.deltas < 0).any())


def query_terms(clauses: Sequence[Clause], fields: Sequence[Field]) -> QueryTerms:
    """Return the terms of all clauses, each once per field, in the order of first occurrence."""
    numbers = {of.name: number for number, of in enumerate(fields)}
    terms: QueryTerms = {}
    for clause in clauses:
        deadlines.check()
        if clause.field not in numbers:
            raise PorismError(
                f"the index has no field {clause.field!r}; its fields are {', '.join(numbers)}"
            )
        number = numbers[clause.field]
        is_logarithmic = clause.model.is_logarithmic
        if is_logarithmic and not fields[number].k1:
            raise PorismError(
                f"field {clause.field!r} has k1 = 0; logarithmic weights need a greater one"
            )
        for token, own_weight, similarity in clause.terms:
            weight = clause.weight * own_weight
            # Written so that NaN is refused too.
            if not (
                -LARGEST_WEIGHT <= weight <= LARGEST_WEIGHT
                and -LARGEST_WEIGHT <= similarity <= LARGEST_WEIGHT
            ):
                raise PorismError(f"the weights of {token!r} must be finite and not beyond 1e30")
            if weight:
                times = terms.get((number, token, is_logarithmic))
                if times is None:
                    times = terms[number, token, is_logarithmic] = []
                times.append((weight, similarity, clause.model))
    return terms


LARGEST_WEIGHT = 1e30
"""Greater weights are refused, because scores become 32-bit numbers."""


def plan_query(
    clauses: Sequence[Clause], meta: IndexMeta, segments: Sequence[Segment]
) -> QueryPlan:
    """Look up a query in an index; terms that no live document has are left out."""
    terms = query_terms(clauses, meta.fields)
    tokens = [token for _, token, _ in terms]
    fields = np.array([field for field, _, _ in terms], np.int64)
    logarithmic = np.array([is_logarithmic for _, _, is_logarithmic in terms], np.uint8)
    keys = np.array([key(token) for token in tokens], np.uint64)
    lookups = [_find(fields, keys, segment) for segment in segments]
    documents = np.zeros(len(terms), np.int64)
    for of_segment in lookups:
        documents += of_segment.documents
    tf_weights, deltas = [], []
    total = meta.documents
    k1s = [field.k1 for field in meta.fields]
    for ((field, _, _), times), having in zip(terms.items(), documents.tolist(), strict=True):
        if having:
            tf_weight = delta = 0.0
            for weight, similarity, model in times:
                scaled = weight * model.idf(total, having)
                tf_weight += scaled * (similarity * model.numerator(k1s[field]))
                delta += scaled * model.delta
            tf_weights.append(tf_weight)
            deltas.append(delta)
    kept = np.flatnonzero(documents)
    return QueryPlan(
        [tokens[number] for number in kept.tolist()],
        fields[kept],
        logarithmic[kept],
        documents[kept],
        np.array(tf_weights, np.float64),
        np.array(deltas, np.float64),
        [TermLookup(of.kinds[kept], of.places[kept], of.documents[kept]) for of in lookups],
    )


def _find(fields: Array, keys: Array, segment: Segment) -> TermLookup:
    kinds = np.full(len(keys), ABSENT, np.uint8)
    places = np.zeros(len(keys), np.int64)
    documents = np.zeros(len(keys), np.int64)
    for number in np.unique(fields).tolist():
        at = np.flatnonzero(fields == number)
        lookup = segment.find(number, keys[at])
        kinds[at], places[at], documents[at] = lookup.kinds, lookup.places, lookup.documents
    return TermLookup(kinds, places, documents)


def segment_query(plan: QueryPlan, number: int, segment: Segment, meta: IndexMeta) -> SegmentQuery:
    """Return the plan for the segment of this number, without terms that it does not have."""
    lookup = plan.lookups[number]
    here = np.flatnonzero(lookup.kinds != ABSENT)
    fields = plan.fields[here]
    now = [
        norm_coefficients(of, total.average)
        for of, total in zip(meta.fields, meta.totals, strict=True)
    ]
    then = [
        norm_coefficients(of, written.average)
        for of, written in zip(meta.fields, segment.meta.fields, strict=True)
    ]
    members = np.zeros((len(meta.fields), len(meta.fields)), np.uint8)
    for row, others in enumerate(length_groups(meta.fields)):
        members[row, others] = 1
    requested = np.zeros(len(meta.fields), np.uint8)
    requested[fields] = 1
    return SegmentQuery(
        lookup.kinds[here],
        lookup.places[here],
        fields,
        plan.logarithmic[here],
        plan.tf_weights[here],
        plan.deltas[here],
        np.array([of.base for of in now]),
        np.array([of.slope for of in now]),
        np.array([of.base for of in then]),
        np.array([of.slope for of in then]),
        members,
        requested,
    )


def code_drift(field: Field, average: float, written: float) -> float:
    """Return how far tf / (tf + K) may have moved since codes were written for another average.

    K and K' differ by a factor of at most r = the ratio of the averages, and for any tf the two
    values differ by at most (sqrt(r) - 1) / (sqrt(r) + 1), reached at tf = sqrt(K K').
    """
    if field.b == 0 or field.k1 == 0 or average == written:
        return 0.0
    if average <= 0 or written <= 0:
        return 1.0
    root = sqrt(max(average / written, written / average))
    return (root - 1) / (root + 1)


def single_term_query(query: SegmentQuery, term: int) -> SegmentQuery:
    """Return the query with only one of its terms."""
    at = slice(term, term + 1)
    return query._replace(
        kinds=query.kinds[at],
        places=query.places[at],
        fields=query.fields[at],
        logarithmic=query.logarithmic[at],
        tf_weights=query.tf_weights[at],
        deltas=query.deltas[at],
    )


def counting_query(query: SegmentQuery) -> SegmentQuery:
    """Return a query in which a term that occurs tf times gives tf / (tf + K) with a large K."""
    return query._replace(
        logarithmic=np.zeros_like(query.logarithmic),
        tf_weights=np.ones_like(query.tf_weights),
        deltas=np.zeros_like(query.deltas),
        bases=np.full_like(query.bases, COUNTING_SATURATION),
        slopes=np.zeros_like(query.slopes),
    )


COUNTING_SATURATION = 1e6
"""This K is large enough to recover each count up to 2^32: K * score / (1 - score)."""
