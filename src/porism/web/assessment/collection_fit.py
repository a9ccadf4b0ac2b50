"""How far the collection that is served fits the pools: what it lacks, and whether texts changed.

A collection may have been made anew since a pool was drawn. Candidates that it lacks are shown as
missing, and can be judged a system failure.
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
"""How many missing candidates of a batch are named when the server starts."""


@dataclass(frozen=True, slots=True)
class CollectionFit:
    """The candidates of a batch that the collection lacks, and whether posts have other texts."""

    missing: tuple[Candidate, ...]
    is_changed: bool


class CollectionFits:
    """The fit of each batch, looked at once for each state of the collection."""

    def __init__(self, store: JudgmentStore, shown: CollectionHandle) -> None:
        self._store = store
        self._shown = shown
        self._known: dict[tuple[str, object], CollectionFit] = {}
        self._lock = threading.Lock()

    def of(self, batch: str) -> CollectionFit:
        """The fit of a batch to the collection as it is now."""
        key = (batch, self._shown.state)
        with self._lock:
            if key not in self._known:
                pool, collection = self._store.pool(batch), self._shown.collection()
                self._known[key] = CollectionFit(
                    missing_candidates(pool, collection),
                    collection is not None and has_changed_posts(pool, collection),
                )
            return self._known[key]

    def lines(self) -> Iterator[str]:
        """What is said of all batches when the server starts."""
        for batch in self._store.batches():
            fit = self.of(batch.name)
            if fit.missing and self._shown.collection() is None:
                yield (
                    f"{batch.name}: {len(fit.missing):,} candidates cannot be shown, since no "
                    "collection is served; name it by --collection"
                )
            elif fit.missing:
                yield f"{batch.name}: {_lacking(fit.missing)}"
            elif fit.is_changed:
                yield (
                    f"{batch.name}: the collection has all candidates, but not with the texts that "
                    "they had when the pool was drawn"
                )


def _lacking(missing: tuple[Candidate, ...]) -> str:
    named = [f"{each.topic_id} {each.doc_id}" for each in missing[:MAX_NAMED]]
    rest = len(missing) - len(named)
    more = f" and {rest:,} more" if rest else ""
    return (
        f"the collection does not have {len(missing):,} of the candidates, which can only be "
        f"judged a system failure: {', '.join(named)}{more}"
    )


def fits_of(request: Request) -> CollectionFits:
    """The fits that the application knows."""
    fits: CollectionFits = request.app.state.fits
    return fits
