"""Progress of assessors and topics."""

from dataclasses import replace

from porism.assess.judgments.progress import (
    assessor_loads,
    batch_progress,
    completed_topics,
    unassigned_topics,
)
from porism.assess.records import Assignment, Candidate, Choice, Judgment, Pool
from porism.model import DocId, Topic, TopicId

A1, A2 = TopicId("A.1"), TopicId("A.2")
POOL = Pool(
    1,
    (Topic(A1), Topic(A2)),
    (*(Candidate(A1, DocId(name)) for name in "ab"), Candidate(A2, DocId("c"))),
)
ANN_HAS_A1 = Assignment("main", A1, "Ann", "")


def act(number: int, name: str, doc: str, choice: Choice | None) -> Judgment:
    topic = A2 if doc == "c" else A1
    return Judgment(number, "main", name, topic, DocId(doc), choice, "", 10.0)


def test_a_withdrawn_judgment_is_open_and_its_time_counts() -> None:
    acts = [act(1, "Ann", "a", Choice.LOW), act(2, "Ann", "a", None)]
    (part,) = batch_progress(POOL, [ANN_HAS_A1], acts).topics[0].parts
    assert (part.judged, part.candidates, part.is_done) == (0, 2, False)
    assert part.times.mean == 20.0


def test_adjudications_are_not_progress() -> None:
    acts = [replace(act(1, "Eve", "a", Choice.LOW), is_adjudication=True)]
    assert [each.assessor for each in batch_progress(POOL, [ANN_HAS_A1], acts).assessors] == ["Ann"]


def test_an_unassigned_topic_keeps_its_judgments() -> None:
    progress = batch_progress(POOL, [], [act(1, "Ann", "a", Choice.LOW)])
    (part,) = progress.topics[0].parts
    assert (part.is_assigned, part.judged) == (False, 1)
    assert assessor_loads(progress) == {"Ann": 1}
    assert unassigned_topics(progress) == {A1: 2, A2: 1}


def test_a_topic_is_done_when_one_assessor_judged_all_of_it() -> None:
    acts = [act(1, "Ann", "a", Choice.LOW), act(2, "Ann", "b", Choice.HIGH)]
    both = [ANN_HAS_A1, Assignment("main", A1, "Ben", "")]
    progress = batch_progress(POOL, both, acts)
    assert [topic.is_done for topic in progress.topics] == [True, False]
    assert completed_topics(progress) == {A1: ("Ann", "Ben")}
    assert (progress.judged, progress.assigned) == (2, 4)
