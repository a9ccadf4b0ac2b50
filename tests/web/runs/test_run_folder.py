"""Folders of runs: scores, rejected files, and uploaded runs."""

import gzip
import sys
import threading
from pathlib import Path

import pytest

from porism.collection.sample import sample_qrels, sample_topics
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.evaluation.scoring import evaluate
from porism.formats.qrels import read_qrels
from porism.model import Qrels, TopicId
from porism.web.runs import run_folder, scoring_process, trial_runs, upload
from porism.web.runs.run_folder import Leaderboard, ReadingProgress, RunFolder
from porism.web.runs.topic_view import TopicViewOptions, ranking_differences, ranking_view
from porism.web.runs.trial_runs import UnscorableRun
from porism.web.runs.upload import PASTED, RunTooLarge, UploadedRun, uploaded_run
from tests.web.serving import SAFETY_NET, until

QRELS = "A.1\t0\t11\t3\nA.1\t0\t12\t0\nA.1\t0\t13\t1\nA.2\t0\t21\t2\n"
GOOD = "A.1\t11\t1\t9\tgood\nA.1\t99\t2\t8\tgood\nA.1\t12\t3\t7\tgood\nA.2\t21\t1\t5\tgood\n"
BAD = "A.1\t12\t1\t9\tbad\nA.1\t13\t2\t8\tbad\n"
A1, A2, B1 = map(TopicId, ("A.1", "A.2", "B.1"))
NO_COLLECTION = Path("nowhere")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two runs; the judgments are beside the folder."""
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "good.tsv").write_text(GOOD)
    (runs / "bad.tsv.gz").write_bytes(gzip.compress(BAD.encode()))
    (tmp_path / "qrels.tsv").write_text(QRELS)
    return runs


def run_folder_of(folder: Path) -> RunFolder:
    return RunFolder(folder, folder.parent / "qrels.tsv", patience=60)


def leaderboard_of(store: RunFolder, collection: Path = NO_COLLECTION) -> Leaderboard:
    leaderboard = store.leaderboard(collection)
    assert isinstance(leaderboard, Leaderboard)
    return leaderboard


def test_scores_equal_those_of_evaluate_and_the_best_run_is_first(folder: Path) -> None:
    leaderboard = leaderboard_of(run_folder_of(folder))
    expected = evaluate([folder / "good.tsv", folder / "bad.tsv.gz"], folder.parent / "qrels.tsv")
    assert [run.name for run in leaderboard.runs] == ["good", "bad"]
    assert [run.scores for run in leaderboard.runs] == list(expected.runs)
    assert leaderboard.judgments.ceilings == expected.ceilings
    assert leaderboard.judgments.scale == (3, 2, 1, 0)


def test_hits_are_ranked_as_trec_eval_ranks_them(folder: Path) -> None:
    (folder / "tied.tsv").write_text("A.1 Q0 11 1 5 t\nA.1 Q0 13 2 5 t\nA.1 Q0 12 3 7 t\n")
    run = leaderboard_of(run_folder_of(folder)).run("tied")
    assert run is not None
    assert [(hit.rank, hit.doc_id) for hit in run.hits(A1)] == [(1, "12"), (2, "13"), (3, "11")]
    assert run.hits(A2) == ()


def test_files_that_are_not_runs_are_listed_with_reasons(folder: Path) -> None:
    (folder / "broken.tsv").write_text("A.1\t11\t1\tmuch\tbroken\n")
    (folder / "other.run").write_text("Z.1 Q0 11 1 2.0 other\n")
    (folder / "notes.json").write_text("{}")
    (folder / "Topics_Task1.xml").write_text("<Topics><Topic")
    leaderboard = leaderboard_of(run_folder_of(folder))
    assert len(leaderboard.runs) == 2
    reasons = dict(leaderboard.rejected)
    assert reasons.keys() == {"broken.tsv", "other.run", "Topics_Task1.xml"}
    assert reasons["broken.tsv"].startswith("line 1: found the score 'much'")
    assert "same task and year" in reasons["other.run"]


def test_runs_with_the_same_name_are_numbered(folder: Path) -> None:
    (folder / "good.txt").write_text(BAD)
    assert {run.name for run in leaderboard_of(run_folder_of(folder)).runs} == {
        "good",
        "bad",
        "good (2)",
    }


def test_runs_beyond_the_limits_are_listed_as_rejected(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_folder, "MAX_RUNS", 1)
    few = leaderboard_of(run_folder_of(folder))
    assert [run.name for run in few.runs] == ["bad"]
    assert "over 1 runs" in dict(few.rejected)["good.tsv"]
    monkeypatch.setattr(run_folder, "MAX_RUNS", 50)
    monkeypatch.setattr(run_folder, "MAX_BYTES", len(GOOD))
    small = leaderboard_of(run_folder_of(folder))
    assert "MB" in dict(small.rejected)["good.tsv"]


def test_a_changed_folder_is_read_again(folder: Path) -> None:
    store = run_folder_of(folder)
    assert leaderboard_of(store) is leaderboard_of(store)
    (folder / "new.tsv").write_text(BAD)
    assert len(leaderboard_of(store).runs) == 3


def test_progress_is_returned_while_runs_are_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()

    def slowly(path: Path) -> Qrels:
        assert may_go_on.wait(SAFETY_NET)
        return read_qrels(path)

    monkeypatch.setattr(run_folder, "read_qrels", slowly)
    store = RunFolder(folder, folder.parent / "qrels.tsv", patience=0)
    assert store.leaderboard(NO_COLLECTION) == ReadingProgress(0, 2)
    may_go_on.set()
    until(lambda: isinstance(store.leaderboard(NO_COLLECTION), Leaderboard))


def test_judgments_that_cannot_be_read_are_an_error(folder: Path) -> None:
    (folder.parent / "qrels.tsv").write_text("nonsense\n")
    with pytest.raises(PorismError, match="expected qrels"):
        run_folder_of(folder).leaderboard(NO_COLLECTION)


def test_missing_files_are_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="no such folder"):
        RunFolder(tmp_path / "runs", tmp_path / "qrels.tsv")
    with pytest.raises(PorismError, match="no such file"):
        RunFolder(tmp_path, tmp_path / "qrels.tsv")


def test_topics_of_the_folder_are_those_that_are_judged(folder: Path) -> None:
    (folder / "Topics_Task1.xml").write_bytes(sample_topics(1).read_bytes())
    assert set(leaderboard_of(run_folder_of(folder)).topics) == {"A.1", "A.2"}


def test_an_uploaded_run_is_kept_until_others_come(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_folder, "MAX_TRIAL_RUNS", 2)
    store = run_folder_of(folder)
    leaderboard = leaderboard_of(store)
    keys = [
        store.add_trial_run(UploadedRun("mine", GOOD.encode()), leaderboard, NO_COLLECTION).run.key
        for _ in range(3)
    ]
    assert len(set(keys)) == 3
    assert min(map(len, keys)) >= 40
    assert store.trial_run(keys[0]) is None
    kept = store.trial_run(keys[2])
    assert kept is not None
    assert kept.run.scores.by_topic == leaderboard.runs[0].scores.by_topic


def test_other_judgments_drop_uploaded_runs(folder: Path) -> None:
    store = run_folder_of(folder)
    tried = store.add_trial_run(
        UploadedRun("mine", GOOD.encode()), leaderboard_of(store), NO_COLLECTION
    )
    (folder.parent / "qrels.tsv").write_text(QRELS + "A.2\t0\t22\t3\n")
    leaderboard_of(store)
    assert store.trial_run(tried.run.key) is None


def test_a_run_that_cannot_be_scored_is_refused_with_findings(folder: Path) -> None:
    store = run_folder_of(folder)
    with pytest.raises(UnscorableRun, match="line 2: found the score") as refused:
        store.add_trial_run(
            UploadedRun("mine", b"A.1 11 1 2 x\nA.1 12 2 NaN x\n"),
            leaderboard_of(store),
            NO_COLLECTION,
        )
    assert [(each.line, each.severity) for each in refused.value.findings] == [(2, "error")]
    assert "tmp" not in str(refused.value)


def test_a_large_run_is_scored_by_another_process(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = run_folder_of(folder)
    leaderboard = leaderboard_of(store)
    monkeypatch.setattr(trial_runs, "LARGE_RUN", 0)
    trial = store.add_trial_run(UploadedRun("mine", GOOD.encode()), leaderboard, NO_COLLECTION)
    assert trial.run.scores.by_topic == leaderboard.runs[0].scores.by_topic
    assert trial.run.hits(A1) == leaderboard.runs[0].hits(A1)
    with pytest.raises(UnscorableRun, match="line 2: found the score") as refused:
        store.add_trial_run(
            UploadedRun("mine", b"A.1 11 1 2 x\nA.1 12 2 NaN x\n"), leaderboard, NO_COLLECTION
        )
    assert [(each.line, each.severity) for each in refused.value.findings] == [(2, "error")]


def test_a_large_run_is_scored_even_if_no_process_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = run_folder_of(folder)
    leaderboard = leaderboard_of(store)
    monkeypatch.setattr(trial_runs, "LARGE_RUN", 0)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    trial = store.add_trial_run(UploadedRun("mine", GOOD.encode()), leaderboard, NO_COLLECTION)
    assert trial.run.scores.by_topic == leaderboard.runs[0].scores.by_topic
    assert "scored by the server itself" in caplog.text


def test_scoring_that_takes_too_long_is_an_error(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = run_folder_of(folder)
    leaderboard = leaderboard_of(store)
    monkeypatch.setattr(trial_runs, "LARGE_RUN", 0)
    monkeypatch.setattr(scoring_process, "TIMEOUT", 0.001)
    with pytest.raises(UnscorableRun, match="scoring took more than"):
        store.add_trial_run(UploadedRun("mine", GOOD.encode()), leaderboard, NO_COLLECTION)


def test_formulas_are_scored_by_visual_id(sample_index: Path, tmp_path: Path) -> None:
    qrels = sample_qrels(2)
    judged = read_qrels(qrels).grades[B1]
    best = max(judged, key=lambda doc_id: judged[doc_id])
    (tmp_path / "task2.tsv").write_text(
        f"B.1\t{best}\t1\t1\t9\tf\nB.1\t123456789\t1\t2\t8\tf\n"
        + "".join(f"B.{n}\t{best}\t1\t1\t9\tf\n" for n in range(2, 12))
    )
    collection = sample_index.parent
    leaderboard = leaderboard_of(RunFolder(tmp_path, qrels, patience=60), collection)
    assert leaderboard.judgments.task == 2
    (run,) = leaderboard.runs
    first, unknown = run.hits(B1)
    with open_collection(collection) as opened:
        assert first.doc_id == opened.instance(best).effective_visual_id
    assert first.formula_id == best
    assert leaderboard.judgments.grades[B1][first.doc_id] == judged[best]
    assert (unknown.doc_id, unknown.formula_id) == ("formula 123456789", "")


def test_filters_keep_the_ranks_of_the_whole_run(folder: Path) -> None:
    leaderboard = leaderboard_of(run_folder_of(folder))
    found = {run.key: run.hits(A1) for run in leaderboard.runs}
    grades = leaderboard.judgments.grades[A1]

    def ranks_and_grades(options: TopicViewOptions) -> list[tuple[int, int | None]]:
        ranking = ranking_view(leaderboard.runs[0], found, grades, options)
        return [(each.hit.rank, each.grade) for each in ranking.hits]

    assert ranks_and_grades(TopicViewOptions()) == [(1, 3), (2, None), (3, 0)]
    assert ranks_and_grades(TopicViewOptions(unjudged="0")) == [(1, 3), (3, 0)]
    assert ranks_and_grades(TopicViewOptions(grades=(0,), unjudged="0")) == [(3, 0)]
    assert ranks_and_grades(TopicViewOptions(unjudged="only")) == [(2, None)]
    assert ranks_and_grades(TopicViewOptions(k=1)) == [(1, 3)]


def test_differences_are_first_hits_of_one_run_only(folder: Path) -> None:
    leaderboard = leaderboard_of(run_folder_of(folder))
    found = {run.key: run.hits(A1) for run in leaderboard.runs}
    apart = ranking_differences(leaderboard.runs, found, leaderboard.judgments.grades[A1], k=2)
    assert apart is not None
    assert apart.both == 0
    assert [(each.hit.doc_id, each.other_rank) for each in apart.only_first] == [
        ("11", None),
        ("99", None),
    ]
    assert [(each.hit.doc_id, each.other_rank) for each in apart.only_second] == [
        ("12", 3),
        ("13", None),
    ]
    assert apart.missed == ()
    assert ranking_differences(leaderboard.runs[:1], found, {}, k=2) is None


FORM = "multipart/form-data; boundary=xyz"


def form(text: str = "", file: bytes = b"", name: str = "") -> bytes:
    return (
        b'--xyz\r\nContent-Disposition: form-data; name="text"\r\n\r\n'
        + text.encode()
        + b"\r\n--xyz\r\n"
        + f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n'.encode()
        + b"Content-Type: application/octet-stream\r\n\r\n"
        + file
        + b"\r\n--xyz--\r\n"
    )


def test_a_form_has_a_text_or_a_file() -> None:
    assert uploaded_run(FORM, form(text="A.1 11 2")) == UploadedRun(PASTED, b"A.1 11 2")
    packed = gzip.compress(GOOD.encode())
    assert uploaded_run(FORM, form(file=packed, name="C:\\x\\mine.tsv.gz")) == UploadedRun(
        "mine", GOOD.encode()
    )
    assert uploaded_run(FORM, form(file=b"x", name="../../é<b>.tsv")).name == "é<b>"
    for wrong in (form(), form("a", b"b", "c")):
        with pytest.raises(PorismError, match="expected a run"):
            uploaded_run(FORM, wrong)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("", b"A.1 11 2"),
        ("application/json", b"{}"),
        ("multipart/form-data", b"x"),
        (FORM, b"--xyz\r\nContent-Disposition: form-data; name=text\r\n\r\ncut off"),
        (FORM, b"--xyz\r\n\r\n" * 50),
        (FORM, b""),
        (FORM, form(file=b"\x1f\x8bdamaged", name="a.gz")),
    ],
)
def test_other_bodies_are_refused(kind: str, body: bytes) -> None:
    with pytest.raises(PorismError):
        uploaded_run(kind, body)


def test_a_compressed_run_is_decompressed_up_to_the_limit_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(upload, "MAX_RUN", 1000)
    with pytest.raises(RunTooLarge):
        uploaded_run("text/plain", gzip.compress(b"A.1 11 1\n" * 10_000))
