"""Runs as evaluation wants them: a score for each document of each topic, and nothing else.

Reads several times as fast as ``read_run``, which makes a record of every line, and in bounded
memory, however long the file is. What is not plainly right is read again line by line, by the
reader that can say what is wrong.
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
"""How many documents of a topic are kept. The lab allows 1,000; those that are judged all stay."""

MAX_TOPICS = 200_000
"""More topics than any run has; what seems to have them is something else."""

_BLOCK = 1 << 15  # bytes, so that what is made of them stays in the processor's cache


class _Places(NamedTuple):
    """Which column holds what."""

    document: int
    rank: int | None
    score: int


_PLACES = {
    RunForm.TASK1: _Places(1, 2, 3),
    RunForm.TASK2: _Places(1, 3, 4),
    RunForm.TREC: _Places(2, 3, 4),
    RunForm.SCORES: _Places(1, None, 2),
}


class RunTable(NamedTuple):
    """The scores of a run, and the form its file has."""

    form: RunForm
    scores: Scores


JudgedDocuments = Mapping[TopicId, Container[DocId]]


def read_run_scores(
    path: Path, judged: JudgedDocuments | None = None, otherwise: RunForm | None = None
) -> RunTable:
    """The scores of a file, plain or gzip; if judgments are given, topics without any are empty.

    Where a topic has more than ``DEPTH`` documents, its best ones are kept, and those that are
    judged. That is exact for all measures but those that look further than ``DEPTH`` documents
    down and count unjudged ones. What is judged must be named as in the file: of a run of formulas
    with judgments by visual id only the best are kept. ``otherwise`` is for ``run_form``.
    """
    form = run_form(path, otherwise)
    gathered = _Gathered(judged)
    try:
        for topic_id, documents, scores in _blocks(path, form):
            gathered.add(topic_id, documents, scores)
    except (_Doubt, ValueError):
        return RunTable(form, _read_carefully(path, form, judged))
    return RunTable(form, gathered.scores)


class _Doubt(Exception):
    """Something is unusual; the careful reader shall say whether it is wrong."""


class _Gathered:
    """The scores of a run while it is read."""

    def __init__(self, judged: JudgedDocuments | None) -> None:
        self.scores: Scores = {}
        self._judged = judged

    def add(self, topic_id: TopicId, documents: Sequence[DocId], scores: array[float]) -> None:
        of_topic = self.scores.setdefault(topic_id, {})
        if len(self.scores) > MAX_TOPICS:
            raise PorismError(f"found over {MAX_TOPICS:,} topics: this is no run")
        if self._judged is not None and topic_id not in self._judged:
            return
        expected = len(of_topic) + len(documents)
        of_topic.update(zip(documents, scores, strict=True))
        if len(of_topic) != expected:
            raise _Doubt
        if expected > 2 * DEPTH:
            self._shorten(topic_id)

    def _shorten(self, topic_id: TopicId) -> None:
        of_topic = self.scores[topic_id]
        known = self._judged[topic_id] if self._judged is not None else ()
        # As trec_eval compares them: 32-bit numbers, then names, from the highest down.
        rounded = array("f", of_topic.values())
        order = sorted(zip(rounded, of_topic, strict=True), reverse=True)
        kept = {doc_id for _, doc_id in order[:DEPTH]}
        self.scores[topic_id] = {
            doc_id: score for doc_id, score in of_topic.items() if doc_id in kept or doc_id in known
        }


def _blocks(path: Path, form: RunForm) -> Iterator[tuple[TopicId, Sequence[DocId], array[float]]]:
    """Documents and scores of lines that follow each other and are of one topic."""
    places = _PLACES[form]
    iterations: set[str] = set()
    for text in _texts(path):
        found = _columns(text, COLUMNS[form])
        if form is RunForm.TREC:
            iterations.update(found[1])
        texts = found[places.score]
        scores = array("d", map(float, texts))
        if (
            len(iterations) > 1
            or (form is RunForm.TASK2 and "Q0" in found[1])
            or (places.rank is not None and not all(map(str.isdecimal, found[places.rank])))
            or not max(map(abs, scores)) <= MAX_SCORE
            or math.isnan(sum(scores))
            or "_" in "".join(texts)  # which float takes for a part of a number
            or "" in found[0]
            or "" in found[places.document]
        ):
            raise _Doubt
        documents = cast("list[DocId]", found[places.document])  # a call for each is slow
        begin = 0
        for topic_id, of_topic in groupby(found[0]):
            end = begin + len(list(of_topic))
            yield TopicId(topic_id), documents[begin:end], scores[begin:end]
            begin = end


def _texts(path: Path) -> Iterator[str]:
    """The file in pieces of whole lines, without the line end of the last."""
    with open_bytes(path) as stream:
        beginning = "\ufeff"
        while block := stream.read(_BLOCK):
            rest = stream.readline(MAX_LINE)
            if len(rest) == MAX_LINE:
                raise _Doubt  # a line without end, which is no text
            text = (block + rest).decode().removeprefix(beginning)
            beginning = ""
            text = text.replace("\r\n", "\n").strip("\n")
            if text:
                yield text


def _columns(text: str, width: int) -> list[list[str]]:
    """The columns of lines, each as one list; if they have others than expected it is a doubt."""
    found = regular_columns(text, width)
    if found is not None:
        return found
    rows = [columns(line) for line in text.split("\n") if line.strip()]
    if any(len(row) != width for row in rows):
        raise _Doubt
    return [list(column) for column in zip(*rows, strict=True)]


def _read_carefully(path: Path, form: RunForm, judged: JudgedDocuments | None) -> Scores:
    gathered = _Gathered(judged)
    for line in read_hits(path, form):
        try:
            gathered.add(line.topic_id, [line.hit.doc_id], array("d", [line.hit.score]))
        except _Doubt:
            raise duplicate_hit(path, line, form) from None
    return gathered.scores
