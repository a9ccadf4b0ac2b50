"""The mini collection of ARQMath: every record and every formula."""

import csv
import gzip
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from porism.collection.ingest.instance_ids import POSTS_FROM
from porism.collection.ingest.report import ingest_report
from porism.collection.schema import InstancePlace
from porism.collection.store import Collection, open_collection
from porism.model import Formula, PostKind

csv.field_size_limit(1 << 30)


@pytest.fixture(scope="module")
def mini(mini_collection: Path) -> Iterator[Collection]:
    with open_collection(mini_collection) as collection:
        yield collection


def test_every_record_is_counted(mini: Collection) -> None:
    report = ingest_report(mini._connection, new_formulas=0, seconds=0)
    assert (report.questions, report.answers) == (2_769, 3_395)
    assert (report.comments, report.links) == (16_712, 7_027)
    assert report.official == 76_275
    assert report.instances == report.official + report.fresh + 102  # those without a line
    # Spans without an id, as the README of the data counts them, and formulas without a span.
    assert report.repairs["no-id"] == 4_411 + 211 + 10 + 3 + 197
    assert report.fresh == report.repairs["no-id"] + report.repairs["unmarked"]
    assert (report.left_out, report.spurious, report.lost_comments) == (0, 0, 0)


def test_every_formula_is_in_its_post_with_its_latex_and_visual_id(
    shared: Path, mini: Collection
) -> None:
    stored = {each.id: each for each in mini.instances()}
    places = {"title": InstancePlace.TITLE, "comment": InstancePlace.COMMENT}
    path = shared / "data/arqmath-mini/latex_representation_v3/1.tsv.gz"
    checked = with_dollars = 0
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            instance = stored[row["id"]]
            assert instance.post_id == row["post_id"]
            assert (instance.comment_id or "") == row["comment_id"]
            assert instance.place == places.get(row["type"], InstancePlace.BODY)
            latex = unescape(row["formula"])
            if instance.formula.latex.split() != latex.split():
                assert instance.formula.latex.split() == latex.strip("$").split()
                with_dollars += 1
            assert instance.visual_id == row["visual_id"]
            assert instance.old_visual_id == row["old_visual_id"]
            checked += 1
    assert checked == 76_275
    assert with_dollars == 3  # lines with dollars, which Porism removes


def test_the_first_tenth_and_last_post(mini: Collection) -> None:
    posts = list(mini.posts())
    assert [(posts[n].id, posts[n].kind) for n in (0, 9, -1)] == [
        ("154", PostKind.QUESTION),
        ("440", PostKind.QUESTION),
        ("3055993", PostKind.ANSWER),
    ]
    assert posts[0].title == ("Do complex numbers really exist?",)
    assert posts[0].created == "2010-07"
    assert posts[-1].parent_id == "3055952"


def test_every_formula_of_every_text_is_an_instance(mini: Collection) -> None:
    ids = {each.id for each in mini.instances()}
    found = []
    for post in mini.posts():
        texts = [post.title, post.body, *(each.text for each in mini.comments(post.id))]
        found += [piece.id for text in texts for piece in text if isinstance(piece, Formula)]
    assert sorted(found) == sorted(ids)


def test_titles_of_linked_questions_are_known(mini: Collection) -> None:
    assert mini.linked_title("5") == (
        "How can you prove that the square root of two is irrational?",
    )
    related = [each for each in mini.thread("154").related if not each.is_here]
    assert all(each.title for each in related)


def test_formulas_without_an_id_get_one_in_a_separate_range(mini: Collection) -> None:
    fresh = [each for each in mini.instances() if int(each.id) >= POSTS_FROM]
    assert fresh
    assert all(each.visual_id == "" for each in fresh)
