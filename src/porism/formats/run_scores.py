"""Runs for evaluation: a score for each document of each topic, and nothing else.

Several times as fast as ``read_run``, which makes a record of every line, and in bounded memory,
however long the file is. A file with anything unusual is read again line by line, by the reader
that can report errors.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, cast

from porism.errors import PorismError
from porism.formats.byte_streams import open_bytes
from porism.formats.runs import (
    COLUMNS,
    MAX_SCORE,
    RunForm,
    duplicate_hit,
    read_hits,
    regular_columns,
    run_form,
)
from porism.formats.text_lines import MAX_LINE, columns
from porism.model import DocId, TopicId

Scores = dict[TopicId, dict[DocId, float]]

DEPTH = 10_000
"""Documents kept per topic, besides all judged ones. The lab allows 1,000."""

MAX_TOPICS = 200_000
"""More topics than any run has; a file with more is something else."""

_BLOCK = 1 << 15  # bytes, so that a parsed block fits into the processor's cache


class _ColumnIndexes(NamedTuple):
    """The index of each column."""

    document: int
    rank: int | None
    score: int


_INDEXES = {
    RunForm.TASK1: _ColumnIndexes(1, 2, 3),
    RunForm.TASK2: _ColumnIndexes(1, 3, 4),
    RunForm.TREC: _ColumnIndexes(2, 3, 4),
    RunForm.SCORES: _ColumnIndexes(1, None, 2),
}


class RunTable(NamedTuple):
    """The scores of a run, and the form of its file."""

    form: RunForm
    scores: Scores


JudgedDocuments = Mapping[TopicId, Container[DocId]]


def read_run_scores(
    path: Path, judged: JudgedDocuments | None = None, otherwise: RunForm | None = None
) -> RunTable:
    """The scores of a file, plain or gzip; if judgments are given, topics without any are empty.

    Where a topic has more than ``DEPTH`` documents, its best and its judged ones are kept. That is
    exact for all measures except those that count unjudged documents below rank ``DEPTH``. Judged
    documents must have the ids of the file: of a formula run with judgments by visual id only the
    best are kept. ``otherwise`` is passed to ``run_form``.
    """
    form = run_form(path, otherwise)
    collected = _CollectedScores(judged)
    try:
        for topic_id, documents, scores in _blocks(path, form):
            collected.add(topic_id, documents, scores)
    except (_UnusualInput, ValueError):
        return RunTable(form, _read_line_by_line(path, form, judged))
    return RunTable(form, collected.scores)


class _UnusualInput(Exception):
    """Something is unusual; reading line by line decides whether it is wrong."""


class _CollectedScores:
    """The scores of a run while it is read."""

    def __init__(self, judged: JudgedDocuments | None) -> None:
        self.scores: Scores = {}
        self._judged = judged

    def add(self, topic_id: TopicId, documents: Sequence[DocId], scores: array[float]) -> None:
        of_topic = self.scores.setdefault(topic_id, {})
        if len(self.scores) > MAX_TOPICS:
            raise PorismError(f"found over {MAX_TOPICS:,} topics: this is not a run")
        if self._judged is not None and topic_id not in self._judged:
            return
        expected = len(of_topic) + len(documents)
        of_topic.update(zip(documents, scores, strict=True))
        if len(of_topic) != expected:
            raise _UnusualInput
        if expected > 2 * DEPTH:
            self._truncate(topic_id)

    def _truncate(self, topic_id: TopicId) -> None:
        of_topic = self.scores[topic_id]
        judged = self._judged[topic_id] if self._judged is not None else ()
        # As trec_eval compares them: 32-bit numbers, then names, in descending order.
        rounded = array("f", of_topic.values())
        order = sorted(zip(rounded, of_topic, strict=True), reverse=True)
        best = {doc_id for _, doc_id in order[:DEPTH]}
        self.scores[topic_id] = {
            doc_id: score
            for doc_id, score in of_topic.items()
            if doc_id in best or doc_id in judged
        }


def _blocks(path: Path, form: RunForm) -> Iterator[tuple[TopicId, Sequence[DocId], array[float]]]:
    """Documents and scores of consecutive lines of one topic."""
    indexes = _INDEXES[form]
    iterations: set[str] = set()
    for text in _texts(path):
        table = _columns(text, COLUMNS[form])
        if form is RunForm.TREC:
            iterations.update(table[1])
        texts = table[indexes.score]
        scores = array("d", map(float, texts))
        if (
            len(iterations) > 1
            or (form is RunForm.TASK2 and "Q0" in table[1])
            or (indexes.rank is not None and not all(map(str.isdecimal, table[indexes.rank])))
            or not max(map(abs, scores)) <= MAX_SCORE
            or math.isnan(sum(scores))
            or "_" in "".join(texts)  # which float() accepts in a number
            or "" in table[0]
            or "" in table[indexes.document]
        ):
            raise _UnusualInput
        documents = cast("list[DocId]", table[indexes.document])  # a call for each is slow
        begin = 0
        for topic_id, of_topic in groupby(table[0]):
            end = begin + len(list(of_topic))
            yield TopicId(topic_id), documents[begin:end], scores[begin:end]
            begin = end


def _texts(path: Path) -> Iterator[str]:
    """The file in blocks of whole lines, without the last line break."""
    with open_bytes(path) as stream:
        byte_order_mark = "\ufeff"
        while block := stream.read(_BLOCK):
            rest = stream.readline(MAX_LINE)
            if len(rest) == MAX_LINE:
                raise _UnusualInput  # an endless line, which is not text
            text = (block + rest).decode().removeprefix(byte_order_mark)
            byte_order_mark = ""
            text = text.replace("\r\n", "\n").strip("\n")
            if text and not text.isspace():
                yield text


def _columns(text: str, width: int) -> list[list[str]]:
    """The columns of lines, each as one list."""
    table = regular_columns(text, width)
    if table is not None:
        return table
    rows = [columns(line) for line in text.split("\n") if line.strip()]
    if any(len(row) != width for row in rows):
        raise _UnusualInput
    return [list(column) for column in zip(*rows, strict=True)]


def _read_line_by_line(path: Path, form: RunForm, judged: JudgedDocuments | None) -> Scores:
    collected = _CollectedScores(judged)
    for line in read_hits(path, form):
        try:
            collected.add(line.topic_id, [line.hit.doc_id], array("d", [line.hit.score]))
        except _UnusualInput:
            raise duplicate_hit(path, line, form) from None
    return collected.scores
