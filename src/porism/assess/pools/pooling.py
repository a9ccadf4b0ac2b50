"""Pools drawn from runs by the rules of the lab: S1 sections 4.4 and 5.4, S3 sections 4.4 and 5.4.

Runs are read one by one, and only what is pooled is kept of each. The order of runs and of their
topics does not matter. Ranks are computed from scores, as everywhere.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import islice

from porism.assess.records import (
    RELEVANT_GRADE,
    UNGRADED_CODES,
    Candidate,
    Pool,
    PoolContribution,
    PooledRun,
)
from porism.assess.seeded_keys import seeded_key
from porism.errors import PorismError
from porism.model import AnswerRun, DocId, Hit, Qrels, Run, Task, Topic, TopicId, natural_key


@dataclass(frozen=True, slots=True)
class DrawnPool:
    """A pool with notes about how it was drawn, such as topics missing from a run.

    Topics without candidates are not in the notes, since a pool may be extended; see
    ``empty_topic_notes``.
    """

    pool: Pool
    notes: tuple[str, ...] = ()


def empty_topic_notes(pool: Pool) -> Iterator[str]:
    """The note about topics without candidates, if there are any."""
    with_candidates = {each.topic_id for each in pool.candidates}
    if empty := [topic.id for topic in pool.topics if topic.id not in with_candidates]:
        yield f"no run contributed to {abbreviated_names(empty)}"


@dataclass(frozen=True, slots=True)
class PooledInstance:
    """The visual id and post of a formula instance; empty and None where unknown."""

    visual_id: str
    post_id: DocId | None = None


InstanceLookup = Callable[[DocId], PooledInstance | None]
"""Looks up a formula instance; None if it is unknown."""


def post_of_hit(hit: Hit, instance: PooledInstance | None) -> DocId | None:
    """The post that contains a formula instance: the instance's own if known, else the run's."""
    return hit.post_id if instance is None or instance.post_id is None else instance.post_id


TopicSelection = Sequence[Topic] | None
"""The topics to pool; None for all topics of the runs."""

RelevantPosts = Mapping[TopicId, Collection[DocId]]


def draw_answers(
    runs: Iterable[tuple[PooledRun, Run]], topics: TopicSelection = None, seed: int = 0
) -> DrawnPool:
    """The top hits of every run, to its depth, each document once per topic (Task 1)."""
    draft = _PoolDraft(topics)
    for pooled, run in runs:
        draft.add_run(pooled, run.rankings)
        for topic_id in draft.selected(run.rankings):
            for rank, hit in enumerate(run.rankings[topic_id][: pooled.depth], start=1):
                draft.add(topic_id, hit, PoolContribution(pooled.name, rank))
    return draft.drawn(Task.ANSWERS, seed)


def draw_formulas(
    runs: Iterable[tuple[PooledRun, Run]],
    instance_lookup: InstanceLookup,
    topics: TopicSelection = None,
    seed: int = 0,
    relevant_posts: RelevantPosts | None = None,
) -> DrawnPool:
    """The instances of every run down to the first one of its last visual id, by depth (Task 2).

    A run of depth 25 is read until 25 distinct visual ids have occurred, and everything up to there
    is taken. Instances in ``relevant_posts`` of a topic are taken at any rank. A formula without a
    known visual id counts as visually distinct; if none is known it is an error. If runs disagree
    about the post of an instance, the looked-up one is used, else that of most runs.
    """
    draft = _PoolDraft(topics)
    instances = _Instances(instance_lookup)
    for pooled, run in runs:
        draft.add_run(pooled, run.rankings)
        for topic_id in draft.selected(run.rankings):
            ranking = run.rankings[topic_id]
            depth = _formula_depth(ranking, pooled.depth, instances)
            also = (relevant_posts or {}).get(topic_id, ()) if depth else ()
            for rank, hit in enumerate(ranking if also else ranking[:depth], start=1):
                if rank <= depth or instances.post(hit) in also:
                    draft.add(topic_id, hit, PoolContribution(pooled.name, rank))
    drawn = draft.drawn(Task.FORMULAS, seed, instances)
    return DrawnPool(drawn.pool, (*drawn.notes, *_visual_id_notes(drawn.pool)))


def _visual_id_notes(pool: Pool) -> Iterator[str]:
    """How many formulas have no known visual id; an error if none has."""
    known = {each.doc_id: bool(each.visual_id) for each in pool.candidates}
    if known and not any(known.values()):
        raise PorismError(
            "no formula of the runs has a known visual id: expected the formula files or the "
            "collection that the runs searched"
        )
    if unknown := len(known) - sum(known.values()):
        yield (
            f"{unknown:,} of {len(known):,} formulas have no known visual id: each counts as "
            "visually distinct"
        )


def _formula_depth(ranking: Sequence[Hit], count: int, instances: _Instances) -> int:
    """The rank of the first instance of the last of ``count`` visual ids, or the last rank."""
    if count == 0:
        return 0
    seen: set[tuple[bool, str]] = set()
    for rank, hit in enumerate(ranking, start=1):
        seen.add(instances.key(hit.doc_id))
        if len(seen) == count:
            return rank
    return len(ranking)


def relevant_posts(qrels: Qrels, grade: int = RELEVANT_GRADE) -> RelevantPosts:
    """The posts relevant to a question, for it and for the formula topic taken from it.

    Codes are not grades. Topics without relevant posts are left out. S1 does not say which grades
    it meant here; H+M is what it calls relevant wherever it does.
    >>> relevant_posts(Qrels({"A.1": {"7": 3, "8": 1, "9": 6}, "A.2": {"7": 0}}))
    {'A.1': frozenset({'7'}), 'B.1': frozenset({'7'})}
    """
    relevant: dict[TopicId, frozenset[DocId]] = {}
    for topic_id, grades in qrels.grades.items():
        posts = frozenset(
            doc_id
            for doc_id, given in grades.items()
            if given >= grade and given not in UNGRADED_CODES
        )
        if posts:
            relevant[topic_id] = posts
            relevant.setdefault(formula_topic_id(topic_id), posts)
    return relevant


def formula_topic_id(topic_id: TopicId) -> TopicId:
    """The topic of Task 2 whose formula is from a question; the lab numbers both alike.

    >>> formula_topic_id("A.12")
    'B.12'
    """
    return TopicId(re.sub(r"^A\.", "B.", topic_id))


AnswerNames = Mapping[tuple[str, TopicId], DocId]
"""The id of the answer that a run gave to a topic."""


def with_short_answers(
    pool: Pool, runs: Iterable[tuple[PooledRun, AnswerRun]], names: AnswerNames | None = None
) -> DrawnPool:
    """The pool of Task 1 mixed with the answers of Task 3, as judged in 2022.

    Answers have the ids in ``names``; without names, a digest, so that equal texts for a topic are
    one candidate (see ``short_answer_id``). Topics are those of the pool, or all topics of the
    answers if it has none. Empty answers are left out.
    """
    draft = _PoolDraft(pool.topics or None)
    texts = {(each.topic_id, each.doc_id): each.text for each in pool.candidates if each.text}
    empty: list[str] = []
    for pooled, run in runs:
        draft.add_run(pooled, run.answers)
        for topic_id in draft.selected(run.answers) if pooled.depth else ():
            answer = run.answers[topic_id]
            if not answer.text.strip():
                empty.append(f"{pooled.name} for {topic_id}")
                continue
            if names is None:
                doc_id = short_answer_id(topic_id, answer.text)
            elif (pooled.name, topic_id) in names:
                doc_id = names[pooled.name, topic_id]
            else:
                raise PorismError(f"no id is given for the answer of {pooled.name} to {topic_id}")
            text = texts.setdefault((topic_id, doc_id), answer.text)
            if text.split() != answer.text.split():
                raise PorismError(
                    f"{pooled.name} and another run gave different answers to {topic_id} that are "
                    f"both called {doc_id}: expected one id for each"
                )
            contribution = PoolContribution(pooled.name, max(1, answer.rank))
            draft.add(topic_id, Hit(doc_id, answer.score), contribution)
    draft.add_candidates(pool.candidates)
    drawn = draft.drawn(Task.SHORT_ANSWERS, pool.seed, texts=texts)
    merged = replace(
        pool,
        task=Task.SHORT_ANSWERS,
        topics=drawn.pool.topics,
        candidates=drawn.pool.candidates,
        runs=(*pool.runs, *drawn.pool.runs),
    )
    notes = (f"empty answers, not pooled: {abbreviated_names(empty)}",) if empty else ()
    return DrawnPool(merged, (*drawn.notes, *notes))


def short_answer_id(topic_id: TopicId, text: str) -> DocId:
    """The id of a short answer without a name; white space makes no difference.

    >>> short_answer_id("A.1", "x = 2") == short_answer_id("A.1", "x =  2\\n")
    True
    """
    key = f"{topic_id}\0{' '.join(text.split())}".encode("utf-8", "surrogatepass")
    return DocId(f"d_{sha256(key).hexdigest()[:12]}")


def display_order(
    candidates: Iterable[Candidate], topics: Sequence[Topic], seed: int
) -> tuple[Candidate, ...]:
    """Candidates in display order: topics as given, candidates within each at random.

    Instances of one visual id stay together. The order of two candidates does not depend on the
    others, so a pool that grows keeps its order.
    """
    place = {topic.id: number for number, topic in enumerate(topics)}

    def key(each: Candidate) -> tuple[int, bytes, str, bytes, str]:
        group, own = (
            seeded_key(seed, "order", each.topic_id, name)
            for name in (each.visual_id or each.doc_id, each.doc_id)
        )
        return place[each.topic_id], group, each.group_key, own, each.doc_id

    return tuple(sorted(candidates, key=key))


class _Instances:
    """Formula instances, looked up once each."""

    def __init__(self, lookup: InstanceLookup) -> None:
        self._lookup = lookup
        self._known: dict[DocId, PooledInstance | None] = {}

    def of(self, doc_id: DocId) -> PooledInstance | None:
        if doc_id not in self._known:
            self._known[doc_id] = self._lookup(doc_id)
        return self._known[doc_id]

    def key(self, doc_id: DocId) -> tuple[bool, str]:
        """Shared by instances of one visual id; a formula's own id is not a visual id."""
        instance = self.of(doc_id)
        if instance is not None and instance.visual_id:
            return True, instance.visual_id
        return False, doc_id

    def post(self, hit: Hit) -> DocId | None:
        return post_of_hit(hit, self.of(hit.doc_id))


@dataclass(slots=True)
class _CandidateDraft:
    """The contributions to a candidate so far."""

    contributions: list[PoolContribution] = field(default_factory=list)
    posts: Counter[DocId] = field(default_factory=Counter)

    @property
    def post_id(self) -> DocId | None:
        """The post that most runs name."""
        return min(self.posts, key=lambda post: (-self.posts[post], post), default=None)


class _PoolDraft:
    """The contributions of runs, topic by topic."""

    def __init__(self, topics: TopicSelection) -> None:
        self._topics = None if topics is None else {topic.id: topic for topic in topics}
        self._candidates: dict[TopicId, dict[DocId, _CandidateDraft]] = {}
        self._runs: list[PooledRun] = []
        self._topics_of_run: dict[str, frozenset[TopicId]] = {}

    def add_run(self, run: PooledRun, topics: Mapping[TopicId, object]) -> None:
        """Add a run with these topics; one without any selected topic is refused."""
        if run.name in self._topics_of_run:
            raise PorismError(f"two runs are called {run.name}: expected each name once")
        self._runs.append(run)
        self._topics_of_run[run.name] = frozenset(topics)
        if self._topics is not None and not self._topics.keys() & topics:
            raise PorismError(
                f"{run.name} has none of the topics ({abbreviated_names(self._topics)}) but "
                f"{abbreviated_names(topics)}: expected a run of the same task and year"
            )

    def selected(self, topics: Iterable[TopicId]) -> Iterator[TopicId]:
        """The selected ones of these topics."""
        return (each for each in topics if self._topics is None or each in self._topics)

    def add(self, topic_id: TopicId, hit: Hit, contribution: PoolContribution) -> None:
        of_topic = self._candidates.setdefault(topic_id, {})
        candidate = of_topic.setdefault(hit.doc_id, _CandidateDraft())
        candidate.contributions.append(contribution)
        if hit.post_id is not None:
            candidate.posts[hit.post_id] += 1

    def add_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Add the candidates of another pool."""
        for each in candidates:
            for contribution in each.contributions:
                self.add(each.topic_id, Hit(each.doc_id, 0.0, each.post_id), contribution)

    def drawn(
        self,
        task: int,
        seed: int,
        instances: _Instances | None = None,
        texts: Mapping[tuple[TopicId, DocId], str] | None = None,
    ) -> DrawnPool:
        if not self._runs:
            raise PorismError("there are no runs to draw a pool from")
        topics = self._all_topics()
        candidates = [
            self._candidate(topic_id, doc_id, candidate, instances, texts or {})
            for topic_id, of_topic in self._candidates.items()
            for doc_id, candidate in of_topic.items()
        ]
        runs = tuple(sorted(self._runs, key=lambda run: run.name))
        pool = Pool(task, topics, display_order(candidates, topics, seed), runs, seed)
        return DrawnPool(pool, tuple(self._notes(topics)))

    def _all_topics(self) -> tuple[Topic, ...]:
        if self._topics is not None:
            return tuple(self._topics.values())
        every: set[TopicId] = set().union(*self._topics_of_run.values())
        return tuple(Topic(topic_id) for topic_id in sorted(every, key=natural_key))

    def _candidate(
        self,
        topic_id: TopicId,
        doc_id: DocId,
        draft: _CandidateDraft,
        instances: _Instances | None,
        texts: Mapping[tuple[TopicId, DocId], str],
    ) -> Candidate:
        instance = instances.of(doc_id) if instances is not None else None
        post_id = None if instance is None else instance.post_id
        return Candidate(
            topic_id,
            doc_id,
            draft.post_id if post_id is None else post_id,
            "" if instance is None else instance.visual_id,
            texts.get((topic_id, doc_id), ""),
            tuple(sorted(draft.contributions, key=lambda each: (each.run, each.rank))),
        )

    def _notes(self, topics: Sequence[Topic]) -> Iterator[str]:
        every = [topic.id for topic in topics]
        for run in sorted(self._runs, key=lambda run: run.name):
            if missing := [each for each in every if each not in self._topics_of_run[run.name]]:
                yield f"{run.name} has nothing for {abbreviated_names(missing)}"


def abbreviated_names(names: Iterable[str]) -> str:
    """The first three names, and how many more there are.

    >>> abbreviated_names(["A.1", "A.2", "A.3", "A.4", "A.5"])
    'A.1, A.2, A.3 and 2 more'
    """
    every = list(names)
    first = ", ".join(islice(every, 3))
    return first if len(every) <= 3 else f"{first} and {len(every) - 3:,} more"
