"""Judgments on disk: added once, never changed, with concurrent writers."""

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from porism.assess.judgments.database import (
    TABLES,
    AssessmentConflict,
    DatabaseUnavailable,
    NotPermitted,
)
from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import (
    Assessor,
    BatchKind,
    Candidate,
    Choice,
    Instructions,
    NewAnnotation,
    NewJudgment,
    Pool,
    VisualMatchRule,
)
from porism.errors import PorismError
from porism.model import DocId, Qrels, Topic, TopicId

A1, A2 = TopicId("A.1"), TopicId("A.2")
ANN, BEN = Assessor("Ann"), Assessor("Ben")
POOL = Pool(
    1,
    (Topic(A1), Topic(A2)),
    tuple(Candidate(topic, DocId(str(number))) for topic in (A1, A2) for number in range(50)),
)
CHAIR = Assessor("Chair", is_admin=True)
MACHINE_MADE = NewAnnotation("mark 1", "main", A1, DocId("7"), True, None)
EARLIER = Qrels({A1: {DocId("7"): 2, DocId("777"): 3}})
HIGH = NewJudgment("key 1", "main", A1, DocId("7"), Choice.HIGH, 3.25, "clear")


@pytest.fixture
def store(tmp_path: Path) -> JudgmentStore:
    """Two assessors, the first of whom has a topic."""
    opened = JudgmentStore(tmp_path / "judgments.sqlite")
    opened.add_batch("main", BatchKind.OFFICIAL, POOL)
    for assessor in (ANN, BEN):
        opened.add_assessor(assessor.name)
    opened.assign("main", A1, "Ann")
    return opened


def test_a_judgment_is_stored_with_assessor_and_time(store: JudgmentStore) -> None:
    recorded = store.record(ANN, HIGH)
    (stored,) = JudgmentStore(store.path).judgments("main")
    assert stored == recorded
    assert (stored.assessor, stored.choice, stored.comment, stored.seconds) == (
        "Ann",
        Choice.HIGH,
        "clear",
        3.2,
    )
    assert stored.at.endswith("+00:00")


def test_a_judgment_sent_again_is_stored_once(store: JudgmentStore) -> None:
    assert store.record(ANN, HIGH) == store.record(ANN, HIGH)
    assert len(store.judgments("main")) == 1
    with pytest.raises(AssessmentConflict, match="same key"):
        store.record(ANN, replace(HIGH, choice=Choice.LOW))


def test_a_changed_judgment_adds_a_row(store: JudgmentStore) -> None:
    store.record(ANN, HIGH)
    store.record(ANN, replace(HIGH, key="key 2", choice=Choice.LOW))
    store.record(ANN, replace(HIGH, key="key 3", choice=None))
    assert [each.choice for each in store.judgments("main")] == [Choice.HIGH, Choice.LOW, None]


@pytest.mark.parametrize("table", TABLES)
def test_nothing_can_be_overwritten(store: JudgmentStore, table: str) -> None:
    store.record(ANN, HIGH)
    store.record_wishes("main", "Ben", {A2: 1})
    store.set_instructions(VisualMatchRule.ALWAYS_HIGH, None)
    store.add_assessor("Chair", is_admin=True)
    store.annotate(CHAIR, MACHINE_MADE)
    store.add_batch("round", BatchKind.TRAINING, POOL, EARLIER)
    with sqlite3.connect(store.path) as connection:
        column = connection.execute(f"SELECT * FROM {table}").description[0][0]
        for change in (f"DELETE FROM {table}", f"UPDATE {table} SET {column} = 7"):
            with pytest.raises(sqlite3.IntegrityError, match="only ever added"):
                connection.execute(change)
    connection.close()


def test_only_assessors_of_a_topic_can_judge_it(store: JudgmentStore) -> None:
    with pytest.raises(NotPermitted, match=r"A\.1 is not assigned to you"):
        store.record(BEN, HIGH)
    with pytest.raises(NotPermitted, match="not a candidate"):
        store.record(ANN, replace(HIGH, doc_id=DocId("999")))
    with pytest.raises(NotPermitted, match="no batch"):
        store.record(ANN, replace(HIGH, batch="other"))
    assert store.judgments("main") == ()


def test_only_administrators_can_adjudicate(store: JudgmentStore) -> None:
    store.add_assessor("Chair", is_admin=True)
    decided = replace(HIGH, is_adjudication=True)
    with pytest.raises(NotPermitted, match="adjudicate"):
        store.record(ANN, decided)
    assert store.record(Assessor("Chair", is_admin=True), decided).is_adjudication


def test_a_topic_has_one_assessor_unless_is_second(store: JudgmentStore) -> None:
    with pytest.raises(AssessmentConflict, match="already assigned to Ann"):
        store.assign("main", A1, "Ben")
    store.assign("main", A1, "Ben", is_second=True)
    assert [each.assessor for each in store.assignments("main")] == ["Ann", "Ben"]
    store.record(BEN, HIGH)
    store.unassign("main", [A1], "Ben")
    assert [each.assessor for each in store.assignments("main")] == ["Ann"]
    assert len(store.judgments("main", "Ben")) == 1
    with pytest.raises(NotPermitted, match="no topic"):
        store.assign("main", "A.9", "Ben")
    with pytest.raises(NotPermitted, match="no topic"):
        store.unassign("main", [A1, "A.9"], "Ann")
    assert [each.assessor for each in store.assignments("main")] == ["Ann"]
    with pytest.raises(NotPermitted, match="no assessor"):
        store.assign("main", A2, "Nobody")


def test_a_token_is_valid_until_there_is_a_newer_one(store: JudgmentStore) -> None:
    first = store.add_assessor("Cleo")
    assert store.assessor_of_token(first) == Assessor("Cleo")
    second = store.add_assessor("Cleo")
    assert store.assessor_of_token(first) is None
    assert store.assessor_of_token(second) == Assessor("Cleo")
    assert store.assessor_of_token("forged") is None
    assert second.encode() not in store.path.read_bytes()
    with pytest.raises(AssessmentConflict, match="is no administrator"):
        store.add_assessor("Cleo", is_admin=True)


def test_the_latest_wish_counts(store: JudgmentStore) -> None:
    store.record_wishes("main", "Ben", {A1: 2, A2: 1})
    store.record_wishes("main", "Ben", {A2: 3})
    assert [(each.topic_id, each.wish) for each in store.wishes("main")] == [(A1, 2), (A2, 3)]
    with pytest.raises(PorismError, match="0 to 3"):
        store.record_wishes("main", "Ben", {A1: 0, A2: 4})
    assert len(store.wishes("main")) == 2


def test_instructions_are_stored_with_their_time(store: JudgmentStore) -> None:
    assert store.instructions() == (Instructions(),)
    assert store.set_instructions(None, None) == Instructions()
    first = store.set_instructions(VisualMatchRule.ALWAYS_HIGH, None)
    assert (first.number, first.same_look) == (1, VisualMatchRule.ALWAYS_HIGH)
    instructions = store.set_instructions(None, True)
    assert (instructions.same_look, instructions.asks_annotations) == (
        VisualMatchRule.ALWAYS_HIGH,
        True,
    )
    assert store.set_instructions(VisualMatchRule.ALWAYS_HIGH, True) == instructions  # unchanged
    assert [each.number for each in JudgmentStore(store.path).instructions()] == [0, 1, 2]


def test_a_judgment_has_the_number_of_its_instructions(store: JudgmentStore) -> None:
    store.record(ANN, HIGH)
    store.set_instructions(VisualMatchRule.ALWAYS_HIGH, None)
    assert store.record(ANN, HIGH).instructions == 0  # sent again, it is the stored one
    store.record(ANN, replace(HIGH, key="key 2"))
    store.record(ANN, replace(HIGH, key="key 3", instructions=0))
    assert [each.instructions for each in store.judgments("main")] == [0, 1, 0]
    with pytest.raises(PorismError, match="no instructions 2: expected 0 to 1"):
        store.record(ANN, replace(HIGH, key="key 4", instructions=2))


def test_judgments_are_imported_all_or_none(store: JudgmentStore) -> None:
    given = [("Zoe", replace(HIGH, key=f"z {number}")) for number in range(3)]
    wrong = ("Zoe", replace(HIGH, key="z 9", comment="x" * 5000))
    with pytest.raises(PorismError, match="a comment has at most"):
        store.import_judgments([*given, wrong])
    conflict = ("Zoe", replace(HIGH, key="z 0", choice=Choice.LOW))
    with pytest.raises(AssessmentConflict):
        store.import_judgments([*given, conflict])
    assert [each.name for each in store.assessors()] == ["Ann", "Ben"]
    assert store.judgments("main") == ()
    assert (store.import_judgments(given), store.import_judgments(given)) == (3, 0)
    assert [each.assessor for each in store.assignments("main")] == ["Ann", "Zoe"]


def test_a_file_without_version_is_upgraded(store: JudgmentStore) -> None:
    store.record(ANN, HIGH)
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("DROP TABLE instructions")
        connection.execute("ALTER TABLE judgments DROP COLUMN instructions")
        connection.execute("PRAGMA user_version = 0")
    connection.close()
    again = JudgmentStore(store.path)
    again.set_instructions(VisualMatchRule.ALWAYS_HIGH, None)
    again.record(ANN, replace(HIGH, key="key 2"))
    assert [each.instructions for each in again.judgments("main")] == [0, 1]


def test_an_annotation_is_stored_once_with_assessor_and_time(store: JudgmentStore) -> None:
    store.add_assessor("Chair", is_admin=True)
    annotation = store.annotate(CHAIR, MACHINE_MADE)
    assert store.annotate(CHAIR, MACHINE_MADE) == annotation
    assert JudgmentStore(store.path).annotations("main") == (annotation,)
    assert (annotation.assessor, annotation.is_machine_made, annotation.is_unrelated) == (
        "Chair",
        True,
        None,
    )
    with pytest.raises(AssessmentConflict, match="same key"):
        store.annotate(CHAIR, replace(MACHINE_MADE, is_machine_made=False))
    with pytest.raises(NotPermitted, match="annotate"):
        store.annotate(ANN, replace(MACHINE_MADE, key="mark 2"))
    with pytest.raises(NotPermitted, match="not a candidate"):
        store.annotate(CHAIR, replace(MACHINE_MADE, key="mark 3", doc_id=DocId("999")))


def test_topics_are_assigned_all_or_none(store: JudgmentStore) -> None:
    with pytest.raises(AssessmentConflict, match="already assigned to Ann"):
        store.assign_all("main", [(A2, "Ben"), (A1, "Ben")])
    assert [each.topic_id for each in store.assignments("main")] == [A1]
    store.assign_all("main", [(A2, "Ben"), (A1, "Ann")])
    assert [each.assessor for each in store.assignments("main")] == ["Ann", "Ben"]


def test_a_topic_without_candidates_cannot_be_assigned(store: JudgmentStore) -> None:
    empty = replace(POOL, topics=(*POOL.topics, Topic(TopicId("A.3"))))
    store.add_batch("other", BatchKind.OFFICIAL, empty)
    with pytest.raises(NotPermitted, match=r"A\.3 has no candidates"):
        store.assign("other", "A.3", "Ann")


def test_earlier_grades_are_stored_with_a_batch(store: JudgmentStore) -> None:
    store.add_batch("round", BatchKind.TRAINING, POOL, EARLIER)
    assert store.earlier_grades("round").grades == {A1: {"7": 2}}  # for candidates of the pool
    assert store.earlier_grades("main").grades == {}


def test_a_file_of_a_later_version_is_refused_and_unchanged(store: JudgmentStore) -> None:
    store.close()
    with sqlite3.connect(store.path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(PorismError, match=r"version 99.* use the Porism that made the file"):
        JudgmentStore(store.path)


@pytest.mark.parametrize("name", ["two\nlines", "\x1b[31mred", "half \udc80", " blank", ""])
def test_unprintable_names_are_refused(store: JudgmentStore, name: str) -> None:
    with pytest.raises(PorismError, match="the name of an"):
        store.add_assessor(name)
    with pytest.raises(PorismError, match="the name of a"):
        store.add_batch(name, BatchKind.OFFICIAL, POOL)


def test_a_batch_keeps_its_pool(store: JudgmentStore) -> None:
    store.add_batch("main", BatchKind.OFFICIAL, POOL)
    assert store.pool("main") == POOL
    with pytest.raises(AssessmentConflict, match="another pool"):
        store.add_batch("main", BatchKind.OFFICIAL, replace(POOL, seed=9))


def test_other_files_are_refused_and_unchanged(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but a text that is long enough to be read as a header " * 3)
    with pytest.raises(PorismError, match="not a database"):
        JudgmentStore(text)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    before = other.read_bytes()
    with pytest.raises(PorismError, match="not a judgment file"):
        JudgmentStore(other)
    assert other.read_bytes() == before
    with pytest.raises(PorismError, match="cannot be opened"):
        JudgmentStore(tmp_path / "nowhere" / "judgments.sqlite")


def test_values_that_no_export_could_write_are_refused(store: JudgmentStore) -> None:
    with pytest.raises(PorismError, match="number of seconds"):
        store.record(ANN, replace(HIGH, seconds=float("inf")))
    with pytest.raises(PorismError, match="cannot be the name"):
        store.add_batch("a/b", BatchKind.OFFICIAL, POOL)


def test_a_full_disk_is_an_error_and_loses_nothing(store: JudgmentStore) -> None:
    store.record(ANN, HIGH)
    connection = store._database._connection()
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    late = [replace(HIGH, key=f"late {n}", comment="x" * 3000) for n in range(20)]
    with pytest.raises(DatabaseUnavailable, match="full") as caught:
        _record_all(store, late)
    assert caught.value.is_full
    connection.execute("PRAGMA max_page_count = 1000000")
    _record_all(store, late)
    assert len(store.judgments("main")) == 21


def _record_all(store: JudgmentStore, judgments: list[NewJudgment]) -> None:
    for each in judgments:
        store.record(ANN, each)


def test_many_threads_write_at_once(store: JudgmentStore) -> None:
    store.assign("main", A2, "Ben")

    def judge(number: int) -> None:
        assessor, topic = (ANN, A1) if number % 2 else (BEN, A2)
        new = NewJudgment(f"k{number}", "main", topic, DocId(str(number % 50)), Choice.LOW)
        store.record(assessor, new)
        store.record(assessor, new)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(judge, range(120)))
    assert len(store.judgments("main")) == 120


WRITER = """
import sys
from porism.assess.records import Assessor, Choice, NewJudgment
from porism.assess.judgments.store import Store
store = Store(__import__("pathlib").Path(sys.argv[1]))
for number in range(100000):
    key = f"{sys.argv[2]}-{number}"
    store.record(Assessor("Ann"), NewJudgment(key, "main", "A.1", "7", Choice.LOW))
    print(number, flush=True)
"""


def test_acknowledged_judgments_survive_kill_9(store: JudgmentStore) -> None:
    acknowledged = 0
    for attempt in range(3):
        command = [sys.executable, "-c", WRITER, str(store.path), str(attempt)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            lines = [process.stdout.readline() for _ in range(20 + 15 * attempt)]
            os.kill(process.pid, signal.SIGKILL)
            lines += process.stdout.readlines()
        acknowledged += sum(line.endswith("\n") for line in lines)
        keys = [each.number for each in store.judgments("main")]
        assert acknowledged <= len(keys) <= acknowledged + attempt + 1
    with sqlite3.connect(store.path) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


@pytest.mark.parametrize("is_replaced", [False, True], ids=["deleted", "replaced"])
def test_nothing_is_written_while_the_file_is_missing_or_replaced(
    store: JudgmentStore, is_replaced: bool
) -> None:
    store.record(ANN, HIGH)
    aside = store.path.with_suffix(".aside")
    store.path.rename(aside)
    if is_replaced:
        store.path.write_bytes(aside.read_bytes())
    late = replace(HIGH, key="late", comment="late")
    with pytest.raises(DatabaseUnavailable, match="deleted or replaced"):
        store.record(ANN, late)
    with (
        ThreadPoolExecutor(1) as other,  # which has not opened the file yet
        pytest.raises(DatabaseUnavailable, match="deleted or replaced"),
    ):
        other.submit(store.record, ANN, late).result()
    assert store.path.exists() == is_replaced, "no empty file is created in its place"
    aside.rename(store.path)
    store.record(ANN, late)
    assert [each.comment for each in JudgmentStore(store.path).judgments("main")] == [
        "clear",
        "late",
    ]
