"""``porism assess round``: training rounds of pools, and of earlier judgments."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.pool_folder import write_pool
from porism.collection.sample import sample_qrels, sample_topics
from porism.collection.store import open_collection
from porism.formats.qrels import read_qrels, write_qrels
from porism.model import DocId, Qrels, Topic, TopicId
from tests.cli.assessment.invocation import POOL, invoked, output, record

SMALL = ("--number", "2", "--candidates", "3", "--lacking", "3")


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A file with two assessors and an administrator."""
    store = JudgmentStore(tmp_path / "judgments.db")
    for name in ("Ann", "Ben"):
        store.add_assessor(name)
    store.add_assessor("Eve", is_admin=True)
    return str(store.path)


@pytest.fixture
def collection(sample_index: Path) -> tuple[str, str]:
    return "--collection", str(sample_index.parent)


def earlier(task: int, qrels: Path | None = None) -> tuple[str, ...]:
    """The options for judgments of the sample, or for other judgments of its topics."""
    return "--from-qrels", str(qrels or sample_qrels(task)), "--topics", str(sample_topics(task))


def with_absent(path: Path, task: int, absent: int) -> Path:
    """The judgments of the sample, and for each topic others of documents that do not exist."""
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
    created = record("round", str(tmp_path / "small"), "--db", db, "--name", "round 1")
    assert created["assessors"] == ["Ann", "Ben"]
    output("assessor", "Cleo", "--db", db)
    output("round", str(tmp_path / "small"), "--db", db, "--name", "round 1")
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


def test_earlier_grades_are_stored_with_the_round(db: str) -> None:
    output("round", "--db", db, "--name", "round 1", *earlier(1), *SMALL)
    store, judged = JudgmentStore(Path(db)), read_qrels(sample_qrels(1)).grades
    known = store.earlier_grades("round 1").grades
    drawn = {(each.topic_id, each.doc_id) for each in store.pool("round 1").candidates}
    assert {(topic_id, doc_id) for topic_id, grades in known.items() for doc_id in grades} == drawn
    assert all(known[topic_id][doc_id] == judged[topic_id][doc_id] for topic_id, doc_id in drawn)


def test_counts_of_one_are_singular(tmp_path: Path) -> None:
    store = JudgmentStore(tmp_path / "judgments.db")
    store.add_assessor("Ann")
    one = ("--number", "1", "--candidates", "1", "--lacking", "3")
    message = output("round", "--db", str(store.path), "--name", "round", *earlier(1), *one)
    assert message == "round: 1 topic with 1 candidate for 1 assessor\n"


@pytest.mark.parametrize("task", [1, 2])
def test_only_documents_in_the_collection_are_drawn(
    db: str, tmp_path: Path, collection: tuple[str, str], task: int
) -> None:
    judged = earlier(task, with_absent(tmp_path / "qrels", task, absent=200))
    done = invoked("round", "--db", db, "--name", "round", *judged, *SMALL, *collection)
    assert done.exit_code == 0, done.output
    assert "Note: 200 of " in done.stderr
    candidates = JudgmentStore(Path(db)).pool("round").candidates
    assert len(candidates) == 6
    assert not any(each.doc_id.startswith("99") for each in candidates)


def test_nothing_is_noted_if_the_collection_is_complete(
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
    message = output("round", "--db", db, "--name", "round", *judged, *SMALL, *collection, status=1)
    assert "the collection has none of the 1 judged documents, such as 99000000" in message
    assert JudgmentStore(Path(db)).batches() == ()


def test_judgments_by_visual_id_are_refused(
    db: str, tmp_path: Path, sample_index: Path, collection: tuple[str, str]
) -> None:
    with open_collection(sample_index.parent) as opened:
        formulas = [*islice(opened.instances(), 6)]
    by_visual_id = {DocId(each.effective_visual_id): 3 for each in formulas}
    assert len(by_visual_id) > 1
    judged = {**by_visual_id, DocId(formulas[0].id): 0}  # a number that is also a formula id
    write_qrels(tmp_path / "qrels", Qrels({TopicId("B.1"): judged}))
    options = (*earlier(2, tmp_path / "qrels"), *SMALL, *collection)
    message = output("round", "--db", db, "--name", "round", *options, status=1)
    assert f"{len(by_visual_id)} of the judged documents are visual ids" in message


def test_a_round_needs_a_pool_or_earlier_judgments(db: str) -> None:
    name = ("--db", db, "--name", "round")
    assert "pass a POOL" in output("round", *name, status=2)
    qrels = ("--from-qrels", str(sample_qrels(1)))
    assert "go together" in output("round", *name, *qrels, status=2)
    assert "needs the --collection" in output("round", *name, *earlier(2), status=2)


def test_a_round_of_formulas_has_their_posts(db: str, collection: tuple[str, str]) -> None:
    small = ("--number", "1", "--candidates", "2", "--lacking", "3")
    record("round", "--db", db, "--name", "formulas", *earlier(2), *small, *collection)
    pool = JudgmentStore(Path(db)).pool("formulas")
    assert pool.task == 2
    assert all(each.post_id and each.visual_id for each in pool.candidates)


def test_options_that_would_be_ignored_are_refused(db: str, tmp_path: Path) -> None:
    write_pool(tmp_path / "small", POOL)
    given = ("round", str(tmp_path / "small"), "--db", db, "--name", "round 1", "--number", "2")
    assert "--number needs --from-qrels" in output(*given, status=2)


def test_topics_without_candidates_are_not_assigned(db: str, tmp_path: Path) -> None:
    write_pool(tmp_path / "small", replace(POOL, topics=(*POOL.topics, Topic(TopicId("A.9")))))
    record("round", str(tmp_path / "small"), "--db", db, "--name", "round 1")
    given = record("assign", "--db", db, "--batch", "round 1")["topics"]
    assert given["A.9"] == []
