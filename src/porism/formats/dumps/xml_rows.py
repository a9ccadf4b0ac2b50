"""The rows of a Stack Exchange table as plain attributes, streamed from XML of any size.

The meaning of the attributes is left to ``stack_exchange``. No external data is loaded: a file with
a document type declaration, which could declare entities, is rejected.
"""

from __future__ import annotations

import codecs
import logging
import re
from collections.abc import Iterator, Mapping
from typing import BinaryIO, NamedTuple, cast

from lxml import etree

from porism.errors import FormatError
from porism.formats.byte_streams import Consumed, with_line
from porism.formats.dumps.tables import ROOTS, DumpTable, open_table

log = logging.getLogger(__name__)

Attributes = Mapping[str, str]

PIECE = 1 << 20
"""The most bytes passed to the parser at a time, for files without line breaks."""

MAX_ROW = 1 << 26
"""The most bytes without the end of a row, which bounds memory."""

# Character references, except for those of white space, which are frequent.
_REFERENCE = re.compile(rb"&#(?!x0*[9aAdD];|0*9;|0*1[03];)(x[0-9a-fA-F]{1,8}|[0-9]{1,10});")
_REPLACEMENT = b"&#xFFFD;"


class XmlRow(NamedTuple):
    """The attributes of a row and its first line."""

    attributes: Attributes
    line: int


class _Rows:
    """The parser's target: collects the rows of the lines it is fed.

    lxml's own line numbers are wrong in long files (libxml2 keeps 16 bits of them), so the reader
    sets ``line``, and ``row_start`` to the first line of a row that is not complete yet.
    """

    def __init__(self, table: DumpTable) -> None:
        self.line = 1
        self.row_start = 0
        self.rows: list[XmlRow] = []
        self._table = table
        self._root = ""

    def start(self, tag: str, attributes: Attributes) -> None:
        if tag == "row" and self._root:
            self.rows.append(XmlRow(attributes, self.row_start or self.line))
            self.row_start = 0
        elif self._root:
            raise self._error(f"found <{tag}> inside <{self._root}>: expected <row> only")
        elif tag.lower() != ROOTS[self._table.name]:
            expected = ROOTS[self._table.name]
            raise self._error(
                f"found <{tag}>: expected <{expected}>, the {self._table.name} of a Stack Exchange "
                "dump; is this another file?"
            )
        else:
            self._root = tag

    def doctype(self, name: str, public_id: str | None, system: str | None) -> None:
        raise self._error(
            "found a document type declaration, which could declare entities: expected none; "
            "remove it if you trust the file"
        )

    def close(self) -> None:
        """Required by the parser; there is nothing to build."""

    def _error(self, why: str) -> FormatError:
        return FormatError(str(self._table), self.line, why)


def read_rows(table: DumpTable, consumed: Consumed | None = None) -> Iterator[XmlRow]:
    """The rows of the table in order; malformed XML raises a FormatError with its line.

    References to characters that XML forbids, which real dumps contain (``&#x0E;``), are read as
    U+FFFD and logged, so that one of them does not make the whole dump unreadable.
    """
    rows = _Rows(table)
    # The stubs require methods that lxml does not; having them would cost a call for each row.
    target = cast("etree.ParserTarget", rows)
    parser = etree.XMLParser(target=target, no_network=True, load_dtd=False, huge_tree=False)
    pending = 0  # bytes that the parser may have to keep
    with open_table(table, consumed) as stream:
        while piece := _next_piece(stream, table, rows.line):
            if rows.line == 1:
                _reject_utf16(piece, table)
            if _REFERENCE.search(piece) is not None:
                piece = _with_readable_references(piece, table, rows.line)
            try:
                parser.feed(piece)
            except etree.XMLSyntaxError as error:
                raise _malformed(error, piece, table, rows.line) from error
            if rows.rows:
                yield from rows.rows
                rows.rows.clear()
                pending = 0
            pending += len(piece)
            if pending > MAX_ROW:
                why = f"found no end of a row in {MAX_ROW:,} bytes: is the file damaged?"
                raise FormatError(str(table), rows.line, why)
            if not rows.row_start and not piece.endswith(b">\n") and _ends_in_a_row(piece):
                rows.row_start = rows.line
            if piece.endswith(b"\n"):
                rows.line += 1
        try:
            parser.close()
        except (etree.XMLSyntaxError, FormatError) as error:  # the latter over half a tag
            raise FormatError(
                str(table), rows.line, f"the XML is truncated ({error}); replace the file"
            ) from error


def _ends_in_a_row(piece: bytes) -> bool:
    return piece.rfind(b"<row") > piece.rfind(b">")


def _next_piece(stream: BinaryIO, table: DumpTable, line: int) -> bytes:
    try:
        return stream.readline(PIECE)
    except FormatError as error:
        raise with_line(error, line) from error


def _reject_utf16(piece: bytes, table: DumpTable) -> None:
    if piece.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in piece[:4]:
        raise FormatError(str(table), 1, "found UTF-16: expected UTF-8; convert the file first")


def _with_readable_references(piece: bytes, table: DumpTable, line: int) -> bytes:
    def readable(match: re.Match[bytes]) -> bytes:
        digits = match[1]
        code = int(digits[1:], 16) if digits.startswith(b"x") else int(digits)
        if _is_xml_character(code):
            return match[0]
        log.warning("%s:%d: %s is not a valid XML character", table, line, match[0].decode())
        return _REPLACEMENT

    return _REFERENCE.sub(readable, piece)


def _is_xml_character(code: int) -> bool:
    """The production Char of XML 1.0, section 2.2."""
    return (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or 0x10000 <= code <= 0x10FFFF
    )


def _malformed(
    error: etree.XMLSyntaxError, piece: bytes, table: DumpTable, line: int
) -> FormatError:
    if "encod" in error.msg:  # in the messages of every version of libxml2
        try:
            piece.decode()
        except UnicodeDecodeError as wrong:
            return FormatError(
                str(table),
                line,
                f"found the byte 0x{piece[wrong.start]:02x} at {wrong.start} of this line: "
                "expected UTF-8; convert the file first",
            )
    return FormatError(str(table), line, f"found malformed XML ({error.msg})")
