"""Runs and judgments in every accepted form."""

from pathlib import Path
from typing import NamedTuple

import ir_measures
import numpy as np
import pytest

from porism.errors import FormatError, PorismError
from porism.evaluation.inputs import as_qrels, as_run, as_scored
from porism.evaluation.scoring import evaluate
from porism.formats.runs import RunForm
from porism.model import DocId, Hit, Qrels, Run, TopicId

SCORES = {"A.1": {"a": 2.0, "b": 1.0}, "A.2": {"c": 3.0}}
GRADES = {"A.1": {"a": 0, "b": 3}, "A.2": {"c": 2}}


class Frame:
    """The used part of a pandas data frame."""

    def __init__(self, rows: list[tuple[object, ...]], names: list[str]) -> None:
        self._rows = rows
        self._names = names

    def __iter__(self) -> object:
        return iter(self._names)

    def itertuples(self) -> list[NamedTuple]:
        row = NamedTuple("row", [(name, object) for name in self._names])  # type: ignore[misc]
        return [row(*cells) for cells in self._rows]


def _every_run(tmp_path: Path) -> list[object]:
    path = tmp_path / "run.txt"
    path.write_text("A.1 Q0 a 1 2 x\nA.1 Q0 b 2 1 x\nA.2 Q0 c 1 3 x\n")
    rows = [(topic, doc, score) for topic, of in SCORES.items() for doc, score in of.items()]
    hits = {
        TopicId(topic): tuple(Hit(DocId(doc), score) for doc, score in of.items())
        for topic, of in SCORES.items()
    }
    return [
        SCORES,
        {topic: {doc: np.float32(s) for doc, s in of.items()} for topic, of in SCORES.items()},
        path,
        str(path),
        [ir_measures.ScoredDoc(*row) for row in rows],
        (ir_measures.ScoredDoc(*row) for row in rows),
        Frame([*rows], ["query_id", "doc_id", "score"]),
        Run("x", hits),
    ]


def test_every_form_of_a_run_gives_the_same_run(tmp_path: Path) -> None:
    for source in _every_run(tmp_path):
        assert as_scored(source).scores == SCORES  # type: ignore[arg-type]
    for source in _every_run(tmp_path):
        assert [hit.doc_id for hit in as_run(source).rankings[TopicId("A.1")]] == ["a", "b"]  # type: ignore[arg-type]


def test_every_form_of_judgments_gives_the_same_qrels(tmp_path: Path) -> None:
    path = tmp_path / "qrels.txt"
    path.write_text("A.1 0 a 0\nA.1 0 b 3\nA.2 0 c 2\n")
    rows = [(topic, doc, grade) for topic, of in GRADES.items() for doc, grade in of.items()]
    every = (
        GRADES,
        path,
        str(path),
        [ir_measures.Qrel(*row) for row in rows],
        Frame([*rows], ["query_id", "doc_id", "relevance"]),
        as_qrels(GRADES),
    )
    for source in every:
        assert as_qrels(source) == Qrels(GRADES)  # type: ignore[arg-type]


def test_scores_equal_those_of_ir_measures(tmp_path: Path) -> None:
    measures = [ir_measures.parse_measure(name) for name in ("nDCG@1000", "AP(rel=2)")]
    theirs = ir_measures.calc_aggregate(measures, GRADES, SCORES)
    (ours,) = evaluate([SCORES], GRADES, ["nDCG@1000", "AP(rel=2)"]).runs
    assert ours.mean("nDCG@1000") == pytest.approx(theirs[measures[0]])
    assert ours.mean("AP(rel=2)") == pytest.approx(theirs[measures[1]])


def test_a_run_is_named_after_its_source(tmp_path: Path) -> None:
    path = tmp_path / "team-task1.tsv"
    path.write_text("A.1\ta\t1\t2.0\trun tag\n")
    assert as_scored(path).name == "team-task1"
    assert as_scored(path).form is RunForm.TASK1
    assert as_scored(path, "mine").name == "mine"
    assert as_scored(as_scored(path), "mine").form is RunForm.TASK1
    assert as_scored(SCORES).name == "run"


@pytest.mark.parametrize(
    "source",
    [{"A.1": {1: 2.0}}, {"A.1": 3.0}, [("A.1", "a", 1.0)], {"A.1": {"a": None}}, []],
)
def test_invalid_runs_are_refused(source: object) -> None:
    with pytest.raises(PorismError):
        as_scored(source)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "source", [{}, {"A.1": {"a": 1.5}}, {"A.1": {3: 1}}, [("A.1", "a", 1)], {"A.1": {"a": "1"}}]
)
def test_invalid_judgments_are_refused(source: object) -> None:
    with pytest.raises(PorismError):
        as_qrels(source)  # type: ignore[arg-type]


def test_qrels_given_as_a_run_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "qrels.tsv"
    path.write_text("A.1\t0\ta\t2\n")
    with pytest.raises(FormatError, match="4 columns, as in qrels"):
        as_scored(path)


def test_a_repeated_document_in_rows_is_refused() -> None:
    rows = [ir_measures.ScoredDoc("A.1", "a", 1.0), ir_measures.ScoredDoc("A.1", "a", 2.0)]
    with pytest.raises(PorismError, match="is repeated"):
        as_scored(rows)
