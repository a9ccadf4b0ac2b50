"""What a collection says of answers besides their texts: votes, authors, tags, comments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from porism.collection.schema import is_number
from porism.collection.store import Collection
from porism.model import DocId, PostKind

MAX_VARIABLES = 500
"""Ids in one statement; SQLite may allow no more than 999."""


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """Facts of an answer or a document; what the source does not say is None.

    ``reputation`` is that of the author, ``tags`` are those of the question or, of a document, its
    own. ``characters`` is the length of the text with its markup.
    """

    votes: int | None = None
    is_accepted: bool = False
    reputation: int | None = None
    comments: int = 0
    tags: frozenset[str] = frozenset()
    characters: int = 0


UNKNOWN = AnswerFacts()
"""The facts of a post that is not in the collection."""


def answer_facts(collection: Collection, doc_ids: Sequence[DocId]) -> list[AnswerFacts]:
    """The facts of each answer or document, in the order given."""
    known: dict[str, AnswerFacts] = {}
    for column, ids in (
        ("id", [int(each) for each in doc_ids if is_number(each)]),
        ("name", [each for each in doc_ids if not is_number(each)]),
    ):
        for start in range(0, len(ids), MAX_VARIABLES):
            known.update(_facts(collection, column, ids[start : start + MAX_VARIABLES]))
    return [known.get(doc_id, UNKNOWN) for doc_id in doc_ids]


def _facts(
    collection: Collection, column: str, ids: Sequence[int | str]
) -> Iterator[tuple[str, AnswerFacts]]:
    statement = _FACTS.format(column=column, ids=", ".join("?" * len(ids)))
    for (
        number,
        name,
        votes,
        is_accepted,
        reputation,
        comments,
        tags,
        characters,
    ) in collection._connection.execute(statement, ids):
        yield (
            str(name or number),
            AnswerFacts(
                votes,
                bool(is_accepted),
                reputation,
                comments,
                frozenset(tags.split("\n")) if tags else frozenset(),
                characters,
            ),
        )


_FACTS = """
SELECT answer.id, answer.name, answer.score, question.accepted_id = answer.id, users.reputation,
    (SELECT count(*) FROM comments WHERE post_id = answer.id),
    coalesce(question.tags, answer.tags), length(answer.body)
FROM posts AS answer
LEFT JOIN posts AS question ON question.id = answer.parent_id
LEFT JOIN users ON users.id = answer.owner_id
WHERE answer.{column} IN ({ids})
"""


@dataclass(frozen=True, slots=True)
class KnownFacts:
    """Which facts the answers of a collection have at all."""

    votes: bool
    accepted: bool
    reputation: bool
    tags: bool


def known_facts(collection: Collection) -> KnownFacts:
    """Which facts any answer, document or author of the collection has."""
    execute = collection._connection.execute
    return KnownFacts(
        *(
            bool(execute(f"SELECT EXISTS ({query})", parameters).fetchone()[0])
            for query, parameters in (
                (
                    "SELECT 1 FROM posts WHERE kind != ? AND score IS NOT NULL AND score != 0",
                    (PostKind.QUESTION,),
                ),
                ("SELECT 1 FROM posts WHERE accepted_id IS NOT NULL", ()),
                ("SELECT 1 FROM users WHERE reputation IS NOT NULL", ()),
                ("SELECT 1 FROM posts WHERE tags != ''", ()),
            )
        )
    )
