"""Pools and the collection they are of: looks and threads of formulas, and answers known to fit.

S1 section 6: to enrich the pools of answers, those of the topic's own thread were added, and those
of threads that moderators had marked as its duplicates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256

from porism.assess.instances import ThreadOf
from porism.assess.pooling import Look, LookOf, shown_order
from porism.assess.records import Candidate, Contribution, Pool
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.model import DocId, LinkKind, TopicId

THREAD = "thread"
DUPLICATES = "duplicates"
"""What contributions are called that no run made; no run may have such a name."""

Questions = Mapping[TopicId, tuple[DocId, ...]]
"""Questions of a collection by topic, as ``read_topic_links`` gives them."""

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
    pool: Pool, collection: Collection, threads: Questions, duplicates: Questions
) -> Enriched:
    """The pool with all answers of the topics' own threads, and of those that they repeat.

    ``threads`` name the topics' own questions. The duplicates of these that the collection knows
    are taken too, besides those in ``duplicates``. An answer that runs had contributed is noted to
    be in such a thread as well. Its rank there is its place: the accepted answer, then by votes.
    The pool then knows the topics' own questions.
    """
    if pool.task == 2:
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
                    place = (topic.id, answer.id)
                    added[source] += place not in candidates
                    known = candidates.get(place, Candidate(*place))
                    candidates[place] = _also(known, Contribution(source, rank))
    pool = replace(
        pool,
        candidates=shown_order(candidates.values(), pool.topics, pool.seed),
        settings={**pool.settings, "enriched": ",".join(_sources(threads, duplicates))},
        questions=dict(_own_questions(pool, collection, threads)),
    )
    return Enriched(pool, dict(added), tuple(absent))


def _own_questions(
    pool: Pool, collection: Collection, threads: Questions
) -> Iterator[tuple[TopicId, DocId]]:
    """The first question of each topic's own posts that the collection has."""
    for topic in pool.topics:
        for post_id in threads.get(topic.id, ()):
            if collection.find_number(post_id) is not None and not collection.has_answer(post_id):
                yield topic.id, post_id
                break


def _duplicates_of(question: DocId, collection: Collection) -> Iterator[DocId]:
    if collection.find_number(question) is not None:
        for link in collection.links(question):
            if link.kind is LinkKind.DUPLICATE:
                yield link.related_id


def _sources(threads: Questions, duplicates: Questions) -> Iterator[str]:
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


def fingerprint(pool: Pool, collection: Collection) -> str:
    """What changes when a post does that is judged, or is gone, and with nothing else.

    So a pool can tell whether assessors see what they saw before, whatever else was added to the
    collection, and wherever it was copied to.
    """
    posts = sorted({(each.post_id or each.doc_id) for each in pool.candidates if not each.text})
    digest = sha256()
    for post_id in posts:
        row = collection.connection.execute(
            "SELECT digest FROM posts WHERE id = ?", (collection.find_number(post_id),)
        ).fetchone()
        digest.update(f"{len(post_id)}:{post_id}={None if row is None else row[0]};".encode())
    return digest.hexdigest()[:16]
