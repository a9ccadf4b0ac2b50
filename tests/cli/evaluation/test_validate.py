"""``porism validate`` as the shell sees it."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from porism.cli.evaluation.validate import validate

RUN_NAME = "mine-task1-bm25-auto-both-P.tsv"
TOPICS = """<?xml version="1.0"?>
<Topics>
<Topic number="A.1"><Title>a</Title><Question>b</Question><Tags>c</Tags></Topic>
<Topic number="A.2"><Title>a</Title><Question>b</Question><Tags>c</Tags></Topic>
</Topics>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validated(*arguments: str) -> Result:
    return CliRunner().invoke(validate, arguments)


def test_findings_have_path_and_line(folder: Path) -> None:
    (folder / "run.tsv").write_text("A.1\t7\t1\t2\tm\nA.1\t7\t2\tnan\tm\nA.1\t8\t5\t1\tm\n")
    done = validated("run.tsv", "--task", "1")
    assert done.exit_code == 1
    assert done.output.splitlines() == [
        "run.tsv:2: error: found score 'nan': expected a finite number",
        "run.tsv:2: error: document 7 is repeated in topic A.1: expected each once",
        "run.tsv: warning: the lab's file names have the form "
        "TEAM-task1-RUN-{auto,manual}-{text,math,both}-{P,A}.tsv",
        "run.tsv: warning: ranks are missing in 1 of 1 topics, first rank 3 of topic A.1; correct "
        "only if lines were removed, such as those of unjudged documents",
        "run.tsv: 2 errors, 2 warnings",
    ]


def test_warnings_alone_exit_with_0(folder: Path) -> None:
    (folder / "run.tsv").write_text("A.1 Q0 7 1 2 m\n")
    done = validated("run.tsv")
    assert done.exit_code == 0
    assert done.output.endswith("run.tsv: 0 errors, 1 warning\n")


def test_every_run_is_checked_even_if_the_first_has_errors(folder: Path) -> None:
    (folder / "empty.tsv").write_text("")
    (folder / RUN_NAME).write_text("A.1 Q0 7 1 2 m\n")
    done = validated("empty.tsv", RUN_NAME)
    assert done.exit_code == 1
    assert "empty.tsv: error: the file has no lines" in done.output
    assert f"{RUN_NAME}: 0 errors, 0 warnings" in done.output


def test_ten_findings_of_a_kind_are_printed_and_all_counted(folder: Path) -> None:
    (folder / RUN_NAME).write_text("".join(f"A.1 Q0 {n} {n} bad m\n" for n in range(1, 31)))
    lines = validated(RUN_NAME).output.splitlines()
    assert len(lines) == 12
    assert lines[-2] == f"{RUN_NAME}: error: 20 more of this kind (score-no-number)"
    assert lines[-1] == f"{RUN_NAME}: 30 errors, 0 warnings"


def test_json_has_the_findings_of_each_file(folder: Path) -> None:
    (folder / RUN_NAME).write_text("A.1 Q0 7 1 high m\n")
    done = validated(RUN_NAME, "--json")
    assert done.exit_code == 1
    assert json.loads(done.output) == {
        "files": [
            {
                "path": RUN_NAME,
                "errors": 1,
                "warnings": 0,
                "findings": [
                    {
                        "line": 1,
                        "severity": "error",
                        "kind": "score-no-number",
                        "message": "found score 'high': expected a finite number",
                    }
                ],
            }
        ]
    }


def test_topics_are_read_from_the_labs_file(folder: Path) -> None:
    (folder / "topics.xml").write_text(TOPICS)
    (folder / RUN_NAME).write_text("A.1 Q0 7 1 2 m\nA.9 Q0 7 1 2 m\n")
    done = validated(RUN_NAME, "--topics", "topics.xml")
    assert done.exit_code == 0
    assert f"{RUN_NAME}:2: warning: topic A.9 is not one of the 2 topics" in done.output
    assert "1 topic has no results and will count as 0: A.2" in done.output


def test_answers_must_be_in_the_collection(folder: Path, sample_index: Path) -> None:
    from porism.collection.store import open_collection
    from porism.model import PostKind

    collection = sample_index.parent
    with open_collection(collection) as opened:
        answer = next(opened.posts(PostKind.ANSWER)).id
        question = next(opened.posts(PostKind.QUESTION)).id
        formula = next(opened.instances()).id
    rows = [f"A.1 Q0 {doc} {rank} {-rank} m\n" for rank, doc in enumerate((answer, question), 1)]
    (folder / RUN_NAME).write_text("".join([*rows, "A.1 Q0 nothing 3 -3 m\n"]))
    done = validated(RUN_NAME, "--task", "1", "--collection", str(collection))
    assert done.exit_code == 1
    assert [line.partition(" (")[0] for line in done.output.splitlines()] == [
        f"{RUN_NAME}:2: error: there is no document {question}",
        f"{RUN_NAME}:3: error: there is no document nothing",
        f"{RUN_NAME}: 2 errors, 0 warnings",
    ]
    formulas = "mine-task2-paths-auto-math-A.tsv"
    (folder / formulas).write_text(f"B.1\t{formula}\t1\t1\t2\tm\nB.1\tno\t1\t2\t1\tm\n")
    done = validated(formulas, "--task", "2", "--collection", str(collection))
    assert f"{formulas}:2: error: there is no document no (topic B.1)" in done.output
    assert done.output.endswith("1 error, 0 warnings\n")


def test_collection_needs_a_task(folder: Path) -> None:
    done = validated("run.tsv", "--collection", "somewhere")
    assert done.exit_code == 2
    assert "--task 1 or --task 2" in done.output


def test_control_characters_of_a_file_do_not_reach_the_terminal(folder: Path) -> None:
    (folder / RUN_NAME).write_text("A.1 Q0 7 1 \x1b[31m m\n")
    assert "\x1b" not in validated(RUN_NAME).output


def test_help_has_examples() -> None:
    text = validate.get_help(click.Context(validate, info_name="porism validate"))
    assert "Usage: porism validate [OPTIONS] RUN..." in text
    assert "Examples:" in text
