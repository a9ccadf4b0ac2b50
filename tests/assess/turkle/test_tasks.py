"""Tasks for Turkle and its results, with Turkle simulated by this file."""

import csv
import re
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import html

from porism.assess.records import Candidate, Choice, Judgment, Pool
from porism.assess.turkle.results import TurkleImport, read_turkle_results
from porism.assess.turkle.tasks import TurkleRenderer, needed_slots, turkle_tasks, write_tasks
from porism.assess.turkle.template import (
    TurkleTaskSettings,
    template_variables,
    turkle_template,
    write_template,
)
from porism.errors import FormatError, PorismError
from porism.model import DocId, Topic, TopicId
from tests.assess.judgment_samples import pool_of

SHOWN = TurkleRenderer(
    title=lambda topic: f"Title of {topic.id}",
    question=lambda topic: "What is <math>x</math> in ${title}$, or ${x}$?",
    candidate=lambda each: f'<p>Answer {escape(each.doc_id)}, "quoted",\r\nin two lines</p>',
)
FORMULAS = TurkleTaskSettings(task=2, slots=3)
TWO_FORMULAS = pool_of("11=x", "21=y", "12=x", topic="B.1", task=2)

Row = dict[str, str]


def tasks_of(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def filled(page: str, task: Mapping[str, str]) -> html.HtmlElement:
    """The page of Turkle: variables are replaced one by one, also within values."""
    for name, value in task.items():
        page = page.replace("${" + name + "}", value)
    return html.fragment_fromstring(page, create_parent="form")


def result(task: Mapping[str, str], answers: Mapping[str, str], **own: str) -> Row:
    """A row of results, with the columns that Turkle writes."""
    row = {
        "HITId": "1",
        "HITTypeId": "1",
        "Title": "judging",
        "CreationTime": "Sun Mar 01 09:00:00 UTC 2026",
        "MaxAssignments": "1",
        "AssignmentDurationInSeconds": "86400",
        "AssignmentId": "1",
        "WorkerId": "7",
        "AcceptTime": "Mon Mar 02 11:59:00 UTC 2026",
        "SubmitTime": "Mon Mar 02 12:00:00 UTC 2026",
        "WorkTimeInSeconds": "60",
        "Turkle.Username": "ann",
    }
    row |= {f"Input.{name}": value for name, value in task.items()}
    row |= {f"Answer.{name}": value for name, value in answers.items()}
    return row | own


def write_results(path: Path, rows: Sequence[Row]) -> Path:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", quoting=csv.QUOTE_ALL)
        writer.writeheader()
        writer.writerows(rows)
    return path


def formula_tasks(folder: Path) -> list[Row]:
    write_tasks(folder / "tasks.csv", TWO_FORMULAS, FORMULAS, SHOWN)
    return tasks_of(folder / "tasks.csv")


def read_one(folder: Path, row: Row, pool: Pool = TWO_FORMULAS) -> tuple[Judgment, ...]:
    return read_turkle_results(
        write_results(folder / "results.csv", [row]), TurkleImport("official", pool)
    )


def test_instances_of_a_visual_id_are_one_task() -> None:
    groups = [[each.doc_id for each in task.candidates] for task in turkle_tasks(TWO_FORMULAS)]
    assert groups == [["11", "12"], ["21"]]
    assert needed_slots(TWO_FORMULAS) == 2


@pytest.mark.parametrize(
    "form",
    [
        TurkleTaskSettings(),
        FORMULAS,
        TurkleTaskSettings(has_annotations=True, note="Look twice: ${x}$"),
    ],
)
def test_template_and_tasks_have_the_same_variables(
    tmp_path: Path, form: TurkleTaskSettings
) -> None:
    write_template(tmp_path / "template.html", form)
    page = (tmp_path / "template.html").read_text(encoding="utf-8")
    write_tasks(tmp_path / "tasks.csv", pool_of("1"), form, SHOWN)
    (task,) = tasks_of(tmp_path / "tasks.csv")
    assert set(re.findall(r"\${(\w+)}", page)) == set(task) == set(template_variables(form))
    assert not re.search(r"<(form|script|html|body)\b", page)
    assert len(page.encode()) < 64 * 1024


def test_a_task_shows_question_and_candidates(tmp_path: Path) -> None:
    task, _ = formula_tasks(tmp_path)
    form = filled(turkle_template(FORMULAS), task)
    assert "What is x in ${title}$, or ${x}$?" in " ".join(form.text_content().split())
    first, second, third = form.findall(".//fieldset")
    assert "Answer 11" in first.text_content()
    assert "Answer 12" in second.text_content()
    assert "disabled" not in second.attrib
    assert "disabled" in third.attrib
    assert "hidden" in third.attrib
    choices = first.xpath(".//input[@name='choice_1']/@value")
    assert choices == list(Choice)


def test_more_instances_than_slots_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match=r"2 candidates of topic B\.1 .* room for 1"):
        write_tasks(tmp_path / "tasks.csv", TWO_FORMULAS, TurkleTaskSettings(task=2), SHOWN)
    assert not (tmp_path / "tasks.csv").exists()


@pytest.mark.parametrize("count", [0, 21])
def test_the_number_of_slots_is_limited(count: int) -> None:
    with pytest.raises(PorismError, match="1 to 20 candidates"):
        turkle_template(TurkleTaskSettings(slots=count))


def test_results_are_judgments(tmp_path: Path) -> None:
    task, _ = formula_tasks(tmp_path)
    answers = {"choice_1": "high", "comment_1": " why\r\nnot ", "choice_2": "do_not_know"}
    first, second = read_one(tmp_path, result(task, answers))
    assert first == Judgment(
        number=1,
        batch="official",
        assessor="ann",
        topic_id=TopicId("B.1"),
        doc_id=DocId("11"),
        choice=Choice.HIGH,
        at="2026-03-02T12:00:00.000+00:00",
        seconds=30.0,
        comment="why\nnot",
    )
    assert (second.doc_id, second.choice, second.seconds) == ("12", Choice.DO_NOT_KNOW, 30.0)


def test_results_are_numbered_in_the_order_of_time(tmp_path: Path) -> None:
    one, other = formula_tasks(tmp_path)
    late = result(one, {"choice_1": "high", "choice_2": "low"})
    early = result(other, {"choice_1": "3"}, SubmitTime="Sun Mar 01 12:00:00 UTC 2026")
    path = write_results(tmp_path / "results.csv", [late, early])
    judgments = read_turkle_results(path, TurkleImport("official", TWO_FORMULAS))
    assert [(each.number, each.doc_id) for each in judgments] == [(1, "21"), (2, "11"), (3, "12")]
    assert judgments[0].choice is Choice.HIGH  # from the lab's number


def test_annotations_are_read(tmp_path: Path) -> None:
    pool = pool_of("1")
    write_tasks(tmp_path / "tasks.csv", pool, TurkleTaskSettings(has_annotations=True), SHOWN)
    (task,) = tasks_of(tmp_path / "tasks.csv")
    answers = {"choice_1": "low", "machine_made_1": "yes", "unrelated_1": "no"}
    (judgment,) = read_one(tmp_path, result(task, answers), pool)
    assert (judgment.is_machine_made, judgment.is_unrelated) == (True, False)
    with pytest.raises(FormatError, match=r"unrelated_1 is 'maybe': expected yes or no"):
        read_one(tmp_path, result(task, answers | {"unrelated_1": "maybe"}), pool)


def test_without_user_names_the_worker_id_is_used(tmp_path: Path) -> None:
    _, task = formula_tasks(tmp_path)
    row = result(task, {"choice_1": "high"})
    del row["Turkle.Username"]
    assert read_one(tmp_path, row)[0].assessor == "7"


GOOD = {"choice_1": "high"}


@pytest.mark.parametrize(
    ("answers", "own", "why"),
    [
        ({"choice_1": "great"}, {}, "Answer.choice_1 is 'great': expected one of high, medium"),
        ({"choice_1": "4"}, {}, "or the lab's numbers for these, 3, 2, 1, 0, 5, 6"),
        ({"choice_1": ""}, {}, "Answer.choice_1 is empty"),
        ({}, {}, "Answer.choice_1 is empty"),
        ({"choice_1": "high", "choice_2": "low"}, {}, "the task has no candidate 2"),
        (GOOD, {"Input.topic_id": "B.9"}, "21 is not a candidate for topic B.9"),
        (GOOD, {"Input.candidate_1": ""}, "the task has no candidate"),
        (GOOD, {"WorkTimeInSeconds": "-1"}, "WorkTimeInSeconds is '-1'"),
        (GOOD, {"WorkTimeInSeconds": "soon"}, "WorkTimeInSeconds is 'soon'"),
        (GOOD, {"SubmitTime": "yesterday"}, "SubmitTime is 'yesterday'"),
        (GOOD, {"SubmitTime": "Mon Feb 31 12:00:00 UTC 2026"}, "which does not exist"),
        (GOOD, {"SubmitTime": "Mon Mar 02 12:00:00 PST 2026"}, "expected a time such as"),
        (GOOD, {"SubmitTime": "Mon Mar 03 12:00:00 UTC 2026"}, "which was a Tue"),
        (GOOD, {"Turkle.Username": "", "WorkerId": ""}, "found no assessor"),
        (
            GOOD,
            {"Turkle.Username": "x" * 100},
            "the name of an assessor must have 1 to 80 characters",
        ),
        (GOOD, {"Turkle.Username": "a\tb"}, "must have printable characters only"),
        (
            {**GOOD, "comment_1": "x" * 5000},
            {},
            "Answer.comment_1 has 5,000 characters: expected at most 4,000",
        ),
    ],
)
def test_errors_in_a_row_name_the_line(tmp_path: Path, answers: Row, own: Row, why: str) -> None:
    _, task = formula_tasks(tmp_path)
    with pytest.raises(FormatError, match=re.escape(why)) as caught:
        read_one(tmp_path, result(task, answers, **own))
    assert caught.value.line == 2


@pytest.mark.parametrize(
    ("header", "why"),
    [
        ("Answer.mood_1", "found the columns 'Answer.mood_1', which are not in our template"),
        ("Approve", "found the columns 'Approve'"),
        ("Input.latex", "found the columns 'Input.latex'"),
        ("Answer.choice_0", "found the columns 'Answer.choice_0'"),
        ("", "SubmitTime, WorkTimeInSeconds, Input.topic_id, Input.candidate_1 is missing"),
        (
            "SubmitTime,WorkTimeInSeconds,Input.topic_id,Input.candidate_1",
            "Turkle.Username or WorkerId is missing",
        ),
        (
            "SubmitTime,WorkTimeInSeconds,Input.topic_id,Input.candidate_1,WorkerId,WorkerId",
            "found the column WorkerId twice",
        ),
    ],
)
def test_errors_in_the_header_are_reported(tmp_path: Path, header: str, why: str) -> None:
    path = tmp_path / "results.csv"
    path.write_text(header + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=re.escape(why)) as caught:
        read_turkle_results(path, TurkleImport("official", TWO_FORMULAS))
    assert caught.value.line == 1


def test_a_truncated_row_is_an_error(tmp_path: Path) -> None:
    path = write_results(tmp_path / "results.csv", [result(formula_tasks(tmp_path)[1], GOOD)])
    path.write_text(path.read_text(encoding="utf-8") + '"1","1"\n', encoding="utf-8")
    with pytest.raises(FormatError, match="found 2 cells: expected"):
        read_turkle_results(path, TurkleImport("official", TWO_FORMULAS))


IDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(IDS, st.sampled_from(Choice), min_size=1, max_size=5), IDS)
def test_any_ids_round_trip(tmp_path: Path, chosen: dict[str, Choice], topic_id: str) -> None:
    candidates = tuple(Candidate(TopicId(topic_id), DocId(doc)) for doc in chosen)
    pool = Pool(1, (Topic(TopicId(topic_id)),), candidates)
    write_tasks(tmp_path / "tasks.csv", pool, TurkleTaskSettings(), SHOWN)
    rows = [
        result(task, {"choice_1": choice})
        for task, choice in zip(tasks_of(tmp_path / "tasks.csv"), chosen.values(), strict=True)
    ]
    judgments = read_turkle_results(
        write_results(tmp_path / "results.csv", rows), TurkleImport("a", pool)
    )
    assert {each.doc_id: each.choice for each in judgments} == chosen
    assert {each.topic_id for each in judgments} == {topic_id}
