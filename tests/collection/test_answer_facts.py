"""Facts of answers besides their texts."""

from pathlib import Path

import pytest

from porism.collection import answer_facts as module
from porism.collection.answer_facts import (
    UNKNOWN,
    AnswerFacts,
    KnownFacts,
    answer_facts,
    known_facts,
)
from porism.collection.store import open_collection
from porism.model import DocId
from tests.lab.linked_site import site


def test_facts_are_those_of_the_answer_its_author_and_its_question(sample_collection: Path) -> None:
    with open_collection(sample_collection) as collection:
        known, absent = answer_facts(collection, [DocId("237"), DocId("no such note")])
        post = collection.post("237")
        question = collection.post(post.parent_id or "")
        assert known.votes == post.score
        assert known.is_accepted == (question.accepted_id == post.id)
        assert known.tags == set(question.tags)
        assert known.comments == len(collection.comments("237"))
        assert known.reputation
        assert known.characters > 100
        assert absent == UNKNOWN
        assert known_facts(collection) == KnownFacts(True, True, True, True)


def test_many_answers_are_read_in_parts(
    sample_collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_collection(sample_collection) as collection:
        ids = [DocId(str(number)) for number in range(230, 250)]
        at_once = answer_facts(collection, ids)
        monkeypatch.setattr(module, "MAX_VARIABLES", 3)
        assert answer_facts(collection, ids) == at_once


def test_a_site_without_users_has_no_reputation(tmp_path: Path) -> None:
    with open_collection(site(tmp_path)) as collection:
        assert not known_facts(collection).reputation
        assert answer_facts(collection, [DocId("2"), DocId("3")]) == [
            AnswerFacts(votes=9, characters=answer_facts(collection, [DocId("2")])[0].characters),
            AnswerFacts(
                votes=1,
                is_accepted=True,
                characters=answer_facts(collection, [DocId("3")])[0].characters,
            ),
        ]
