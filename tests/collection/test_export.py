"""Export as the lab's files: their contents, and ingesting them again."""

import gzip
import re
from pathlib import Path

import pytest

from porism.collection.export import ExportOptions, export
from porism.collection.formulas import representations
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.progress import StepProgress
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.formats.dumps.arqmath import read_formulas, read_linked_titles
from porism.formats.markup import content
from porism.formula.mathml import read_content, read_presentation
from tests.collection.small_site import ingested_site

TABLES = {
    "posts": "id, kind, parent_id, title, tags, created, score, views, owner_id, accepted_id, "
    "answer_count, comment_count, body",
    "comments": "id, post_id, created, score, user_id, text",
    "links": "post_id, related_id, kind, id, created",
    "tags": "name, posts, id",
    "users": "id, name, reputation, created",
    "linked_titles": "post_id, title",
    "formulas": "number, latex, macros, symbols, visual_id, problem",
    "instances": "id, post_id, comment_id, place, formula, visual_id, old_visual_id, issue",
}
"""All tables that are exported, without columns about the ingest."""


def records(collection: Collection, table: str) -> list[tuple[object, ...]]:
    order = "1, 2, 3" if table == "links" else "1"
    return collection._connection.execute(
        f"SELECT {TABLES[table]} FROM {table} ORDER BY {order}"
    ).fetchall()


def assert_equal(one: Path, other: Path) -> None:
    with open_collection(one) as first, open_collection(other) as second:
        for table in TABLES:
            assert records(first, table) == records(second, table), table


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ingested_site(tmp_path_factory.mktemp("site"))


def exported(collection: Path, folder: Path, options: ExportOptions | None = None) -> Path:
    with open_collection(collection) as opened:
        export(opened, folder, options)
    return folder


@pytest.mark.parametrize("options", [ExportOptions(), ExportOptions(gzip=True, lines_per_file=2)])
def test_ingesting_an_export_gives_the_same_collection(
    site: Path, tmp_path: Path, options: ExportOptions
) -> None:
    exported(site, tmp_path / "files", options)
    ingest(tmp_path / "files", tmp_path / "again", IngestOptions(jobs=1))
    assert_equal(site, tmp_path / "again")


def test_the_files_are_those_of_the_lab(site: Path, tmp_path: Path) -> None:
    with open_collection(site) as opened:
        written = export(opened, tmp_path / "files")
    assert [(each.name, each.records) for each in written] == [
        ("Posts.V1.3.xml", 4),
        ("Comments.V1.3.xml", 1),
        ("PostLinks.V1.3.xml", 2),
        ("Tags.V1.3.xml", 1),
        ("Users.V1.3.xml", 1),
        ("latex_representation_v3/", 8),
        ("slt_representation_v3/", 8),
        ("opt_representation_v3/", 8),
    ]
    assert sorted(path.name for path in (tmp_path / "files").iterdir()) == sorted(
        each.name.rstrip("/") for each in written
    )


def test_a_line_has_the_place_of_its_formula(site: Path, tmp_path: Path) -> None:
    file = exported(site, tmp_path / "files") / "latex_representation_v3" / "1.tsv"
    rows = {(row.post_id, row.representation): row for row in read_formulas(file)}
    where = {
        key: (row.thread_id, row.type, row.comment_id, row.id if len(row.id) < 5 else "fresh")
        for key, row in rows.items()
    }
    assert where == {
        ("1", "x^2"): ("1", "title", "", "fresh"),
        ("1", r"x^2 \ge 0"): ("1", "question", "", "11"),
        ("1", r"\int_0^1 x\,dx"): ("1", "question", "", "fresh"),
        ("2", "a < b"): ("1", "answer", "", "fresh"),
        ("2", r"\frac{1}{2}"): ("1", "answer", "", "12"),
        ("2", "a<b"): ("1", "comment", "21", "fresh"),
        ("4", "x^2"): ("4", "question", "", "fresh"),
    }
    # They look alike, so that they have one visual id.
    assert rows["2", "a < b"].visual_id == rows["2", "a<b"].visual_id


def test_mathml_reads_back_as_the_stored_trees(site: Path, tmp_path: Path) -> None:
    files = exported(site, tmp_path / "files")
    with open_collection(site) as opened:
        stored = {each.id: each.formula for each in opened.instances()}
    for row in read_formulas(files / "slt_representation_v3" / "1.tsv"):
        assert str(read_presentation(row.representation).tree) == str(stored[row.id].layout())
    for row in read_formulas(files / "opt_representation_v3" / "1.tsv"):
        assert str(read_content(row.representation).tree) == str(stored[row.id].operators())


def test_many_formulas_go_into_numbered_files(site: Path, tmp_path: Path) -> None:
    folder = exported(site, tmp_path / "files", ExportOptions(lines_per_file=3))
    files = sorted((folder / "slt_representation_v3").iterdir())
    assert [file.name for file in files] == ["1.tsv", "2.tsv", "3.tsv"]
    assert [len(list(read_formulas(file))) for file in files] == [3, 3, 2]


def test_several_processes_write_the_same(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported(site, tmp_path / "one")
    monkeypatch.setattr(representations, "FEW_FORMULAS", 1)
    monkeypatch.setattr(representations, "CHUNK_FORMULAS", 2)
    exported(site, tmp_path / "two", ExportOptions(jobs=2))
    for file in (path for path in (tmp_path / "one").rglob("*") if path.is_file()):
        assert (
            file.read_bytes()
            == (tmp_path / "two" / file.relative_to(tmp_path / "one")).read_bytes()
        )


def test_a_refused_formula_has_its_latex_only(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    deep = r"\sqrt" * 300 + " x"
    (notes / "note.md").write_text(f"# A note on $y$\n\nSee ${deep}$.\n", encoding="utf-8")
    ingest(notes, tmp_path / "collection", IngestOptions(jobs=1))
    files = exported(tmp_path / "collection", tmp_path / "files")
    latex = list(read_formulas(files / "latex_representation_v3" / "1.tsv"))
    layout = list(read_formulas(files / "slt_representation_v3" / "1.tsv"))
    assert deep in [row.representation for row in latex]
    assert len(layout) == len(latex) - 1


def test_documents_become_questions_with_numbers(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "note.md").write_text("# A note on $y$\n\nSee $x^2$.\n", encoding="utf-8")
    ingest(notes, tmp_path / "collection", IngestOptions(jobs=1))
    exported(tmp_path / "collection", tmp_path / "files")
    ingest(tmp_path / "files", tmp_path / "again", IngestOptions(jobs=1))
    with open_collection(tmp_path / "again") as opened:
        (post,) = opened.posts()
        assert post.kind == "question"
        assert int(post.id) >= 1_000_000_000
        with open_collection(tmp_path / "collection") as before:
            (document,) = before.posts()
            assert (post.title, post.body) == (document.title, document.body)


def test_a_folder_that_is_not_empty_is_refused(site: Path, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    with pytest.raises(PorismError, match="not an empty folder"):
        exported(site, tmp_path)
    with pytest.raises(PorismError, match="not an empty folder"):
        exported(site, tmp_path / "kept.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["kept.txt"]


def test_a_failed_export_leaves_no_files(site: Path, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    with open_collection(site) as opened:
        opened._connection.execute("CREATE TEMP TABLE links (post_id)")  # hides the real one
        with pytest.raises(Exception, match="no such column"):
            export(opened, tmp_path / "files")
    assert list(tmp_path.rglob("*")) == [tmp_path / "files"]


def test_progress_is_reported_by_file(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porism.collection.export.PROGRESS_ROWS", 4)
    progress: list[StepProgress] = []
    with open_collection(site) as opened:
        export(opened, tmp_path / "files", watch=progress.append)
    assert progress[0] == StepProgress("Posts.V1.3.xml", 4, 4, 4)
    assert progress[-1] == StepProgress("opt_representation_v3", 8, 8, 8)


@pytest.fixture(scope="module")
def mini(mini_collection: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The real small collection, and its export."""
    files = tmp_path_factory.mktemp("mini") / "files"
    return mini_collection, exported(mini_collection, files, ExportOptions(jobs=2))


@pytest.mark.slow
def test_the_real_collection_comes_back_record_by_record(
    mini: tuple[Path, Path], tmp_path: Path
) -> None:
    collection, files = mini
    ingest(files, tmp_path / "again", IngestOptions(jobs=2))
    assert_equal(collection, tmp_path / "again")


FRESH = re.compile(
    "&lt;span class=&quot;math-container&quot; id=&quot;[0-9]{16}&quot;&gt;.*?&lt;/span&gt;"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "Posts.V1.3.xml",
        "Comments.V1.3.xml",
        "PostLinks.V1.3.xml",
        "question_months.tsv",
    ],
)
def test_real_files_come_back_byte_by_byte_but_for_fresh_spans(
    shared: Path, mini: tuple[Path, Path], name: str
) -> None:
    with gzip.open(shared / "data" / "arqmath-mini" / f"{name}.gz") as file:
        source = file.read().decode().split("\n")
    written = (mini[1] / name).read_bytes().decode().split("\n")
    assert len(written) == len(source)
    changed = [(old, new) for old, new in zip(source, written, strict=True) if new != old]
    assert len(changed) < len(source) / 4
    for old, new in changed:
        around = FRESH.split(new)
        assert len(around) > 1, new
        assert re.fullmatch(".*?".join(map(re.escape, around)), old), new


@pytest.mark.slow
def test_real_linked_titles_come_back_but_for_formulas_without_a_span(
    shared: Path, mini: tuple[Path, Path]
) -> None:
    name = "linked_question_titles.tsv"
    source = list(read_linked_titles(shared / "data" / "arqmath-mini" / f"{name}.gz"))
    written = list(read_linked_titles(mini[1] / name))
    changed = [(old, new) for old, new in zip(source, written, strict=True) if new != old]
    assert len(changed) == 18
    for (old_id, old), (new_id, new) in changed:
        assert (new_id, content(new)) == (old_id, content(old))
        assert old.count("$") > 0
