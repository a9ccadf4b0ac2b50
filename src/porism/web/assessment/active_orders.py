"""The next candidate in pools judged in an order learned by active learning.

Candidates keep their numbers; what is learned is the order in which they are visited.
"""

from __future__ import annotations

import threading

from fastapi import Request

from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.active_order import (
    ActiveTopicOrder,
    JudgedChoices,
    active_order_settings,
    choices_in_order,
)
from porism.assess.pools.remaining_relevant import RemainingRelevant
from porism.assess.records import Assessor
from porism.collection.store import Collection
from porism.lab.pools.candidate_tokens import candidate_tokens, content_tokens
from porism.model import TopicId
from porism.web.assessment.campaign import AssignedTopic

LOOKAHEAD = 20
"""Places sent ahead, so that an assessor can continue while the server is away."""


class ActiveOrders:
    """The order of each topic; the texts of a topic are read once and kept as token numbers."""

    def __init__(self, store: JudgmentStore) -> None:
        self._store = store
        self._topics: dict[tuple[str, TopicId], ActiveTopicOrder] = {}
        self._locks: dict[tuple[str, TopicId], threading.Lock] = {}

    def is_learned(self, batch: str) -> bool:
        """Whether the order of a batch is learned."""
        return active_order_settings(self._store.pool(batch)) is not None

    def places(
        self, work: AssignedTopic, assessor: Assessor, collection: Collection | None
    ) -> tuple[int, ...]:
        """The places of the candidates to judge next; empty if the order of the pool is fixed."""
        active = self._topic(work, collection)
        if active is None:
            return ()
        place = {each.doc_id: group.at for group in work.groups for each in group.candidates}
        order = active.order(self._judged(work, assessor))
        return tuple(dict.fromkeys(place[each.doc_id] for each in order))[:LOOKAHEAD]

    def remaining(
        self, work: AssignedTopic, assessor: Assessor, collection: Collection | None
    ) -> RemainingRelevant | None:
        """The estimated number of relevant candidates left, if it can be estimated."""
        active = self._topic(work, collection)
        return None if active is None else active.estimate(self._judged(work, assessor))

    def _judged(self, work: AssignedTopic, assessor: Assessor) -> JudgedChoices:
        acts = self._store.judgments(work.batch.name, assessor.name, work.topic.id)
        return choices_in_order((each for each in acts if not each.is_adjudication), work.topic.id)

    def _topic(self, work: AssignedTopic, collection: Collection | None) -> ActiveTopicOrder | None:
        settings = active_order_settings(self._store.pool(work.batch.name))
        if settings is None:
            return None
        key = (work.batch.name, work.topic.id)
        # One thread reads the texts of a topic; others wait only for the same topic. setdefault is
        # atomic.
        with self._locks.setdefault(key, threading.Lock()):
            if key not in self._topics:
                candidates = [each for group in work.groups for each in group.candidates]
                self._topics[key] = ActiveTopicOrder(
                    candidates,
                    lambda each: candidate_tokens(each, work.task, collection),
                    content_tokens((*work.topic.title, *work.topic.body)),
                    settings,
                )
            return self._topics[key]


def remaining_text(left: RemainingRelevant) -> str:
    """An estimate, as shown to assessors."""
    draws = "1 draw" if left.draws == 1 else f"{left.draws:,} draws"
    return (
        f"About {left.likely:,} of the {left.unjudged:,} candidates left may be relevant "
        f"(95 % interval: {left.low:,} to {left.high:,}, from {draws})."
    )


def orders_of(request: Request) -> ActiveOrders:
    """The learned orders of the application."""
    orders: ActiveOrders = request.app.state.orders
    return orders
