"""Pools and the collection they are of: looks and threads of formulas, and posts that changed."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

from porism.assess.instances import ThreadOf
from porism.assess.pooling import Look, LookOf
from porism.assess.records import Candidate, Pool
from porism.collection.store import Collection
from porism.model import FORMULAS_TASK, DocId

LOOKS_KEPT = 1_000_000
"""Of so many formulas the looks stay in memory: runs have many in common."""


def looks_in(collection: Collection) -> LookOf:
    """The looks of a collection's formulas: the lab's visual ids or, where it gave none, ours."""

    @lru_cache(LOOKS_KEPT)
    def look_of(doc_id: DocId) -> Look | None:
        if not collection.has_formula(doc_id):
            return None
        instance = collection.instance(doc_id)
        return Look(instance.shown_id, instance.post_id)

    return look_of


def threads_in(collection: Collection) -> ThreadOf:
    """The threads in which a collection's formulas stand; a post that it lacks stands alone."""

    def thread_of(candidate: Candidate) -> str:
        post_id = candidate.post_id or DocId(f"formula {candidate.doc_id}")
        return collection.parent(post_id) or post_id

    return thread_of


def post_of(candidate: Candidate, task: int) -> DocId | None:
    """The post that somebody reads who judges a candidate of a pool of that task.

    It is the answer itself or where a formula stands; None where that is not known, and of a short
    answer, which is no post.
    """
    if task == FORMULAS_TASK:
        return candidate.post_id
    return None if candidate.text else candidate.doc_id


def fingerprint(pool: Pool, collection: Collection) -> str:
    """What changes when a post does that is judged, or is gone, and with nothing else.

    So a pool can tell whether assessors see what they saw before, whatever else was added to the
    collection, and wherever it was copied to. Formulas whose posts are not known do not count.
    """
    posts = {post_of(each, pool.task) for each in pool.candidates}
    digest = sha256()
    for post_id in sorted(each for each in posts if each is not None):
        digest.update(f"{len(post_id)}:{post_id}={collection.digest(post_id)};".encode())
    return digest.hexdigest()[:16]


def is_changed(pool: Pool, collection: Collection) -> bool:
    """Whether posts are not as they were when a pool was drawn; unknown if it was without them."""
    return bool(pool.collection) and fingerprint(pool, collection) != pool.collection
