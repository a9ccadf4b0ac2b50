"""What is read from a collection."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from porism.collection import store
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source
from porism.collection.store import Collection, open_collection
from porism.formats.markup import content, marked_content
from porism.hashing import text_number
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
        assert formula.number is not None
        assert stored[formula.number] == formula.latex


TEXTS = """
SELECT title FROM posts WHERE title IS NOT NULL UNION ALL SELECT body FROM posts
UNION ALL SELECT text FROM comments UNION ALL SELECT title FROM linked_titles
"""


def assert_every_formula_is_marked(path: Path, texts: int) -> None:
    with open_collection(path) as collection:
        stored = [text for (text,) in collection._connection.execute(TEXTS)]
    assert len(stored) >= texts
    for text in stored:
        assert marked_content(text) == content(text)


def test_stored_texts_have_every_formula_marked(sample_collection: Path) -> None:
    assert_every_formula_is_marked(sample_collection, 400)


def test_stored_texts_of_the_mini_collection_have_every_formula_marked(
    mini_collection: Path,
) -> None:
    assert_every_formula_is_marked(mini_collection, 32_000)


def test_mathml_is_read_as_the_latex_made_of_it(tmp_path: Path) -> None:
    note = tmp_path / "notes" / "note.html"
    note.parent.mkdir()
    note.write_text("<p>So <math><msup><mi>x</mi><mn>2</mn></msup></math> grows.</p>")
    ingest(note.parent, tmp_path / "collection", IngestOptions(jobs=1))
    with open_collection(tmp_path / "collection") as collection:
        (post,) = collection.posts()
        (stored,) = collection.formulas()
    formula = post.body[1]
    assert isinstance(formula, Formula)
    assert (formula.latex, formula.number) == ("x^{2}", stored.number)


def test_posts_of_a_known_site_have_an_address(tmp_path: Path, sample_collection: Path) -> None:
    source = tmp_path / "math.stackexchange.com"
    shutil.copytree(sample_source(), source)
    ingest(source, tmp_path / "known", IngestOptions(jobs=1))
    with open_collection(tmp_path / "known") as collection:
        question = collection.post("101")
        (answer, *_) = collection.answers("101")
        assert collection.url(question) == "https://math.stackexchange.com/q/101"
        assert collection.url(answer) == f"https://math.stackexchange.com/a/{answer.id}"
    with open_collection(sample_collection) as collection:
        assert collection.url(collection.post("101")) is None


def test_the_questions_of_answers_are_remembered_within_a_limit(
    sample_collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PARENTS_KEPT", 5)
    with open_collection(sample_collection) as collection:
        answers = [post for post in collection.posts() if post.parent_id is not None]
        others = [post.id for post in collection.posts() if post.parent_id is None]
        expected = {post.id: post.parent_id for post in answers}
        for _ in range(2):
            assert collection.parents([*expected, *others, "unknown"]) == expected
            for post in answers[:9]:
                assert collection.parents([post.id, others[0]]) == {post.id: post.parent_id}


def test_bodies_are_read_together_as_one_by_one(sample_collection: Path) -> None:
    with open_collection(sample_collection) as collection:
        ids = [post.id for post in collection.posts()][:20]
        expected = {each: collection.markup(each).body for each in ids}
        assert collection.bodies([*ids, "999999999", "no such name"]) == expected
