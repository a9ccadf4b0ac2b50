"""``--leave-out`` of ``porism evaluate`` and ``porism compare``."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism

QRELS = "L.1 0 20 3\nL.1 0 21 2\nL.2 0 10 2\n"
# Each topic has its own answer first.
RUN = "L.1 10 9\nL.1 20 8\nL.1 21 7\nL.2 20 9\nL.2 30 8\nL.2 10 7\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text(QRELS)
    Path("mine").write_text(RUN)
    Path("other").write_text(RUN.replace(" 8\n", " 1\n"))
    Path("own.tsv").write_text("L.1\t10\nL.2\t20\nL.2\t21\n")


def scored(command: str, *arguments: str) -> Result:
    return CliRunner().invoke(porism, [command, "--qrels", "qrels", *arguments])


def test_runs_are_scored_without_these_posts() -> None:
    measures = ("--measures", "MAP,P@1", "--tsv")
    before = scored("evaluate", "mine", *measures)
    assert before.stdout.splitlines()[1].startswith("mine\t2\t0.4583333")
    after = scored("evaluate", "mine", "--leave-out", "own.tsv", *measures)
    assert after.exit_code == 0, after.stderr
    assert after.stdout.splitlines()[1] == "mine\t2\t0.75\t0.5"


def test_runs_are_compared_without_these_posts() -> None:
    arguments = ("mine", "other", "--measures", "P@1")
    assert "0.0000  mine        0.0000" in scored("compare", *arguments).stdout
    result = scored("compare", *arguments, "--leave-out", "own.tsv")
    assert "1.0000  mine        0.5000" in result.stdout


def test_a_note_says_that_primed_measures_tell_nothing() -> None:
    note = "no document is judged not relevant, so nDCG', MAP', P'@10, bpref cannot tell runs apart"
    assert note in scored("evaluate", "mine").stderr
    assert note not in scored("evaluate", "mine", "--measures", "MAP").stderr
    Path("qrels").write_text(f"{QRELS}L.2 0 30 0\n")
    assert note not in scored("evaluate", "mine").stderr


def test_posts_of_other_topics_are_refused() -> None:
    Path("own.tsv").write_text("topic\tpost\nA.1\t10\n")
    result = scored("evaluate", "mine", "--leave-out", "own.tsv")
    assert result.exit_code == 1
    assert "A.1, but of no topic of the judgments (L.1, L.2)" in result.stderr


def test_other_tasks_are_refused() -> None:
    leave_out = ("--leave-out", "own.tsv")
    assert "--leave-out" in scored("evaluate", "mine", "--task", "3", *leave_out).stderr
    result = scored("evaluate", "mine", "--task", "2", *leave_out)
    assert result.exit_code == 1
    assert "--leave-out is for Task 1" in result.stderr
