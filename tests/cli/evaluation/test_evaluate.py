"""``porism evaluate``: tables in every format, all three tasks, the report, and errors."""

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.evaluation.evaluate import CATEGORIES
from porism.cli.evaluation.scored_runs import measure_names, run_names
from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics
from porism.evaluation import Category

QRELS = "A.1\t0\ta\t3\nA.1\t0\tb\t0\nA.1\t0\tc\t2\nA.2\t0\td\t2\nA.2\t0\te\t5\n"
GOOD = "A.1\ta\t1\t9.0\tx\nA.1\tc\t2\t8.0\tx\nA.1\tb\t3\t7.0\tx\nA.2\td\t1\t5.0\tx\n"
POOR = "A.1 Q0 b 1 2 y\nA.1 Q0 u 2 1.5 y\nA.1 Q0 a 3 1 y\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.tsv").write_text(QRELS)
    (tmp_path / "good.tsv").write_text(GOOD)
    (tmp_path / "poor.tsv.gz").write_bytes(gzip.compress(POOR.encode()))
    (tmp_path / "information.csv").write_text(
        "Topic,Category,Difficulty,Dependency,Multi-Part\nA.1,Proof,Low,Both,No\n"
        "A.2,Computation,High,Text,Yes\n"
    )
    return tmp_path


def invoke(files: Path, *arguments: str) -> Result:
    """Run the command; arguments that start with ``@`` are files of the folder."""
    given = [str(files / word[1:]) if word.startswith("@") else word for word in arguments]
    return CliRunner().invoke(porism, ["evaluate", *given])


BOTH = ("--qrels", "@qrels.tsv", "@good.tsv", "@poor.tsv.gz")


def test_text_table(files: Path) -> None:
    done = invoke(files, *BOTH, "--measures", "nDCG',MAP'", "--measures", "P@10")
    assert done.exit_code == 0, done.output
    # poor, primed: b (0), a (3); nDCG' of A.1 is (3 / log2 3) / (3 + 2 / log2 3), A.2 is missing.
    assert done.stdout == (
        "run                topics   nDCG'    MAP'    P@10\n"
        "good                    2  1.0000  1.0000  0.1500\n"
        "poor                    1  0.2221  0.1250  0.0500\n"
        "highest reachable       2  1.0000  1.0000  0.1500\n"
    )


def test_tsv_has_all_digits(files: Path) -> None:
    done = invoke(files, *BOTH, "--tsv", "--measures", "MAP'")
    assert (
        done.stdout
        == "run\ttopics\tMAP'\ngood\t2\t1.0\npoor\t1\t0.125\nhighest reachable\t2\t1.0\n"
    )


def test_latex_table(files: Path) -> None:
    done = invoke(files, "--qrels", "@qrels.tsv", "@poor.tsv.gz", "--latex", "--measures", "P'@10")
    assert done.stdout == (
        "\\begin{tabular}{lrr}\n\\toprule\nrun & topics & P$'$@10 \\\\\n\\midrule\n"
        "poor & 1 & 0.050 \\\\\n\\midrule\nhighest reachable & 2 & 0.150 \\\\\n"
        "\\bottomrule\n\\end{tabular}\n"
    )


def test_json_has_scores_topics_and_groups(files: Path) -> None:
    by = ("--by", "type", "--topic-info", "@information.csv")
    done = invoke(files, *BOTH, "--json", "--measures", "MAP'", *by)
    record = json.loads(done.stdout)
    assert record["task"] == 1
    assert record["topics"] == ["A.1", "A.2"]
    assert record["highest_reachable"] == {"MAP'": 1.0}
    assert record["runs"][1] == {
        "run": "poor",
        "topics": 1,
        "means": {"MAP'": 0.125},
        "by_topic": {"MAP'": {"A.1": 0.25, "A.2": 0.0}},
    }
    assert record["groups"][0] == {
        "run": "good",
        "category": "type",
        "group": "Computation",
        "topics": 1,
        "means": {"MAP'": 1.0},
    }


def test_by_topic_and_by_category(files: Path) -> None:
    by = ("--by", "difficulty", "--topic-info", "@information.csv", "--by-topic")
    done = invoke(files, "--qrels", "@qrels.tsv", "@poor.tsv.gz", "--measures", "MAP'", *by)
    assert done.stdout.split("\n\n")[1:] == [
        "run   difficulty  topics    MAP'\n"
        "poor  all              2  0.1250\n"
        "poor  Low              1  0.2500\n"
        "poor  High             1  0.0000",
        "run   topic    MAP'\npoor  A.1    0.2500\npoor  A.2    0.0000\n",
    ]


def test_the_default_measures_are_those_of_the_lab(files: Path) -> None:
    heading = invoke(files, *BOTH).stdout.splitlines()[0]
    assert heading.split() == ["run", "topics", "nDCG'", "MAP'", "P'@10", "bpref"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--qrels", "@qrels.tsv"), "expected at least one run"),
        ((*BOTH, "--json", "--tsv"), "choose one of"),
        ((*BOTH, "--by", "type"), "--by and --topic-info need each other"),
        ((*BOTH, "--topic-info", "@information.csv"), "--by and --topic-info need each other"),
        ((*BOTH, "--task", "4"), "Invalid value for '--task'"),
    ],
)
def test_misuse_is_an_error(files: Path, arguments: tuple[str, ...], why: str) -> None:
    done = invoke(files, *arguments)
    assert done.exit_code == 2
    assert why in done.stderr


@pytest.mark.parametrize(
    ("run", "why"),
    [
        ("A.1\ta\t1\tnan\tx\n", "bad.tsv:1: found the score 'nan'"),
        ("", "the file has no lines"),
        ("A.301\ta\t1\t1\tx\n", "A.301, the judgments A.1 to A.2, and 0 are in both"),
        ("A.1\ta\t1\t2\tx\nA.1\ta\t2\t1\tx\n", "bad.tsv:2: document a is here for the second time"),
        ("\x00\x01\x02", "expected a run"),
    ],
)
def test_bad_runs_are_refused_with_their_place(files: Path, run: str, why: str) -> None:
    (files / "bad.tsv").write_text(run)
    done = invoke(files, "--qrels", "@qrels.tsv", "@bad.tsv")
    assert done.exit_code == 1
    assert why in done.stderr
    assert "Traceback" not in done.output


def test_run_without_judged_results_scores_0_with_a_note(files: Path) -> None:
    (files / "odd.tsv").write_text("A.1\tzz\t1\t1\tx\n")
    done = invoke(files, "--qrels", "@qrels.tsv", "@odd.tsv", "--measures", "MAP'")
    assert "odd                     1  0.0000" in done.stdout
    assert "Note: no result of odd is judged" in done.stderr


def test_a_binary_file_is_refused(files: Path) -> None:
    (files / "bad.tsv").write_bytes(bytes(range(256)) * 50)
    done = invoke(files, "--qrels", "@qrels.tsv", "@bad.tsv")
    assert done.exit_code == 1
    assert "bad.tsv" in done.stderr


def test_unknown_measure_is_reported_before_runs_are_read(files: Path) -> None:
    done = invoke(files, "--qrels", "@qrels.tsv", "@absent.tsv", "--measures", "nDGC")
    assert done.exit_code == 1
    assert "there is no measure 'nDGC'" in done.stderr


def test_runs_of_the_same_name_get_distinct_names(tmp_path: Path) -> None:
    a, b = tmp_path / "a" / "run.tsv", tmp_path / "b" / "run.tsv.gz"
    assert run_names([a, b, tmp_path / "other"]) == ["a/run", "b/run", "other"]
    assert run_names([a, a]) == ["a/run", "a/run (2)"]


def test_measure_names_can_have_commas_in_brackets() -> None:
    assert measure_names(["P@5,AP(rel=2,judged_only=True),", " "]) == (
        "P@5",
        "AP(rel=2,judged_only=True)",
    )


# Task 2


FORMULA_QRELS = "B.1\t0\tv1\t3\nB.1\t0\tv2\t0\n"
FORMULA_RUN = (
    "B.1\tf3\tnotes/a.md\t1\t3\tx\nB.1\tf1\tnotes/a.md\t2\t2\tx\nB.1\tf2\tnotes/b.md\t3\t1\tx\n"
)


@pytest.fixture
def formula_files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.tsv").write_text(FORMULA_QRELS)
    (tmp_path / "run.tsv").write_text(FORMULA_RUN)
    (tmp_path / "map.tsv").write_text("f1\tv1\nf2\tv1\nf3\tv2\n")
    return tmp_path


def test_formulas_are_scored_by_visual_id(formula_files: Path) -> None:
    given = ("--qrels", "@qrels.tsv", "@run.tsv", "--formulas", "@map.tsv")
    done = invoke(formula_files, *given, "--json", "--measures", "MAP',P'@1")
    record = json.loads(done.stdout)
    assert record["task"] == 2
    assert record["runs"][0]["means"] == {"MAP'": 0.5, "P'@1": 0.0}  # v2 first, then v1 once


def test_formula_ids_without_visual_ids_are_refused(formula_files: Path) -> None:
    done = invoke(formula_files, "--qrels", "@qrels.tsv", "@run.tsv")
    assert done.exit_code == 1
    assert "need --formulas" in done.stderr


def test_a_run_by_visual_id_needs_no_map(formula_files: Path) -> None:
    (formula_files / "visual.tsv").write_text("B.1\tv1\t2\nB.1\tv2\t1\n")
    done = invoke(formula_files, "--qrels", "@qrels.tsv", "@visual.tsv", "--measures", "P'@1")
    assert "visual                  1  1.0000" in done.stdout


def test_scoring_by_formula_id_prints_a_note(formula_files: Path) -> None:
    (formula_files / "qrels.tsv").write_text("B.1\t0\tf1\t3\n")
    done = invoke(formula_files, "--qrels", "@qrels.tsv", "@run.tsv", "--measures", "P'@1")
    assert "1.0000" in done.stdout
    assert "Note: scored by formula" in done.stderr


def test_a_run_of_the_sample_with_its_collection(sample_index: Path, tmp_path: Path) -> None:
    run = tmp_path / "l8.tsv"
    topics = ["--topics", str(sample_topics(2))]
    ask = ["run", str(sample_index), "--system", "l8", "--task", "2", *topics, "-o", str(run)]
    assert CliRunner().invoke(porism, ask).exit_code == 0
    given = ["evaluate", "--qrels", str(sample_qrels(2)), str(run)]
    report = tmp_path / "report.html"
    report_options = [*topics, "--collection", str(sample_index.parent), "-o", str(report)]
    visual_ids = ["--formulas", str(sample_index.parent)]
    done = CliRunner().invoke(
        porism, [*given, *visual_ids, *report_options, "--measures", "nDCG'", "--json"]
    )
    assert done.exit_code == 0, done.output
    (scored,) = json.loads(done.stdout)["runs"]
    assert 0.5 < scored["means"]["nDCG'"] <= 1
    assert "<math" in report.read_text()


# Task 3


@pytest.fixture
def answer_files(tmp_path: Path) -> Path:
    (tmp_path / "qrels.tsv").write_text("A.1\t0\td_1\t3\nA.1\t0\td_2\t2\nA.2\t0\td_3\t5\n")
    (tmp_path / "map.tsv").write_text(
        "X-task3-one-auto-both-extract-P\tA.1\td_1\nX-task3-one-auto-both-extract-P\tA.2\td_3\n"
        "Y-task3-two-auto-both-extract-P\tA.1\td_2\n"
    )
    (tmp_path / "X-task3-one-auto-both-extract-P.tsv").write_text(
        'A.1\t1\t1.0\tone\t\t"The sum $x+y$ is even."\nA.2\t1\t1.0\tone\t\t"Nothing."\n'
    )
    (tmp_path / "Y-task3-two-auto-both-extract-P.tsv").write_text(
        'A.1\t1\t1.0\ttwo\t\t"The sum $x+y$ is odd."\n'
    )
    (tmp_path / "new.tsv").write_text("A.1\tThe sum $x+y$ is even.\n")
    return tmp_path


JUDGED = ("--task", "3", "--qrels", "@qrels.tsv", "--answers", "@map.tsv")


def test_answers_are_scored_by_grade(answer_files: Path) -> None:
    done = invoke(answer_files, *JUDGED)
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "run                              topics      AR     P@1  AR of all  P@1 of all\n"
        "X-task3-one-auto-both-extract-P       2  1.5000  0.5000     1.5000      0.5000\n"
        "Y-task3-two-auto-both-extract-P       1  2.0000  1.0000     1.0000      0.5000\n"
        "highest reachable                     2  1.5000  0.5000     1.5000      0.5000\n"
    )


def test_answers_are_scored_by_similarity(answer_files: Path) -> None:
    one, two = (f"@{name}-auto-both-extract-P.tsv" for name in ("X-task3-one", "Y-task3-two"))
    done = invoke(answer_files, *JUDGED, one, two, "@new.tsv", "--json")
    record = json.loads(done.stdout)
    by_run = {run["run"].split("-")[0]: run for run in record["runs"]}
    # Each team's answer is compared with the other's, the newcomer's with both.
    assert by_run["X"]["means"]["LO"] == by_run["Y"]["means"]["LO"] < 1
    assert by_run["new"]["means"]["LO"] == 1.0
    assert by_run["new"]["means"]["AR"] is None
    assert any("built-in tokenizer" in note for note in record["notes"])


def test_a_run_can_be_named_as_in_the_map(answer_files: Path) -> None:
    done = invoke(answer_files, *JUDGED, "Y-task3-two-auto-both-extract-P", "--json")
    assert [run["run"] for run in json.loads(done.stdout)["runs"]] == [
        "Y-task3-two-auto-both-extract-P"
    ]


def test_a_run_that_nobody_judged_is_marked(answer_files: Path) -> None:
    references = ("--references", "@X-task3-one-auto-both-extract-P.tsv")
    arguments = (*JUDGED, *references, "@new.tsv", "--measures", "AR,P@1,LO")
    done = invoke(answer_files, *arguments)
    assert done.exit_code == 0, done.output
    header, row, *_ = done.stdout.splitlines()
    assert header.split()[:5] == ["run", "topics", "AR", "P@1", "LO"]
    assert re.split("  +", row)[2:5] == ["not judged", "not judged", "1.0000"]
    assert "LO by built-in tokenizer, sets; 1 reference to 1 topic\n" in done.stderr
    assert "CS by" not in done.stderr
    table = invoke(answer_files, *arguments, "--tsv").stdout.splitlines()
    assert table[1].split("\t") == ["new", "1", "", "", "1.0", "", ""]
    (run,) = json.loads(invoke(answer_files, *arguments, "--json").stdout)["runs"]
    assert run["means"] == {"AR": None, "P@1": None, "LO": 1.0}
    latex = invoke(answer_files, *arguments, "--latex").stdout
    assert "new & 1 & not judged & not judged & 1.000 & " in latex
    by_topic = invoke(answer_files, *arguments, "--by-topic", "--tsv").stdout
    assert "new\tA.1\t\t\t1.0\n" in by_topic


def test_without_a_map_answers_are_only_compared_with_references(
    answer_files: Path, sample_index: Path
) -> None:
    (answer_files / "task1.tsv").write_text("A.1\t0\t102\t3\nA.2\t0\t103\t3\n")
    wide = ("--task1-qrels", "@task1.tsv", "--collection", str(sample_index.parent))
    done = invoke(answer_files, "--task", "3", "--qrels", "@task1.tsv", *wide, "@new.tsv", "--json")
    assert done.exit_code == 0, done.output
    record = json.loads(done.stdout)
    (run,) = record["runs"]
    assert run["run"] == "new"
    assert 0 < run["means"]["LO"] < 1
    assert run["means"]["AR"] is None
    assert run["topics"] == 1
    assert "no answer is judged: --answers names the answers that are" in record["notes"]


def test_without_a_map_and_references_nothing_can_be_compared(answer_files: Path) -> None:
    done = invoke(answer_files, "--task", "3", "--qrels", "@qrels.tsv", "@new.tsv")
    assert done.exit_code == 0, done.output
    assert "LO and CS need the texts of relevant answers: use --references" in done.stderr


def test_task_1_runs_are_cut_at_rank_1(files: Path) -> None:
    done = invoke(files, "--task", "3", *BOTH, "--json")
    good, poor = json.loads(done.stdout)["runs"]
    assert good["by_topic"]["AR"] == {"A.1": 3.0, "A.2": 2.0}
    assert poor["by_topic"]["AR"] == {"A.1": 0.0}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--task", "3", "--qrels", "@qrels.tsv"), "expected runs to score, or --answers"),
        ((*JUDGED, "--measures", "MAP"), "Task 3 has no measure MAP"),
        ((*JUDGED, "@new.tsv", "--task1-qrels", "@qrels.tsv"), "needs --collection"),
        ((*JUDGED, "absent"), "absent"),
        (
            (*JUDGED, "@new.tsv", "@Y-task3-two-auto-both-extract-P.tsv", "--model", "@"),
            "config.json",
        ),
    ],
)
def test_misuse_of_task_3_is_an_error(
    answer_files: Path, arguments: tuple[str, ...], why: str
) -> None:
    done = invoke(answer_files, *arguments)
    assert done.exit_code in (1, 2)
    assert why in done.stderr


def test_relevant_answers_of_task_1_are_references_too(
    answer_files: Path, sample_index: Path
) -> None:
    (answer_files / "task1.tsv").write_text("A.1\t0\t102\t3\nA.2\t0\t103\t0\n")
    wide = ("--task1-qrels", "@task1.tsv", "--collection", str(sample_index.parent))
    done = invoke(answer_files, *JUDGED, "@new.tsv", *wide, "--json")
    assert done.exit_code == 0, done.output
    assert 0 <= json.loads(done.stdout)["runs"][0]["means"]["LO"] < 1


def test_the_report_is_one_file_with_all_runs(files: Path) -> None:
    report = files / "report.html"
    done = invoke(files, *BOTH, "-o", "@report.html")
    assert done.exit_code == 0, done.output
    page = report.read_text()
    assert "good" in page
    assert "poor" in page
    assert "<svg" in page
    assert "<script" not in page


def test_published_runs_evaluated_by_the_command(shared: Path) -> None:
    folder = shared / "data"
    qrels = str(folder / "qrels/qrel_task2_2021_visual_id_v2.tsv")
    run = str(folder / "runs/task2_2021/TangentS_let_tangent_2021.tsv.gz")
    done = CliRunner().invoke(porism, ["evaluate", "--qrels", qrels, run])
    assert "58  0.5113  0.2814  0.4190  0.2952" in done.stdout


def test_the_report_of_answers_shows_them(answer_files: Path) -> None:
    one, two = (f"@{name}-auto-both-extract-P.tsv" for name in ("X-task3-one", "Y-task3-two"))
    done = invoke(answer_files, *JUDGED, one, two, "-o", "@report.html")
    assert done.exit_code == 0, done.output
    page = (answer_files / "report.html").read_text()
    assert "is odd." in page
    assert "<math" in page


def test_the_choices_are_those_of_the_categories() -> None:
    assert tuple(Category) == CATEGORIES


def test_latex_marks_the_best_run_and_not_the_ceiling(files: Path) -> None:
    done = invoke(files, *BOTH, "--latex", "--measures", "MAP'")
    assert "good & 2 & \\textbf{1.000}" in done.stdout
    assert "highest reachable & 2 & 1.000" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--bags",), "--bags: not used in Tasks 1 and 2"),
        (("--task", "1", "--answers", "@qrels.tsv"), "--answers: not used in Tasks 1 and 2"),
        (("--formulas", "@qrels.tsv"), "--formulas is for Task 2"),
        (("--run-ids", "formula"), "--run-ids needs --formulas"),
        (("--task", "2"), "the topics are of Task 1 by their letter, not 2"),
    ],
)
def test_unused_options_are_refused(files: Path, arguments: tuple[str, ...], why: str) -> None:
    done = invoke(files, *BOTH, *arguments)
    assert done.exit_code == 1
    assert why in done.stderr


def test_run_can_come_through_a_pipe(files: Path) -> None:
    command = (
        f"cat {files / 'good.tsv'} | {sys.executable} -m porism evaluate "
        f"--qrels {files / 'qrels.tsv'} - --measures MAP --tsv"
    )
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    assert done.stdout.splitlines()[1] == "standard input\t2\t1.0", done.stderr


def test_measures_of_task_3_can_be_chosen(answer_files: Path) -> None:
    heading = invoke(answer_files, *JUDGED, "--measures", "AR").stdout.splitlines()[0]
    assert heading.split() == ["run", "topics", "AR", "AR", "of", "all"]


def test_unjudged_run_has_no_mean_of_all_topics(answer_files: Path) -> None:
    two = "@Y-task3-two-auto-both-extract-P.tsv"
    record = json.loads(invoke(answer_files, *JUDGED, "@new.tsv", two, "--json").stdout)
    (new,) = (run for run in record["runs"] if run["run"] == "new")
    assert new["means_of_all"] == {"AR": None, "P@1": None}


def test_faults_of_scored_runs_are_reported(files: Path) -> None:
    (files / "zero.tsv").write_text("A.1\ta\t0\t2\tx\nA.1\tb\t1\t1\tx\n")
    done = invoke(files, "--qrels", "@qrels.tsv", "@zero.tsv")
    assert done.exit_code == 0
    assert "warning: ranks start at 0" in done.stderr
    quiet = invoke(files, "--qrels", "@qrels.tsv", "@zero.tsv", "--no-validate")
    assert quiet.stderr == ""
