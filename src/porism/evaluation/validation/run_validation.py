"""Checks across the lines of a run, such as repeated documents and ranks.

Memory is bounded for files of any size. Rows are buffered until their topic seems complete and
then checked together; only a summary of a checked topic is kept, in case it comes back.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice, pairwise
from math import isnan
from operator import ge, ne
from pathlib import Path

from porism.evaluation.validation.finding import (
    FindingKind,
    RunChecks,
    RunFinding,
    excerpt,
    run_finding,
)
from porism.evaluation.validation.run_lines import UNCHECKED, RunLines, RunRows
from porism.evaluation.validation.text_blocks import TextBlock, text_blocks
from porism.formats.run_scores import MAX_TOPICS
from porism.model import TopicId

MAX_BUFFERED = 5_000
"""Maximum number of buffered rows, while the lines of each topic are contiguous."""

MAX_BUFFERED_SCATTERED = 100_000
"""The same after a checked topic has come back; about 30 MB."""

MAX_BUFFERED_PER_TOPIC = 10_000

MAX_REMEMBERED = 16_000_000
"""Maximum number of remembered documents, of all topics together, at eight bytes each."""

REMEMBERED_RESULTS = 20
"""Documents of a topic are remembered up to this multiple of the allowed results."""


@dataclass(slots=True)
class _BufferedRows:
    lines: list[int] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)


@dataclass(slots=True)
class _Topic:
    """A summary of the checked rows of a topic."""

    results: int = 0
    documents: array[int] = field(default_factory=lambda: array("q"))  # hashes of their ids
    ranks: int = 0  # as bits
    last_rank: int = UNCHECKED
    last_score: float = 0.0
    is_forgotten: bool = False
    is_contradicted: bool = False
    has_rank_twice: bool = False


@dataclass(slots=True)
class _FirstAndCount:
    """A fault that is reported once per file: its first place, and the number of topics with it."""

    line: int | None = None
    example: str = ""
    topics: int = 0

    def add(self, line: int | None, example: str) -> None:
        if not self.topics:
            self.line, self.example = line, example
        self.topics += 1

    def findings(
        self, kind: FindingKind, what: str, total: int, hint: str = ""
    ) -> Iterator[RunFinding]:
        if self.topics:
            message = f"{what} in {self.topics:,} of {total:,} topics, first {self.example}{hint}"
            yield run_finding(kind, self.line, message)


def run_findings(path: Path, checks: RunChecks) -> Iterator[RunFinding]:
    """The faults of a run of Task 1 or 2 in any form."""
    lines = RunLines(checks)
    topics = _Topics(checks)
    faults = 0
    for block in text_blocks(path):
        if isinstance(block, TextBlock):
            for part in lines.rows(block):
                if isinstance(part, RunFinding):
                    yield part
                else:
                    yield from topics.add(part)
            if topics.are_too_many:
                break
        else:
            faults += 1
            yield block
    if not lines.lines and not faults:
        yield run_finding(FindingKind.NO_LINES, None, "the file has no lines: expected a run")
    yield from lines.end()
    yield from topics.end()


class _Topics:
    """The topics of a run read so far."""

    def __init__(self, checks: RunChecks) -> None:
        self.are_too_many = False
        self._checks = checks
        self._topics: dict[str, _Topic] = {}
        self._buffers: dict[str, _BufferedRows] = {}  # in order of the last addition
        self._buffered = 0
        self._max_buffered = MAX_BUFFERED
        self._last_topic = ""
        self._with_documents: deque[str] = deque()
        self._remembered = 0
        self._rank_twice = _FirstAndCount()

    def add(self, rows: RunRows) -> Iterator[RunFinding]:
        """Add rows and yield the findings of the topics checked in consequence."""
        topics = rows.topics
        changes = compress(range(1, len(topics)), map(ne, islice(topics, 1, None), topics))
        for start, end in pairwise((0, *changes, len(topics)) if topics else ()):
            topic_id = topics[start]
            if topic_id not in self._topics:
                yield from self._add_topic(topic_id, rows.lines[start])
                if self.are_too_many:
                    return
            elif topic_id not in self._buffers and topic_id != self._last_topic:
                self._max_buffered = MAX_BUFFERED_SCATTERED
            self._last_topic = topic_id
            buffer = self._buffers.pop(topic_id, None) or _BufferedRows()
            self._buffers[topic_id] = buffer
            buffer.lines.extend(rows.lines[start:end])
            buffer.documents.extend(rows.documents[start:end])
            buffer.ranks.extend(rows.ranks[start:end])
            buffer.scores.extend(rows.scores[start:end])
            self._buffered += end - start
            if len(buffer.lines) >= MAX_BUFFERED_PER_TOPIC:
                yield from self._check(topic_id)
            while self._buffered > self._max_buffered:
                yield from self._check(next(iter(self._buffers)))

    def end(self) -> Iterator[RunFinding]:
        """The remaining findings, and those of the whole file."""
        for topic_id in list(self._buffers):
            yield from self._check(topic_id)
        count = len(self._topics)
        yield from self._rank_twice.findings(FindingKind.RANK_TWICE, "ranks are repeated", count)
        missing = _FirstAndCount()
        for topic_id, topic in self._topics.items():
            gaps = ~(topic.ranks | 1)  # 0 is never missing
            rank = (gaps & -gaps).bit_length() - 1
            if rank < topic.ranks.bit_length():
                missing.add(None, f"rank {rank} of topic {excerpt(topic_id)}")
        yield from missing.findings(
            FindingKind.RANK_MISSING,
            "ranks are missing",
            count,
            "; correct only if lines were removed, such as those of unjudged documents",
        )
        if self._checks.topics is not None and not self.are_too_many:
            yield from missing_topics(self._checks, self._topics, "will count as 0")

    def _add_topic(self, topic_id: str, line: int) -> Iterator[RunFinding]:
        if len(self._topics) == MAX_TOPICS:
            self.are_too_many = True
            why = f"found over {MAX_TOPICS:,} topics: expected the topic in the first column"
            yield run_finding(FindingKind.TOO_MANY_TOPICS, line, f"{why}; the rest was not checked")
            return
        self._topics[topic_id] = _Topic()
        yield from unknown_topic(self._checks, topic_id, line)

    def _check(self, topic_id: str) -> Iterator[RunFinding]:
        rows = self._buffers.pop(topic_id)
        self._buffered -= len(rows.lines)
        topic = self._topics[topic_id]
        limit = self._checks.max_results
        if topic.results <= limit < topic.results + len(rows.lines):
            line = rows.lines[limit - topic.results]
            why = f"topic {excerpt(topic_id)} has more than {limit:,} results"
            yield run_finding(FindingKind.TOO_MANY_RESULTS, line, f"{why}: expected no more")
        if topic.is_forgotten:
            topic.is_forgotten = False
            why = (
                f"topic {excerpt(topic_id)} comes back too late to compare its documents with "
                "those above: sort the run by topic"
            )
            yield run_finding(FindingKind.TOPIC_SCATTERED, rows.lines[0], why)
        yield from self._check_documents(topic_id, topic, rows)
        topic.results += len(rows.lines)
        self._check_ranks(topic_id, topic, rows)
        yield from _contradiction(topic_id, topic, rows)
        topic.last_rank, topic.last_score = rows.ranks[-1], rows.scores[-1]

    def _check_documents(
        self, topic_id: str, topic: _Topic, rows: _BufferedRows
    ) -> Iterator[RunFinding]:
        distinct = set(rows.documents)
        earlier = set(topic.documents)
        if len(distinct) < len(rows.documents) or not earlier.isdisjoint(map(hash, distinct)):
            seen: set[str] = set()
            for line, document in zip(rows.lines, rows.documents, strict=True):
                if document in seen or hash(document) in earlier:
                    why = f"document {excerpt(document)} is repeated in topic {excerpt(topic_id)}"
                    yield run_finding(
                        FindingKind.DOCUMENT_TWICE, line, f"{why}: expected each once"
                    )
                seen.add(document)
        if self._checks.knows is not None:
            for line, document in zip(rows.lines, rows.documents, strict=True):
                if not self._checks.knows(document):
                    why = f"there is no document {excerpt(document)} (topic {excerpt(topic_id)})"
                    yield run_finding(FindingKind.DOCUMENT_UNKNOWN, line, why)
        if topic.results < REMEMBERED_RESULTS * self._checks.max_results:
            self._remember(topic_id, topic, distinct)

    def _remember(self, topic_id: str, topic: _Topic, documents: set[str]) -> None:
        if not topic.documents:
            self._with_documents.append(topic_id)
        topic.documents.extend(map(hash, documents))
        self._remembered += len(documents)
        while self._remembered > MAX_REMEMBERED:
            oldest = self._topics[self._with_documents.popleft()]
            self._remembered -= len(oldest.documents)
            oldest.documents = array("q")
            oldest.is_forgotten = True

    def _check_ranks(self, topic_id: str, topic: _Topic, rows: _BufferedRows) -> None:
        bits = _bits_in_order(rows.ranks)
        if bits is None or bits & topic.ranks:
            bits = 0
            seen: set[int] = set()
            for line, rank in zip(rows.lines, rows.ranks, strict=True):
                if rank == UNCHECKED:
                    continue
                if (rank in seen or topic.ranks >> rank & 1) and not topic.has_rank_twice:
                    topic.has_rank_twice = True
                    self._rank_twice.add(line, f"rank {rank} of topic {excerpt(topic_id)}")
                seen.add(rank)
            bits = _bits(seen)
        topic.ranks |= bits


def unknown_topic(checks: RunChecks, topic_id: str, line: int) -> Iterator[RunFinding]:
    """The finding that a topic is unknown or of another task, if it is."""
    letter = "A." if checks.task == 2 else "B."
    if checks.topics is None and checks.task is not None and topic_id.startswith(letter):
        why = f"the letter of topic {excerpt(topic_id)} is not that of Task {checks.task}"
        yield run_finding(FindingKind.TOPIC_OF_OTHER_TASK, line, why)
    if checks.topics is not None and topic_id not in checks.topics:
        why = f"topic {excerpt(topic_id)} is not one of the {len(checks.topics):,} topics"
        yield run_finding(FindingKind.TOPIC_UNKNOWN, line, f"{why}: it is not scored")


def missing_topics(
    checks: RunChecks, answered: Container[str], effect: str
) -> Iterator[RunFinding]:
    """The finding that topics have no results, with the first few of them, if there are any."""
    missing: list[TopicId] = [each for each in checks.topics or () if each not in answered]
    if missing:
        examples = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        topics = "1 topic has" if len(missing) == 1 else f"{len(missing):,} topics have"
        why = f"{topics} no results and {effect}: {examples}"
        yield run_finding(FindingKind.TOPIC_MISSING, None, why)


def _bits_in_order(ranks: Sequence[int]) -> int | None:
    """The ranks as bits if they are consecutive, as in nearly all runs; else None."""
    first = ranks[0]
    if first == UNCHECKED or ranks != list(range(first, first + len(ranks))):
        return None
    return ((1 << len(ranks)) - 1) << first


def _bits(ranks: set[int]) -> int:
    bits = bytearray(max(ranks, default=0) // 8 + 1)
    for rank in ranks:
        bits[rank // 8] |= 1 << rank % 8
    return int.from_bytes(bits, "little")


def _contradiction(topic_id: str, topic: _Topic, rows: _BufferedRows) -> Iterator[RunFinding]:
    """The finding that a better rank has a lower score, once per topic."""
    if topic.is_contradicted:
        return
    line = _contradicting_line(topic, rows)
    if line is not None:
        topic.is_contradicted = True
        why = f"a result of topic {excerpt(topic_id)} has a higher score than one of better rank"
        yield run_finding(
            FindingKind.SCORE_AGAINST_RANK, line, f"{why}: only scores decide the order"
        )


def _contradicting_line(topic: _Topic, rows: _BufferedRows) -> int | None:
    ranks, scores = rows.ranks, rows.scores
    if topic.last_rank != UNCHECKED and ranks[0] != UNCHECKED:
        step = ranks[0] - topic.last_rank
        if step * (scores[0] - topic.last_score) > 0:  # false if a score is NaN
            return rows.lines[0]
    if all(map(ge, scores, islice(scores, 1, None))) and all(
        map(ge, islice(ranks, 1, None), ranks)
    ):
        return None
    by_rank = sorted(
        (rank, -score, line)
        for rank, score, line in zip(ranks, scores, rows.lines, strict=True)
        if rank != UNCHECKED and not isnan(score)
    )
    for (_, better, _), (_, worse, line) in pairwise(by_rank):
        if worse < better:
            return line
    return None
