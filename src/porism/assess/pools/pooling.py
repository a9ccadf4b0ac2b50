"""Pools drawn from runs by the rules of the lab: S1 sections 4.4 and 5.4, S3 sections 4.4 and 5.4.

Runs are taken one after the other, and of each only what is pooled is kept. The order in which
they come changes nothing, nor does that of their topics. Ranks are those that the scores give, as
for everything that is done with runs.
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
    """A pool, and what people should know of how it came out, such as topics that a run lacks.

    Topics that nobody contributed to are no part of the notes, since a pool may be added to; see
    ``empty_topic_notes``.
    """

    pool: Pool
    notes: tuple[str, ...] = ()


def empty_topic_notes(pool: Pool) -> Iterator[str]:
    """The note that tells the topics for which there is nothing to judge, if there are any."""
    has = {each.topic_id for each in pool.candidates}
    if empty := [topic.id for topic in pool.topics if topic.id not in has]:
        yield f"nobody contributed to {abbreviated_names(empty)}"


@dataclass(frozen=True, slots=True)
class PooledInstance:
    """What is known of an instance of a formula.

    ``visual_id`` is empty and ``post_id`` None where that is not known.
    """

    visual_id: str
    post_id: DocId | None = None


InstanceLookup = Callable[[DocId], PooledInstance | None]
"""Tells the look of an instance; None where nothing is known of it."""


def post_of_hit(hit: Hit, look: PooledInstance | None) -> DocId | None:
    """The post that an instance stands in: that of its look, else what the run told."""
    return hit.post_id if look is None or look.post_id is None else look.post_id


TopicSelection = Sequence[Topic] | None
"""The topics to pool for; None for all that the runs have."""

RelevantPosts = Mapping[TopicId, Collection[DocId]]


def draw_answers(
    runs: Iterable[tuple[PooledRun, Run]], topics: TopicSelection = None, seed: int = 0
) -> DrawnPool:
    """The first hits of every run, to its depth, each document once for a topic (Task 1)."""
    gathered = _PoolDraft(topics)
    for pooled, run in runs:
        gathered.begin(pooled, run.rankings)
        for topic_id in gathered.wanted(run.rankings):
            for rank, hit in enumerate(run.rankings[topic_id][: pooled.depth], start=1):
                gathered.add(topic_id, hit, PoolContribution(pooled.name, rank))
    return gathered.drawn(Task.ANSWERS, seed)


def draw_formulas(
    runs: Iterable[tuple[PooledRun, Run]],
    look_of: InstanceLookup,
    topics: TopicSelection = None,
    seed: int = 0,
    relevant_posts: RelevantPosts | None = None,
) -> DrawnPool:
    """The instances of every run down to the first one of its last look, by depth (Task 2).

    A run of depth 25 is gone down until 25 different visual ids have been seen, and everything up
    to there is taken. Instances in ``relevant_posts`` of a topic are taken at any rank. A formula
    of which the look is not known is a look of its own; if no look is known it is an error. Where
    runs disagree about the post of an instance, the look's own is right, else that of most runs.
    """
    gathered = _PoolDraft(topics)
    looks = _Instances(look_of)
    for pooled, run in runs:
        gathered.begin(pooled, run.rankings)
        for topic_id in gathered.wanted(run.rankings):
            ranking = run.rankings[topic_id]
            depth = _depth_of_looks(ranking, pooled.depth, looks)
            also = (relevant_posts or {}).get(topic_id, ()) if depth else ()
            for rank, hit in enumerate(ranking if also else ranking[:depth], start=1):
                if rank <= depth or looks.post(hit) in also:
                    gathered.add(topic_id, hit, PoolContribution(pooled.name, rank))
    drawn = gathered.drawn(Task.FORMULAS, seed, looks)
    return DrawnPool(drawn.pool, (*drawn.notes, *_notes_on_looks(drawn.pool)))


def _notes_on_looks(pool: Pool) -> Iterator[str]:
    """How many formulas have no look that is known; an error if none has."""
    known = {each.doc_id: bool(each.visual_id) for each in pool.candidates}
    if known and not any(known.values()):
        raise PorismError(
            "no formula of the runs has a visual id that is known: expected the formula files or "
            "the collection that the runs are of"
        )
    if unknown := len(known) - sum(known.values()):
        told = f"{unknown:,} of {len(known):,} formulas have no visual id that is known"
        yield f"{told}: each counts as a look of its own"


def _depth_of_looks(ranking: Sequence[Hit], looks_wanted: int, looks: _Instances) -> int:
    """The rank of the first instance of the last look wanted; all of a ranking that has fewer."""
    if looks_wanted == 0:
        return 0
    seen: set[tuple[bool, str]] = set()
    for rank, hit in enumerate(ranking, start=1):
        seen.add(looks.key(hit.doc_id))
        if len(seen) == looks_wanted:
            return rank
    return len(ranking)


def relevant_posts(qrels: Qrels, grade: int = RELEVANT_GRADE) -> RelevantPosts:
    """The posts that are relevant to a question, for it and for the formula topic taken from it.

    The codes for no judgment are no grades. Topics without relevant posts are left out. S1 does
    not say which grades it meant here; H+M is what it calls relevant wherever it does say.

    >>> relevant_posts(Qrels({"A.1": {"7": 3, "8": 1, "9": 6}, "A.2": {"7": 0}}))
    {'A.1': frozenset({'7'}), 'B.1': frozenset({'7'})}
    """
    found: dict[TopicId, frozenset[DocId]] = {}
    for topic_id, grades in qrels.grades.items():
        posts = frozenset(
            doc_id
            for doc_id, given in grades.items()
            if given >= grade and given not in UNGRADED_CODES
        )
        if posts:
            found[topic_id] = posts
            found.setdefault(formula_topic_id(topic_id), posts)
    return found


def formula_topic_id(topic_id: TopicId) -> TopicId:
    """The topic of Task 2 whose formula is of a question; the lab numbers both alike.

    >>> formula_topic_id("A.12")
    'B.12'
    """
    return TopicId(re.sub(r"^A\.", "B.", topic_id))


AnswerNames = Mapping[tuple[str, TopicId], DocId]
"""The id of the answer that a run gave to a topic."""


def with_short_answers(
    pool: Pool, runs: Iterable[tuple[PooledRun, AnswerRun]], names: AnswerNames | None = None
) -> DrawnPool:
    """The pool of Task 1 with the answers of Task 3 mixed in, as they were judged in 2022.

    Answers are called as ``names`` say; without names, by a digest, so that equal texts for a
    topic are one candidate (see ``short_answer_id``). Topics are those of the pool, or all that the
    answers have where it has none. An answer without a text is none.
    """
    gathered = _PoolDraft(pool.topics or None)
    texts = {(each.topic_id, each.doc_id): each.text for each in pool.candidates if each.text}
    empty: list[str] = []
    for pooled, run in runs:
        gathered.begin(pooled, run.answers)
        for topic_id in gathered.wanted(run.answers) if pooled.depth else ():
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
            place = PoolContribution(pooled.name, max(1, answer.rank))
            gathered.add(topic_id, Hit(doc_id, answer.score), place)
    gathered.add_candidates(pool.candidates)
    drawn = gathered.drawn(Task.SHORT_ANSWERS, pool.seed, texts=texts)
    merged = replace(
        pool,
        task=Task.SHORT_ANSWERS,
        topics=drawn.pool.topics,
        candidates=drawn.pool.candidates,
        runs=(*pool.runs, *drawn.pool.runs),
    )
    told = (f"empty answers, which are not pooled: {abbreviated_names(empty)}",) if empty else ()
    return DrawnPool(merged, (*drawn.notes, *told))


def short_answer_id(topic_id: TopicId, text: str) -> DocId:
    """What a short answer is called that nobody has named; white space makes no difference.

    >>> short_answer_id("A.1", "x = 2") == short_answer_id("A.1", "x =  2\\n")
    True
    """
    told = f"{topic_id}\0{' '.join(text.split())}".encode("utf-8", "surrogatepass")
    return DocId(f"d_{sha256(told).hexdigest()[:12]}")


def display_order(
    candidates: Iterable[Candidate], topics: Sequence[Topic], seed: int
) -> tuple[Candidate, ...]:
    """Candidates in the order in which they are shown: topics as given, within each by chance.

    Instances of one look stay together. What stands before what does not depend on what else is
    in the pool, so a pool that grows keeps its order.
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
    """Looks, asked for once each."""

    def __init__(self, look_of: InstanceLookup) -> None:
        self._look_of = look_of
        self._known: dict[DocId, PooledInstance | None] = {}

    def of(self, doc_id: DocId) -> PooledInstance | None:
        if doc_id not in self._known:
            self._known[doc_id] = self._look_of(doc_id)
        return self._known[doc_id]

    def key(self, doc_id: DocId) -> tuple[bool, str]:
        """What instances of one look share; a formula's own id is no visual id."""
        look = self.of(doc_id)
        return (True, look.visual_id) if look is not None and look.visual_id else (False, doc_id)

    def post(self, hit: Hit) -> DocId | None:
        return post_of_hit(hit, self.of(hit.doc_id))


@dataclass(slots=True)
class _CandidateDraft:
    """A candidate while runs are gone through."""

    contributions: list[PoolContribution] = field(default_factory=list)
    posts: Counter[DocId] = field(default_factory=Counter)

    @property
    def post_id(self) -> DocId | None:
        """The post that most runs told."""
        return min(self.posts, key=lambda post: (-self.posts[post], post), default=None)


class _PoolDraft:
    """What runs contribute, topic by topic."""

    def __init__(self, topics: TopicSelection) -> None:
        self._topics = None if topics is None else {topic.id: topic for topic in topics}
        self._found: dict[TopicId, dict[DocId, _CandidateDraft]] = {}
        self._runs: list[PooledRun] = []
        self._has: dict[str, frozenset[TopicId]] = {}

    def begin(self, run: PooledRun, has: Mapping[TopicId, object]) -> None:
        """Take in a run that has these topics; one that has none that is asked for is refused."""
        if run.name in self._has:
            raise PorismError(f"two runs are called {run.name}: expected each name once")
        self._runs.append(run)
        self._has[run.name] = frozenset(has)
        if self._topics is not None and not self._topics.keys() & has:
            raise PorismError(
                f"{run.name} has none of the topics ({abbreviated_names(self._topics)}) but "
                f"{abbreviated_names(has)}: expected a run of the same task and year"
            )

    def wanted(self, has: Iterable[TopicId]) -> Iterator[TopicId]:
        """Those topics of a run that are asked for."""
        return (each for each in has if self._topics is None or each in self._topics)

    def add(self, topic_id: TopicId, hit: Hit, contribution: PoolContribution) -> None:
        found = self._found.setdefault(topic_id, {}).setdefault(hit.doc_id, _CandidateDraft())
        found.contributions.append(contribution)
        if hit.post_id is not None:
            found.posts[hit.post_id] += 1

    def add_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Take in what another pool has."""
        for each in candidates:
            for contribution in each.contributions:
                self.add(each.topic_id, Hit(each.doc_id, 0.0, each.post_id), contribution)

    def drawn(
        self,
        task: int,
        seed: int,
        looks: _Instances | None = None,
        texts: Mapping[tuple[TopicId, DocId], str] | None = None,
    ) -> DrawnPool:
        if not self._runs:
            raise PorismError("there are no runs to draw a pool from")
        topics = self._all_topics()
        candidates = [
            self._candidate(topic_id, doc_id, found, looks, texts or {})
            for topic_id, of_topic in self._found.items()
            for doc_id, found in of_topic.items()
        ]
        runs = tuple(sorted(self._runs, key=lambda run: run.name))
        pool = Pool(task, topics, display_order(candidates, topics, seed), runs, seed)
        return DrawnPool(pool, tuple(self._notes(topics)))

    def _all_topics(self) -> tuple[Topic, ...]:
        if self._topics is not None:
            return tuple(self._topics.values())
        every: set[TopicId] = set().union(*self._has.values())
        return tuple(Topic(topic_id) for topic_id in sorted(every, key=natural_key))

    def _candidate(
        self,
        topic_id: TopicId,
        doc_id: DocId,
        found: _CandidateDraft,
        looks: _Instances | None,
        texts: Mapping[tuple[TopicId, DocId], str],
    ) -> Candidate:
        look = looks.of(doc_id) if looks is not None else None
        return Candidate(
            topic_id,
            doc_id,
            look.post_id if look is not None and look.post_id is not None else found.post_id,
            "" if look is None else look.visual_id,
            texts.get((topic_id, doc_id), ""),
            tuple(sorted(found.contributions, key=lambda each: (each.run, each.rank))),
        )

    def _notes(self, topics: Sequence[Topic]) -> Iterator[str]:
        every = [topic.id for topic in topics]
        for run in sorted(self._runs, key=lambda run: run.name):
            if lacking := [each for each in every if each not in self._has[run.name]]:
                yield f"{run.name} has nothing for {abbreviated_names(lacking)}"


def abbreviated_names(names: Iterable[str]) -> str:
    """A few names, and how many more there are.

    >>> abbreviated_names(["A.1", "A.2", "A.3", "A.4", "A.5"])
    'A.1, A.2, A.3 and 2 more'
    """
    every = list(names)
    told = ", ".join(islice(every, 3))
    return told if len(every) <= 3 else f"{told} and {len(every) - 3:,} more"
