"""Draws a pool from a list of runs and accompanying files, by the rules of the lab."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from porism.assess.pools.active_order import ActiveOrderSettings, with_active_order
from porism.assess.pools.depths import PoolDepths, PoolingPreset, parse_depths, pooling_preset
from porism.assess.pools.instances import InstancePolicy, with_limited_instances
from porism.assess.pools.listed_runs import (
    read_instances,
    read_listed_answers,
    read_listed_runs,
    runs_of_task,
)
from porism.assess.pools.pooling import (
    AnswerNames,
    DrawnPool,
    InstanceLookup,
    PooledInstance,
    RelevantPosts,
    abbreviated_names,
    draw_answers,
    draw_formulas,
    empty_topic_notes,
    post_of_hit,
    relevant_posts,
    with_short_answers,
)
from porism.assess.pools.run_list import ListedRun, read_run_list
from porism.assess.records import RELEVANT_GRADE, Pool, PooledRun
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.formats.qrels import read_answer_ids, read_qrels
from porism.lab.pools.known_answers import EnrichedPool, enriched_pool, with_questions
from porism.lab.pools.pool_posts import judged_post, pool_fingerprint, threads_in, visual_ids_in
from porism.lab.pools.topic_posts import (
    ExcludedPosts,
    PostOf,
    TopicPosts,
    check_posts_of_topics,
    read_topic_posts,
)
from porism.model import DocId, Run, Task, Topic

PooledRuns = Iterator[tuple[PooledRun, Run]]
RunProgress = Callable[[PooledRuns], PooledRuns]
"""Passes runs through, to report progress."""


@dataclass(frozen=True, slots=True)
class PoolRequest:
    """How to draw a pool; None where not specified.

    ``depths``, such as ``primary=50,alternate=20``, override those of ``preset``, which is a year.
    The names of the files are recorded in the settings of the pool.
    """

    task: int
    runs: Path
    preset: str | None = None
    depths: str | None = None
    topics: Path | None = None
    visual_ids: Path | None = None
    task1_qrels: Path | None = None
    relevant: int = RELEVANT_GRADE
    instances: int | None = None
    policy: str | None = None
    answers: Path | None = None
    threads: Path | None = None
    duplicates: Path | None = None
    leave_out: Path | None = None
    is_active: bool = False
    seed: int = 0


def draw_pool(
    request: PoolRequest,
    topics: Sequence[Topic] | None = None,
    collection: Collection | None = None,
    progress: RunProgress = lambda runs: runs,
) -> DrawnPool:
    """The requested pool, with notes for the user.

    ``topics`` are those of ``request.topics``; by default those of the runs. Without a collection
    the pool has no fingerprint and nothing is looked up, so Task 2 needs ``visual_ids``.
    """
    chosen = None if request.preset is None else pooling_preset(request.preset, request.task)
    depths = parse_depths(request.depths) if request.depths else PoolDepths()
    if chosen is not None:
        depths = depths.with_defaults(chosen.depths)
    linked = _LinkedPosts.read(request)
    runs = _Runs(request, read_run_list(request.runs), depths, linked.excluded, progress)
    if request.task == Task.FORMULAS:
        drawn = _formulas(runs, topics, collection)
        drawn = _limited(drawn, request, chosen, collection)
    else:
        drawn = _answers(runs, topics)
    linked.check(request, drawn.pool)
    if collection is not None and (request.threads or request.duplicates):
        drawn = _enriched(drawn, linked, collection)
    pool = replace(drawn.pool, settings=_settings(request, depths, drawn.pool))
    if collection is not None:
        pool = replace(pool, collection=pool_fingerprint(pool, collection))
    if request.is_active:
        pool = with_active_order(pool, ActiveOrderSettings(request.seed))
    return DrawnPool(
        pool, (*drawn.notes, *empty_topic_notes(pool), *_unknown_post_notes(pool, request))
    )


def _settings(request: PoolRequest, depths: PoolDepths, pool: Pool) -> dict[str, str]:
    settings = {"depths": str(depths), **pool.settings}
    for name in ("preset", "topics", "visual_ids", "task1_qrels", "answers", "leave_out"):
        value = getattr(request, name)
        if value is not None:
            settings[name] = value.name if isinstance(value, Path) else str(value)
    return dict(sorted(settings.items()))


@dataclass(frozen=True, slots=True)
class _Runs:
    """The runs of a list, each read on demand."""

    request: PoolRequest
    listed: Sequence[ListedRun]
    depths: PoolDepths
    excluded: ExcludedPosts
    progress: RunProgress

    def of(self, task: int) -> tuple[ListedRun, ...]:
        """The runs of a task."""
        return runs_of_task(self.listed, task, self.request.task)

    def read(self, task: int, post_of: PostOf) -> PooledRuns:
        """The rankings of a task, without excluded posts, so that these do not reduce depths."""
        for pooled, run in self.progress(read_listed_runs(self.of(task), task, self.depths)):
            yield pooled, self.excluded.removed_from(run, post_of)


@dataclass(frozen=True, slots=True)
class _LinkedPosts:
    """The posts of topics in files: their own questions, duplicates of these, excluded posts."""

    threads: TopicPosts
    duplicates: TopicPosts
    excluded: ExcludedPosts

    @classmethod
    def read(cls, request: PoolRequest) -> _LinkedPosts:
        return cls(
            read_topic_posts(request.threads),
            read_topic_posts(request.duplicates),
            ExcludedPosts(read_topic_posts(request.leave_out)),
        )

    def check(self, request: PoolRequest, pool: Pool) -> None:
        """Raise if a file is for other topics, since it would silently have no effect."""
        topics = [topic.id for topic in pool.topics]
        for path, posts in (
            (request.threads, self.threads),
            (request.duplicates, self.duplicates),
            (request.leave_out, self.excluded.posts),
        ):
            check_posts_of_topics(path, posts, topics, "the pool")


def _answers(runs: _Runs, topics: Sequence[Topic] | None) -> DrawnPool:
    request = runs.request
    short = runs.of(Task.SHORT_ANSWERS) if request.task == Task.SHORT_ANSWERS else ()
    if not runs.of(Task.ANSWERS) and not short:
        raise PorismError(f"{request.runs} has no run of Task {request.task}")
    drawn = DrawnPool(Pool(Task.ANSWERS, tuple(topics or ()), (), seed=request.seed))
    if runs.of(Task.ANSWERS):
        rankings = runs.read(Task.ANSWERS, lambda hit: hit.doc_id)
        drawn = draw_answers(rankings, topics, request.seed)
    if short:
        names = _answer_names(request.answers)
        mixed = with_short_answers(drawn.pool, read_listed_answers(short, runs.depths), names)
        drawn = DrawnPool(mixed.pool, (*drawn.notes, *mixed.notes))
    return drawn


def _answer_names(path: Path | None) -> AnswerNames | None:
    if path is None:
        return None
    return {(each.run, each.topic_id): each.answer_id for each in read_answer_ids(path)}


def _formulas(
    runs: _Runs, topics: Sequence[Topic] | None, collection: Collection | None
) -> DrawnPool:
    request = runs.request
    listed = runs.of(Task.FORMULAS)
    if not listed:
        raise PorismError(f"{request.runs} has no run of Task {Task.FORMULAS}")
    lookup = _instance_lookup(request.visual_ids, listed, collection)
    posts = _relevant_posts(request)
    rankings = runs.read(Task.FORMULAS, lambda hit: post_of_hit(hit, lookup(hit.doc_id)))
    drawn = draw_formulas(rankings, lookup, topics, request.seed, posts)
    if posts is not None:
        if not any(topic.id in posts for topic in drawn.pool.topics):
            raise PorismError(
                f"{request.task1_qrels} has no relevant post for any topic: expected judgments of "
                "the same year, whose topics have the same numbers (A.1 for B.1)"
            )
        settings = {**drawn.pool.settings, "relevant": str(request.relevant)}
        drawn = replace(drawn, pool=replace(drawn.pool, settings=settings))
    return drawn


def _instance_lookup(
    visual_ids: Path | None, runs: Sequence[ListedRun], collection: Collection | None
) -> InstanceLookup:
    if visual_ids is None:
        if collection is None:
            raise PorismError(
                "formulas are pooled by visual id: give a file of visual ids or a collection"
            )
        return visual_ids_in(collection)
    in_file = read_instances(visual_ids, runs)
    if collection is None:
        return in_file
    in_collection = visual_ids_in(collection)

    def lookup(doc_id: DocId) -> PooledInstance | None:
        """The visual id from the file, if it has one, and the post from the collection."""
        listed, stored = in_file(doc_id), in_collection(doc_id)
        if stored is None:
            return listed
        return PooledInstance("" if listed is None else listed.visual_id, stored.post_id)

    return lookup


def _relevant_posts(request: PoolRequest) -> RelevantPosts | None:
    if request.task1_qrels is None:
        return None
    return relevant_posts(read_qrels(request.task1_qrels), request.relevant)


def _limited(
    drawn: DrawnPool,
    request: PoolRequest,
    chosen: PoolingPreset | None,
    collection: Collection | None,
) -> DrawnPool:
    """The pool with the requested limit of instances per formula, if any."""
    limit = request.instances or (chosen.instances if chosen else None)
    if limit is None:
        return drawn
    policy = (
        InstancePolicy(request.policy)
        if request.policy
        else chosen.policy
        if chosen
        else InstancePolicy.RUNS
    )
    thread_of = None if collection is None else threads_in(collection)
    return replace(drawn, pool=with_limited_instances(drawn.pool, limit, policy, thread_of))


def _enriched(drawn: DrawnPool, linked: _LinkedPosts, collection: Collection) -> DrawnPool:
    """The pool with the answers of the topics' own threads and duplicates.

    A pool of formulas gets no answers, only the topics' own questions, so that assessors can read
    their threads.
    """
    pool, threads = drawn.pool, linked.threads
    if pool.task == Task.FORMULAS:
        pool = with_questions(pool, collection, threads)
        return DrawnPool(pool, (*drawn.notes, *_question_notes(pool, threads)))
    enriched = enriched_pool(pool, collection, threads, linked.duplicates, linked.excluded)
    return DrawnPool(enriched.pool, (*drawn.notes, *_added_notes(enriched)))


def _question_notes(pool: Pool, threads: TopicPosts) -> Iterator[str]:
    linked = [topic.id for topic in pool.topics if topic.id in threads]
    if absent := [topic_id for topic_id in linked if topic_id not in pool.questions]:
        yield f"the collection lacks the questions of {abbreviated_names(absent)}"


def _added_notes(enriched: EnrichedPool) -> Iterator[str]:
    for source, number in enriched.added.items():
        if number:
            yield f"answers that no run contributed, added from {source}: {number:,}"
    if enriched.absent:
        yield f"the collection lacks the questions {abbreviated_names(enriched.absent)}"


def _unknown_post_notes(pool: Pool, request: PoolRequest) -> Iterator[str]:
    """A note on formulas in unknown posts, which may be excluded ones."""
    if request.leave_out is None or request.task != Task.FORMULAS:
        return
    if unknown := sum(judged_post(each, pool.task) is None for each in pool.candidates):
        yield (
            f"candidates in unknown posts: {unknown:,}; these may be among the posts in "
            f"{request.leave_out}; give a collection to exclude them"
        )
