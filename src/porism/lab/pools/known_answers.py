"""Pools enriched with known answers.

S1 section 6: the lab added the answers in the topic's own thread, and those in threads that
moderators had marked as its duplicates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from porism.assess.pools.pooling import display_order
from porism.assess.pools.run_list import DUPLICATES, THREAD
from porism.assess.records import Candidate, Pool, PoolContribution
from porism.collection.questions import has_question
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.lab.pools.topic_posts import NO_POSTS, ExcludedPosts, TopicPosts
from porism.model import DocId, LinkKind, Task, TopicId


@dataclass(frozen=True, slots=True)
class EnrichedPool:
    """An enriched pool.

    ``added`` counts the candidates that no run contributed, by source; ``absent`` are questions
    that the collection lacks, so that their answers could not be added.
    """

    pool: Pool
    added: dict[str, int]
    absent: tuple[DocId, ...] = ()


def enriched_pool(
    pool: Pool,
    collection: Collection,
    threads: TopicPosts,
    duplicates: TopicPosts,
    excluded: ExcludedPosts = NO_POSTS,
) -> EnrichedPool:
    """The pool with all answers in the topics' own threads and in duplicates of these.

    ``threads`` has the topics' own questions. Their duplicates are those in ``duplicates`` and
    those linked in the collection. An answer that runs contributed gets the thread as another
    contribution. Its rank there is its position: accepted answer first, then by votes. Answers that
    are ``excluded`` are skipped. The result also has the topics' own questions.
    """
    if pool.task == Task.FORMULAS:
        raise PorismError("a pool of formulas cannot be enriched with answers")
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
                    key = (topic.id, answer.id)
                    added[source] += key not in candidates
                    candidate = candidates.get(key, Candidate(*key))
                    candidates[key] = _with_contribution(candidate, PoolContribution(source, rank))
    pool = replace(
        pool,
        candidates=display_order(candidates.values(), pool.topics, pool.seed),
        settings={**pool.settings, "enriched": ",".join(_sources(threads, duplicates))},
    )
    return EnrichedPool(with_questions(pool, collection, threads), dict(added), tuple(absent))


def with_questions(pool: Pool, collection: Collection, threads: TopicPosts) -> Pool:
    """The pool with each topic's own question: the first of its posts that the collection has."""
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


def _with_contribution(candidate: Candidate, contribution: PoolContribution) -> Candidate:
    if any(each.run == contribution.run for each in candidate.contributions):
        return candidate  # only the first thread with this answer counts
    both = (*candidate.contributions, contribution)
    ordered = tuple(sorted(both, key=lambda each: (each.run, each.rank)))
    return replace(candidate, contributions=ordered)
