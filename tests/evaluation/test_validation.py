"""Run validation: every fault has a finding, and a valid file has none."""

import csv
import gzip
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError
from porism.evaluation.validation import (
    FindingKind,
    RunChecks,
    RunFinding,
    file_name_finding,
    findings,
    limited_findings,
    run_validation,
)
from porism.formats.answer_runs import read_answer_run
from porism.formats.runs import RunForm, read_run, write_run
from porism.model import DocId, Hit, Run, RunAnswer, TopicId, ranked

RUN_NAME = "mine-task1-bm25-auto-both-P.tsv"
FORMULA_RUN_NAME = "mine-task2-paths-auto-math-A.tsv"
ANSWER_RUN_NAME = "mine-task3-first-auto-both-extract-P.tsv"
NAMES = {1: RUN_NAME, 2: FORMULA_RUN_NAME, 3: ANSWER_RUN_NAME}

CLEAN = "A.1\t7\t1\t2.5\tmine\nA.1\t8\t2\t2.5\tmine\nA.2\t7\t1\t-1e3\tmine\n"
CLEAN_FORMULAS = "B.1\t70\t7\t1\t2.5\tmine\nB.1\t71\t7\t2\t1.5\tmine\nB.2\t70\t7\t1\t1\tmine\n"
CLEAN_TREC = "A.1 Q0 7 1 2.5 mine\nA.1 Q0 8 2 1.5 mine\nA.2 Q0 7 1 1.5 mine\n"
CLEAN_SCORES = "A.1\t7\t2.5\nA.1\t8\t1.5\n"
CLEAN_ANSWERS = 'A.301\t1\t0.5\tmine\t7\t"It is ""so"",\nas $x$."\nA.302\t1\t0.4\tmine\t\tNo.\n'


def written(folder: Path, text: str | bytes, name: str = RUN_NAME) -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def kinds(path: Path, checks: RunChecks | None = None) -> list[tuple[str, int | None]]:
    """Kind and line of each finding."""
    return [(each.kind.value, each.line) for each in findings(path, checks or RunChecks())]


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (CLEAN, 1),
        (CLEAN_TREC, 1),
        (CLEAN_FORMULAS, 2),
        (CLEAN_TREC.replace("A.", "B."), 2),
        (CLEAN_ANSWERS, 3),
        (CLEAN.replace("\n", "\r\n"), 1),
        ("\ufeff" + CLEAN, 1),
        ("\n" + CLEAN.replace("A.2", "\n \nA.2"), 1),
        (CLEAN.rstrip("\n"), 1),
        (CLEAN.replace("\t", " \t"), 1),
    ],
)
@pytest.mark.parametrize("is_task_given", [True, False])
@pytest.mark.parametrize("is_packed", [True, False])
def test_a_run_without_faults_has_no_findings(
    tmp_path: Path, text: str, task: int, is_task_given: bool, is_packed: bool
) -> None:
    content = gzip.compress(text.encode()) if is_packed else text.encode()
    path = written(tmp_path, content, NAMES[task] + (".gz" if is_packed else ""))
    assert kinds(path, RunChecks(task if is_task_given else None)) == []


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("A.1\t9\t3\t1.5", "columns"),
        ("A.1\t9\t3\t1.5\tmine\tmore\tand more", "columns"),
        ("word", "columns"),
        ("A.1\t\t3\t1.5\tmine", "empty-id"),
        ("\t9\t3\t1.5\tmine", "empty-id"),
        ("A.1\t9\tthree\t1.5\tmine", "rank-no-number"),
        ("A.1\t9\t3.0\t1.5\tmine", "rank-no-number"),
        ("A.1\t9\t\t1.5\tmine", "rank-no-number"),
        ("A.1\t9\t\u0663\t1.5\tmine", "rank-no-number"),
        ("A.1\t9\t1001\t1.5\tmine", "rank-range"),
        ("A.1\t9\t-3\t1.5\tmine", "rank-range"),
        (f"A.1\t9\t{'9' * 5000}\t1.5\tmine", "rank-range"),
        ("A.1\t9\t3\tnan\tmine", "score-not-finite"),
        ("A.1\t9\t3\t-inf\tmine", "score-not-finite"),
        ("A.1\t9\t3\t1e39\tmine", "score-too-large"),
        ("A.1\t9\t3\t1e999\tmine", "score-too-large"),
        ("A.1\t9\t3\thigh\tmine", "score-no-number"),
        ("A.1\t9\t3\t1_0\tmine", "score-no-number"),
        ("A.1\t7\t3\t1.5\tmine", "document-twice"),
        ("A.1\t9\t3\t2.6\tmine", "score-against-rank"),
        ("A.1\t9\t2\t2.5\tmine", "rank-twice"),
        ("A.1\t9\t3\t1.5\tyours", "run-name-changes"),
    ],
)
def test_a_fault_of_one_line_is_reported_with_its_line(
    tmp_path: Path, line: str, kind: str
) -> None:
    path = written(tmp_path, CLEAN + line + "\n")
    assert kinds(path, RunChecks(1)) == [(kind, 4)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [("no-lines", None)]),
        (" \n\n", [("no-lines", None)]),
        ("\0\1\2\n", [("not-text", 1)]),
        (CLEAN.encode("utf-16"), [("not-text", 1)]),
        (CLEAN.encode() + b"A.2\t9\t2\t-1e4\tm\xe9\n", [("encoding", 4)]),
        (gzip.compress(CLEAN.encode(), mtime=0)[:-12], [("damaged", 1)]),
        ("A.1 0 7 1\nA.1 0 8 2\n", [("columns", 1), ("columns", 2)]),
        ("topic\tpost\trank\tscore\trun\n" + CLEAN, [("header", 1)]),
        ("A.1\t7\t2\t1.5\tm\nA.1\t8\t4\t1.0\tm\n", [("rank-missing", None)]),
        (
            "A.1\t7\t5\t1.5\tm\nA.2\t7\t0\t1\tm\nA.1\t8\t0\t2\tm\n",
            [("ranks-from-zero", 2), ("rank-missing", None)],
        ),
        ("A.1\t7\t0\t1.5\tm\nA.1\t8\t1\t1\tm\nA.2\t7\t0\t1\tm\n", [("ranks-from-zero", 1)]),
        (CLEAN_TREC + "A.2 7 8 2 1 mine\n", [("mixed-forms", 4)]),
        (CLEAN_FORMULAS + "B.2\tQ0\t7\t2\t1\tmine\n", [("mixed-forms", 4)]),
        ("B.1\tf\tp\t1\t2\tm\nB.1\tg\tp\t2\t1\tm\n", [("wrong-form", 1)]),
    ],
)
def test_a_fault_of_the_file_is_reported(
    tmp_path: Path, text: str | bytes, expected: list[tuple[str, int | None]]
) -> None:
    assert kinds(written(tmp_path, text)) == expected


@pytest.mark.parametrize(
    ("text", "task", "kind"),
    [
        (CLEAN_FORMULAS, 1, "wrong-form"),
        (CLEAN, 2, "wrong-form"),
        (CLEAN, 3, "wrong-form"),
        (CLEAN_TREC, 3, "wrong-form"),
        (CLEAN_ANSWERS, 1, "wrong-form"),
        ("A.1,It is so.\n", 2, "wrong-form"),
        (CLEAN_SCORES, 1, "short-form"),
        ("A.301\tIt is so.\n", 3, "short-form"),
    ],
)
def test_a_form_of_another_task_is_reported(
    tmp_path: Path, text: str, task: int, kind: str
) -> None:
    all_kinds = kinds(written(tmp_path, text, NAMES[task]), RunChecks(task))
    assert [each for each in all_kinds if each[0] != "topic-of-other-task"] == [(kind, 1)]


def test_a_topic_of_another_task_is_recognised_by_its_letter(tmp_path: Path) -> None:
    text = "B.1\t7\t1\t2.5\tmine\n"
    assert kinds(written(tmp_path, text), RunChecks(1)) == [("topic-of-other-task", 1)]
    assert kinds(written(tmp_path, text), RunChecks()) == []


def test_a_file_that_cannot_be_opened_is_a_finding(tmp_path: Path) -> None:
    assert ("unreadable", None) in kinds(tmp_path / "absent.tsv")
    assert ("unreadable", None) in kinds(tmp_path)


def test_a_form_without_ranks_is_valid_without_a_task(tmp_path: Path) -> None:
    assert kinds(written(tmp_path, CLEAN_SCORES)) == []


def test_too_many_results_are_reported_once_per_topic(tmp_path: Path) -> None:
    text = "".join(f"A.1 Q0 {n} {n} {-n} m\n" for n in range(1, 6))
    path = written(tmp_path, text)
    assert kinds(path, RunChecks(max_results=5)) == []
    assert kinds(path, RunChecks(max_results=3)) == [
        ("rank-range", 4),
        ("rank-range", 5),
        ("too-many-results", 4),
    ]


def test_ranks_start_at_zero_only_if_the_last_rank_is_unused(tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f"A.1 Q0 {n} {n} {-n} m\n" for n in range(4)))
    assert kinds(path, RunChecks(max_results=4)) == [("ranks-from-zero", 1)]
    text = "A.1 Q0 7 1 9 m\nA.1 Q0 8 2 8 m\nA.1 Q0 9 3 7 m\nA.2 Q0 7 0 9 m\n"
    assert kinds(written(tmp_path, text), RunChecks(max_results=3)) == [("rank-range", 4)]


def test_ranks_are_summarised_over_all_topics(tmp_path: Path) -> None:
    lines = [f"A.{topic}\t{rank}\t{rank}\t1\tm\n" for topic in range(1, 6) for rank in (1, 3)]
    lines += [f"A.{topic}\t9\t3\t1\tm\n" for topic in (2, 4)]
    twice, missing = findings(written(tmp_path, "".join(lines)))
    assert (twice.kind, twice.line) == (FindingKind.RANK_TWICE, 11)
    assert "in 2 of 5 topics, first rank 3 of topic A.2" in twice.message
    assert (missing.kind, missing.line) == (FindingKind.RANK_MISSING, None)
    assert "in 5 of 5 topics, first rank 2 of topic A.1" in missing.message


def test_scores_against_ranks_are_reported_once_per_topic(tmp_path: Path) -> None:
    text = "".join(f"A.{t}\t{r}\t{r}\t{r}\tm\n" for t in (1, 2) for r in (1, 2, 3))
    assert kinds(written(tmp_path, text)) == [("score-against-rank", 2), ("score-against-rank", 5)]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["A.1\ta\t1\t5\tm", "A.1\tb\t3\t1\tm", "A.1\tc\t2\t6\tm"], [("score-against-rank", 3)]),
        (["A.1\ta\t3\t1\tm", "A.1\tb\t2\t2\tm", "A.1\tc\t1\t3\tm"], []),
        (["A.1\ta\t1\t5\tm", "A.2\ta\t1\t9\tm", "A.1\tb\t2\t4\tm", "A.2\tb\t2\t8\tm"], []),
        (["A.1\ta\t1\t5\tm", "A.2\ta\t1\t9\tm", "A.1\ta\t2\t4\tm"], [("document-twice", 3)]),
    ],
)
def test_the_order_of_the_lines_does_not_matter(
    tmp_path: Path, lines: list[str], expected: list[tuple[str, int]]
) -> None:
    assert kinds(written(tmp_path, "\n".join(lines))) == expected


def test_unknown_and_missing_topics_are_reported(tmp_path: Path) -> None:
    topics = [TopicId(f"A.{number}") for number in range(1, 9) if number != 2]
    unknown, missing = findings(written(tmp_path, CLEAN), RunChecks(1, topics))
    assert (unknown.kind, unknown.line) == (FindingKind.TOPIC_UNKNOWN, 3)
    assert (missing.kind, missing.line) == (FindingKind.TOPIC_MISSING, None)
    assert missing.message.endswith("6 topics have no results and will count as 0: "
                                    "A.3, A.4, A.5, A.6, A.7, ...")  # fmt: skip


def test_unknown_documents_are_reported(tmp_path: Path) -> None:
    path = written(tmp_path, CLEAN)
    assert kinds(path, RunChecks(1, knows={"7"}.__contains__)) == [("document-unknown", 2)]


def test_unknown_formulas_of_a_formula_run_are_reported(tmp_path: Path) -> None:
    path = written(tmp_path, CLEAN_FORMULAS, FORMULA_RUN_NAME)
    assert kinds(path, RunChecks(2, knows={"70"}.__contains__)) == [("document-unknown", 2)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"A.301\t1\t0.5\tm\t\t{'é' * 1200}\n", []),
        (f"A.301\t1\t0.5\tm\t\t{'é' * 1201}\n", [("answer-too-long", 1)]),
        ("A.301\t1\t0.5\tm\t\t \n", [("answer-empty", 1)]),
        ("A.301\t1\t0.5\tm\t\tYes\nA.301\t1\t0.4\tm\t\tNo\n", [("answer-twice", 2)]),
        ("A.301\t2\t0.5\tm\t\tYes\n", [("answer-rank", 1)]),
        ("A.301\tfirst\t0.5\tm\t\tYes\n", [("rank-no-number", 1)]),
        ("A.301\t1\tnan\tm\t\tYes\n", [("score-not-finite", 1)]),
        ("A.301\t1\t0.5\tm\t\tYes\nA.302\t1\t0.5\tyours\t\tNo\n", [("run-name-changes", 2)]),
        ("A.301\t1\t0.5\tm\t\tYes\nA.302\tNo\n", [("columns", 2)]),
        ('A.301\t1\t0.5\tm\t\t"Yes\nA.302\t1\t0.5\tm\t\tNo\n', [("columns", 1)]),
        (" \t1\t0.5\tm\t\tYes\n", [("empty-id", 1)]),
        ("topic\trank\tscore\trun\tsources\tanswer\n" + CLEAN_ANSWERS, [("answer-header", 1)]),
        ("", [("no-lines", None)]),
        (
            "topic\trank\tscore\trun\tsources\tanswer\n",
            [("answer-header", 1), ("no-lines", None)],
        ),
        ("A.301\t1\t0.5\tm\t\tYes\0\n", [("not-text", 1)]),
        ("A.301\t1\t0.5\tm\t\tN\xe9e\n".encode("latin-1"), [("encoding", 1)]),
    ],
)
def test_faults_of_answers_are_reported(
    tmp_path: Path, text: str | bytes, expected: list[tuple[str, int | None]]
) -> None:
    assert kinds(written(tmp_path, text, ANSWER_RUN_NAME), RunChecks(3)) == expected


def test_answers_to_unknown_topics_are_reported(tmp_path: Path) -> None:
    path = written(tmp_path, CLEAN_ANSWERS, ANSWER_RUN_NAME)
    topics = [TopicId("A.301"), TopicId("A.303")]
    assert kinds(path, RunChecks(3, topics)) == [("topic-unknown", 3), ("topic-missing", None)]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        (RUN_NAME, 1),
        (RUN_NAME + ".gz", None),
        ("TU_DBS-task3-amps3_se1_hints-auto-both-generate-A.tsv", 3),
        ("DPRL-Task3-SVMBERT-auto-both-extract-P.tsv", 3),
        ("mine-task2-a-b-manual-math-A.tsv", 2),
    ],
)
def test_file_names_of_the_labs_form_are_accepted(name: str, task: int | None) -> None:
    assert file_name_finding(Path("folder") / name, task) is None


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("run.tsv", None),
        ("mine-task1-auto-both-P.tsv", 1),
        ("mine-task1-bm25-auto-both-P.txt", 1),
        ("mine-task1-bm25-auto-both-P2.tsv", 1),
        ("mine-task1-bm25-auto-both-extract-P.tsv", 1),
        ("mine-task3-first-auto-both-P.tsv", 3),
        ("mine-task1-bm25-auto-words-P.tsv", 1),
        (RUN_NAME, 2),
    ],
)
def test_other_file_names_are_reported(name: str, task: int | None) -> None:
    finding = file_name_finding(Path(name), task)
    assert finding is not None
    assert (finding.severity, finding.line) == ("warning", None)


def test_an_endless_line_is_not_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.evaluation.validation.text_blocks.MAX_LINE", 1000)
    monkeypatch.setattr("porism.evaluation.validation.text_blocks.BUFFER", 100)
    assert kinds(written(tmp_path, CLEAN + "x" * 2000)) == [("not-text", 4)]


def test_too_many_topics_end_the_validation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_validation, "MAX_TOPICS", 1)
    assert kinds(written(tmp_path, CLEAN)) == [("too-many-topics", 3)]


def test_a_forgotten_topic_that_comes_back_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_validation, "MAX_BUFFERED", 1)
    monkeypatch.setattr(run_validation, "MAX_BUFFERED_SCATTERED", 1)
    text = "A.1 Q0 7 1 3 m\nA.2 Q0 7 1 3 m\nA.3 Q0 7 1 3 m\nA.1 Q0 7 2 2 m\n"
    assert kinds(written(tmp_path, text)) == [("document-twice", 4)]
    monkeypatch.setattr(run_validation, "MAX_REMEMBERED", 1)
    assert kinds(written(tmp_path, text)) == [("topic-scattered", 4)]


def test_every_kind_is_tested_here() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    for kind in FindingKind:
        assert f'"{kind.value}"' in source or f"FindingKind.{kind.name}" in source, kind


def test_findings_beyond_ten_of_a_kind_are_counted() -> None:
    def many() -> Iterator[RunFinding]:
        for line in range(1, 26):
            yield RunFinding(line, "error", FindingKind.COLUMNS, "columns")
            if line < 10:
                yield RunFinding(line, "warning", FindingKind.TOPIC_UNKNOWN, "topic")

    limited = list(limited_findings(many()))
    assert Counter(each.kind for each in limited) == {
        FindingKind.COLUMNS: 11,
        FindingKind.TOPIC_UNKNOWN: 9,
    }
    assert limited[-1].line is None
    assert limited[-1].severity == "error"
    assert limited[-1].message.startswith("15 more")


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    def peak(topics: int) -> int:
        lines = (f"A.{t}\t{n}\t{n}\t{-n}.5\tm\n" for t in range(topics) for n in range(1, 501))
        path = written(tmp_path, "".join(lines))
        tracemalloc.start()
        try:
            assert kinds(path) == []
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    small, large = peak(20), peak(200)
    assert small < 8_000_000
    # A remembered document takes eight bytes; a string would take over 50.
    assert large - small < 40 * 180 * 500


IDS = st.text(
    st.characters(codec="utf-8", exclude_characters="\0\t\r\n\ufeff"), min_size=1, max_size=4
).filter(lambda text: text == text.strip() and len(text.split()) == 1 and text != "Q0")
RANKINGS = st.dictionaries(
    IDS.map(DocId), st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1
).map(lambda scores: ranked(Hit(doc, score, doc) for doc, score in scores.items()))
RUNS = st.builds(Run, IDS, st.dictionaries(IDS.map(TopicId), RANKINGS, min_size=1, max_size=3))


@pytest.mark.parametrize(
    ("form", "task"),
    [
        (RunForm.TASK1, 1),
        (RunForm.TASK2, 2),
        (RunForm.TREC, 1),
        (RunForm.TREC, None),
        (RunForm.SCORES, None),
    ],
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(run=RUNS)
def test_runs_written_by_porism_have_no_errors(
    tmp_path: Path, form: RunForm, task: int | None, run: Run
) -> None:
    path = tmp_path / "run.tsv"
    write_run(path, run, form)
    # Random topics may be named as those of another task are.
    allowed = {FindingKind.FILE_NAME, FindingKind.TOPIC_OF_OTHER_TASK}
    assert {each.kind for each in findings(path, RunChecks(task))} <= allowed


ANSWERS = st.dictionaries(
    IDS.map(TopicId),
    st.builds(
        RunAnswer,
        st.text(st.characters(codec="utf-8", exclude_characters="\0")).filter(str.strip),
    ),
    min_size=1,
    max_size=3,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=IDS, answers=ANSWERS)
def test_well_formed_answer_runs_have_no_errors(
    tmp_path: Path, name: str, answers: dict[TopicId, RunAnswer]
) -> None:
    path = tmp_path / ANSWER_RUN_NAME
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, "excel-tab")
        rows.writerows((topic, 1, 0.0, name, "", each.text) for topic, each in answers.items())
    assert kinds(path, RunChecks(3)) == []


CELLS = st.sampled_from(
    ["A.1", "A.2", "Q0", "7", "8", "1", "2", "0", "1.5", "nan", "mine", "", "x y", "-1", "topic"]
)
SEPARATORS = st.sampled_from(["\t", "\t", " "])
MESSY_LINES = st.builds(
    str.join, SEPARATORS, st.lists(CELLS, min_size=1, max_size=7)
) | st.sampled_from([*CLEAN.splitlines(), *CLEAN_TREC.splitlines(), *CLEAN_FORMULAS.splitlines()])


def _reads(read: Callable[[Path], object], path: Path) -> bool:
    try:
        read(path)
    except FormatError:
        return False
    return True


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=500)
@given(lines=st.lists(MESSY_LINES, max_size=5))
def test_a_file_without_errors_can_be_read(tmp_path: Path, lines: list[str]) -> None:
    path = written(tmp_path, "\n".join(lines))
    if not any(each.severity == "error" for each in findings(path)):
        assert _reads(read_run, path) or _reads(read_answer_run, path)


ERRORS_IN_REAL_RUNS = {
    "topics.arqmath-2022-MAmmoTH-Coder-7b-generated-answers.csv.gz": {
        FindingKind.ANSWER_TOO_LONG: 27,
        FindingKind.ANSWER_EMPTY: 1,
    },
    "topics.arqmath-2022-Mistral-7B-Instruct-generated-answers.csv.gz": {
        FindingKind.ANSWER_TOO_LONG: 34
    },
    "topics.arqmath-2022-gpt4-generated-answers.csv.gz": {FindingKind.ANSWER_TOO_LONG: 70},
    "topics.arqmath-2022-llemma-7b-generated-answers.csv.gz": {FindingKind.ANSWER_TOO_LONG: 71},
    "topics.arqmath-2022-tora-code-13b-generated-answers.csv.gz": {FindingKind.ANSWER_TOO_LONG: 35},
    "topics.arqmath-2022-tora-code-7b-generated-answers.csv.gz": {FindingKind.ENCODING: 1},
}
"""These were never submitted, so the lab's limit did not apply. One is in another encoding."""


def test_real_runs_have_only_known_errors(shared: Path) -> None:
    runs = sorted((shared / "data" / "runs").rglob("*.gz"))
    assert len(runs) == 21
    for path in runs:
        errors = Counter(each.kind for each in findings(path) if each.severity == "error")
        assert errors == ERRORS_IN_REAL_RUNS.get(path.name, {}), path.name


def test_the_organizers_own_run_has_ranks_from_zero(shared: Path) -> None:
    path = shared / "data" / "runs" / "task1_2020" / "tf_idf_task1_final.tsv.gz"
    assert kinds(path, RunChecks(1)) == [("file-name", None), ("ranks-from-zero", 1)]


def test_files_with_only_judged_lines_have_missing_ranks(shared: Path) -> None:
    path = shared / "data" / "runs" / "task1_2020" / "prim_Approach0.tsv.gz"
    assert kinds(path, RunChecks(1)) == [("file-name", None), ("rank-missing", None)]
