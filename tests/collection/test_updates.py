"""Ingesting a changed source gives the same collection as a new ingest."""

import os
from itertools import count
from pathlib import Path

import pytest

from porism.collection.ingest.draft import DraftCollection
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.errors import PorismError
from tests.collection.dumps import Row, all_rows, answer, comment, question, write_table

ALONE = IngestOptions(jobs=1)
SKIPPING = IngestOptions(jobs=1, skip_bad=True)

SPAN = '<span class="math-container"{}>{}</span>'


def contents(collection: Path) -> dict[str, list[str]]:
    """Every row of a collection, without the pass in which it was last seen."""
    passes = {"posts": 14, "comments": 6, "parts": 5}
    return {
        table: sorted(
            repr([value for place, value in enumerate(row) if place != passes.get(table)])
            for row in rows
        )
        for table, rows in all_rows(collection).items()
    }


def assert_equals_new_ingest(dump: Path, collection: Path, options: IngestOptions = ALONE) -> None:
    ingest(dump, collection.with_name("new"), options)
    assert contents(collection) == contents(collection.with_name("new"))


def write_formulas(dump: Path, number: int, *rows: tuple[int, int, str, int, str]) -> None:
    """A formula file with id, post, comment, visual id and LaTeX; each newer than the last."""
    folder = dump / "latex_representation_v3"
    folder.mkdir(exist_ok=True)
    head = "id\tpost_id\tthread_id\ttype\tcomment_id\told_visual_id\tvisual_id\tissue\tformula\n"
    lines = [
        f"{formula_id}\t{post}\t{post}\tquestion\t{of}\t\t{visual_id}\t\t{latex}\n"
        for formula_id, post, of, visual_id, latex in rows
    ]
    path = folder / f"{number}.tsv"
    path.write_text(head + "".join(lines))
    os.utime(path, (time := next(_TIMES), time))


_TIMES = count(1_000_000)

WITHOUT_BODY: Row = {"Id": 2, "PostTypeId": 1, "Title": "?"}


def test_comments_links_and_votes_come_with_a_post_once_it_is_fixed(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    write_table(dump, "Posts", [question(1), WITHOUT_BODY])
    write_table(dump, "Comments", [comment(7, 2, "Or $y$?")])
    write_table(dump, "PostLinks", [{"Id": 1, "PostId": 2, "RelatedPostId": 1, "LinkTypeId": 1}])
    write_table(dump, "Votes", [{"Id": n, "PostId": 2, "VoteTypeId": 2} for n in (1, 2)])
    report = ingest(dump, tmp_path / "collection", SKIPPING)
    assert (report.comments, report.lost_comments) == (0, 1)
    write_table(dump, "Posts", [question(1), question(2)])
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert (report.comments, report.lost_comments, report.links) == (1, 0, 1)
    assert_equals_new_ingest(dump, tmp_path / "collection")


def test_a_comment_that_moves_takes_its_formulas_along(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    write_table(dump, "Posts", [question(1), question(2)])
    write_table(dump, "Comments", [comment(7, 1, "$a$"), comment(8, 1, "$b$")])
    ingest(dump, tmp_path / "collection", ALONE)
    write_table(dump, "Comments", [comment(7, 2, "$a$"), comment(8, 99, "$b$")])
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert report.lost_comments == 1
    assert_equals_new_ingest(dump, tmp_path / "collection")


def test_a_duplicate_formula_id_is_reported_until_it_is_fixed(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    span = SPAN.format(' id="5"', "c")
    write_table(dump, "Posts", [question(1, span), question(2, span)])
    ingest(dump, tmp_path / "collection", SKIPPING)
    write_table(dump, "Posts", [question(1, span), question(2, span), question(3)])
    report = ingest(dump, tmp_path / "collection", SKIPPING)
    assert report.left_out == 1
    write_table(dump, "Posts", [question(1), question(2, span), question(3)])
    ingest(dump, tmp_path / "collection", ALONE)
    assert_equals_new_ingest(dump, tmp_path / "collection")
    with open_collection(tmp_path / "collection") as collection:
        assert collection.instance("5").post_id == "2"


def test_values_removed_from_formula_files_are_removed(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    spans = [SPAN.format(f' id="{n}"', f"x_{n}") for n in (1, 2, 3)]
    write_table(dump, "Posts", [question(1, "".join(spans))])
    write_formulas(dump, 1, (1, 1, "", 11, "x_1"), (2, 1, "", 12, "x_2"), (9, 1, "", 19, "y"))
    write_formulas(dump, 2, (3, 1, "", 13, "x_3"))
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert (report.official, report.spurious) == (3, 1)
    write_formulas(dump, 2, (8, 1, "", 18, "z"))
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert (report.official, report.spurious) == (2, 2)
    assert_equals_new_ingest(dump, tmp_path / "collection")


def test_formula_files_changed_between_two_attempts_count_as_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dump = tmp_path / "dump"
    spans = [SPAN.format(f' id="{n}"', f"x_{n}") for n in (1, 2, 3)]
    write_table(dump, "Posts", [question(1, "".join(spans))])
    write_formulas(dump, 1, (1, 1, "", 11, "x_1"), (2, 1, "", 12, "x_2"))
    write_formulas(dump, 2, (3, 1, "", 13, "x_3"))

    def interrupted(draft: DraftCollection) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("porism.collection.ingest.pipeline.join_annotations", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ingest(dump, tmp_path / "collection", ALONE)
    monkeypatch.undo()
    write_formulas(dump, 1, (1, 1, "", 21, "x_1"))
    ingest(dump, tmp_path / "collection", ALONE)
    assert_equals_new_ingest(dump, tmp_path / "collection")


def test_lost_formula_ids_are_recovered_again_after_a_change(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    lost = SPAN.format("", "a")
    write_table(dump, "Posts", [question(1, lost + lost), question(2, lost)])
    write_table(dump, "Comments", [comment(7, 1, lost)])
    write_formulas(dump, 1, (31, 1, "", 5, "a"), (32, 1, "7", 5, "a"), (33, 2, "", 5, "a"))
    ingest(dump, tmp_path / "collection", ALONE)
    write_table(dump, "Posts", [question(1, f"<p>{lost}</p>"), question(2, lost)])
    report = ingest(dump, tmp_path / "collection", ALONE)
    assert (report.official, report.fresh) == (3, 0)
    assert_equals_new_ingest(dump, tmp_path / "collection")
    with open_collection(tmp_path / "collection") as collection:
        span = SPAN.format(' id="31"', "a")
        assert collection.markup("1").body == f"<p>{span}</p>"


def test_fixed_rows_are_no_longer_rejected_under_any_source_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "dump", "Posts", [question(1), answer(3, 2)])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(PorismError, match="question 2 is missing"):
        ingest(Path("dump"), tmp_path / "collection", ALONE)
    assert ingest(Path("dump"), tmp_path / "collection", SKIPPING).left_out == 1
    for name in ("dump", "moved"):
        write_table(tmp_path / name, "Posts", [question(1), answer(3, 1), question(len(name) + 4)])
        report = ingest(tmp_path / name, tmp_path / "collection", ALONE)
        assert (report.answers, report.left_out) == (1, 0)


def test_months_of_another_file_count_for_the_last_year(tmp_path: Path) -> None:
    dump = tmp_path / "dump"
    write_table(dump, "Posts", [question(1), question(2), answer(3, 2)])
    write_table(dump, "Comments", [comment(7, 3)])
    months = "question_id\tcreation_month\n1\t2015-01\n2\t2019-05\n"
    (dump / "question_months.tsv").write_text(months)
    until = IngestOptions(until=2018, jobs=1)
    report = ingest(dump, tmp_path / "collection", until)
    assert (report.questions, report.answers, report.comments) == (1, 0, 0)
    write_table(dump, "Posts", [question(1), question(2), answer(3, 2), answer(4, 1)])
    ingest(dump, tmp_path / "collection", until)
    assert_equals_new_ingest(dump, tmp_path / "collection", until)
