"""Pools and the collection they are of: looks and threads of formulas, and posts that changed."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

from porism.assess.pools.instances import ThreadOf
from porism.assess.pools.pooling import InstanceLookup, PooledInstance
from porism.assess.records import Candidate, Pool
from porism.collection.store import Collection
from porism.model import DocId, Task

CACHED_VISUAL_IDS = 1_000_000
"""Of so many formulas the looks stay in memory: runs have many in common."""


def visual_ids_in(collection: Collection) -> InstanceLookup:
    """The looks of a collection's formulas: the lab's visual ids or, where it gave none, ours."""

    @lru_cache(CACHED_VISUAL_IDS)
    def look_of(doc_id: DocId) -> PooledInstance | None:
        if not collection.has_formula(doc_id):
            return None
        instance = collection.instance(doc_id)
        return PooledInstance(instance.effective_visual_id, instance.post_id)

    return look_of


def threads_in(collection: Collection) -> ThreadOf:
    """The threads in which a collection's formulas stand; a post that it lacks stands alone."""

    def thread_of(candidate: Candidate) -> str:
        post_id = candidate.post_id or DocId(f"formula {candidate.doc_id}")
        return collection.parent(post_id) or post_id

    return thread_of


def judged_post(candidate: Candidate, task: int) -> DocId | None:
    """The post that somebody reads who judges a candidate of a pool of that task.

    It is the answer itself or where a formula stands; None where that is not known, and of a short
    answer, which is no post.
    """
    if task == Task.FORMULAS:
        return candidate.post_id
    return None if candidate.text else candidate.doc_id


def pool_fingerprint(pool: Pool, collection: Collection) -> str:
    """What changes when a post does that is judged, or is gone, and with nothing else.

    So a pool can tell whether assessors see what they saw before, whatever else was added to the
    collection, and wherever it was copied to. Formulas whose posts are not known do not count.
    """
    posts = {judged_post(each, pool.task) for each in pool.candidates}
    digest = sha256()
    for post_id in sorted(each for each in posts if each is not None):
        digest.update(f"{len(post_id)}:{post_id}={collection.digest(post_id)};".encode())
    return digest.hexdigest()[:16]


def has_changed_posts(pool: Pool, collection: Collection) -> bool:
    """Whether posts are not as they were when a pool was drawn; unknown if it was without them."""
    return bool(pool.collection) and pool_fingerprint(pool, collection) != pool.collection
