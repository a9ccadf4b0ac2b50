"""Whether the served collection fits the pools: missing candidates and changed texts.

A collection may have been rebuilt since a pool was drawn. Missing candidates are shown as such and
can be judged as system failures.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

from fastapi import Request

from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import Candidate
from porism.lab.pools.pool_posts import has_changed_posts
from porism.pages.candidates import missing_candidates
from porism.web.assessment.collection_handle import CollectionHandle

MAX_NAMED = 20
"""Missing candidates of a batch listed when the server starts."""


@dataclass(frozen=True, slots=True)
class CollectionFit:
    """The candidates of a batch missing from the collection, and whether posts have changed."""

    missing: tuple[Candidate, ...]
    is_changed: bool


class CollectionFits:
    """The fit of each batch, computed once for each state of the collection."""

    def __init__(self, store: JudgmentStore, handle: CollectionHandle) -> None:
        self._store = store
        self._handle = handle
        self._known: dict[tuple[str, object], CollectionFit] = {}
        self._lock = threading.Lock()

    def of(self, batch: str) -> CollectionFit:
        """The fit of a batch to the current collection."""
        key = (batch, self._handle.state)
        with self._lock:
            if key not in self._known:
                pool, collection = self._store.pool(batch), self._handle.collection()
                self._known[key] = CollectionFit(
                    missing_candidates(pool, collection),
                    collection is not None and has_changed_posts(pool, collection),
                )
            return self._known[key]

    def lines(self) -> Iterator[str]:
        """The warnings for all batches, shown when the server starts."""
        for batch in self._store.batches():
            fit = self.of(batch.name)
            if fit.missing and self._handle.collection() is None:
                yield (
                    f"{batch.name}: {len(fit.missing):,} candidates cannot be shown because no "
                    "collection is served; pass it with --collection"
                )
            elif fit.missing:
                yield f"{batch.name}: {_missing_text(fit.missing)}"
            elif fit.is_changed:
                yield (
                    f"{batch.name}: the collection has all candidates, but some texts have changed "
                    "since the pool was drawn"
                )


def _missing_text(missing: tuple[Candidate, ...]) -> str:
    named = [f"{each.topic_id} {each.doc_id}" for each in missing[:MAX_NAMED]]
    rest = len(missing) - len(named)
    more = f" and {rest:,} more" if rest else ""
    return (
        f"{len(missing):,} candidates are not in the collection and can only be judged as system "
        f"failures: {', '.join(named)}{more}"
    )


def fits_of(request: Request) -> CollectionFits:
    """The fits of the application."""
    fits: CollectionFits = request.app.state.fits
    return fits
