"""A pool drawn from a list of runs and the files beside it, by the rules of the lab."""

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
from porism.lab.pools.topic_posts import ExcludedPosts, PostOf, TopicPosts, read_topic_posts
from porism.model import DocId, Run, Task, Topic

PooledRuns = Iterator[tuple[PooledRun, Run]]
Counted = Callable[[PooledRuns], PooledRuns]
"""The same runs; whoever waits may be told of each that goes by."""


@dataclass(frozen=True, slots=True)
class PoolRequest:
    """How a pool shall be drawn; what was not said is None.

    ``depths``, such as ``primary=50,alternate=20``, go above those of ``pooling_preset``, which is a year.
    The names of the files are kept in the settings of the pool.
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
    counted: Counted = lambda runs: runs,
) -> DrawnPool:
    """The pool with all that was asked to be done to it, and what is to be told of that.

    ``topics`` are those of ``request.topics``; without them those of the runs are taken. Without a
    collection there is no fingerprint of it, and nothing is looked up: Task 2 then needs
    ``visual_ids``.
    """
    chosen = None if request.preset is None else pooling_preset(request.preset, request.task)
    depths = parse_depths(request.depths) if request.depths else PoolDepths()
    if chosen is not None:
        depths = depths.over(chosen.depths)
    linked = _Linked.read(request)
    runs = _Runs(request, read_run_list(request.runs), depths, linked.left_out, counted)
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
        pool, (*drawn.notes, *empty_topic_notes(pool), *_perhaps_left_in(pool, request))
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
    """The runs of a list as they are asked for, each read when its turn comes."""

    request: PoolRequest
    listed: Sequence[ListedRun]
    depths: PoolDepths
    left_out: ExcludedPosts
    counted: Counted

    def of(self, task: int) -> tuple[ListedRun, ...]:
        """Those of a task."""
        return runs_of_task(self.listed, task, self.request.task)

    def read(self, task: int, post_of: PostOf) -> PooledRuns:
        """The rankings of those of a task, without what is left out, so that depths are as said."""
        for pooled, run in self.counted(read_listed_runs(self.of(task), task, self.depths)):
            yield pooled, self.left_out.left_of(run, post_of)


@dataclass(frozen=True, slots=True)
class _Linked:
    """The posts of topics that files tell: their own questions, what these repeat, and the rest."""

    threads: TopicPosts
    duplicates: TopicPosts
    left_out: ExcludedPosts

    @classmethod
    def read(cls, request: PoolRequest) -> _Linked:
        return cls(
            read_topic_posts(request.threads),
            read_topic_posts(request.duplicates),
            ExcludedPosts(read_topic_posts(request.leave_out)),
        )

    def check(self, request: PoolRequest, pool: Pool) -> None:
        """Refuse a file of other topics: what it is for would silently not be done."""
        topics = [topic.id for topic in pool.topics]
        for path, posts in (
            (request.threads, self.threads),
            (request.duplicates, self.duplicates),
            (request.leave_out, self.left_out.posts),
        ):
            if posts and topics and not posts.keys() & topics:
                raise PorismError(
                    f"{path} has posts of {abbreviated_names(posts)}, and of no topic of the pool "
                    f"({abbreviated_names(topics)}): expected a file of the same topics"
                )


def _answers(runs: _Runs, topics: Sequence[Topic] | None) -> DrawnPool:
    request = runs.request
    short = runs.of(Task.SHORT_ANSWERS) if request.task == Task.SHORT_ANSWERS else ()
    if not runs.of(Task.ANSWERS) and not short:
        raise PorismError(f"{request.runs} has no run of Task {request.task}")
    drawn = DrawnPool(Pool(Task.ANSWERS, tuple(topics or ()), (), seed=request.seed))
    if runs.of(Task.ANSWERS):
        found = runs.read(Task.ANSWERS, lambda hit: hit.doc_id)
        drawn = draw_answers(found, topics, request.seed)
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
    look_of = _look_of(request.visual_ids, listed, collection)
    posts = _relevant_posts(request)
    found = runs.read(Task.FORMULAS, lambda hit: post_of_hit(hit, look_of(hit.doc_id)))
    drawn = draw_formulas(found, look_of, topics, request.seed, posts)
    if posts is not None:
        if not any(topic.id in posts for topic in drawn.pool.topics):
            raise PorismError(
                f"{request.task1_qrels} has no relevant post for any topic: expected judgments of "
                "the same year, whose topics are numbered alike (A.1 for B.1)"
            )
        settings = {**drawn.pool.settings, "relevant": str(request.relevant)}
        drawn = replace(drawn, pool=replace(drawn.pool, settings=settings))
    return drawn


def _look_of(
    visual_ids: Path | None, runs: Sequence[ListedRun], collection: Collection | None
) -> InstanceLookup:
    if visual_ids is None:
        if collection is None:
            raise PorismError("formulas are pooled by their looks: name visual ids or a collection")
        return visual_ids_in(collection)
    told = read_instances(visual_ids, runs)
    if collection is None:
        return told
    known = visual_ids_in(collection)

    def both(doc_id: DocId) -> PooledInstance | None:
        """The look that the file tells, if it does, in the post that the collection does."""
        look, place = told(doc_id), known(doc_id)
        if place is None:
            return look
        return PooledInstance("" if look is None else look.visual_id, place.post_id)

    return both


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
    """The pool with at most so many instances of a formula as were asked for, if any were."""
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


def _enriched(drawn: DrawnPool, linked: _Linked, collection: Collection) -> DrawnPool:
    """The pool with the answers of the topics' own threads and duplicates, if these are known.

    Of formulas there are no answers to add. The pool then knows the topics' own questions all the
    same, so that assessors can read their threads.
    """
    pool, threads = drawn.pool, linked.threads
    if pool.task == Task.FORMULAS:
        pool = with_questions(pool, collection, threads)
        return DrawnPool(pool, (*drawn.notes, *_notes_on_questions(pool, threads)))
    found = enriched_pool(pool, collection, threads, linked.duplicates, linked.left_out)
    return DrawnPool(found.pool, (*drawn.notes, *_notes_on_added(found)))


def _notes_on_questions(pool: Pool, threads: TopicPosts) -> Iterator[str]:
    told = [topic.id for topic in pool.topics if topic.id in threads]
    if absent := [topic_id for topic_id in told if topic_id not in pool.questions]:
        yield f"the collection does not have the questions of {abbreviated_names(absent)}"


def _notes_on_added(found: EnrichedPool) -> Iterator[str]:
    for source, number in found.added.items():
        if number:
            yield f"answers that no run had contributed, added from {source}: {number:,}"
    if found.absent:
        yield f"the collection does not have the questions {abbreviated_names(found.absent)}"


def _perhaps_left_in(pool: Pool, request: PoolRequest) -> Iterator[str]:
    """A note where nobody can tell whether formulas stand in posts that are to be left out."""
    if request.leave_out is None or request.task != Task.FORMULAS:
        return
    if unknown := sum(judged_post(each, pool.task) is None for each in pool.candidates):
        yield (
            f"candidates of which it is not known where they stand: {unknown:,}; they may be in "
            f"posts that {request.leave_out} leaves out, which a collection can tell"
        )
