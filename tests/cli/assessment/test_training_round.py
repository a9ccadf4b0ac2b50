"""``porism assess round``: training rounds of pools, and of earlier judgments."""

import json
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.pool_folder import write_pool
from porism.assess.records import Candidate, Pool
from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics
from porism.collection.store import open_collection
from porism.formats.qrels import read_qrels, write_qrels
from porism.model import DocId, Qrels, Topic, TopicId

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
SMALL = ("--number", "2", "--candidates", "3", "--lacking", "3")


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(porism, ["assess", *arguments])


def told(*arguments: str, status: int = 0) -> str:
    """What a command prints, or what it complains of."""
    done = invoked(*arguments)
    assert done.exit_code == status, done.output
    return done.stdout if status == 0 else done.stderr


def record(*arguments: str) -> Any:  # what a command tells differs from one to the other
    return json.loads(told(*arguments, "--json"))


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A file with two assessors and somebody who administers."""
    store = JudgmentStore(tmp_path / "judgments.db")
    for name in ("Ann", "Ben"):
        store.add_assessor(name)
    store.add_assessor("Eve", is_admin=True)
    return str(store.path)


@pytest.fixture
def collection(sample_index: Path) -> tuple[str, str]:
    return "--collection", str(sample_index.parent)


def earlier(task: int, qrels: Path | None = None) -> tuple[str, ...]:
    """The options for judgments of the sample, or for others of its topics."""
    return "--from-qrels", str(qrels or sample_qrels(task)), "--topics", str(sample_topics(task))


def with_absent(path: Path, task: int, absent: int) -> Path:
    """The judgments of the sample, and for each topic others, of what is not there."""
    grades = {
        topic_id: {
            **judged,
            **{DocId(str(99_000_000 + number)): number % 4 for number in range(absent)},
        }
        for topic_id, judged in read_qrels(sample_qrels(task)).grades.items()
    }
    write_qrels(path, Qrels(grades))
    return path


def test_a_round_of_a_pool_is_for_all_assessors(db: str, tmp_path: Path) -> None:
    write_pool(tmp_path / "small", POOL)
    found = record("round", str(tmp_path / "small"), "--db", db, "--name", "round 1")
    assert found["assessors"] == ["Ann", "Ben"]
    told("assessor", "Cleo", "--db", db)
    told("round", str(tmp_path / "small"), "--db", db, "--name", "round 1")
    given = record("assign", "--db", db, "--batch", "round 1")["topics"]
    assert given == {"A.1": ["Ann", "Ben", "Cleo"], "A.2": ["Ann", "Ben", "Cleo"]}


def test_a_round_is_drawn_from_earlier_judgments(db: str) -> None:
    first = record("round", "--db", db, "--name", "round 1", *earlier(1), *SMALL)
    assert (len(first["topics"]), first["candidates"]) == (2, 6)
    again = record("round", "--db", db, "--name", "round 1", *earlier(1), *SMALL)
    assert again == first
    second = record("round", "--db", db, "--name", "round 2", *earlier(1), *SMALL)
    assert not set(second["topics"]) & set(first["topics"])


@pytest.mark.parametrize("seed", ["1", "2", "3"])
def test_a_later_round_changes_nothing_of_an_earlier_one(tmp_path: Path, seed: str) -> None:
    draw = ("round", "--db", str(tmp_path / "new.db"), *earlier(1), *SMALL, "--seed", seed)
    rounds = [record(*draw, "--name", name) for name in ("round 1", "round 2")]
    assert [record(*draw, "--name", name) for name in ("round 1", "round 2")] == rounds


def test_the_earlier_grades_are_kept_beside_the_round(db: str) -> None:
    told("round", "--db", db, "--name", "round 1", *earlier(1), *SMALL)
    store, judged = JudgmentStore(Path(db)), read_qrels(sample_qrels(1)).grades
    known = store.earlier_grades("round 1").grades
    drawn = {(each.topic_id, each.doc_id) for each in store.pool("round 1").candidates}
    assert {(topic_id, doc_id) for topic_id, grades in known.items() for doc_id in grades} == drawn
    assert all(known[topic_id][doc_id] == judged[topic_id][doc_id] for topic_id, doc_id in drawn)


def test_one_of_each_is_told_in_the_singular(tmp_path: Path) -> None:
    store = JudgmentStore(tmp_path / "judgments.db")
    store.add_assessor("Ann")
    one = ("--number", "1", "--candidates", "1", "--lacking", "3")
    said = told("round", "--db", str(store.path), "--name", "round", *earlier(1), *one)
    assert said == "round: 1 topic with 1 candidate for 1 assessor\n"


@pytest.mark.parametrize("task", [1, 2])
def test_only_what_the_collection_has_is_drawn(
    db: str, tmp_path: Path, collection: tuple[str, str], task: int
) -> None:
    judged = earlier(task, with_absent(tmp_path / "qrels", task, absent=200))
    done = invoked("round", "--db", db, "--name", "round", *judged, *SMALL, *collection)
    assert done.exit_code == 0, done.output
    assert "Note: the collection lacks 200 of " in done.stderr
    candidates = JudgmentStore(Path(db)).pool("round").candidates
    assert len(candidates) == 6
    assert not any(each.doc_id.startswith("99") for each in candidates)


def test_nothing_is_told_where_the_collection_has_everything(
    db: str, collection: tuple[str, str]
) -> None:
    done = invoked("round", "--db", db, "--name", "round", *earlier(1), *SMALL, *collection)
    assert (done.exit_code, done.stderr) == (0, "")


@pytest.mark.parametrize("task", [1, 2])
def test_judgments_of_another_collection_are_refused(
    db: str, tmp_path: Path, collection: tuple[str, str], task: int
) -> None:
    topics = read_qrels(sample_qrels(task)).grades
    write_qrels(tmp_path / "qrels", Qrels({topic: {DocId("99000000"): 3} for topic in topics}))
    judged = earlier(task, tmp_path / "qrels")
    said = told("round", "--db", db, "--name", "round", *judged, *SMALL, *collection, status=1)
    assert "the collection has none of the 1 judged documents, such as 99000000" in said
    assert JudgmentStore(Path(db)).batches() == ()


def test_judgments_by_visual_id_are_refused(
    db: str, tmp_path: Path, sample_index: Path, collection: tuple[str, str]
) -> None:
    with open_collection(sample_index.parent) as opened:
        formulas = [*islice(opened.instances(), 6)]
    by_look = {DocId(each.effective_visual_id): 3 for each in formulas}
    assert len(by_look) > 1
    judged = {**by_look, DocId(formulas[0].id): 0}  # a number that is that of a formula, too
    write_qrels(tmp_path / "qrels", Qrels({TopicId("B.1"): judged}))
    options = (*earlier(2, tmp_path / "qrels"), *SMALL, *collection)
    said = told("round", "--db", db, "--name", "round", *options, status=1)
    assert f"{len(by_look)} of the judged documents are visual ids" in said


def test_a_round_needs_a_pool_or_earlier_judgments(db: str) -> None:
    name = ("--db", db, "--name", "round")
    assert "name a POOL" in told("round", *name, status=2)
    qrels = ("--from-qrels", str(sample_qrels(1)))
    assert "go together" in told("round", *name, *qrels, status=2)
    assert "needs the --collection" in told("round", *name, *earlier(2), status=2)


def test_a_round_of_formulas_knows_where_they_stand(db: str, collection: tuple[str, str]) -> None:
    small = ("--number", "1", "--candidates", "2", "--lacking", "3")
    record("round", "--db", db, "--name", "formulas", *earlier(2), *small, *collection)
    pool = JudgmentStore(Path(db)).pool("formulas")
    assert pool.task == 2
    assert all(each.post_id and each.visual_id for each in pool.candidates)


def test_what_would_be_ignored_is_refused(db: str, tmp_path: Path) -> None:
    write_pool(tmp_path / "small", POOL)
    given = ("round", str(tmp_path / "small"), "--db", db, "--name", "round 1", "--number", "2")
    assert "--number says what is drawn with --from-qrels" in told(*given, status=2)


def test_topics_without_candidates_are_given_to_nobody(db: str, tmp_path: Path) -> None:
    write_pool(tmp_path / "small", replace(POOL, topics=(*POOL.topics, Topic(TopicId("A.9")))))
    record("round", str(tmp_path / "small"), "--db", db, "--name", "round 1")
    given = record("assign", "--db", db, "--batch", "round 1")["topics"]
    assert given["A.9"] == []
