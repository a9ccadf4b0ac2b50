"""Pairs of texts to train encoders on, of the threads of a collection: no encoder is needed here.

A bi-encoder learns from questions with their answers and with the questions they are linked with, a
cross-encoder from right and wrong answers. Threads of the validation topics are left out.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.lab.topic_sets import TopicSet
from porism.lab.training.encoders.records import (
    PairSource,
    TrainingPair,
    TrainingSet,
    ValidationCandidates,
    ValidationKind,
)
from porism.lab.training.encoders.validation import ValidationDraw, ValidationSize, validation_draw
from porism.lab.training.threads import (
    ThreadTable,
    WrongAnswers,
    thread_table,
    vote_targets,
    wrong_answers,
)
from porism.model import Content, DocId, LinkKind, Topic, TopicId, plain_text
from porism.rank.ranker import Ranker

MIN_PAIRS = 16
"""Fewer pairs than these are refused: a model would learn them by heart."""

MIN_GRADE = 2
"""The lowest grade of a judged answer that counts as relevant, as in the lab's measures."""

HARD_DEPTH = 30
"""How deep the ranking of a question is searched for answers that only seem right."""


_VALIDATION = ValidationSize()
_LINK_SOURCES = {LinkKind.DUPLICATE: PairSource.DUPLICATES, LinkKind.RELATED: PairSource.RELATED}


@dataclass(frozen=True, slots=True)
class PairOptions:
    """What of a collection is learned from, and how its texts are written.

    Threads of questions in ``without`` are neither learned from nor validated with. ``limit`` is
    the number of pairs, without wrong answers, of which a sample is drawn if there are more.
    """

    sources: frozenset[PairSource] = frozenset(
        (PairSource.ANSWERS, PairSource.DUPLICATES, PairSource.RELATED)
    )
    written: Callable[[Content], str] = plain_text
    without: frozenset[DocId] = frozenset()
    limit: int | None = None
    seed: int = 0
    validation: ValidationSize = _VALIDATION
    judged: tuple[TopicSet, ...] = ()


class _Kind(StrEnum):
    QUESTION = "question"
    ANSWER = "answer"
    TITLE = "title"


class _Texts:
    """The texts that pairs need, each read once."""

    def __init__(self, collection: Collection, written: Callable[[Content], str]) -> None:
        self._collection = collection
        self._written = written
        self._places: dict[tuple[str, str], int] = {}
        self._by_text: dict[str, int] = {}
        self.texts: list[str] = []

    def place(self, kind: _Kind, post_id: str) -> int | None:
        """The place of a text; None if it is empty."""
        return self._place((kind, post_id), lambda: self._read(kind, post_id))

    def topic(self, topic: Topic) -> int | None:
        return self._place(("topic", topic.id), lambda: self._question(topic.title, topic.body))

    def _place(self, key: tuple[str, str], read: Callable[[], str]) -> int | None:
        if key not in self._places:
            text = read()
            if text and text not in self._by_text:
                self._by_text[text] = len(self.texts)
                self.texts.append(text)
            self._places[key] = self._by_text.get(text, -1)
        place = self._places[key]
        return None if place < 0 else place

    def _read(self, kind: _Kind, post_id: str) -> str:
        if kind is _Kind.TITLE:
            return self._written(self._collection.linked_title(post_id)).strip()
        post = self._collection.post(post_id)
        if kind is _Kind.ANSWER:
            return self._written(post.body).strip()
        return self._question(post.title, post.body)

    def _question(self, title: Content, body: Content) -> str:
        """A question as an index encodes it: title and body."""
        return "\n".join(filter(None, (self._written(title).strip(), self._written(body).strip())))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A pair whose texts are not read yet."""

    source: PairSource
    first: tuple[_Kind, DocId]
    second: tuple[_Kind, DocId]
    threads: tuple[DocId, DocId]
    target: float = 1.0


def bi_encoder_pairs(
    collection: Collection,
    options: PairOptions,
    watch: Watch,
    uses_votes: bool = False,
) -> TrainingSet:
    """Pairs of texts that should be similar: questions with answers and linked questions.

    With ``uses_votes`` answers have their votes as target, as in CompuBERT, and related questions
    are left out, because nothing says how similar they are. PorismError if there are no votes, or
    too few pairs.
    """
    table = thread_table(collection)
    targets = vote_targets(table.answers) if uses_votes else {}
    if uses_votes and not targets:
        why = "no votes" if not table.has_votes else "only equal votes in each thread"
        raise PorismError(
            f"{collection.path}: the answers have {why}, so votes cannot be the target of "
            "training; use --loss ranking"
        )
    draw = validation_draw(table, options.validation, options.without, options.seed)
    held_out = draw.threads | options.without
    wanted = [
        each
        for each in chain(_answer_pairs(table, targets), _link_pairs(table))
        if each.source in options.sources
        and not held_out.intersection(each.threads)
        and not (uses_votes and each.source is PairSource.RELATED)
    ]
    texts = _Texts(collection, options.written)
    pairs = list(_read_pairs(texts, _sample(wanted, options), watch))
    pairs += _judged_pairs(collection, texts, options.judged, (0.0 if uses_votes else None))
    return _training_set(collection, texts, table, draw, pairs, options)


def _answer_pairs(table: ThreadTable, targets: Mapping[DocId, float]) -> Iterator[_Wanted]:
    for question, answers in table.answers.items():
        for each in answers:
            if targets and each.id not in targets:
                continue  # an answer without votes has no target
            yield _Wanted(
                PairSource.ANSWERS,
                (_Kind.QUESTION, question),
                (_Kind.ANSWER, each.id),
                (question, question),
                targets.get(each.id, 1.0),
            )


def _link_pairs(table: ThreadTable) -> Iterator[_Wanted]:
    """Linked questions, each pair once; of questions that are not here, their titles."""
    seen: set[frozenset[DocId]] = set()
    for links, kind in ((table.links, _Kind.QUESTION), (table.title_links, _Kind.TITLE)):
        for link in sorted(links, key=lambda each: each.kind is not LinkKind.DUPLICATE):
            ends = frozenset((link.post_id, link.related_id))
            if ends not in seen:
                seen.add(ends)
                yield _Wanted(
                    _LINK_SOURCES[link.kind],
                    (_Kind.QUESTION, link.post_id),
                    (kind, link.related_id),
                    (link.post_id, link.related_id),
                )


def cross_encoder_pairs(
    collection: Collection,
    options: PairOptions,
    watch: Watch,
    wrong: int = 1,
    ranker: Ranker | None = None,
) -> TrainingSet:
    """Questions with right answers (target 1) and, for each, ``wrong`` wrong ones (target 0).

    Right are answers that are accepted or have votes, and those of duplicates. Wrong are answers of
    questions that share a tag, as for TU_DBS, or, with a ranker, answers that it ranks high; never
    those of the same or a linked thread.
    """
    table = thread_table(collection)
    draw = validation_draw(table, options.validation, options.without, options.seed)
    held_out = draw.threads | options.without
    right = [
        each
        for each in _right_answers(table)
        if each.source in options.sources and not held_out.intersection(each.threads)
    ]
    right = _sample(right, options)
    texts = _Texts(collection, options.written)
    negatives = _Negatives(
        collection, wrong_answers(table, held_out), held_out, ranker, options.seed
    )
    wanted = list(chain.from_iterable((each, *negatives.of(each, wrong)) for each in right))
    pairs = list(_read_pairs(texts, wanted, watch))
    pairs += _judged_pairs(collection, texts, options.judged, 0.0)
    notes = (
        ()
        if table.has_votes or table.has_accepted
        else ("no answer has votes or is accepted, so every answer counts as right",)
    )
    return _training_set(collection, texts, table, draw, pairs, options, notes)


def _right_answers(table: ThreadTable) -> Iterator[_Wanted]:
    for question in table.tags:
        own = [(PairSource.ANSWERS, question)]
        others = [(PairSource.DUPLICATES, other) for other in table.duplicates(question)]
        for source, thread in own + others:
            for each in table.correct_answers(thread):
                yield _Wanted(
                    source,
                    (_Kind.QUESTION, question),
                    (_Kind.ANSWER, each.id),
                    (question, thread),
                )


class _Negatives:
    """Draws wrong answers, the same for the same seed; a ranking is computed once a question."""

    def __init__(
        self,
        collection: Collection,
        wrong: WrongAnswers,
        held_out: frozenset[DocId],
        ranker: Ranker | None,
        seed: int,
    ) -> None:
        self._collection = collection
        self._wrong = wrong
        self._held_out = held_out
        self._ranker = ranker
        self._numbers = random.Random(seed)
        self._ranked: dict[DocId, list[tuple[DocId, DocId]]] = {}

    def of(self, right: _Wanted, count: int) -> Iterator[_Wanted]:
        """Wrong answers to the question of a pair; with a ranker half of them are ranked high.

        The other half stays easy, because a ranking is of similar questions, where some answers
        are right though nobody linked them.
        """
        question = right.threads[0]
        hard = self._hard(question)
        drawn = self._numbers.sample(hard, min(len(hard), (count + 1) // 2))
        easy = self._wrong.draw(question, count - len(drawn), self._numbers)
        for answer, thread in (*drawn, *((each.id, each.question_id) for each in easy)):
            yield _Wanted(
                PairSource.WRONG, right.first, (_Kind.ANSWER, answer), (question, thread), 0.0
            )

    def _hard(self, question: DocId) -> list[tuple[DocId, DocId]]:
        if self._ranker is None:
            return []
        if question not in self._ranked:
            post = self._collection.post(question)
            topic = Topic(TopicId(question), post.title, post.body, post.tags)
            own = {question, *self._wrong.table.linked.get(question, ())} | self._held_out
            threads = (
                (hit.doc_id, self._collection.parent(hit.doc_id))
                for hit in self._ranker.rank(topic, HARD_DEPTH)
            )
            self._ranked[question] = [
                (answer, thread)
                for answer, thread in threads
                if thread is not None and thread not in own
            ]
        return self._ranked[question]


def _sample(wanted: list[_Wanted], options: PairOptions) -> list[_Wanted]:
    """The pairs, or a sample of them in their order."""
    if options.limit is None or len(wanted) <= options.limit:
        return wanted
    drawn = random.Random(options.seed).sample(range(len(wanted)), options.limit)
    return [wanted[number] for number in sorted(drawn)]


def _read_pairs(texts: _Texts, wanted: Sequence[_Wanted], watch: Watch) -> Iterator[TrainingPair]:
    """The pairs of which neither text is empty, nor both the same."""
    for done, each in enumerate(wanted, start=1):
        first, second = texts.place(*each.first), texts.place(*each.second)
        if first is not None and second is not None and first != second:
            yield TrainingPair(each.source, first, second, each.threads, each.target)
        watch(StepProgress("pairs of texts", done, len(wanted), done))


def _judged_pairs(
    collection: Collection, texts: _Texts, judged: Iterable[TopicSet], lowest: float | None
) -> Iterator[TrainingPair]:
    """Topics with relevant answers (target 1) and, if ``lowest`` is given, with those of grade 0.

    Answers of grade 1 are neither.
    """
    for topic_set in judged:
        for topic in topic_set.topics:
            question = texts.topic(topic)
            for answer, grade in topic_set.qrels.grades[topic.id].items():
                is_relevant = grade >= MIN_GRADE
                if not (is_relevant or (grade == 0 and lowest is not None)):
                    continue
                thread = collection.parent(answer)
                if thread is None or question is None:
                    continue  # judged answers may be in another collection
                second = texts.place(_Kind.ANSWER, answer)
                if second is not None:
                    yield TrainingPair(
                        PairSource.JUDGMENTS,
                        question,
                        second,
                        (topic.id, thread),
                        1.0 if is_relevant else lowest or 0.0,
                    )


def _training_set(
    collection: Collection,
    texts: _Texts,
    table: ThreadTable,
    draw: ValidationDraw,
    pairs: list[TrainingPair],
    options: PairOptions,
    notes: tuple[str, ...] = (),
) -> TrainingSet:
    counts = Counter(pair.source.value for pair in pairs)
    right = len(pairs) - counts[PairSource.WRONG]
    if right < MIN_PAIRS:
        raise PorismError(
            f"{collection.path}: found {right} pairs of texts to train on, beside "
            f"{len(draw.threads)} threads that validation needs: expected at least {MIN_PAIRS}; "
            "train on a larger collection of questions with answers or links"
        )
    validation = tuple(_validation(texts, collection, draw))
    if not validation:
        raise PorismError(
            f"{collection.path}: no question is left for validation: expected questions with "
            "answers, or with links, that training leaves out"
        )
    used = {thread for pair in pairs for thread in pair.threads}
    linked = frozenset(
        (one, other) for one, others in table.linked.items() if one in used for other in others
    )
    if draw.kind is ValidationKind.ANSWERS:
        notes += (
            "no two questions are linked, so validation ranks the answers of held-out questions "
            "instead of those of linked ones",
        )
    judged = {each.name: each.topic_ids for each in options.judged}
    return TrainingSet(
        tuple(texts.texts),
        tuple(pairs),
        linked,
        draw.kind,
        validation,
        dict(sorted(counts.items())),
        notes,
        judged,
    )


def _validation(
    texts: _Texts, collection: Collection, draw: ValidationDraw
) -> Iterator[ValidationCandidates]:
    for topic in draw.topics:
        question = texts.place(_Kind.QUESTION, topic.question)
        by_relevance = [
            [
                place
                for answer in answers
                if (place := _candidate(texts, collection, draw.kind, answer)) is not None
            ]
            for answers in (topic.relevant, topic.others)
        ]
        relevant, others = by_relevance
        if question is not None and relevant and others:
            yield ValidationCandidates(question, (*relevant, *others), len(relevant))


def _candidate(
    texts: _Texts, collection: Collection, kind: ValidationKind, answer: DocId
) -> tuple[int | None, int] | None:
    place = texts.place(_Kind.ANSWER, answer)
    thread = collection.parent(answer) if kind is ValidationKind.LINKS else None
    if place is None:
        return None
    return (None if thread is None else texts.place(_Kind.QUESTION, thread)), place
