"""Links between questions as lines of two ids, and of the kind of the link.

The format is our own: tab-separated, with the header ``question``, ``linked`` and ``kind``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from porism.errors import FormatError
from porism.formats.tab_separated import column_index, read_tabbed
from porism.formats.text_lines import check_ids, open_atomic
from porism.model import DocId, Link

QUESTION, LINKED, KIND = "question", "linked", "kind"


def read_link_pairs(path: Path) -> Iterator[tuple[DocId, DocId]]:
    """The two questions of each link; columns other than ``question`` and ``linked`` are ignored.

    A file of two columns of numbers needs no header.
    """
    rows = read_tabbed(path)
    first = next(rows)
    if len(first.cells) == 2 and all(map(_is_id, first.cells)):
        question, linked = 0, 1
        rows = chain([first], rows)
    else:
        question, linked = (column_index(first.cells, (name,), path) for name in (QUESTION, LINKED))
    for row in rows:
        pair = (row.cells[question], row.cells[linked])
        if not all(map(_is_id, pair)):
            why = f"found {pair[0]!r} and {pair[1]!r}: expected the ids of two questions"
            raise FormatError(str(path), row.line, why)
        yield DocId(pair[0]), DocId(pair[1])


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal()


def write_links(path: Path, links: Iterable[Link]) -> None:
    """Write links with their kinds, in their direction."""
    with open_atomic(path) as file:
        file.write(f"{QUESTION}\t{LINKED}\t{KIND}\n")
        for link in links:
            check_ids(path, (link.post_id, link.related_id))
            file.write(f"{link.post_id}\t{link.related_id}\t{link.kind}\n")
