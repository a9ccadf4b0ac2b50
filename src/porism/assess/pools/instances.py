"""Which instances of a formula are judged, if the pool has too many.

Instances share a visual id; each visual id of each topic is limited separately.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction

from porism.assess.pools.visual_groups import visual_groups
from porism.assess.records import Candidate, Pool
from porism.assess.seeded_keys import seeded_key
from porism.errors import PorismError

ThreadOf = Callable[[Candidate], str]
"""The thread that contains a formula."""


class InstancePolicy(StrEnum):
    """Which instances are preferred; ties are broken by the seed.

    ``THREADS`` are the three rules that the lab wrote down before its first year (S2): posts from
    as many threads as possible. ``RUNS``, used in 2020 (S1 section 5.4): those that most runs
    contributed. ``RECIPROCAL_RANKS``, used later (S3 section 5.4): those with the largest sum of
    1 / rank over the runs that contributed them.
    """

    THREADS = "threads"
    RUNS = "runs"
    RECIPROCAL_RANKS = "reciprocal-ranks"


def with_limited_instances(
    pool: Pool, limit: int, policy: InstancePolicy, thread_of: ThreadOf | None = None
) -> Pool:
    """The pool with at most ``limit`` instances per visual id and topic, in the same order.

    ``InstancePolicy.THREADS`` needs ``thread_of``. It chooses among posts, so of several instances
    in one post it keeps the best ranked, even if there are few posts. The others are kept as passed
    over, since they show which runs found the formula.
    """
    if limit < 1:
        raise PorismError(f"found a limit of {limit} instances: expected 1 or more")
    if policy is InstancePolicy.THREADS and thread_of is None:
        raise PorismError("the policy threads needs to know the threads: pass the collection")
    kept: set[tuple[str, str]] = set()
    for instances in visual_groups(pool.candidates).values():
        if policy is InstancePolicy.THREADS and thread_of is not None:
            chosen = _by_threads(instances, limit, pool.seed, thread_of)
        else:
            chosen = _by_votes(instances, limit, policy, pool.seed)
        kept.update((each.topic_id, each.doc_id) for each in chosen)
    passed_over = tuple(
        each for each in pool.candidates if (each.topic_id, each.doc_id) not in kept
    )
    settings = {**pool.settings, "instances": str(limit), "policy": str(policy)}
    return replace(
        pool,
        candidates=tuple(each for each in pool.candidates if (each.topic_id, each.doc_id) in kept),
        settings=settings,
        passed_over=(*pool.passed_over, *passed_over),
    )


def _by_votes(
    instances: Sequence[Candidate], limit: int, policy: InstancePolicy, seed: int
) -> list[Candidate]:
    votes = _runs if policy is InstancePolicy.RUNS else _reciprocal_ranks
    return sorted(instances, key=lambda each: (-votes(each), _tie_key(each, seed)))[:limit]


def _runs(instance: Candidate) -> Fraction:
    return Fraction(len({each.run for each in instance.contributions}))


def _reciprocal_ranks(instance: Candidate) -> Fraction:
    """Exact, so that ties are ties: 1/2 is as much as 1/3 + 1/6."""
    return sum((Fraction(1, each.rank) for each in instance.contributions), Fraction())


def _by_threads(
    instances: Sequence[Candidate], limit: int, seed: int, thread_of: ThreadOf
) -> list[Candidate]:
    """S2's policies: all posts; or one of each thread and then others; or one of some threads.

    They are one rule: one post of each thread, threads in random order, then all other posts in
    random order; the first ``limit`` are taken.
    """
    of_post: dict[str, Candidate] = {}
    for each in sorted(instances, key=lambda each: (_best_rank(each), _tie_key(each, seed))):
        of_post.setdefault(_post(each), each)

    # Each choice has random keys of its own. With one order for all, a thread with many posts would
    # come early because one of them does, and its other posts late.
    def random_key(purpose: str, name: str) -> bytes:
        return seeded_key(seed, purpose, instances[0].topic_id, instances[0].group_key, name)

    first: dict[str, Candidate] = {}
    others: list[Candidate] = []
    for each in sorted(of_post.values(), key=lambda each: random_key("post", _post(each))):
        if first.setdefault(thread_of(each), each) is not each:
            others.append(each)
    threads = sorted(first, key=lambda thread: random_key("thread", thread))
    others.sort(key=lambda each: random_key("other post", _post(each)))
    return [*(first[thread] for thread in threads), *others][:limit]


def _post(instance: Candidate) -> str:
    """The post of an instance; one without a known post counts as a post of its own."""
    return instance.post_id or f"formula {instance.doc_id}"


def _best_rank(instance: Candidate) -> int:
    return min((each.rank for each in instance.contributions), default=0)


def _tie_key(instance: Candidate, seed: int) -> bytes:
    return seeded_key(seed, "instance", instance.topic_id, instance.doc_id)
