"""Tab-separated files with a header."""

import gzip
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import FormatError, PorismError
from porism.formats import text_lines
from porism.formats.tab_separated import TabbedRow, column_index, read_tabbed, write_tabbed


def rows_of(folder: Path, data: bytes) -> list[TabbedRow]:
    path = folder / "file.tsv"
    path.write_bytes(data)
    return list(read_tabbed(path))


def test_header_and_rows_have_their_lines(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbfid\ttext\r\n1\t"say ""x"""\r\n\r\n2\t"two\r\nlines"\r\n3\t\r\n'
    assert rows_of(tmp_path, data) == [
        TabbedRow(["id", "text"], 1),
        TabbedRow(["1", 'say "x"'], 2),
        TabbedRow(["2", "two\r\nlines"], 4),
        TabbedRow(["3", ""], 6),
    ]


@pytest.mark.parametrize(
    ("data", "line", "why"),
    [
        (b"", 1, "the file is empty"),
        (b"\n\n", 1, "the file is empty"),
        (b"a\tb\n1\t2\n1\n", 3, "found 1 cells: expected 2 (a, b)"),
        (b"a\tb\n1\t2\t3\n", 2, "found 3 cells: expected 2 (a, b)"),
        (b"a\tb\n1\t\0\n", 2, "found a NUL"),
        (b"a\tb\n1\t\xe9t\xe9\n", 2, "found the byte 0xe9 at 2 of this line: expected UTF-8"),
        (b'a\tb\n1\t"x\ny\n', 2, "cannot be split into cells"),
        (b'a\tb\n1\t"x" y\n', 2, "cannot be split into cells"),
    ],
)
def test_errors_are_reported_with_their_line(
    tmp_path: Path, data: bytes, line: int, why: str
) -> None:
    with pytest.raises(FormatError) as caught:
        rows_of(tmp_path, data)
    assert why in caught.value.why
    assert caught.value.line == line


def test_truncated_gzip_is_reported_with_its_line(tmp_path: Path) -> None:
    data = b"a\tb\n" + b"".join(b"%d\tx\n" % number for number in range(200_000))
    with pytest.raises(FormatError, match="truncated") as caught:
        rows_of(tmp_path, gzip.compress(data)[:-10])
    assert caught.value.line > 10_000


def test_huge_cell_is_read(tmp_path: Path) -> None:
    huge = "x" * 500_000
    assert rows_of(tmp_path, f"a\tb\n1\t{huge}\n".encode())[1].cells == ["1", huge]


def test_endless_line_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "MAX_LINE", 100)
    with pytest.raises(FormatError, match="a line of over 100 bytes") as caught:
        rows_of(tmp_path, b"a\tb\n1\t" + b"x" * 200)
    assert caught.value.line == 2


def test_column_is_identified_by_any_of_its_names() -> None:
    assert column_index(["id", "slt"], ("formula", "slt"), Path("f")) == 1
    with pytest.raises(FormatError, match="found the columns id, slt: expected one named a or b"):
        column_index(["id", "slt"], ("a", "b"), Path("f"))


@pytest.mark.parametrize("cell", ["\0", "\ud800"])
def test_unreadable_cell_is_rejected(tmp_path: Path, cell: str) -> None:
    with pytest.raises(PorismError, match="remove it first"):
        write_tabbed(tmp_path / "x.tsv.gz", ("a", "b"), [("1", cell)])
    assert list(tmp_path.iterdir()) == []


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"))


@given(st.lists(st.tuples(CELL, CELL), max_size=5), st.sampled_from(["x.tsv", "x.tsv.gz"]))
def test_rows_read_back_as_written(rows: list[tuple[str, str]], name: str) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, name)
        write_tabbed(path, ("a", "b"), rows)
        assert [tuple(row.cells) for row in read_tabbed(path)] == [("a", "b"), *rows]
