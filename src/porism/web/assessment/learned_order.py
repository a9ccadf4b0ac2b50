"""Which candidate comes next where a pool is judged by active learning.

Candidates keep their numbers; what is learned is in which order one goes on among them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from fastapi import Request

from porism.analysis import Notation, query_tokens
from porism.assess.active_order import ActiveTopic, Judged, active_settings, judged_in_order
from porism.assess.records import Assessor, Candidate
from porism.assess.remaining import Remaining
from porism.assess.store import Store
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.formats.markup import content
from porism.model import FORMULAS_TASK, Content, Formula, TopicId
from porism.text import PLAIN
from porism.web.assessment.work import TopicWork

AHEAD = 20
"""So many places are told beforehand, so that an assessor can go on while the server is away."""


class LearnedOrders:
    """The orders of topics; the texts of a topic are read once, and kept as numbers."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._topics: dict[tuple[str, TopicId], ActiveTopic] = {}
        self._lock = threading.Lock()

    def is_learned(self, batch: str) -> bool:
        """Whether the order of a batch is one that is learned."""
        return active_settings(self._store.pool(batch)) is not None

    def places(
        self, work: TopicWork, assessor: Assessor, collection: Collection | None
    ) -> tuple[int, ...]:
        """The places of the candidates to judge next; none if the pool has its own order."""
        active = self._topic(work, collection)
        if active is None:
            return ()
        place = {each.doc_id: group.at for group in work.groups for each in group.candidates}
        order = active.order(self._judged(work, assessor))
        return tuple(dict.fromkeys(place[each.doc_id] for each in order))[:AHEAD]

    def remaining(
        self, work: TopicWork, assessor: Assessor, collection: Collection | None
    ) -> Remaining | None:
        """How many relevant candidates are likely left, if that can be told."""
        active = self._topic(work, collection)
        return None if active is None else active.estimate(self._judged(work, assessor))

    def _judged(self, work: TopicWork, assessor: Assessor) -> Judged:
        said = self._store.judgments(work.batch.name, assessor.name, work.topic.id)
        return judged_in_order((each for each in said if not each.is_adjudication), work.topic.id)

    def _topic(self, work: TopicWork, collection: Collection | None) -> ActiveTopic | None:
        settings = active_settings(self._store.pool(work.batch.name))
        if settings is None:
            return None
        key = (work.batch.name, work.topic.id)
        with self._lock:  # one reads the texts, and others wait for it
            if key not in self._topics:
                candidates = [each for group in work.groups for each in group.candidates]
                self._topics[key] = ActiveTopic(
                    candidates,
                    lambda each: _tokens(_text(each, work.task, collection)),
                    _tokens((*work.topic.title, *work.topic.body)),
                    settings,
                )
            return self._topics[key]


def told_remaining(left: Remaining) -> str:
    """What an assessor is told of an estimate."""
    draws = "1 draw" if left.draws == 1 else f"{left.draws:,} draws"
    return (
        f"Of the {left.unjudged:,} that are left about {left.likely:,} may be relevant "
        f"({left.low:,} to {left.high:,} by 95 %, from {draws})."
    )


def orders_of(request: Request) -> LearnedOrders:
    """The orders that the application has learned."""
    orders: LearnedOrders = request.app.state.orders
    return orders


def _text(candidate: Candidate, task: int, collection: Collection | None) -> Content:
    """What a candidate says; of a formula, itself and the post around it."""
    if candidate.text:
        return content(candidate.text)
    if collection is None:
        return ()
    try:
        post_id = candidate.post_id
        if task == FORMULAS_TASK and post_id is None:
            post_id = collection.instance(candidate.doc_id).post_id
        post = collection.post(post_id or candidate.doc_id)
    except PorismError:  # the collection does not have it any more
        return ()
    said = (*post.title, *post.body)
    own = tuple(each for each in said if isinstance(each, Formula) and each.id == candidate.doc_id)
    return (*own, *said)


def _tokens(said: Content) -> Sequence[str]:
    """Words as stems, and the tuples of formulas."""
    words = PLAIN("\n".join(each for each in said if isinstance(each, str)))
    formulas = (each for each in said if isinstance(each, Formula))
    return [
        *words,
        *(
            token
            for each in formulas
            for token in query_tokens(Notation.L8, each.latex, each.macros).tokens
        ),
    ]
