"""``porism assess``: judgment files created, filled, printed and exported."""

import csv
import socket
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

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
    VisualMatchRule,
)
from porism.cli.main import porism
from porism.formats.qrels import read_qrels
from porism.model import DocId
from porism.pages.assessed_batch import AssessmentExportSettings
from porism.web.assessment import server
from porism.web.assessment.settings import AssessmentSettings
from tests.cli.assessment.invocation import A1, A2, POOL, output, record


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A file with a pool, two assessors and an administrator."""
    store = JudgmentStore(tmp_path / "judgments.db")
    store.add_batch("main", BatchKind.OFFICIAL, POOL)
    for name in ("Ann", "Ben"):
        store.add_assessor(name)
    store.add_assessor("Eve", is_admin=True)
    return str(store.path)


@pytest.fixture
def posts(tmp_path: Path) -> str:
    """The same with posts as candidates."""
    store = JudgmentStore(tmp_path / "posts.db")
    candidates = tuple(replace(each, text="") for each in POOL.candidates)
    store.add_batch("main", BatchKind.OFFICIAL, replace(POOL, candidates=candidates))
    store.add_assessor("Ann")
    return str(store.path)


def judge(db: str, name: str, **choices: str) -> None:
    """Judgments of A.1's candidates; names of candidates start with c."""
    store = JudgmentStore(Path(db))
    store.assign("main", A1, name, is_second=True)
    for place, choice in choices.items():
        doc_id = DocId(f"A.1-{place[1:]}")
        judgment = NewJudgment(f"{name} {doc_id}", "main", A1, doc_id, Choice(choice), 20.0, "so")
        store.record(Assessor(name), judgment)


def test_a_token_is_printed_once_and_revokes_the_old_one(db: str) -> None:
    first = record("assessor", "Cleo", "--db", db)["token"]
    second = output("assessor", "Cleo", "--db", db).split()[-1]
    store = JudgmentStore(Path(db))
    assert store.assessor_of_token(first) is None
    assert store.assessor_of_token(second) == Assessor("Cleo")
    admin = record("assessor", "Dan", "--db", db, "--admin")["token"]
    assert store.assessor_of_token(admin) == Assessor("Dan", is_admin=True)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    missing = str(tmp_path / "none.db")
    for command in (["assessor", "Ann"], ["status"], ["agreement"], ["export", "-o", "x"]):
        assert "no such judgment file" in output(*command, "--db", missing, status=1)
    assert not Path(missing).exists()


def test_a_file_that_is_not_a_judgment_file_is_an_error(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("something else, and more than a page of it" * 100)
    assert "not a database" in output("status", "--db", str(other), status=1)


def test_an_unreadable_pool_creates_no_file(tmp_path: Path) -> None:
    db = tmp_path / "new.db"
    assert "is not a pool" in output("serve", str(tmp_path), "--db", str(db), status=1)
    assert "pass the POOL" in output("serve", "--db", str(db), status=1)
    assert "--name needs a POOL" in output("serve", "--db", str(db), "--name", "x", status=2)
    assert not db.exists()


def test_the_token_of_the_administrator_is_printed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def report_at_once(
        settings: AssessmentSettings, host: str, port: int, callbacks: server.AssessmentCallbacks
    ) -> None:
        assert host == "127.0.0.1"
        callbacks.on_address("http://127.0.0.1:1/")

    monkeypatch.setattr(server, "run_assessment_server", report_at_once)
    write_pool(tmp_path / "my-pool", POOL)
    command = ("serve", str(tmp_path / "my-pool"), "--db", str(tmp_path / "new.db"))
    first = output(*command)
    token = first.splitlines()[0].split()[-1]
    store = JudgmentStore(tmp_path / "new.db")
    assert store.assessor_of_token(token) == Assessor("admin", is_admin=True)
    assert [each.name for each in store.batches()] == ["my-pool"]
    assert "The assessment is at http://127.0.0.1:1/" in first
    assert record(*command) == {"address": "http://127.0.0.1:1/"}
    assert "another name" in output(*command[:1], str(other_pool(tmp_path)), *command[2:], status=1)
    assert token not in (tmp_path / "new.db").read_bytes().decode("latin-1")


def other_pool(folder: Path) -> Path:
    """Another pool in a folder of the same name."""
    (folder / "other").mkdir()
    write_pool(folder / "other" / "my-pool", replace(POOL, seed=1))
    return folder / "other" / "my-pool"


def test_candidates_missing_from_the_collection_are_reported(
    tmp_path: Path, sample_index: Path
) -> None:
    write_pool(tmp_path / "pool", replace(POOL, candidates=(Candidate(A1, DocId("987654")),)))
    command = ["assess", "serve", str(tmp_path / "pool"), "--db", str(tmp_path / "new.db")]
    with socket.create_server(("127.0.0.1", 0)) as busy:
        port = ("--port", str(busy.getsockname()[1]))
        collection = ("--collection", str(sample_index.parent))
        done = CliRunner().invoke(porism, [*command, *collection, *port])
    assert "987654" in done.stderr
    assert "choose another with --port" in done.stderr
    # No token was printed, so none was made.
    assert JudgmentStore(tmp_path / "new.db").assessors() == ()


def test_topics_are_assigned_and_unassigned(db: str) -> None:
    assert record("assign", "--db", db)["topics"] == {"A.1": [], "A.2": []}
    assigned = record("assign", "--db", db, "--topic", "A.1", "--to", "Ann")
    assert assigned["topics"] == {"A.1": ["Ann"], "A.2": []}
    again = output("assign", "--db", db, "--topic", "A.1", "--to", "Ben", status=1)
    assert "already assigned to Ann" in again
    both = record("assign", "--db", db, "--topic", "A.1", "--to", "Ben", "--second")
    assert both["topics"]["A.1"] == ["Ann", "Ben"]
    left = record("assign", "--db", db, "--topic", "A.1", "--take-from", "Ann")
    assert left["topics"]["A.1"] == ["Ben"]
    assert "A.1    Ben" in output("assign", "--db", db)


def test_topics_are_assigned_by_wishes_to_all_but_administrators(db: str) -> None:
    JudgmentStore(Path(db)).record_wishes("main", "Ann", {A2: 3})
    assigned = record("assign", "--db", db, "--by-wishes")["topics"]
    assert assigned == {"A.1": ["Ben"], "A.2": ["Ann"]}


def test_completed_topics_are_assigned_again(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low", c3="low")
    assigned = record("assign", "--db", db, "--double", "1")["topics"]
    assert assigned == {"A.1": ["Ann", "Ben"], "A.2": []}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--topic", "A.1"], "needs either --to NAME"),
        (["--by-wishes", "--double", "2"], "use only one of"),
        (["--take-from", "Ann"], "need a --topic"),
    ],
)
def test_conflicting_options_are_refused(db: str, options: list[str], why: str) -> None:
    assert why in output("assign", "--db", db, *options, status=2)


def test_unknown_names_are_reported_with_available_ones(db: str) -> None:
    assert "available: main" in output("status", "--db", db, "--batch", "other", status=1)
    options = ("--topic", "A.1", "--take-from", "Nobody")
    assert "available: Ann, Ben, Eve" in output("assign", "--db", db, *options, status=1)
    assert "no topic A.9" in output("assign", "--db", db, "--topic", "A.9", "--to", "Ann", status=1)


def test_one_of_several_batches_must_be_chosen(db: str) -> None:
    JudgmentStore(Path(db)).add_batch("more", BatchKind.OFFICIAL, POOL)
    assert "choose a batch with --batch" in output("statistics", "--db", db, status=1)
    assert record("statistics", "--db", db, "--batch", "more")["batch"] == "more"


def test_status_prints_progress(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low")
    batch = record("status", "--db", db)["batches"]["main"]
    assert (batch["judged"], batch["assigned"], batch["kind"]) == (2, 3, "official")
    assert batch["topics"][0]["parts"][0]["times"]["mean"] == 20.0
    text = output("status", "--db", db)
    assert "main (official): 2 of 3 assigned judgments" in text
    assert "Eve (administrator)" in text
    assert "Ann 2" in text


def test_agreement_is_printed_by_pair_and_overall(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low", c3="not_relevant")
    assert "no candidate was judged twice" in output("agreement", "--db", db)
    judge(db, "Ben", c1="high", c2="medium", c3="not_relevant")
    agreement = record("agreement", "--db", db)["main"]
    (pair,) = agreement["pairs"]
    assert (pair["first"], pair["second"], pair["shared"]) == ("Ann", "Ben", 3)
    assert pair["four_way"] == pytest.approx(4 / 7)
    assert pair["binary"] == pytest.approx(0.4)
    assert agreement["fleiss"]["candidates"] == 3
    assert "0.57" in output("agreement", "--db", db)


def test_disagreements_are_listed_until_they_are_adjudicated(db: str) -> None:
    judge(db, "Ann", c1="high", c2="low")
    judge(db, "Ben", c1="high", c2="medium")
    text = output("disagreements", "--db", db)
    assert "1 disagreement, 0 adjudicated" in text
    assert "Ann: Low (so); Ben: Medium (so)" in text
    decided = NewJudgment("k", "main", A1, DocId("A.1-2"), Choice.MEDIUM, is_adjudication=True)
    JudgmentStore(Path(db)).record(Assessor("Eve", is_admin=True), decided)
    assert record("disagreements", "--db", db)["disagreements"] == []
    (each,) = record("disagreements", "--db", db, "--all")["disagreements"]
    assert (each["document"], each["adjudicated"]) == ("A.1-2", "medium")


def test_an_export_has_qrels_judgments_and_statistics(posts: str, tmp_path: Path) -> None:
    judge(posts, "Ann", c1="high", c2="medium", c3="do_not_know")
    folder = tmp_path / "export"
    exported = record("export", "--db", posts, "-o", str(folder))
    assert set(exported["files"]) == {path.name for path in folder.iterdir()}
    assert read_qrels(folder / "qrels.tsv").grades == {A1: {"A.1-1": 3, "A.1-2": 2}}
    assert "A.1\t0\tA.1-3\t6" in (folder / "qrels_complete.tsv").read_text()
    assert len((folder / "judgments.jsonl").read_text().splitlines()) == 3
    assert exported["unjudged"] == 3
    assert "\\toprule" in (folder / "statistics.tex").read_text()
    numbers = tmp_path / "numbers"
    text = output("export", "--db", posts, "--numbers", "-o", str(numbers))
    assert "qrels.tsv" in text
    assert "Ann" not in (numbers / "judgments.jsonl").read_text()


def test_a_topic_with_few_relevant_is_left_out_of_the_qrels(posts: str, tmp_path: Path) -> None:
    judge(posts, "Ann", c1="high", c2="low")
    arguments = ["assess", "export", "--db", posts, "-o", str(tmp_path / "x")]
    done = CliRunner().invoke(porism, arguments)
    assert "left out of the qrels, with fewer than 2 relevant documents: A.1" in done.stderr
    assert (tmp_path / "x" / "qrels.tsv").read_text() == ""
    exported = record("export", "--db", posts, "--fewest", "1", "-o", str(tmp_path / "y"))
    assert exported["dropped_topics"] == []


def test_statistics_are_printed(db: str) -> None:
    judge(db, "Ann", c1="high", c2="medium", c3="system_failure")
    statistics = record("statistics", "--db", db)
    assert statistics["topics"]["A.1"]["relevant"] == 2
    assert statistics["choices"]["system_failure"] == 1
    assert statistics["times"]["mean"] == 20.0
    assert "Choices" in output("statistics", "--db", db)


def turkle_results(tasks: Path, results: Path, choices: list[str]) -> None:
    """Write results of Turkle with these answers to the first tasks."""
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


def test_turkle_judgments_are_imported_once(db: str, tmp_path: Path) -> None:
    output("export", "--db", db, "-o", str(tmp_path / "export"))
    results = tmp_path / "results.csv"
    turkle_results(tmp_path / "export" / "turkle_tasks.csv", results, ["high", "low"])
    came = record("turkle-in", str(results), "--db", db)
    assert came == {"batch": "main", "read": 2, "added": 2, "new_assessors": ["worker"]}
    assert record("turkle-in", str(results), "--db", db)["added"] == 0
    imported = JudgmentStore(Path(db)).judgments("main", "worker")
    assert [(each.choice, each.seconds) for each in imported] == [("high", 30.0), ("low", 30.0)]


def test_invalid_turkle_results_add_nothing(db: str, tmp_path: Path) -> None:
    output("export", "--db", db, "-o", str(tmp_path / "export"))
    results = tmp_path / "results.csv"
    turkle_results(tmp_path / "export" / "turkle_tasks.csv", results, ["high", "splendid"])
    assert "splendid" in output("turkle-in", str(results), "--db", db, status=1)
    assert JudgmentStore(Path(db)).judgments("main") == ()


@pytest.mark.parametrize(
    ("names", "option", "choices"),
    [
        (("assess", "export"), "rule", DisputeRule),
        (("assess", "statistics"), "rule", DisputeRule),
        (("assess", "serve"), "same_look", VisualMatchRule),
        (("pool",), "policy", InstancePolicy),
        (("pool",), "preset", PRESETS),
    ],
)
def test_options_offer_all_choices(
    names: tuple[str, ...], option: str, choices: Iterable[str]
) -> None:
    command: click.Command = porism
    for name in names:
        assert isinstance(command, click.Group)
        command = command.commands[name]
    (kind,) = (each.type for each in command.params if each.name == option)
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
