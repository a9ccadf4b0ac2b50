"""Pools and their collection: visual ids and threads of formulas, and changed posts."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

from porism.assess.pools.instances import ThreadOf
from porism.assess.pools.pooling import InstanceLookup, PooledInstance
from porism.assess.records import Candidate, Pool
from porism.collection.store import Collection
from porism.model import DocId, Task

CACHED_VISUAL_IDS = 1_000_000
"""Size of the cache of visual ids, in formulas: runs have many in common."""


def visual_ids_in(collection: Collection) -> InstanceLookup:
    """A lookup of visual ids in a collection: the lab's, or else ours."""

    @lru_cache(CACHED_VISUAL_IDS)
    def lookup(doc_id: DocId) -> PooledInstance | None:
        if not collection.has_formula(doc_id):
            return None
        instance = collection.instance(doc_id)
        return PooledInstance(instance.effective_visual_id, instance.post_id)

    return lookup


def threads_in(collection: Collection) -> ThreadOf:
    """A lookup of the threads of formulas; a post that the collection lacks is its own thread."""

    def thread_of(candidate: Candidate) -> str:
        post_id = candidate.post_id or DocId(f"formula {candidate.doc_id}")
        return collection.parent(post_id) or post_id

    return thread_of


def judged_post(candidate: Candidate, task: int) -> DocId | None:
    """The post that an assessor reads to judge a candidate of a pool of that task.

    It is the answer itself, or the post of a formula; None if unknown, and for a short answer,
    which is not a post.
    """
    if task == Task.FORMULAS:
        return candidate.post_id
    return None if candidate.text else candidate.doc_id


def pool_fingerprint(pool: Pool, collection: Collection) -> str:
    """A fingerprint that changes only if a judged post changes or disappears.

    It tells whether assessors see the same posts as before, even if the collection was extended or
    copied. Formulas with unknown posts do not count.
    """
    posts = {judged_post(each, pool.task) for each in pool.candidates}
    digest = sha256()
    for post_id in sorted(each for each in posts if each is not None):
        digest.update(f"{len(post_id)}:{post_id}={collection.digest(post_id)};".encode())
    return digest.hexdigest()[:16]


def has_changed_posts(pool: Pool, collection: Collection) -> bool:
    """Whether judged posts changed since a pool was drawn; false if drawn without a collection."""
    return bool(pool.collection) and pool_fingerprint(pool, collection) != pool.collection
