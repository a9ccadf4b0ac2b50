"""Questions and answers to train a language model on: which, and how they are cut."""

import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.lab.training.generator.pairs import (
    AnswerOptions,
    AnswerSet,
    QuestionAnswer,
    TokenPair,
    answer_set,
    token_pair,
)
from porism.lab.training.threads import thread_table
from porism.model import DocId, plain_text


def ignore(progress: object) -> None:
    """Watch nothing."""


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


def pairs_of(collection: Collection, options: AnswerOptions) -> AnswerSet:
    return answer_set(collection, options, ignore)


def test_a_pair_has_the_texts_of_its_posts(sample: Collection) -> None:
    data = pairs_of(sample, AnswerOptions())
    assert data.counts["answers"] == len(data.pairs) > 16
    answers = {
        plain_text(sample.post(each.id).body).strip()
        for of_thread in thread_table(sample).answers.values()
        for each in of_thread
    }
    for pair in (*data.pairs, *data.validation):
        question = sample.post(pair.question_id)
        assert pair.title == plain_text(question.title).strip()
        assert pair.body == plain_text(question.body).strip()
        assert pair.answer in answers


def test_no_thread_is_in_both_parts_nor_linked_with_one_held_out(sample: Collection) -> None:
    table = thread_table(sample)
    for seed in range(5):
        data = pairs_of(sample, AnswerOptions(min_votes=-9, seed=seed))
        learned = {pair.question_id for pair in data.pairs}
        held_out = {pair.question_id for pair in data.validation}
        assert held_out
        assert not learned & held_out
        assert not any(learned & set(table.linked.get(each, ())) for each in held_out)


def test_the_accepted_come_first_then_those_with_more_votes(sample: Collection) -> None:
    votes = {
        plain_text(sample.post(each.id).body).strip(): (not each.is_accepted, -(each.score or 0))
        for of_thread in thread_table(sample).answers.values()
        for each in of_thread
    }
    data = pairs_of(sample, AnswerOptions(min_votes=-9))
    order = [votes[pair.answer] for pair in data.pairs]
    assert order == sorted(order)
    assert len(set(order)) > 2
    limited = pairs_of(sample, AnswerOptions(min_votes=-9, limit=20))
    assert limited.pairs == data.pairs[:20]
    assert limited.validation == data.validation


def test_answers_with_too_few_votes_are_learned_from_only_if_accepted(sample: Collection) -> None:
    accepted = {
        plain_text(sample.post(each.id).body).strip()
        for of_thread in thread_table(sample).answers.values()
        for each in of_thread
        if each.is_accepted
    }
    data = pairs_of(sample, AnswerOptions(min_votes=1_000))
    assert {pair.answer for pair in data.pairs} <= accepted


def test_long_answers_are_left_out_and_counted(sample: Collection) -> None:
    data = pairs_of(sample, AnswerOptions(min_votes=-9))
    longest = sorted(len(pair.answer) for pair in data.pairs)[-5]
    shorter = pairs_of(sample, AnswerOptions(min_votes=-9, longest=longest))
    assert max(len(pair.answer) for pair in shorter.pairs) <= longest
    assert shorter.counts["too_long"] >= data.counts["too_long"] + 4


def test_validation_reads_the_best_answer_that_is_short_enough(sample: Collection) -> None:
    every = pairs_of(sample, AnswerOptions(min_votes=-9, held_out=999))
    table = thread_table(sample)
    for pair in every.validation:
        texts = [
            plain_text(sample.post(each.id).body).strip()
            for each in sorted(
                table.answers[pair.question_id],
                key=lambda each: (not each.is_accepted, -(each.score or 0)),
            )
        ]
        assert pair.answer == next(text for text in texts if len(text) <= 1200)


def test_threads_to_leave_out_are_in_no_part(sample: Collection) -> None:
    every = pairs_of(sample, AnswerOptions())
    without = frozenset((every.pairs[0].question_id, every.validation[0].question_id))
    data = pairs_of(sample, AnswerOptions(without=without))
    assert not without & {pair.question_id for pair in (*data.pairs, *data.validation)}


def test_the_seed_decides_what_is_held_out(sample: Collection) -> None:
    assert pairs_of(sample, AnswerOptions(seed=1)) == pairs_of(sample, AnswerOptions(seed=1))
    held_out = {pairs_of(sample, AnswerOptions(seed=seed)).validation for seed in range(5)}
    assert len(held_out) > 1


def test_every_answer_is_good_where_there_are_no_votes(changed: Path) -> None:
    with sqlite3.connect(changed / "collection.sqlite") as database:
        database.execute("UPDATE posts SET score = NULL, accepted_id = NULL")
    with open_collection(changed) as collection:
        data = pairs_of(collection, AnswerOptions())
        assert any("every answer counts as good" in note for note in data.notes)


def test_a_collection_without_answers_is_refused(changed: Path) -> None:
    with sqlite3.connect(changed / "collection.sqlite") as database:
        database.execute("DELETE FROM posts WHERE parent_id IS NOT NULL")
    with (
        open_collection(changed) as collection,
        pytest.raises(PorismError, match="has no answers"),
    ):
        pairs_of(collection, AnswerOptions())


def test_too_few_pairs_are_refused(sample: Collection) -> None:
    with pytest.raises(PorismError, match=r"found 3 answers to train on.*expected at least 16"):
        pairs_of(sample, AnswerOptions(limit=3))


PAIR = QuestionAnswer(DocId("1"), "Big sums", "I added. What is $1 + 1$ please?", "It is $2$.")


def words(text: str) -> list[int]:
    """A token for each word, by its length."""
    return [len(word) for word in text.split()]


def ended(text: str) -> list[int]:
    return [*words(text), 0]


def test_a_pair_that_fits_is_whole() -> None:
    whole = token_pair(PAIR, words, ended, 30)
    assert whole == TokenPair(tuple(words("Q: Big sums I added. What is $1 + 1$ please? A:")),
                              (2, 2, 4, 0))  # fmt: skip
    assert whole.length == 16


def test_a_long_question_is_cut_at_the_front_of_its_body_and_the_answer_never() -> None:
    assert token_pair(PAIR, words, ended, 14) == TokenPair(
        tuple(words("Q: Big sums What is $1 + 1$ please? A:")), (2, 2, 4, 0)
    )
    assert token_pair(PAIR, words, ended, 8) == TokenPair(
        tuple(words("Q: Big sums A:")), (2, 2, 4, 0)
    )
    assert token_pair(PAIR, words, ended, 7) is None
