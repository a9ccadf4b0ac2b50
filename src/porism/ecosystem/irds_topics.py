"""Queries and judgments for ir_datasets, read from the lab's files on use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from porism.ecosystem.irds_records import (
    ArqMathTask1Query,
    ArqMathTask2Query,
    IrdsQuery,
    formula_query,
    question_query,
)
from porism.ecosystem.lab_files import LabFile
from porism.formats.qrels import read_qrels
from porism.formats.topics import read_topics
from porism.model import Topic

GRADES = {0: "not relevant", 1: "low relevance", 2: "medium relevance", 3: "high relevance"}


class QueryKind(NamedTuple):
    """How topics become queries: as questions to answer, or as formulas to find."""

    record: type[IrdsQuery]
    query: Callable[[Topic], IrdsQuery]


QUESTION_QUERIES = QueryKind(ArqMathTask1Query, question_query)
FORMULA_QUERIES = QueryKind(ArqMathTask2Query, formula_query)


@dataclass(frozen=True, slots=True)
class FileQueries:
    """The queries of a topic file.

    ``formulas`` is the lab's file of their LaTeX, which takes precedence if present: in the topic
    files of 2022, some formulas are cut off.
    """

    file: LabFile
    kind: QueryKind
    namespace: str
    lang: str | None = None
    formulas: LabFile | None = None

    def queries_path(self) -> Path:
        """The topic file."""
        return self.file.path()

    def queries_iter(self) -> Iterator[IrdsQuery]:
        """The queries in file order."""
        formulas = None if self.formulas is None else self.formulas.find()
        return map(self.kind.query, read_topics(self.file.path(), formulas))

    def queries_count(self) -> int:
        """The number of queries."""
        return sum(1 for _ in read_topics(self.file.path()))

    def queries_cls(self) -> type[IrdsQuery]:
        """The type of the queries."""
        return self.kind.record

    def queries_namespace(self) -> str:
        """The namespace in which ids are unique."""
        return self.namespace

    def queries_lang(self) -> str | None:
        """The language, if known."""
        return self.lang


class IrdsJudgment(NamedTuple):
    """A judgment, with the fields of ir_datasets' TREC judgments."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str


@dataclass(frozen=True, slots=True)
class FileQrels:
    """The judgments of a file."""

    file: LabFile

    def qrels_path(self) -> Path:
        """The file of judgments."""
        return self.file.path()

    def qrels_iter(self) -> Iterator[IrdsJudgment]:
        """The judgments in file order, without the lab's codes 5 and 6.

        These mean that a document could not be judged, and would count as high grades.
        """
        for topic_id, of_topic in read_qrels(self.file.path()).grades.items():
            for document, grade in of_topic.items():
                if grade in GRADES:
                    yield IrdsJudgment(topic_id, document, grade, "0")

    def qrels_count(self) -> int:
        """The number of judgments."""
        return sum(1 for _ in self.qrels_iter())

    def qrels_cls(self) -> type[IrdsJudgment]:
        """The type of the judgments."""
        return IrdsJudgment

    def qrels_defs(self) -> dict[int, str]:
        """The meaning of the grades."""
        return dict(GRADES)


@dataclass(frozen=True, slots=True)
class DatasetDescription:
    """A description of a dataset, in one sentence."""

    name: str
    text: str

    def documentation(self) -> dict[str, str]:
        """The description under the names that ir_datasets uses."""
        return {"pretty_name": self.name, "desc": self.text}
