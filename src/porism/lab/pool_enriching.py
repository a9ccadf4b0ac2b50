"""Pools and the collection they are of: looks and threads of formulas, and answers known to fit.

S1 section 6: to enrich the pools of answers, those of the topic's own thread were added, and those
of threads that moderators had marked as its duplicates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256

from porism.assess.instances import ThreadOf
from porism.assess.pooling import Look, LookOf, shown_order
from porism.assess.records import Candidate, Contribution, Pool
from porism.collection.questions import has_question
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.lab.topic_posts import NOTHING, Excluded, TopicPosts
from porism.model import FORMULAS_TASK, DocId, LinkKind, TopicId

THREAD = "thread"
DUPLICATES = "duplicates"
"""What contributions are called that no run made; no run may have such a name."""

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


@dataclass(frozen=True, slots=True)
class Enriched:
    """A pool with more in it.

    ``added`` counts the candidates that no run had contributed, by where they came from;
    ``absent`` are questions that the collection does not have, so that nothing could be added.
    """

    pool: Pool
    added: dict[str, int]
    absent: tuple[DocId, ...] = ()


def enriched(
    pool: Pool,
    collection: Collection,
    threads: TopicPosts,
    duplicates: TopicPosts,
    excluded: Excluded = NOTHING,
) -> Enriched:
    """The pool with all answers of the topics' own threads, and of those that they repeat.

    ``threads`` name the topics' own questions. The duplicates of these that the collection knows
    are taken too, besides those in ``duplicates``. An answer that runs had contributed is noted to
    be in such a thread as well. Its rank there is its place: the accepted answer, then by votes.
    Answers that are ``excluded`` are passed over. The pool then knows the topics' own questions.
    """
    if pool.task == FORMULAS_TASK:
        raise PorismError("a pool of formulas cannot be enriched with answers: leave that out")
    candidates = {(each.topic_id, each.doc_id): each for each in pool.candidates}
    added: Counter[str] = Counter()
    absent: dict[DocId, None] = {}
    for topic in pool.topics:
        own = threads.get(topic.id, ())
        repeated = dict.fromkeys(duplicates.get(topic.id, ()))
        for question in own:
            repeated |= dict.fromkeys(_duplicates_of(question, collection))
        for source, questions in ((THREAD, own), (DUPLICATES, tuple(repeated))):
            for question in questions:
                if collection.find_number(question) is None:
                    absent[question] = None
                    continue
                for rank, answer in enumerate(collection.answers(question), start=1):
                    if excluded.has(topic.id, answer.id):
                        continue
                    place = (topic.id, answer.id)
                    added[source] += place not in candidates
                    known = candidates.get(place, Candidate(*place))
                    candidates[place] = _also(known, Contribution(source, rank))
    pool = replace(
        pool,
        candidates=shown_order(candidates.values(), pool.topics, pool.seed),
        settings={**pool.settings, "enriched": ",".join(_sources(threads, duplicates))},
    )
    return Enriched(with_questions(pool, collection, threads), dict(added), tuple(absent))


def with_questions(pool: Pool, collection: Collection, threads: TopicPosts) -> Pool:
    """The pool with the first question of each topic's own posts that the collection has."""
    return replace(pool, questions=dict(_own_questions(pool, collection, threads)))


def _own_questions(
    pool: Pool, collection: Collection, threads: TopicPosts
) -> Iterator[tuple[TopicId, DocId]]:
    for topic in pool.topics:
        for post_id in threads.get(topic.id, ()):
            if has_question(collection, post_id):
                yield topic.id, post_id
                break


def _duplicates_of(question: DocId, collection: Collection) -> Iterator[DocId]:
    if collection.find_number(question) is not None:
        for link in collection.links(question):
            if link.kind is LinkKind.DUPLICATE:
                yield link.related_id


def _sources(threads: TopicPosts, duplicates: TopicPosts) -> Iterator[str]:
    if threads:
        yield THREAD
    if threads or duplicates:
        yield DUPLICATES


def _also(candidate: Candidate, contribution: Contribution) -> Candidate:
    if any(each.run == contribution.run for each in candidate.contributions):
        return candidate  # it is there once, in the first of the threads that have it
    both = (*candidate.contributions, contribution)
    ordered = tuple(sorted(both, key=lambda each: (each.run, each.rank)))
    return replace(candidate, contributions=ordered)


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
        row = collection.connection.execute(
            "SELECT digest FROM posts WHERE id = ?", (collection.find_number(post_id),)
        ).fetchone()
        digest.update(f"{len(post_id)}:{post_id}={None if row is None else row[0]};".encode())
    return digest.hexdigest()[:16]


def is_changed(pool: Pool, collection: Collection) -> bool:
    """Whether posts are not as they were when a pool was drawn; unknown if it was without them."""
    return bool(pool.collection) and fingerprint(pool, collection) != pool.collection
