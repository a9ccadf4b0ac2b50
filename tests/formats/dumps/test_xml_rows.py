"""Rows of XML tables, and files that are rejected."""

import gzip
import logging
from pathlib import Path

import pytest
from py7zr import FILTER_COPY, SevenZipFile

from porism.errors import FormatError
from porism.formats.dumps import xml_rows
from porism.formats.dumps.tables import DumpTable, find_tables, table_at
from porism.formats.dumps.xml_rows import XmlRow, read_rows


def rows_of(folder: Path, data: bytes, name: str = "Posts") -> list[XmlRow]:
    path = folder / "table.xml"
    path.write_bytes(data)
    return list(read_rows(table_at(path, name)))


def refusal(folder: Path, data: bytes) -> FormatError:
    with pytest.raises(FormatError) as caught:
        rows_of(folder, data)
    assert caught.value.path == str(folder / "table.xml")
    return caught.value


def test_rows_are_in_order_with_their_lines(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf<?xml version="1.0" encoding="utf-8"?>\r\n<posts>\r\n  <row Id="1" />\r\n'
    data += b'<row Id="2"\n\n  Body="&lt;p&gt;a &amp;amp; b&#xA;\xc3\xa9"/><row Id="3"/>\n</posts>'
    assert rows_of(tmp_path, data) == [
        XmlRow({"Id": "1"}, 3),
        XmlRow({"Id": "2", "Body": "<p>a &amp; b\né"}, 4),
        XmlRow({"Id": "3"}, 6),
    ]


@pytest.mark.parametrize(
    "data", [b"<posts/>", b"\n<posts>\n</posts>\n", b"<!-- x --><posts></posts>"]
)
def test_table_may_be_empty(tmp_path: Path, data: bytes) -> None:
    assert rows_of(tmp_path, data) == []


def test_line_numbers_are_correct_beyond_sixteen_bits(tmp_path: Path) -> None:
    count = 70_000
    body = b"".join(b'<row Id="%d"/>\n' % (number + 2) for number in range(count))
    rows = rows_of(tmp_path, b"<posts>\n" + body + b"</posts>")
    assert len(rows) == count
    assert all(int(row.attributes["Id"]) == row.line for row in rows)


def test_file_without_line_breaks_is_read_in_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(xml_rows, "PIECE", 7)
    data = (
        "<posts>" + "".join(f'<row Id="{number}" Body="é"/>' for number in range(50)) + "</posts>"
    )
    rows = rows_of(tmp_path, data.encode())
    assert [row.attributes["Id"] for row in rows] == [str(number) for number in range(50)]
    assert {row.line for row in rows} == {1}


@pytest.mark.parametrize("endless", [b'<row Id="2" Body="', b"<!--", b""])
def test_unfinished_row_is_not_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endless: bytes
) -> None:
    monkeypatch.setattr(xml_rows, "PIECE", 50)
    monkeypatch.setattr(xml_rows, "MAX_ROW", 1000)
    error = refusal(tmp_path, b'<posts>\n<row Id="1"/>\n' + endless + b" " * 2000)
    assert "found no end of a row in 1,000 bytes" in error.why
    assert error.line == 3


@pytest.mark.parametrize("keep", [0, 5, 12, 30, 45, 60])
def test_truncated_xml_is_reported(tmp_path: Path, keep: int) -> None:
    whole = b'<posts>\n<row Id="1" Body="x"/>\n<row Id="2" Body="x"/>\n</posts>'
    error = refusal(tmp_path, whole[:keep])
    assert "the XML is truncated" in error.why
    assert error.line == 1 + whole[:keep].count(b"\n")


def test_only_complete_rows_of_a_truncated_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "table.xml"
    path.write_bytes(b'<posts>\n<row Id="1"/>\n<row Id="2" Body="x')
    rows = read_rows(table_at(path, "Posts"))
    assert next(rows).attributes == {"Id": "1"}
    with pytest.raises(FormatError):
        next(rows)


def test_invalid_bytes_are_reported_with_line_and_position(tmp_path: Path) -> None:
    error = refusal(tmp_path, b'<posts>\n<row Id="1"/>\n<row Body="caf\xe9 "/>\n</posts>')
    assert error.line == 3
    assert "0xe9 at 14 of this line: expected UTF-8" in error.why


def test_declared_encoding_is_used(tmp_path: Path) -> None:
    data = b'<?xml version="1.0" encoding="iso-8859-1"?>\n<posts><row Body="caf\xe9"/></posts>'
    assert rows_of(tmp_path, data) == [XmlRow({"Body": "café"}, 2)]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf16_is_rejected(tmp_path: Path, encoding: str) -> None:
    error = refusal(tmp_path, "<posts></posts>".encode(encoding))
    assert "found UTF-16: expected UTF-8" in error.why


@pytest.mark.parametrize(
    ("data", "line", "why"),
    [
        (b"<html>\n<row/></html>", 1, "found <html>: expected <posts>"),
        (b"<row/>", 1, "found <row>: expected <posts>"),
        (b"\n<comments></comments>", 2, "found <comments>: expected <posts>"),
        (
            b"<posts>\n<row/>\n<post/></posts>",
            3,
            "found <post> inside <posts>: expected <row> only",
        ),
        (b"just text\n", 1, "malformed XML"),
        (b"<posts>\n<row Id=1/></posts>", 2, "malformed XML"),
        (b"<posts>\n<row Id='1' Id='2'/></posts>", 2, "malformed XML"),
        (b"<posts>\n<row Body='a < b'/></posts>", 2, "malformed XML"),
        (b"<posts>\n<row Body='&nbsp;'/></posts>", 2, "malformed XML"),
        (b"<posts>\n<row Body='\x01'/></posts>", 2, "malformed XML"),
        (b"<posts>\n</posts>\n<posts/>", 3, "malformed XML"),
    ],
)
def test_other_xml_is_rejected(tmp_path: Path, data: bytes, line: int, why: str) -> None:
    error = refusal(tmp_path, data)
    assert why in error.why
    assert error.line == line


BOMB = b"""<?xml version="1.0"?>
<!DOCTYPE posts [
  <!ENTITY a "aaaaaaaaaa">
  <!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
  <!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">
]>
<posts><row Body="&c;"/></posts>"""


def test_entity_bomb_is_rejected(tmp_path: Path) -> None:
    error = refusal(tmp_path, BOMB)
    assert "document type declaration" in error.why


@pytest.mark.parametrize(
    "declared", [b'<!ENTITY f SYSTEM "%s">', b'<!ENTITY %% f SYSTEM "%s">%%f;']
)
def test_external_files_are_not_loaded(tmp_path: Path, declared: bytes) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    entity = declared % secret.as_uri().encode()
    error = refusal(tmp_path, b"<!DOCTYPE posts [" + entity + b']><posts><row Body="&f;"/></posts>')
    assert "document type declaration" in error.why
    error = refusal(tmp_path, b'<!DOCTYPE posts SYSTEM "%s"><posts/>' % secret.as_uri().encode())
    assert "document type declaration" in error.why


@pytest.mark.parametrize("reference", [b"&#x0E;", b"&#14;", b"&#0;", b"&#xd800;", b"&#xFFFF;"])
def test_invalid_character_reference_is_replaced_and_logged(
    tmp_path: Path, reference: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    data = b'<posts>\n<row Body="a' + reference + b'b"/>\n</posts>'
    with caplog.at_level(logging.WARNING):
        assert rows_of(tmp_path, data) == [XmlRow({"Body": "a\N{REPLACEMENT CHARACTER}b"}, 2)]
    assert f"table.xml:2: {reference.decode()} is not a valid XML character" in caplog.text


def test_other_references_are_decoded(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    data = b'<posts><row Body="&#x0A;&#xA;&#9;&#13;&#x41;&#128512;&#xD7FF;"/></posts>'
    (row,) = rows_of(tmp_path, data)
    assert row.attributes["Body"] == "\n\n\t\rA😀\ud7ff"
    assert caplog.text == ""


def test_reference_beyond_unicode_is_rejected(tmp_path: Path) -> None:
    assert (
        "malformed" in refusal(tmp_path, b'<posts><row A="&#' + b"9" * 5000 + b';"/></posts>').why
    )


def test_truncated_gzip_is_reported_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "Posts.xml.gz"
    data = b"<posts>\n" + b"".join(b'<row Id="%d"/>\n' % number for number in range(50_000))
    path.write_bytes(gzip.compress(data + b"</posts>")[:-10])
    with pytest.raises(FormatError, match="truncated") as caught:
        list(read_rows(table_at(path, "Posts")))
    assert caught.value.path == str(path)
    assert caught.value.line > 10_000


def test_damaged_archive_is_reported_with_entry_and_line(tmp_path: Path) -> None:
    path = tmp_path / "site.7z"
    data = b"<posts>\n" + b'<row Body="x"/>\n' * 100_000 + b"</posts>"
    with SevenZipFile(path, "w", filters=[{"id": FILTER_COPY}]) as packed:
        packed.writestr(data, "Posts.xml")
    packed_bytes = path.read_bytes()
    path.write_bytes(packed_bytes.replace(b'"x"', b'"y"', 1))
    (table,) = find_tables(path)["Posts"]
    with pytest.raises(FormatError, match="CrcError") as caught:
        list(read_rows(table))
    assert caught.value.path == f"{path}/Posts.xml"
    assert caught.value.line > 1000


def test_archive_and_plain_file_give_the_same_rows(tmp_path: Path) -> None:
    data = (
        b"<tags>\n" + b"".join(b'<row Id="%d"/>\n' % number for number in range(100)) + b"</tags>"
    )
    path = tmp_path / "site.7z"
    with SevenZipFile(path, "w") as packed:
        packed.writestr(data, "Tags.xml")
    assert list(read_rows(DumpTable("Tags", path, "Tags.xml"))) == rows_of(tmp_path, data, "Tags")
