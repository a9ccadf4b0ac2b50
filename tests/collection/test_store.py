"""What is read from a collection."""

from collections.abc import Iterator
from pathlib import Path

from porism.collection.schema import text_number
from porism.collection.store import Collection, open_collection
from porism.model import Content, Formula


def read_texts(collection: Collection) -> Iterator[Content]:
    for post in collection.posts():
        yield from (post.title, post.body, collection.heading(post.id).title)
        yield from (comment.text for comment in collection.comments(post.id))
        yield from (each.title for each in collection.thread(post.id).related)


def test_a_formula_carries_the_number_of_the_distinct_formula(sample_collection: Path) -> None:
    with open_collection(sample_collection) as collection:
        stored = {each.number: each.latex for each in collection.formulas()}
        formulas = [
            piece
            for content in read_texts(collection)
            for piece in content
            if isinstance(piece, Formula)
        ]
    assert len(formulas) > 1_000
    for formula in formulas:
        assert formula.number == text_number(formula.latex, formula.macros)
        assert stored[formula.number] == formula.latex
