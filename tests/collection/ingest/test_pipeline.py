"""Ingest of a dump: contents of the collection, repeated ingests, and the report."""

from pathlib import Path

import pytest

from porism.collection.ingest.instance_ids import COMMENTS_FROM, PLACES, POSTS_FROM
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.ingest.sources import SourceFormat
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.formula.latex import MAX_LENGTH
from porism.model import Formula, LinkKind, Post, PostKind
from tests.collection.dumps import all_rows, answer, comment, question, write_table

ALONE = IngestOptions(jobs=1)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    folder = tmp_path / "dump"
    write_table(
        folder,
        "Posts",
        [
            question(1, "<p>Is $x^2 &lt; 2$?</p>", Tags="<calculus><limits>", Score=3),
            answer(2, 1, '<p><span class="math-container">$$y = x^2$$</span></p>', Score=5),
            question(3, CreationDate="2019-01-01T00:00:00.000"),
        ],
    )
    write_table(folder, "Comments", [comment(7, 2, "Or $y$?"), comment(8, 99)])
    write_table(folder, "PostLinks", [{"Id": 1, "PostId": 3, "RelatedPostId": 1, "LinkTypeId": 3}])
    return folder


def test_posts_have_their_text_and_formulas(dump: Path, tmp_path: Path) -> None:
    ingest(dump, tmp_path / "collection", ALONE)
    with open_collection(tmp_path / "collection") as collection:
        post = collection.post("1")
        (formula,) = [piece for piece in post.body if isinstance(piece, Formula)]
        assert formula.latex == "x^2 < 2"
        assert formula.id == str(POSTS_FROM + 1 * PLACES)
        assert formula.visual_id == collection.instance(formula.id).formula.visual_id
        assert (post.kind, post.tags, post.score) == (PostKind.QUESTION, ("calculus", "limits"), 3)
        assert collection.post("2").parent_id == "1"
        stored = collection.instance(str(POSTS_FROM + 2 * PLACES)).formula
        assert (stored.latex, str(stored.layout())) == ("y = x^2", "[V!y[=[V!x,a[N!2]]]]")


def test_comments_without_their_post_are_left_out(dump: Path, tmp_path: Path) -> None:
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert (report.comments, report.lost_comments) == (1, 1)
    with open_collection(tmp_path / "collection") as collection:
        (only,) = collection.comments("2")
        (formula,) = [piece for piece in only.text if isinstance(piece, Formula)]
        assert formula.id == str(COMMENTS_FROM + 7 * PLACES)


def test_links_are_listed_at_both_ends(dump: Path, tmp_path: Path) -> None:
    ingest(dump, tmp_path / "collection", ALONE)
    with open_collection(tmp_path / "collection") as collection:
        (link,) = collection.links("1")
        assert (link.related_id, link.kind) == ("3", LinkKind.DUPLICATE)
        assert collection.thread("2").related[0].is_here


def test_until_keeps_posts_up_to_that_year(dump: Path, tmp_path: Path) -> None:
    report = ingest(dump, tmp_path / "collection", IngestOptions(until=2018, jobs=1))
    assert (report.questions, report.links) == (1, 0)
    with pytest.raises(PorismError, match="made with --until 2018"):
        ingest(dump, tmp_path / "collection", ALONE)


def test_a_second_ingest_changes_nothing(dump: Path, tmp_path: Path) -> None:
    ingest(dump, tmp_path / "collection", ALONE)
    before = all_rows(tmp_path / "collection")
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert report.new_formulas == 0
    assert all_rows(tmp_path / "collection") == before


def test_new_and_changed_rows_are_ingested(dump: Path, tmp_path: Path) -> None:
    ingest(dump, tmp_path / "collection", ALONE)
    write_table(
        dump,
        "Posts",
        [
            question(1, "<p>Is $x^3 &lt; 2$?</p>", Tags="<calculus><limits>", Score=3),
            answer(2, 1, '<p><span class="math-container">$$y = x^2$$</span></p>', Score=5),
            question(3, CreationDate="2019-01-01T00:00:00.000"),
            answer(4, 3, "<p>$z$</p>"),
        ],
    )
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert (report.answers, report.new_formulas) == (2, 2)
    anew = tmp_path / "anew"
    ingest(dump, anew, ALONE)
    updated, made_anew = all_rows(tmp_path / "collection"), all_rows(anew)
    for table in ("comments", "links", "instances", "formulas", "rejects"):
        # The pass in which a row was last seen differs.
        without_pass = -3 if table == "comments" else None
        assert [row[:without_pass] for row in updated[table]] == [
            row[:without_pass] for row in made_anew[table]
        ]
    assert _posts(tmp_path / "collection") == _posts(anew)


def _posts(path: Path) -> list[Post]:
    with open_collection(path) as collection:
        return list(collection.posts())


def test_macros_apply_to_later_formulas_of_the_post(tmp_path: Path) -> None:
    body = r"<p>$\ring$ $\newcommand{\ring}{\mathbb{R}}$ $\ring^2$</p>"
    write_table(tmp_path / "dump", "Posts", [question(1, body), question(2, r"<p>$\ring^2$</p>")])
    ingest(tmp_path / "dump", tmp_path / "collection", ALONE)
    with open_collection(tmp_path / "collection") as collection:
        slts = {each.id: str(each.formula.layout()) for each in collection.instances()}
        first = POSTS_FROM + PLACES
        assert slts[str(first + 2)] == "[V!ℝ,a[N!2]]"
        assert slts[str(POSTS_FROM + 2 * PLACES)] != slts[str(first + 2)]


def test_a_refused_formula_is_kept_as_latex(tmp_path: Path) -> None:
    endless = "x+" * MAX_LENGTH
    write_table(tmp_path / "dump", "Posts", [question(1, f"<p>${endless}$</p>")])
    report = ingest(tmp_path / "dump", tmp_path / "collection", ALONE)
    assert report.refused == 1
    with open_collection(tmp_path / "collection") as collection:
        (formula,) = collection.formulas()
        assert (formula.latex, str(formula.layout())) == (endless, "")
    assert "refused" in (tmp_path / "collection" / "rejects.tsv").read_text()


def test_instances_are_found_by_visual_id(tmp_path: Path) -> None:
    formulas = [f"x_{{{n}}}" for n in range(20)]
    body = "".join(f"<p>${formula}$</p>" for formula in formulas)
    write_table(tmp_path / "dump", "Posts", [question(1, body), question(2, body)])
    ingest(tmp_path / "dump", tmp_path / "collection", ALONE)
    with open_collection(tmp_path / "collection") as collection:
        for formula in collection.formulas():
            alike = list(collection.instances(formula.visual_id))
            assert [each.formula.latex for each in alike] == [formula.latex] * 2


def test_finding_instances_by_visual_id_does_not_scan_the_table(tmp_path: Path) -> None:
    write_table(tmp_path / "dump", "Posts", [question(1, "<p>$x$</p>")])
    ingest(tmp_path / "dump", tmp_path / "collection", ALONE)
    statements: list[str] = []
    with open_collection(tmp_path / "collection") as collection:
        collection._connection.set_trace_callback(statements.append)
        assert list(collection.instances("12345")) == []
        collection._connection.set_trace_callback(None)
        (query,) = statements
        plan = collection._connection.execute(f"EXPLAIN QUERY PLAN {query}").fetchall()
    assert not [step for *_, step in plan if step.startswith("SCAN") and "instances" in step]


def test_several_processes_make_the_same_collection_as_one(
    dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(dump, tmp_path / "one", ALONE)
    monkeypatch.setattr("porism.collection.ingest.posts.SMALL_PART", 0)
    monkeypatch.setattr("porism.collection.ingest.pipeline.FEW_FORMULAS", 0)
    ingest(dump, tmp_path / "two", IngestOptions(jobs=2))
    assert all_rows(tmp_path / "one") == all_rows(tmp_path / "two")


def test_the_format_can_be_named(dump: Path, tmp_path: Path) -> None:
    with pytest.raises(PorismError):
        ingest(dump, tmp_path / "collection", IngestOptions(format=SourceFormat.DOCUMENTS, jobs=1))
    assert not (tmp_path / "collection" / "collection.sqlite").exists()


def test_the_labs_files_are_recognised_by_their_names(dump: Path, tmp_path: Path) -> None:
    ingest(dump, tmp_path / "dump-collection", ALONE)
    (dump / "Posts.xml").rename(dump / "Posts.V1.3.xml")
    ingest(dump, tmp_path / "lab-collection", ALONE)
    formats = []
    for name in ("dump-collection", "lab-collection"):
        with open_collection(tmp_path / name) as collection:
            formats.append(collection.meta("format"))
    assert formats == ["stack-exchange", "arqmath"]
