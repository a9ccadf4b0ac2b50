"""``porism assess``: files of judgments made, filled, told and exported at the command line."""

import csv
import json
import socket
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from porism.assess.judgments.final_grades import DisputeRule
from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.depths import PRESETS
from porism.assess.pools.instances import InstancePolicy
from porism.assess.pools.pool_folder import write_pool
from porism.assess.records import (
    Assessor,
    BatchKind,
    Candidate,
    Choice,
    NewJudgment,
    Pool,
    VisualMatchRule,
)
from porism.cli.main import porism
from porism.formats.qrels import read_qrels
from porism.model import DocId, Topic, TopicId
from porism.pages.assessed_batch import AssessmentExportSettings
from porism.web.assessment import server
from porism.web.assessment.settings import AssessmentSettings

A1, A2 = TopicId("A.1"), TopicId("A.2")
POOL = Pool(
    1,
    (Topic(A1, ("One",), ("What?",)), Topic(A2, ("Two",), ("Why?",))),
    tuple(
        Candidate(topic, DocId(f"{topic}-{number}"), text=f"Answer {number}")
        for topic in (A1, A2)
        for number in range(1, 4)
    ),
)


def told(*arguments: str, status: int = 0) -> str:
    """What a command prints, or what it complains of."""
    done = CliRunner().invoke(porism, ["assess", *arguments])
    assert done.exit_code == status, done.output
    return done.stdout if status == 0 else done.stderr


def record(*arguments: str) -> Any:  # what a command tells differs from one to the other
    return json.loads(told(*arguments, "--json"))


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A file with a pool, two assessors and somebody who administers."""
    store = JudgmentStore(tmp_path / "judgments.db")
    store.add_batch("main", BatchKind.OFFICIAL, POOL)
    for name in ("Ann", "Ben"):
        store.add_assessor(name)
    store.add_assessor("Eve", is_admin=True)
    return str(store.path)


@pytest.fixture
def posts(tmp_path: Path) -> str:
    """The same with candidates that are posts, which rankings are scored by."""
    store = JudgmentStore(tmp_path / "posts.db")
    candidates = tuple(replace(each, text="") for each in POOL.candidates)
    store.add_batch("main", BatchKind.OFFICIAL, replace(POOL, candidates=candidates))
    store.add_assessor("Ann")
    return str(store.path)


def judge(db: str, name: str, **choices: str) -> None:
    """Judgments of A.1's candidates; names of candidates begin with c."""
    store = JudgmentStore(Path(db))
    store.assign("main", A1, name, is_second=True)
    for place, choice in choices.items():
        doc_id = DocId(f"A.1-{place[1:]}")
        made = NewJudgment(f"{name} {doc_id}", "main", A1, doc_id, Choice(choice), 20.0, "so")
        store.record(Assessor(name), made)


def test_a_token_is_told_once_and_ends_the_one_before(db: str) -> None:
    first = record("assessor", "Cleo", "--db", db)["token"]
    second = told("assessor", "Cleo", "--db", db).split()[-1]
    store = JudgmentStore(Path(db))
    assert store.assessor_of_token(first) is None
    assert store.assessor_of_token(second) == Assessor("Cleo")
    admin = record("assessor", "Dan", "--db", db, "--admin")["token"]
    assert store.assessor_of_token(admin) == Assessor("Dan", is_admin=True)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.db")
    for command in (["assessor", "Ann"], ["status"], ["agreement"], ["export", "-o", "x"]):
        assert "no such file of judgments" in told(*command, "--db", missing, status=1)
    assert not Path(missing).exists()


def test_a_file_that_is_no_file_of_judgments_is_told(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("something else, and more than a page of it" * 100)
    assert "not a database" in told("status", "--db", str(other), status=1)


def test_a_pool_that_cannot_be_read_makes_no_file(tmp_path: Path) -> None:
    db = tmp_path / "new.db"
    assert "is no pool" in told("serve", str(tmp_path), "--db", str(db), status=1)
    assert "name the POOL" in told("serve", "--db", str(db), status=1)
    assert "name its folder" in told("serve", "--db", str(db), "--name", "x", status=2)
    assert not db.exists()


def test_the_token_of_who_administers_is_told_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell_at_once(
        settings: AssessmentSettings, host: str, port: int, tell: server.AssessmentCallbacks
    ) -> None:
        assert host == "127.0.0.1"
        tell.address("http://127.0.0.1:1/")

    monkeypatch.setattr(server, "run_assessment_server", tell_at_once)
    write_pool(tmp_path / "my-pool", POOL)
    begin = ("serve", str(tmp_path / "my-pool"), "--db", str(tmp_path / "new.db"))
    first = told(*begin)
    token = first.splitlines()[0].split()[-1]
    store = JudgmentStore(tmp_path / "new.db")
    assert store.assessor_of_token(token) == Assessor("admin", is_admin=True)
    assert [each.name for each in store.batches()] == ["my-pool"]
    assert "The assessment is at http://127.0.0.1:1/" in first
    assert record(*begin) == {"address": "http://127.0.0.1:1/"}
    assert "another name" in told(*begin[:1], str(other_pool(tmp_path)), *begin[2:], status=1)
    assert token not in (tmp_path / "new.db").read_bytes().decode("latin-1")


def other_pool(folder: Path) -> Path:
    """Another pool in a folder of the same name."""
    (folder / "elsewhere").mkdir()
    write_pool(folder / "elsewhere" / "my-pool", replace(POOL, seed=1))
    return folder / "elsewhere" / "my-pool"


def test_candidates_that_the_collection_lacks_are_told(tmp_path: Path, sample_index: Path) -> None:
    write_pool(tmp_path / "pool", replace(POOL, candidates=(Candidate(A1, DocId("987654")),)))
    begin = ["assess", "serve", str(tmp_path / "pool"), "--db", str(tmp_path / "new.db")]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = ("--port", str(taken.getsockname()[1]))
        collection = ("--collection", str(sample_index.parent))
        done = CliRunner().invoke(porism, [*begin, *collection, *port])
    assert "987654" in done.stderr
    assert "choose another with --port" in done.stderr
    # Nobody was told a token, so nobody was given one.
    assert JudgmentStore(tmp_path / "new.db").assessors() == ()


def test_topics_are_given_and_taken_away(db: str) -> None:
    assert record("assign", "--db", db)["topics"] == {"A.1": [], "A.2": []}
    given = record("assign", "--db", db, "--topic", "A.1", "--to", "Ann")
    assert given["topics"] == {"A.1": ["Ann"], "A.2": []}
    again = told("assign", "--db", db, "--topic", "A.1", "--to", "Ben", status=1)
    assert "already assigned to Ann" in again
    both = record("assign", "--db", db, "--topic", "A.1", "--to", "Ben", "--second")
    assert both["topics"]["A.1"] == ["Ann", "Ben"]
    left = record("assign", "--db", db, "--topic", "A.1", "--take-from", "Ann")
    assert left["topics"]["A.1"] == ["Ben"]
    assert "A.1    Ben" in told("assign", "--db", db)


def test_topics_are_given_by_wishes_to_all_who_do_not_administer(db: str) -> None:
    JudgmentStore(Path(db)).record_wishes("main", "Ann", {A2: 3})
    given = record("assign", "--db", db, "--by-wishes")["topics"]
    assert given == {"A.1": ["Ben"], "A.2": ["Ann"]}


def test_completed_topics_are_given_again(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low", c3="low")
    given = record("assign", "--db", db, "--double", "1")["topics"]
    assert given == {"A.1": ["Ann", "Ben"], "A.2": []}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--topic", "A.1"], "needs either --to NAME"),
        (["--by-wishes", "--double", "2"], "say one of"),
        (["--take-from", "Ann"], "need a --topic"),
    ],
)
def test_options_that_do_not_fit_are_refused(db: str, options: list[str], why: str) -> None:
    assert why in told("assign", "--db", db, *options, status=2)


def test_unknown_names_are_told_with_those_that_are_there(db: str) -> None:
    assert "there are: main" in told("status", "--db", db, "--batch", "other", status=1)
    options = ("--topic", "A.1", "--take-from", "Nobody")
    assert "there are: Ann, Ben, Eve" in told("assign", "--db", db, *options, status=1)
    assert "no topic A.9" in told("assign", "--db", db, "--topic", "A.9", "--to", "Ann", status=1)


def test_which_of_several_batches_has_to_be_said(db: str) -> None:
    JudgmentStore(Path(db)).add_batch("more", BatchKind.OFFICIAL, POOL)
    assert "say which --batch" in told("statistics", "--db", db, status=1)
    assert record("statistics", "--db", db, "--batch", "more")["batch"] == "more"


def test_status_tells_how_far_everybody_is(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low")
    batch = record("status", "--db", db)["batches"]["main"]
    assert (batch["judged"], batch["assigned"], batch["kind"]) == (2, 3, "official")
    assert batch["topics"][0]["parts"][0]["times"]["mean"] == 20.0
    text = told("status", "--db", db)
    assert "main (official): 2 of 3 assigned judgments" in text
    assert "Eve (administers)" in text
    assert "Ann 2" in text


def test_agreement_is_told_by_pair_and_over_all(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low", c3="not_relevant")
    assert "no candidate was judged by two" in told("agreement", "--db", db)
    judge(db, "Ben", c1="high", c2="medium", c3="not_relevant")
    found = record("agreement", "--db", db)["main"]
    (pair,) = found["pairs"]
    assert (pair["first"], pair["second"], pair["shared"]) == ("Ann", "Ben", 3)
    assert pair["four_way"] == pytest.approx(4 / 7)
    assert pair["binary"] == pytest.approx(0.4)
    assert found["fleiss"]["candidates"] == 3
    assert "0.57" in told("agreement", "--db", db)


def test_disagreements_are_listed_until_they_are_decided(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low")
    judge(db, "Ben", c1="high", c2="medium")
    text = told("disagreements", "--db", db)
    assert "1 disagreements, 0 of them decided" in text
    assert "Ann: Low (so); Ben: Medium (so)" in text
    decided = NewJudgment("k", "main", A1, DocId("A.1-2"), Choice.MEDIUM, is_adjudication=True)
    JudgmentStore(Path(db)).record(Assessor("Eve", is_admin=True), decided)
    assert record("disagreements", "--db", db)["disagreements"] == []
    (each,) = record("disagreements", "--db", db, "--all")["disagreements"]
    assert (each["document"], each["adjudicated"]) == ("A.1-2", "medium")


def test_an_export_has_qrels_judgments_and_statistics(posts: str, tmp_path: Path) -> None:
    judge(posts, "Ann", c1="high", c2="medium", c3="do_not_know")
    folder = tmp_path / "export"
    found = record("export", "--db", posts, "-o", str(folder))
    assert set(found["files"]) == {path.name for path in folder.iterdir()}
    assert read_qrels(folder / "qrels.tsv").grades == {A1: {"A.1-1": 3, "A.1-2": 2}}
    assert "A.1\t0\tA.1-3\t6" in (folder / "qrels_complete.tsv").read_text()
    assert len((folder / "judgments.jsonl").read_text().splitlines()) == 3
    assert found["unjudged"] == 3
    assert "\\toprule" in (folder / "statistics.tex").read_text()
    numbers = tmp_path / "numbers"
    text = told("export", "--db", posts, "--numbers", "-o", str(numbers))
    assert "qrels.tsv" in text
    assert "Ann" not in (numbers / "judgments.jsonl").read_text()


def test_a_topic_with_few_relevant_is_left_out_of_the_qrels(posts: str, tmp_path: Path) -> None:
    judge(posts, "Ann", c1="high", c2="low")
    arguments = ["assess", "export", "--db", posts, "-o", str(tmp_path / "x")]
    done = CliRunner().invoke(porism, arguments)
    assert "left out of the qrels for fewer than 2 relevant: A.1" in done.stderr
    assert (tmp_path / "x" / "qrels.tsv").read_text() == ""
    kept = record("export", "--db", posts, "--fewest", "1", "-o", str(tmp_path / "y"))
    assert kept["dropped_topics"] == []


def test_statistics_are_told(db: str) -> None:
    judge(db, "Ann", c1="high", c2="medium", c3="system_failure")
    found = record("statistics", "--db", db)
    assert found["topics"]["A.1"]["relevant"] == 2
    assert found["choices"]["system_failure"] == 1
    assert found["times"]["mean"] == 20.0
    assert "Choices" in told("statistics", "--db", db)


def turkle_results(tasks: Path, results: Path, choices: list[str]) -> None:
    """What Turkle writes if a worker answers the first tasks so."""
    with tasks.open(newline="") as file:
        rows = list(csv.DictReader(file))[: len(choices)]
    with results.open("w", newline="") as file:
        names = [f"Input.{name}" for name in rows[0]]
        own = ["SubmitTime", "WorkTimeInSeconds", "Turkle.Username", "Answer.choice_1"]
        writer = csv.DictWriter(file, [*own, *names])
        writer.writeheader()
        for row, choice in zip(rows, choices, strict=True):
            writer.writerow(
                {
                    "SubmitTime": "Mon Mar 02 12:00:00 UTC 2026",
                    "WorkTimeInSeconds": "30",
                    "Turkle.Username": "worker",
                    "Answer.choice_1": choice,
                    **{f"Input.{name}": cell for name, cell in row.items()},
                }
            )


def test_judgments_of_turkle_come_in_once(db: str, tmp_path: Path) -> None:
    told("export", "--db", db, "-o", str(tmp_path / "export"))
    results = tmp_path / "results.csv"
    turkle_results(tmp_path / "export" / "turkle_tasks.csv", results, ["high", "low"])
    came = record("turkle-in", str(results), "--db", db)
    assert came == {"batch": "main", "read": 2, "added": 2, "new_assessors": ["worker"]}
    assert record("turkle-in", str(results), "--db", db)["added"] == 0
    said = JudgmentStore(Path(db)).judgments("main", "worker")
    assert [(each.choice, each.seconds) for each in said] == [("high", 30.0), ("low", 30.0)]


def test_results_of_turkle_that_are_wrong_add_nothing(db: str, tmp_path: Path) -> None:
    told("export", "--db", db, "-o", str(tmp_path / "export"))
    results = tmp_path / "results.csv"
    turkle_results(tmp_path / "export" / "turkle_tasks.csv", results, ["high", "splendid"])
    assert "splendid" in told("turkle-in", str(results), "--db", db, status=1)
    assert JudgmentStore(Path(db)).judgments("main") == ()


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [
        (("assess", "export"), "rule", DisputeRule),
        (("assess", "statistics"), "rule", DisputeRule),
        (("assess", "serve"), "same_look", VisualMatchRule),
        (("pool",), "policy", InstancePolicy),
        (("pool",), "preset", PRESETS),
    ],
)
def test_options_offer_all_that_there_is(
    command: tuple[str, ...], option: str, choices: Iterable[str]
) -> None:
    found: click.Command = porism
    for name in command:
        assert isinstance(found, click.Group)
        found = found.commands[name]
    (kind,) = (each.type for each in found.params if each.name == option)
    assert isinstance(kind, click.Choice)
    assert set(kind.choices) == set(map(str, choices))


def test_options_have_the_defaults_of_the_export() -> None:
    for name in ("export", "statistics"):
        assess = porism.commands["assess"]
        assert isinstance(assess, click.Group)
        defaults = {each.name: each.default for each in assess.commands[name].params}
        assert (defaults["fewest"], defaults["rule"]) == (
            AssessmentExportSettings().fewest_relevant,
            AssessmentExportSettings().rule,
        )
