"""A slow, simple search: documents as lists of strings, scores by the formula, in its order."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from math import log2

from porism.inverted import Clause, Field, Filter
from porism.model import DocId, Hit, Ranking, ranked

Document = Mapping[str, Sequence[str]]


def scores(
    documents: Mapping[str, Document], fields: Sequence[Field], clauses: Sequence[Clause]
) -> dict[str, float]:
    """The score of every document in 64-bit numbers."""
    by_name = {field.name: field for field in fields}
    lengths = {field.name: _lengths(documents, fields, field) for field in fields}
    result = dict.fromkeys(documents, 0.0)
    requested: dict[tuple[str, str, bool], list[tuple[float, float, Clause]]] = {}
    for clause in clauses:
        for term in clause.terms:
            weight = clause.weight * term.weight
            if weight:
                requested.setdefault(
                    (clause.field, term.token, clause.model.is_logarithmic), []
                ).append((weight, term.similarity, clause))
    for (name, token, is_logarithmic), times in requested.items():
        field = by_name[name]
        counts = {
            doc_id: list(document.get(name, ())).count(token)
            for doc_id, document in documents.items()
        }
        having = sum(count > 0 for count in counts.values())
        if not having:
            continue
        tf_weight = delta = 0.0
        for weight, similarity, clause in times:
            model = clause.model
            scaled = weight * model.idf(len(documents), having)
            tf_weight += scaled * (similarity * model.numerator(field.k1))
            delta += scaled * model.delta
        average = sum(lengths[name].values()) / len(documents)
        slope = field.k1 * field.b / average if average else 0.0
        for doc_id, count in counts.items():
            if count:
                norm = field.k1 * (1 - field.b) + slope * lengths[name][doc_id]
                part = count / (count + norm)
                if is_logarithmic:
                    part = (1 + log2(1 + log2(count))) / norm
                result[doc_id] += tf_weight * part + delta
    return result


def _lengths(
    documents: Mapping[str, Document], fields: Sequence[Field], field: Field
) -> dict[str, int]:
    sharing = [
        other.name
        for other in fields
        if other is field or (field.length and other.length == field.length)
    ]
    return {
        doc_id: sum(len(document.get(name, ())) for name in sharing)
        for doc_id, document in documents.items()
    }


def search(
    documents: Mapping[str, Document],
    fields: Sequence[Field],
    clauses: Sequence[Clause],
    k: int,
    within: Filter | None = None,
) -> Ranking:
    """The best documents whose score is not 0."""
    return ranked(
        Hit(DocId(doc_id), score)
        for doc_id, score in scores(documents, fields, clauses).items()
        if score != 0 and passes(doc_id, documents[doc_id], within)
    )[:k]


def passes(doc_id: str, document: Document, within: Filter | None) -> bool:
    """Whether a document passes a filter."""
    if within is None:
        return True
    labels = set(document.get("labels", ()))
    return all(labels & set(group) for group in within.labels) and (
        within.documents is None or doc_id in within.documents
    )


def as_float32(score: float) -> float:
    """A score as rankings have it."""
    return float(struct.unpack("f", struct.pack("f", score))[0])
