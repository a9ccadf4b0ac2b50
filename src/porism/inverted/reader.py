"""An index opened for searching: one mapped state, which a writer does not change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism import deadlines
from porism.compiler import Array
from porism.errors import PorismError
from porism.inverted.keys import key
from porism.inverted.layout import META, IndexMeta, read_meta
from porism.inverted.query import Clause, Filter, TermScore
from porism.inverted.scoring import SegmentQuery, add_scores, workspace
from porism.inverted.search.filter_masks import ALL_DOCUMENTS, Mask, filter_mask
from porism.inverted.search.index_search import best_documents
from porism.inverted.search.query_plan import (
    COUNTING_SATURATION,
    counting_query,
    plan_query,
    segment_query,
    single_term_query,
)
from porism.inverted.segments.dictionary import key_label
from porism.inverted.segments.merge import block_postings
from porism.inverted.segments.segment import ABSENT, Segment
from porism.model import DocId, Hit, Ranking
from porism.storage.errors import IndexFormatError

_ATTEMPTS = 20
_MASKS_KEPT = 16
_IDS_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class FieldStatistics:
    """Statistics of one field: live documents that have it, their tokens, distinct terms.

    ``average_length`` is the average of the document length by which the field is scored, over all
    live documents. Terms that only deleted documents have are counted until a merge.
    """

    documents: int
    tokens: int
    terms: int
    average_length: float


@dataclass(frozen=True, slots=True)
class FieldPostings:
    """All postings of a field in some documents, by term.

    Term ``i`` has the next ``sizes[i]`` of ``documents``, which are places in ``doc_ids``, and of
    ``counts``.
    """

    doc_ids: list[DocId]
    keys: NDArray[np.uint64]
    sizes: NDArray[np.int64]
    documents: NDArray[np.int64]
    counts: NDArray[np.int64]


def open_inverted_index(path: str | Path) -> Index:
    """Open the index in a folder as its last commit left it."""
    folder = Path(path)
    for _ in range(_ATTEMPTS):
        meta = read_meta(folder)
        try:
            return open_commit(folder, meta)
        except FileNotFoundError:
            continue  # a writer has just merged these segments: read the new state
    raise IndexFormatError(
        f"{folder} is incomplete: files named in {META} are missing; index again"
    )


def open_commit(folder: Path, meta: IndexMeta) -> Index:
    """Open one state of the index in a folder; FileNotFoundError if it is no longer there."""
    try:
        return Index(folder, meta, [Segment(folder, of) for of in meta.segments])
    except FileNotFoundError:
        raise
    except OSError as error:
        raise PorismError(f"cannot open the index {folder}: {error.strerror}") from error


class Index:
    """One state of an index. Scores are exact; statistics are of live documents."""

    def __init__(self, path: Path, meta: IndexMeta, segments: Sequence[Segment]) -> None:
        self.path = path
        self._meta = meta
        self._segments = segments
        self._numbers = {field.name: number for number, field in enumerate(meta.fields)}
        self._masks: dict[Filter, list[Mask]] = {}
        self.documents = meta.documents
        self.about: Mapping[str, Any] = MappingProxyType(dict(meta.about))  # its maker's JSON
        self.fields: Mapping[str, FieldStatistics] = MappingProxyType(
            {
                field.name: FieldStatistics(of.documents, of.tokens, of.terms, of.average)
                for field, of in zip(meta.fields, meta.totals, strict=True)
            }
        )

    @property
    def fingerprint(self) -> str:
        """A short text for this state: equal for equal fields, documents and postings."""
        digest = blake2b(digest_size=8)
        digest.update(repr(self._meta.fields).encode())
        for segment in self._segments:
            digest.update(segment.meta.digest.encode())
            if segment.deleted is not None:
                digest.update(segment.deleted.data)
        return digest.hexdigest()

    def search(
        self, clauses: Sequence[Clause], k: int, within: Filter | None = None, cores: int = 1
    ) -> Ranking:
        """Return exactly the best ``k`` documents whose score is not 0, as ``model.ranked`` would.

        ``cores`` is the number of threads; the ranking does not depend on it.
        """
        best = self.best(clauses, k, within, cores)
        return tuple(Hit(doc_id, score) for score, doc_id in best)

    def best(
        self, clauses: Sequence[Clause], k: int, within: Filter | None = None, cores: int = 1
    ) -> list[tuple[float, DocId]]:
        """Return what ``search`` finds as scores and ids, which are cheaper to process further."""
        if k < 1 or not self.documents:
            return []
        masks = self._filter_masks(within)
        plan = plan_query(clauses, self._meta, self._segments)
        return best_documents(plan, self._meta, self._segments, masks, k, cores)

    def allowed(self, doc_ids: Sequence[str], within: Filter | None = None) -> NDArray[np.bool_]:
        """Return which of these documents are here and pass a filter, in their order.

        So what is not an inverted index, such as a store of vectors, can apply the same filters.
        """
        result = np.zeros(len(doc_ids), bool)
        masks = self._filter_masks(within)
        for segment, mask in zip(self._segments, masks, strict=True):
            documents = segment.numbers(doc_ids)
            at = np.flatnonzero(documents >= 0)
            result[at] = True if mask is ALL_DOCUMENTS else mask[documents[at]] != 0
        return result

    def _filter_masks(self, within: Filter | None) -> list[Mask]:
        """Return the mask of each segment; those of recent filters are kept."""
        wanted = within if within is not None else Filter()
        masks = self._masks.get(wanted)
        if masks is None:
            masks = [filter_mask(segment, wanted, self._meta) for segment in self._segments]
            if len(self._masks) >= _MASKS_KEPT:
                self._masks.clear()
            self._masks[wanted] = masks
        return masks

    def scores(self, clauses: Sequence[Clause], doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """Return the exact scores of documents, in their order; 0 for those that are not here."""
        result = np.zeros(len(doc_ids))
        plan = plan_query(clauses, self._meta, self._segments)
        for number, segment in enumerate(self._segments):
            deadlines.check()
            query = segment_query(plan, number, segment, self._meta)
            documents = segment.numbers(doc_ids)
            at = np.flatnonzero(documents >= 0)
            result[at] = _scores(segment, query, documents[at])
        return result

    def lengths(self, field: str, doc_ids: Sequence[str]) -> NDArray[np.int64]:
        """Return the document lengths by which a field is scored; 0 for absent documents."""
        number = self._number(field)
        result = np.zeros(len(doc_ids), np.int64)
        for segment in self._segments:
            documents = segment.numbers(doc_ids)
            at = np.flatnonzero(documents >= 0)
            result[at] = segment.lengths[number, documents[at]]
        return result

    def explain(self, clauses: Sequence[Clause], doc_id: str) -> tuple[TermScore, ...]:
        """Return the contribution of each query term that a document has, in the query's order.

        They add up to the score; there are none if the document is not here.
        """
        parts: list[TermScore] = []
        plan = plan_query(clauses, self._meta, self._segments)
        for number, segment in enumerate(self._segments):
            document = segment.number(doc_id)
            if document is None:
                continue
            query = segment_query(plan, number, segment, self._meta)
            here = np.flatnonzero(plan.lookups[number].kinds != ABSENT)
            score_of = _scorer(segment, document)
            for at, place in enumerate(here.tolist()):
                deadlines.check()
                alone = single_term_query(query, at)
                seen = score_of(counting_query(alone))
                if seen:
                    count = round(COUNTING_SATURATION * seen / (1 - seen))
                    score = score_of(alone)
                    name = self._meta.fields[plan.fields[place]].name
                    having = int(plan.documents[place])
                    parts.append(TermScore(name, plan.tokens[place], count, having, score))
        return tuple(parts)

    def frequency(self, field: str, token: str) -> int:
        """Return how many live documents have a token in a field."""
        return int(self.frequencies(field, (token,))[0])

    def frequencies(self, field: str, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return how many live documents have each of these tokens in a field."""
        number = self._number(field)
        wanted = np.array([key(token) for token in tokens], np.uint64)
        having = np.zeros(len(tokens), np.int64)
        for segment in self._segments:
            deadlines.check()
            having += segment.find(number, wanted).documents
        return having

    def tokens(self, field: str) -> Iterator[tuple[str, int]]:
        """Yield the tokens of a field, unordered, with the number of live documents of each."""
        number = self._number(field)
        parts = [segment.keys(number) for segment in self._segments]
        for at in np.unique(np.concatenate([np.zeros(0, np.uint64), *parts])):
            wanted = np.array([at], np.uint64)
            having = sum(
                int(segment.find(number, wanted).documents[0]) for segment in self._segments
            )
            if having:
                yield self._token(int(at)), having

    def postings(self, field: str) -> Iterator[FieldPostings]:
        """Yield the postings of a field, of all live documents in batches, each document in one."""
        number = self._number(field)
        for segment in self._segments:
            size = segment.postings.block
            for block in range(segment.blocks):
                deadlines.check()
                documents = np.arange(block * size, min((block + 1) * size, segment.meta.documents))
                live = np.ones(len(documents), bool)
                if segment.deleted is not None:
                    live = segment.deleted[documents] == 0
                local = np.where(live, np.cumsum(live) - 1, -1)
                part = block_postings(segment, self._meta.fields, number, block, local)
                counts = part.counts.astype(np.int64)
                counts[part.counts == 255] = part.large
                yield FieldPostings(
                    segment.ids.doc_ids(documents[live]),
                    part.keys,
                    part.sizes.astype(np.int64),
                    part.documents.astype(np.int64),
                    counts,
                )

    def contains(self, doc_id: str) -> bool:
        """Whether a document is here."""
        return any(segment.number(doc_id) is not None for segment in self._segments)

    def doc_ids(self, within: Filter | None = None) -> Iterator[str]:
        """Yield the ids of all live documents that pass a filter, in the order they were added."""
        for segment, mask in zip(self._segments, self._filter_masks(within), strict=True):
            is_whole = mask is ALL_DOCUMENTS
            documents = np.arange(segment.meta.documents) if is_whole else np.flatnonzero(mask)
            for at in range(0, len(documents), _IDS_AT_ONCE):
                yield from segment.ids.doc_ids(documents[at : at + _IDS_AT_ONCE])

    def count(self, within: Filter | None = None) -> int:
        """Return how many live documents pass a filter."""
        return sum(
            segment.meta.documents if mask is ALL_DOCUMENTS else int(np.count_nonzero(mask))
            for segment, mask in zip(self._segments, self._filter_masks(within), strict=True)
        )

    def _number(self, field: str) -> int:
        if field not in self._numbers:
            raise PorismError(
                f"the index has no field {field!r}; its fields are {', '.join(self._numbers)}"
            )
        return self._numbers[field]

    def _token(self, wanted: int) -> str:
        for segment in self._segments:
            token = segment.tokens.find(wanted)
            if token is not None:
                return token
        return key_label(wanted)


def _scores(segment: Segment, query: SegmentQuery, documents: Array) -> NDArray[np.float64]:
    """Return the scores of documents of a segment, which may repeat."""
    block = segment.postings.block
    once, places = np.unique(documents, return_inverse=True)
    scores = np.zeros(len(once))
    work = workspace(min(len(once), block), len(query.kinds))
    for number in np.unique(once // block).tolist():
        first, last = np.searchsorted(once, (number * block, (number + 1) * block))
        candidates = once[first:last] - number * block
        add_scores(segment.postings, query, number, candidates, work, scores[first:last])
    return scores[places]


def _scorer(segment: Segment, document: int) -> Callable[[SegmentQuery], float]:
    """Return a function that scores a document of a segment for one query after another."""
    block = segment.postings.block
    number, place = divmod(document, block)
    candidates = np.array([place])
    work = workspace(1, 1)

    def score(query: SegmentQuery) -> float:
        scores = np.zeros(1)
        add_scores(segment.postings, query, number, candidates, work, scores)
        return float(scores[0])

    return score
