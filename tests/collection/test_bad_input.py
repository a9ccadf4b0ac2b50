"""Bad input: errors name file, line and remedy, and leave the collection unchanged."""

import gzip
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import py7zr
import pytest

from porism.collection.ingest.draft import LOCK
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.schema import UNFINISHED
from porism.collection.store import open_collection
from porism.errors import PorismError
from tests.collection.dumps import all_rows, answer, comment, question, write_table

ALONE = IngestOptions(jobs=1)
SKIPPING = IngestOptions(jobs=1, skip_bad=True)

GOOD = [question(1, "<p>$a$</p>"), answer(2, 1, "<p>$b$</p>")]


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    write_table(tmp_path / "dump", "Posts", GOOD)
    return tmp_path / "dump"


@pytest.fixture
def collection(dump: Path, tmp_path: Path) -> Path:
    """A collection of the dump before it is damaged."""
    ingest(dump, tmp_path / "collection", ALONE)
    return tmp_path / "collection"


def truncate(posts: Path) -> None:
    posts.write_bytes(posts.read_bytes()[:-30])


def spoil_encoding(posts: Path) -> None:
    posts.write_bytes(posts.read_bytes().replace(b"Question 1", b"Quest\xefon 1"))


def leave_out_body(posts: Path) -> None:
    posts.write_text(re.sub(' Body="[^"]*"', "", posts.read_text(), count=1))


def lose_question(posts: Path) -> None:
    posts.write_text(posts.read_text().replace('ParentId="1"', 'ParentId="77"'))


def repeat_id(posts: Path) -> None:
    posts.write_text(posts.read_text().replace('Id="2" PostTypeId', 'Id="1" PostTypeId'))


def repeat_formula_id(posts: Path) -> None:
    span = "&lt;span class=&quot;math-container&quot; id=&quot;5&quot;&gt;c&lt;/span&gt;"
    posts.write_text(re.sub(r"\$[ab]\$", span, posts.read_text()))


def expand_entities(posts: Path) -> None:
    bomb = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "x" * 10}">' for n in range(12))
    text = posts.read_text().replace("<posts>", f"<!DOCTYPE posts [{bomb}]>\n<posts>")
    posts.write_text(text.replace("Question 1", "&e11;"))


def include_file(posts: Path) -> None:
    (posts.parent / "secret").write_text("the secret")
    text = posts.read_text().replace(
        "<posts>", '<!DOCTYPE posts [<!ENTITY secret SYSTEM "secret">]>\n<posts>&secret;'
    )
    posts.write_text(text)


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (truncate, 4),
        (spoil_encoding, 3),
        (leave_out_body, 3),
        (lose_question, 4),
        (repeat_id, 4),
        (repeat_formula_id, 4),
        (expand_entities, None),
        (include_file, None),
    ],
)
def test_the_file_and_line_are_named_and_the_collection_is_unchanged(
    spoil: Callable[[Path], None], line: int | None, dump: Path, collection: Path
) -> None:
    before = all_rows(collection)
    posts = dump / "Posts.xml"
    spoil(posts)
    with pytest.raises(PorismError) as error:
        ingest(dump, collection, ALONE)
    message = str(error.value)
    assert str(posts) in message
    if line is not None:
        assert f"{posts}:{line}:" in message
    assert all_rows(collection) == before
    write_table(dump, "Posts", GOOD)
    ingest(dump, collection, ALONE)
    with open_collection(collection) as updated:
        assert [post.id for post in updated.posts()] == ["1", "2"]
    assert not (collection / UNFINISHED).exists()


@pytest.mark.parametrize(
    ("spoil", "posts"),
    [
        (leave_out_body, []),  # the answer then has no question
        (lose_question, ["1"]),
        (repeat_id, ["1"]),
        (repeat_formula_id, ["1", "2"]),
    ],
)
def test_bad_rows_are_skipped_on_demand(
    spoil: Callable[[Path], None], posts: list[str], dump: Path, tmp_path: Path
) -> None:
    spoil(dump / "Posts.xml")
    with pytest.raises(PorismError, match="--skip-bad"):
        ingest(dump, tmp_path / "collection", ALONE)
    report = ingest(dump, tmp_path / "collection", SKIPPING)
    assert report.left_out > 0
    with open_collection(tmp_path / "collection") as collection:
        assert [post.id for post in collection.posts()] == posts
    rejects = (tmp_path / "collection" / "rejects.tsv").read_text().splitlines()
    assert len(rejects) == 1 + report.left_out


def test_a_formula_whose_id_is_taken_gets_a_fresh_one(dump: Path, tmp_path: Path) -> None:
    repeat_formula_id(dump / "Posts.xml")
    ingest(dump, tmp_path / "collection", SKIPPING)
    with open_collection(tmp_path / "collection") as collection:
        instances = {each.id: each.post_id for each in collection.instances()}
        assert len(instances) == 2
        assert instances["5"] == "1"
        (fresh,) = set(instances) - {"5"}
        assert f'id="{fresh}"' in collection.markup("2").body


def test_a_duplicate_comment_id_is_reported(dump: Path, tmp_path: Path) -> None:
    comments = write_table(dump, "Comments", [comment(1, 1), comment(1, 2)])
    with pytest.raises(PorismError, match=f"{re.escape(str(comments))}:4: comment 1"):
        ingest(dump, tmp_path / "collection", ALONE)


@pytest.mark.parametrize("post_id", [-5, 3 * 10**10, 10**14, 9 * 10**17])
def test_an_id_out_of_range_is_reported(post_id: int, dump: Path, tmp_path: Path) -> None:
    posts = write_table(dump, "Posts", [question(1), question(post_id, "<p>$x$</p>")])
    with pytest.raises(PorismError, match=f"{re.escape(str(posts))}:4: post {post_id}: an id"):
        ingest(dump, tmp_path / "collection", ALONE)
    comments = write_table(dump, "Comments", [comment(10**12, 1)])
    with pytest.raises(PorismError, match=f"{re.escape(str(comments))}:3: comment {10**12}"):
        ingest(dump, tmp_path / "collection", ALONE)
    report = ingest(dump, tmp_path / "collection", SKIPPING)
    assert (report.questions, report.comments) == (1, 0)


def test_a_post_with_too_many_formulas_is_reported(
    dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("porism.collection.ingest.chunks.PLACES", 3)
    posts = write_table(dump, "Posts", [question(1, "<p>$a$</p>" * 3), question(2, "$a$ " * 4)])
    with pytest.raises(PorismError, match=f"{re.escape(str(posts))}:4: post 2: 4 formulas"):
        ingest(dump, tmp_path / "collection", ALONE)
    assert ingest(dump, tmp_path / "collection", SKIPPING).questions == 1


@pytest.mark.parametrize("column", range(7))
def test_ids_in_formula_files_that_are_not_numbers_are_reported(
    column: int, dump: Path, tmp_path: Path
) -> None:
    names = "id post_id thread_id type comment_id old_visual_id visual_id issue formula".split()
    line = ["1", "1", "1", "question", "", "5", str(2**63 - 1), "", "a"]
    (dump / "latex_representation_v3").mkdir()
    path = dump / "latex_representation_v3" / "1.tsv"
    is_id = names[column] not in ("thread_id", "type")
    for wrong in ("x", str(2**63), "1_0"):
        line[column] = wrong
        path.write_text("\t".join(names) + "\n" + "\t".join(line) + "\n")
        if is_id:
            with pytest.raises(PorismError, match=rf"1\.tsv:2: .*{wrong}"):
                ingest(dump, tmp_path / "collection", ALONE)
        else:
            assert ingest(dump, tmp_path / "collection", ALONE).questions == 1


def test_a_truncated_archive_is_reported(dump: Path, tmp_path: Path) -> None:
    whole = tmp_path / "whole.7z"
    with py7zr.SevenZipFile(whole, "w") as archive:
        archive.write(dump / "Posts.xml", "Posts.xml")
    broken = tmp_path / "broken.7z"
    broken.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(PorismError, match=r"broken\.7z"):
        ingest(broken, tmp_path / "collection", ALONE)
    report = ingest(whole, tmp_path / "collection", ALONE)
    assert report.questions == 1


def test_a_truncated_gzip_file_is_reported(dump: Path, tmp_path: Path) -> None:
    packed = gzip.compress((dump / "Posts.xml").read_bytes())
    (dump / "Posts.xml").unlink()
    (dump / "Posts.xml.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(PorismError, match=r"Posts\.xml\.gz"):
        ingest(dump, tmp_path / "collection", ALONE)


def test_a_folder_without_readable_files_is_reported(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "picture.png").write_bytes(b"\x89PNG")
    with pytest.raises(PorismError, match="empty"):
        ingest(tmp_path / "empty", tmp_path / "collection", ALONE)
    with pytest.raises(PorismError, match="no such file or folder"):
        ingest(tmp_path / "absent", tmp_path / "collection", ALONE)


def test_a_full_disk_is_reported_and_the_collection_is_unchanged(
    dump: Path, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = all_rows(collection)
    write_table(
        dump, "Posts", [*GOOD, *(question(n, f"<p>${'x' * 500}_{n}$</p>") for n in range(3, 400))]
    )
    connect = sqlite3.connect

    def small_disk(
        path: Path, timeout: float = 5.0, isolation_level: None = None, uri: bool = False, **_: bool
    ) -> sqlite3.Connection:
        connection = connect(path, timeout, isolation_level=isolation_level, uri=uri)
        connection.execute("PRAGMA max_page_count = 40")
        return connection

    monkeypatch.setattr("porism.collection.schema.sqlite3.connect", small_disk)
    with pytest.raises(PorismError, match="disk is full"):
        ingest(dump, collection, ALONE)
    monkeypatch.undo()
    assert all_rows(collection) == before
    report = ingest(dump, collection, ALONE)
    assert report.questions == 398


def test_a_second_ingest_at_the_same_time_is_refused(
    dump: Path, collection: Path, tmp_path: Path
) -> None:
    shutil.copyfile(collection / "collection.sqlite", collection / UNFINISHED)
    other = sqlite3.connect(collection / UNFINISHED)
    other.execute("BEGIN EXCLUSIVE")
    write_table(dump, "Posts", [*GOOD, question(3)])
    with pytest.raises(PorismError, match="another ingest is writing"):
        ingest(dump, collection, ALONE)
    other.close()


def test_a_second_ingest_during_the_copy_is_refused(
    dump: Path, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second starts while the first still makes its copy."""
    write_table(dump, "Posts", [*GOOD, question(3)])
    copyfile = shutil.copyfile
    messages: list[str] = []

    def copied_meanwhile(source: Path, target: Path) -> None:
        monkeypatch.setattr("porism.collection.ingest.draft.shutil.copyfile", copyfile)
        with pytest.raises(PorismError) as error:
            ingest(dump, collection, ALONE)
        messages.append(str(error.value))
        copyfile(source, target)

    monkeypatch.setattr("porism.collection.ingest.draft.shutil.copyfile", copied_meanwhile)
    assert ingest(dump, collection, ALONE).questions == 2
    assert "another ingest is writing" in messages[0]


def test_a_damaged_draft_is_replaced(dump: Path, tmp_path: Path) -> None:
    collection = tmp_path / "collection"
    collection.mkdir()
    (collection / UNFINISHED).write_bytes(b"nothing of the kind" * 500)
    assert ingest(dump, collection, ALONE).questions == 1
    assert not (collection / UNFINISHED).exists()


def test_a_draft_with_a_damaged_page_is_replaced(dump: Path, tmp_path: Path) -> None:
    lose_question(dump / "Posts.xml")
    collection = tmp_path / "collection"
    with pytest.raises(PorismError):
        ingest(dump, collection, ALONE)
    damaged = bytearray((collection / UNFINISHED).read_bytes())
    with sqlite3.connect(collection / UNFINISHED) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'posts'"
        ).fetchone()
    connection.close()
    damaged[(page - 1) * 8192 : page * 8192] = b"\xff" * 8192
    (collection / UNFINISHED).write_bytes(damaged)
    assert ingest(dump, collection, SKIPPING).questions == 1


def test_files_left_by_a_killed_ingest_are_removed(dump: Path, collection: Path) -> None:
    for left in (f".{UNFINISHED}", f"{UNFINISHED}-journal"):
        (collection / left).write_bytes(b"left")
    write_table(dump, "Posts", [*GOOD, question(3)])
    assert ingest(dump, collection, ALONE).questions == 2
    assert not list(collection.glob(f"*{UNFINISHED}*"))


def test_a_folder_that_cannot_be_written_is_reported(dump: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(PorismError, match="below: cannot create this folder"):
        ingest(dump, tmp_path / "file" / "below", ALONE)
    (tmp_path / "collection" / LOCK).mkdir(parents=True)  # fails for root too
    with pytest.raises(PorismError, match="cannot be written"):
        ingest(dump, tmp_path / "collection", ALONE)


def test_a_database_of_another_version_is_refused(collection: Path, dump: Path) -> None:
    with sqlite3.connect(collection / "collection.sqlite") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(PorismError, match=r"version 99.*make it again with porism ingest"):
        open_collection(collection)
    with pytest.raises(PorismError, match="version 99"):
        ingest(dump, collection, ALONE)


def test_opening_something_else_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="porism ingest"):
        open_collection(tmp_path)
    (tmp_path / "collection.sqlite").write_text("nothing of the kind")
    with pytest.raises(PorismError, match="not a collection"):
        open_collection(tmp_path)
