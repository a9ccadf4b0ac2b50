"""The published numbers: complete, unambiguous, and equal to the papers."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from porism.lab.published import (
    REPRINT,
    KnownRun,
    PublishedScore,
    published_scores,
    read_known_runs,
    read_published,
    scores_of_run,
)

NUMBERS_OF_TABLES = {
    ("S1", "A1"): 23 * 3,
    ("S1", "A2"): 10 * 3,  # what is at hand of the table ends with the tenth run
    ("S3", "3"): 38 * 9,
    ("S3", "4"): 20 * 9,
    ("S3", "5"): 14 * 6,
    ("S3", "7"): 38 * 2,
    ("S4", "6"): 8 * 8 + 5 * 4,
    ("S4", "7"): 10 * 4,
    ("S4", "8"): 5 * 8 + 4,
}
PAPERS = {"S1": "000_*.txt", "S3": "002_*.txt", "S4": "003_*.txt"}
BETWEEN = {  # the texts in the papers where a table begins and ends
    ("S1", "A1"): ("Table A1. Task 1", "Table A2. Task 2"),
    ("S1", "A2"): ("Table A2. Task 2", None),
    ("S3", "3"): ("Table 3\nARQMath", "Table 4\nARQMath"),
    ("S3", "4"): ("Table 4\nARQMath", "Table 5\nARQMath"),
    ("S3", "5"): ("Table 5\nARQMath", "Table 6\nARQMath"),
    ("S3", "7"): ("Table 7\nARQMath", None),
    ("S4", "6"): ("Task 1: Evaluation of the MathDowsers", "benchmark, this run shows"),
    ("S4", "7"): ("Category performance of the", "the associated topic content"),
    ("S4", "8"): ("Task 2: Evaluation of MathDowsers", "The result of both runs"),
}
SPELLED_IN_S4 = {
    "P300": "Approach0-P300",
    "ltrall": "DPRL-Itrall",
    "Tangent-CFTED": "DPRL-Tangent-CFTED",
}
ANYTHING_BETWEEN = r"\*?(?:n/a|Both|Text|Math|\*L|[BMT])?(?:[^\w]|mathbb|M)*5?"
"""Data that a run used, and signs; the 5 is a stray one in the text of S4."""
TABLES = sorted(NUMBERS_OF_TABLES)


def of_table(paper: str, table: str) -> tuple[PublishedScore, ...]:
    return published_scores(paper=paper, table=table)


def test_every_table_is_complete() -> None:
    counts = Counter((number.paper, number.table) for number in read_published())
    assert counts == NUMBERS_OF_TABLES


def test_no_number_is_repeated() -> None:
    keys = Counter(
        (n.paper, n.table, n.year, n.team, n.run, n.measure, n.group) for n in read_published()
    )
    assert max(keys.values()) == 1


def test_values_have_three_digits_and_are_within_their_measures() -> None:
    for number in read_published():
        assert re.fullmatch(r"\d\.\d{3}", number.value), number
        assert number.digits == 3
        assert 0 <= float(number.value) <= (3 if number.measure == "AR" else 1), number


def test_criteria_are_combined() -> None:
    (score,) = published_scores(
        paper="S3", task=1, year=2022, team="approach0", measure="nDCG'", run="a0porter"
    )
    assert (score.value, score.topics, score.table) == ("0.397", 78, "3")
    assert published_scores(paper="S2") == ()


def test_s1_and_s4_have_different_precision_measures() -> None:
    s1 = published_scores(paper="S1", run="alpha05noReRank")
    s4 = published_scores(paper="S4", run="alpha05-noR")
    assert {n.measure: n.value for n in s1} == {"nDCG'": "0.345", "MAP'": "0.139", "P@10": "0.161"}
    assert {n.measure: n.value for n in s4} == {
        "nDCG'": "0.345",
        "MAP'": "0.139",
        "P'@10": "0.162",
        "bpref": "0.126",
    }


def test_reprinted_numbers_of_s3_equal_those_of_s1() -> None:
    s1 = {
        n.run: n.value
        for n in published_scores(paper="S1", task=1, team="Baselines", measure="P@10")
    }
    reprinted = {n.run: n.value for n in published_scores(paper="S3") if n.note == REPRINT}
    assert reprinted == {
        "TF-IDF(Terrier)": s1["TF-IDF"],
        "Tangent-S": s1["Tangent-S"],
        "Linked MSE posts": s1["Linked MSE posts"],
    }


def test_categories_cover_all_topics() -> None:
    counts: Counter[str] = Counter()
    for number in published_scores(paper="S4", table="7", measure="nDCG'"):
        counts[number.group.partition(":")[0]] += number.topics
    assert counts == {"": 71, "dependency": 71, "type": 71, "difficulty": 71}


@pytest.mark.parametrize("run", read_known_runs(), ids=lambda run: f"{run.file}-{run.paper}")
def test_every_known_run_has_published_numbers(run: KnownRun) -> None:
    measures = [number.measure for number in scores_of_run(run)]
    assert len(measures) in (3, 4, 6)
    assert len(set(measures)) == len(measures)


def test_a_run_in_two_papers_is_known_under_both_names() -> None:
    assert {
        (run.paper, run.team, run.run)
        for run in read_known_runs()
        if run.file == "tf_idf_task1_final"
    } == {
        ("S1", "Baselines", "TF-IDF"),
        ("S3", "Baselines", "TF-IDF(Terrier)"),
        ("S4", "Baselines", "TF-IDF"),
    }


def test_known_runs_and_their_qrels_are_in_the_shared_data(shared: Path) -> None:
    data = shared / "data"
    files = {path.name.removesuffix(".gz").removesuffix(".tsv") for path in data.rglob("*.tsv*")}
    answers = (data / "qrels" / "task3_2022_teams_answer_id.tsv").read_text(encoding="utf-8")
    files |= {line.partition("\t")[0] for line in answers.splitlines()}
    for run in read_known_runs():
        assert run.file in files
        assert (data / "qrels" / run.qrels).is_file()


def _text(papers: Path, paper: str, table: str) -> str:
    """The text of a table in the paper, without spaces, line ends and rules."""
    (path,) = papers.glob(PAPERS[paper])
    text = path.read_text(encoding="utf-8")
    begin, end = BETWEEN[paper, table]
    rest = text[text.index(begin) :]
    whole = rest if end is None else rest[: rest.index(end)]
    return re.sub(r"</?i>|[\s|]", "", whole)


def _printed_rows(paper: str, table: str) -> Iterator[tuple[PublishedScore, list[str]]]:
    """Each row of a printed table: its first number, and the values from left to right."""
    rows = groupby(of_table(paper, table), key=lambda n: (n.team, n.run, n.group))
    for _, numbers in rows:
        row = list(numbers)
        yield row[0], [number.value for number in row]


def _name_pattern(number: PublishedScore) -> str:
    """The name of a row as in the paper, then everything between it and the values."""
    if (number.paper, number.table) == ("S4", "7"):
        name = number.group.partition(":")[2] or "Overall"
        return re.escape(f"{name}{number.topics}")
    name, _, mark = number.run.partition(" [")
    if number.paper == "S4":
        name = SPELLED_IN_S4.get(name, name)
    between = {"T]": "T", "P]": "Math✓"}.get(mark, ANYTHING_BETWEEN)
    return re.escape(name.replace(" ", "")) + between


@pytest.mark.parametrize(("paper", "table"), TABLES)
def test_every_row_occurs_in_the_paper(shared: Path, paper: str, table: str) -> None:
    """A second reading of the papers, by rows; the data was taken from them by columns."""
    text = _text(shared / "papers", paper, table)
    for number, values in _printed_rows(paper, table):
        row = r"\(?" + r"\)?\(?".join(map(re.escape, values)) + r"\)?(?!\.?\d{3})"
        assert re.search(_name_pattern(number) + row, text), (number, values)


@pytest.mark.parametrize(("paper", "table"), TABLES)
def test_no_value_of_the_paper_is_missing(shared: Path, paper: str, table: str) -> None:
    values = Counter(re.findall(r"\d\.\d{3}", _text(shared / "papers", paper, table)))
    assert values == Counter(number.value for number in of_table(paper, table))
