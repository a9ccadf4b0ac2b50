"""Pairs of texts to train encoders on: where they come from, and what is left out."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from porism.collection.questions import AnswerVotes
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.lab.topic_sets import TopicSet
from porism.lab.training.encoders.pairs import (
    PairOptions,
    bi_encoder_pairs,
    cross_encoder_pairs,
)
from porism.lab.training.encoders.records import PairSource, TrainingSet, ValidationKind
from porism.lab.training.encoders.validation import (
    ValidationSize,
    average_precision,
    validation_draw,
)
from porism.lab.training.threads import thread_table, vote_targets
from porism.model import DocId, Hit, Qrels, Ranking, Topic, TopicId, ranked

FEW = ValidationSize(topics=3, others=10)


def ignore(progress: object) -> None:
    """Watch nothing."""


def bi(collection: Collection, uses_votes: bool = False, **changes: Any) -> TrainingSet:
    options = PairOptions(**{"validation": FEW, **changes})
    return bi_encoder_pairs(collection, options, ignore, uses_votes)


def cross(collection: Collection, wrong: int = 2, **changes: Any) -> TrainingSet:
    ranker = changes.pop("ranker", None)
    options = PairOptions(**{"validation": FEW, **changes})
    return cross_encoder_pairs(collection, options, ignore, wrong, ranker)


@pytest.fixture
def sample(sample_collection: Path) -> Iterator[Collection]:
    with open_collection(sample_collection) as collection:
        yield collection


@pytest.fixture
def changed(sample_collection: Path, tmp_path: Path) -> Path:
    """A copy of the sample that a test may change by SQL."""
    folder = tmp_path / "changed"
    shutil.copytree(sample_collection, folder, ignore=shutil.ignore_patterns("index"))
    return folder


def execute(folder: Path, *statements: str) -> None:
    with sqlite3.connect(folder / "collection.sqlite") as database:
        for statement in statements:
            database.execute(statement)
    database.close()


def votes(question: str, *scores: int | None) -> tuple[AnswerVotes, ...]:
    return tuple(
        AnswerVotes(DocId(f"{question}{number}"), DocId(question), score, False)
        for number, score in enumerate(scores)
    )


def test_votes_become_deviations_within_their_thread_scaled_over_the_collection() -> None:
    targets = vote_targets(
        {
            DocId("a"): votes("a", 1, 3),  # deviations -1 and 1
            DocId("b"): votes("b", 100),  # alone: 0
            DocId("c"): votes("c", 0, 0, 3, None),  # -1/sqrt(2) twice, sqrt(2), and unknown
        }
    )
    low, high = -1.0, 2**0.5
    expected = {"a0": -1.0, "a1": 1.0, "b0": 0.0, "c0": -(0.5**0.5), "c1": -(0.5**0.5), "c2": high}
    assert targets == pytest.approx(
        {name: (value - low) / (high - low) for name, value in expected.items()}
    )


def test_equal_votes_are_no_targets() -> None:
    assert vote_targets({DocId("a"): votes("a", 4, 4), DocId("b"): votes("b", None)}) == {}


def test_pairs_are_questions_with_their_answers_and_linked_questions(sample: Collection) -> None:
    data = bi(sample)
    assert set(data.counts) == {"answers", "duplicates", "related"}
    assert sum(data.counts.values()) == len(data.pairs)
    for pair in data.pairs:
        question = sample.post(pair.threads[0])
        assert data.texts[pair.first].startswith(str(question.title[0])[:5])
        if pair.source is PairSource.ANSWERS:
            assert pair.threads[0] == pair.threads[1]
            assert data.texts[pair.first] != data.texts[pair.second]
        else:
            assert pair.threads in data.linked
        assert pair.target == 1.0


def test_threads_of_validation_topics_are_not_learned_from(sample: Collection) -> None:
    table = thread_table(sample)
    draw = validation_draw(table, FEW, (), 0)
    assert draw.kind is ValidationKind.LINKS
    assert len(draw.topics) == 3
    for topic in draw.topics:
        linked = table.linked[topic.question]
        assert {sample.parent(answer) for answer in topic.relevant} <= set(linked)
        assert draw.threads >= {topic.question, *linked}
        assert (
            not {sample.parent(answer) for answer in topic.others}
            & draw.threads
            & {
                topic.question,
                *linked,
            }
        )
    for data in (bi(sample), cross(sample)):
        assert not {thread for pair in data.pairs for thread in pair.threads} & draw.threads


def test_questions_that_are_left_out_are_neither_learned_from_nor_validated_with(
    sample: Collection,
) -> None:
    linked = frozenset(thread_table(sample).linked)
    data = bi(sample, without=linked)
    assert data.validation_kind is ValidationKind.ANSWERS
    assert not {thread for pair in data.pairs for thread in pair.threads} & linked
    assert {pair.source for pair in data.pairs} == {PairSource.ANSWERS}
    assert any("no two questions are linked" in note for note in data.notes)
    assert all(question is None for topic in data.validation for question, _ in topic.candidates)


def test_sources_and_a_limit_select_pairs(sample: Collection) -> None:
    assert set(bi(sample, sources=frozenset({PairSource.ANSWERS})).counts) == {"answers"}
    some = bi(sample, limit=20)
    assert len(some.pairs) == 20
    assert some == bi(sample, limit=20)
    assert some != bi(sample, limit=20, seed=1)


def test_votes_are_targets_and_related_questions_are_left_out(sample: Collection) -> None:
    data = bi(sample, uses_votes=True)
    assert "related" not in data.counts
    targets = {pair.target for pair in data.pairs if pair.source is PairSource.ANSWERS}
    assert len(targets) > 5
    assert all(0 <= target <= 1 for target in targets)


def test_titles_of_questions_that_are_not_here_are_learned_from(changed: Path) -> None:
    execute(
        changed,
        "INSERT INTO links (post_id, related_id, kind) VALUES (101, 999999, 3), (999998, 106, 1)",
        "INSERT INTO linked_titles VALUES (999999, 'Elsewhere: a duplicate'), "
        "(999998, 'Elsewhere: related')",
    )
    with open_collection(changed) as collection:
        data = bi(collection, validation=ValidationSize(topics=1, others=5))
    other = {
        data.texts[pair.second]: (pair.source, pair.threads)
        for pair in data.pairs
        if data.texts[pair.second].startswith("Elsewhere")
    }
    assert other == {
        "Elsewhere: a duplicate": (PairSource.DUPLICATES, ("101", "999999")),
        "Elsewhere: related": (PairSource.RELATED, ("106", "999998")),
    }


def test_wrong_answers_share_a_tag_and_are_of_threads_that_are_not_linked(
    sample: Collection,
) -> None:
    table = thread_table(sample)
    data = cross(sample, wrong=3)
    assert data.counts["wrong"] > data.counts["answers"]
    sharing = 0
    for pair in data.pairs:
        question, thread = map(DocId, pair.threads)
        if pair.source is PairSource.WRONG:
            assert pair.target == 0.0
            assert thread != question
            assert thread not in table.linked.get(question, ())
            sharing += bool(set(table.tags[question]) & set(table.tags[thread]))
        else:
            assert pair.target == 1.0
    assert sharing > 0.8 * data.counts["wrong"]


def test_right_answers_are_accepted_or_have_votes(changed: Path) -> None:
    with open_collection(changed) as collection:
        before = cross(collection).counts["answers"]
    execute(
        changed,
        "UPDATE posts SET score = 0 WHERE kind = 'answer'",
        "UPDATE posts SET accepted_id = NULL WHERE id % 2",
    )
    with open_collection(changed) as collection:
        assert 0 < cross(collection).counts["answers"] < before


def test_without_votes_every_answer_is_right_and_votes_are_no_loss(changed: Path) -> None:
    execute(changed, "UPDATE posts SET score = NULL, accepted_id = NULL")
    with open_collection(changed) as collection:
        assert any("every answer counts as right" in note for note in cross(collection).notes)
        with pytest.raises(PorismError, match="no votes, so votes cannot be the target"):
            bi(collection, uses_votes=True)


def test_a_collection_with_too_few_pairs_is_refused(changed: Path) -> None:
    execute(changed, "DELETE FROM posts WHERE kind = 'answer' AND id > 120")
    with open_collection(changed) as collection:
        with pytest.raises(PorismError, match=r"pairs of texts to train on.*at least 16"):
            cross(collection)
        with pytest.raises(PorismError, match="larger collection"):
            bi(collection, sources=frozenset({PairSource.ANSWERS}))


class _SameRanking:
    """Ranks the same answers for every topic, and counts the topics."""

    def __init__(self, doc_ids: list[DocId]) -> None:
        self.hits = ranked(Hit(each, 1.0) for each in doc_ids)
        self.topics: list[str] = []

    def rank(self, topic: Topic, k: int, within: object = None) -> Ranking:
        self.topics.append(topic.id)
        return self.hits[:k]


def test_half_of_the_wrong_answers_are_ranked_high(sample: Collection) -> None:
    table = thread_table(sample)
    answers = [each.id for of_thread in table.answers.values() for each in of_thread][-20:]
    ranker = _SameRanking(answers)
    data = cross(sample, wrong=2, ranker=ranker)
    assert len(set(ranker.topics)) == len(ranker.topics)  # each question is ranked once
    texts = {
        " ".join(str(piece) for piece in sample.post(each).body if isinstance(piece, str))[:30]
        for each in answers
    }
    hard = sum(
        any(data.texts[pair.second].startswith(text[:20]) for text in texts)
        for pair in data.pairs
        if pair.source is PairSource.WRONG
    )
    assert hard >= data.counts["wrong"] / 3
    for pair in data.pairs:
        if pair.source is PairSource.WRONG:
            assert pair.threads[1] not in table.linked.get(DocId(pair.threads[0]), ())
            assert pair.threads[0] != pair.threads[1]


def test_judged_topics_are_learned_from_and_named(sample: Collection) -> None:
    table = thread_table(sample)
    first, second, third = (each for of in list(table.answers.values())[:3] for each in of[:1])
    topic = Topic(TopicId("A.1"), ("How many primes?",), ("Infinitely many?",))
    grades = {first.id: 3, second.id: 0, third.id: 1, DocId("absent"): 3}
    judged = TopicSet("topics.xml", (topic,), Qrels({topic.id: grades}))
    data = bi(sample, judged=(judged,))
    (pair,) = [each for each in data.pairs if each.source is PairSource.JUDGMENTS]
    assert data.texts[pair.first] == "How many primes?\nInfinitely many?"
    assert pair.threads == ("A.1", first.question_id)
    assert data.judged == {"topics.xml": ("A.1",)}
    both = [each for each in cross(sample, judged=(judged,)).pairs if each.threads[0] == "A.1"]
    assert [each.target for each in both] == [1.0, 0.0]


def test_average_precision_puts_equal_scores_last() -> None:
    import numpy as np

    assert average_precision(np.array([3.0, 2.0, 1.0]), 2) == 1.0
    assert average_precision(np.array([1.0, 1.0, 1.0, 1.0]), 1) == 0.25
