"""The fast reader of runs: it has the results and the errors of ``read_run``."""

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError
from porism.formats import run_scores
from porism.formats.run_scores import _BLOCK, read_run_scores
from porism.formats.runs import RunForm, read_run, write_run
from porism.model import DocId, Hit, Run, TopicId, ranked

LINES = {
    RunForm.TASK1: "A.1\t7\t1\t2.5\tr\nA.1\t8\t2\t1.5\tr\nA.2\t7\t1\t3\tr\n",
    RunForm.TASK2: "A.1\t7\t70\t1\t2.5\tr\nA.1\t8\t80\t2\t1.5\tr\nA.2\t7\t70\t1\t3\tr\n",
    RunForm.TREC: "A.1 Q0 7 1 2.5 r\nA.1 Q0 8 2 1.5 r\nA.2 Q0 7 1 3 r\n",
    RunForm.SCORES: "A.1\t7\t2.5\nA.1\t8\t1.5\nA.2\t7\t3\n",
}
EXPECTED = {"A.1": {"7": 2.5, "8": 1.5}, "A.2": {"7": 3.0}}


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "run.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("form", RunForm)
@pytest.mark.parametrize(
    "changed",
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.rstrip("\n"),
        lambda text: "\ufeff" + text,
        lambda text: "\n" + text.replace("\n", "\n\n"),
        lambda text: text.replace("\tr", "\ta run"),
        lambda text: text.replace(" ", "  "),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace("\tr\n", "\tr \n"),
        lambda text: text.replace("\t2\t", "\t2.0\t"),
    ],
)
def test_every_form_is_read_with_any_separators(
    tmp_path: Path, form: RunForm, changed: object
) -> None:
    assert callable(changed)
    table = read_run_scores(written(tmp_path, changed(LINES[form])))
    assert (table.form, table.scores) == (form, EXPECTED)


def test_lines_of_a_topic_need_not_be_consecutive(tmp_path: Path) -> None:
    path = written(tmp_path, "A.1\t7\t1\t2\tr\nA.2\t7\t1\t2\tr\nA.1\t8\t2\t1\tr\n")
    assert read_run_scores(path).scores == {"A.1": {"7": 2.0, "8": 1.0}, "A.2": {"7": 2.0}}


@pytest.mark.parametrize(
    "text",
    [
        "A.1\t7\t1\tnan\tr\n",
        "A.1\t7\t1\tinf\tr\n",
        "A.1\t7\t1\t1e39\tr\n",
        "A.1\t7\t1\t1_0\tr\n",
        "A.1\t7\t1\tx\tr\n",
        "A.1\t7\tfirst\t1\tr\n",
        "A.1\t7\t1\t2\tr\nA.1\t7\t2\t1\tr\n",
        "A.1\t\t1\t2\tr\n",
        "\t7\t1\t2\tr\n",
        "A.1\t7\t1\t2\tr\nA.1\t8\t2\n",
        "A.1 Q0 7 1 2 r\nA.1 0x 8 2 1 r\n",
        "A.1\t7\t1\t2\tr\nA.1\t8\t2\t1\tr\textra\nA.1\t9\t3\t0\n",
        "",
        b"\x00\x01\x02\xff" * 100,
        b"A.1\t7\t1\t2\tr\nA.1\t\xe9\t2\t1\tr\n",
        "A.1\t0\t7\t2\n",
    ],
)
def test_errors_are_those_of_read_run(tmp_path: Path, text: str | bytes) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as careful:
        read_run(path)
    with pytest.raises(FormatError) as quick:
        read_run_scores(path)
    assert str(quick.value) == str(careful.value)


def test_damaged_gzip_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv.gz"
    path.write_bytes(gzip.compress(LINES[RunForm.TASK1].encode() * 1000)[:-30])
    with pytest.raises(FormatError, match="truncated or damaged"):
        read_run_scores(path)


IDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1)
RUNS = st.dictionaries(
    IDS.map(TopicId),
    st.dictionaries(IDS.map(DocId), st.floats(-1024, 1024, width=32), min_size=1),
    min_size=1,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(RUNS, st.sampled_from([RunForm.TASK1, RunForm.TREC]))
def test_written_runs_read_back_as_by_read_run(
    tmp_path: Path, scores: dict[TopicId, dict[DocId, float]], form: RunForm
) -> None:
    rankings = {t: ranked(Hit(doc, score) for doc, score in of.items()) for t, of in scores.items()}
    path = tmp_path / "run.tsv"
    write_run(path, Run("r", rankings), form)
    careful = read_run(path, form)
    quick = read_run_scores(path)
    assert quick.form == form
    assert {
        topic: ranked(Hit(doc, score) for doc, score in of.items())
        for topic, of in quick.scores.items()
    } == careful.rankings


def test_unjudged_topics_are_empty(tmp_path: Path) -> None:
    path = written(tmp_path, LINES[RunForm.TASK1])
    table = read_run_scores(path, {TopicId("A.2"): {DocId("7")}})
    assert table.scores == {"A.1": {}, "A.2": {"7": 3.0}}


def test_long_ranking_keeps_its_best_and_all_judged_documents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_scores, "DEPTH", 5)
    monkeypatch.setattr(run_scores, "_BLOCK", 64)
    lines = "".join(f"A.1\td{rank}\t{rank}\t{1000 - rank}\tr\n" for rank in range(100))
    judged = {TopicId("A.1"): {DocId("d50"), DocId("d97")}}
    table = read_run_scores(written(tmp_path, lines), judged).scores[TopicId("A.1")]
    assert {f"d{rank}" for rank in range(5)} | {"d50", "d97"} <= table.keys()
    assert len(table) <= 12


def test_real_runs_are_read_as_by_read_run(shared: Path) -> None:
    paths = sorted((shared / "data/runs").glob("task[12]*/*.gz"))
    assert paths
    for path in paths:
        quick = read_run_scores(path).scores
        careful = read_run(path).rankings
        assert quick.keys() == careful.keys()
        topic = next(iter(careful))
        hits = ranked(Hit(doc_id, score) for doc_id, score in quick[topic].items())
        assert [hit.doc_id for hit in hits] == [hit.doc_id for hit in careful[topic]]


def test_a_block_of_blank_lines_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "run.tsv"
    topic = "A" * _BLOCK
    path.write_text(f"{topic}\t101\t1\t0.5\trun\n\t\n")
    assert read_run_scores(path).scores == {topic: {"101": 0.5}}
