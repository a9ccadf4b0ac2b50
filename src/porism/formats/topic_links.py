"""The posts of a collection that belong to a topic, as duplicate questions: lines of two ids.

The lab knew these from its site and did not publish them, so the format is our own: tab-separated,
with the header ``topic`` and ``question``, or ``topic`` and ``post``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from porism.formats.tab_separated import column_index, read_tabbed
from porism.formats.text_lines import check_ids, open_atomic
from porism.model import DocId, TopicId

_TOPIC_ID = re.compile(r"[A-Z]\.\d+")


def read_topic_links(path: Path) -> dict[TopicId, tuple[DocId, ...]]:
    """The posts of each topic, in the order of the file.

    A file of two columns that begins with a topic, such as ``A.1``, needs no header.
    """
    rows = read_tabbed(path)
    first = next(rows)
    if len(first.cells) == 2 and _TOPIC_ID.fullmatch(first.cells[0]):
        topic, post = 0, 1
        rows = chain([first], rows)
    else:
        topic, post = (
            column_index(first.cells, names, path) for names in (("topic",), ("question", "post"))
        )
    links: dict[TopicId, list[DocId]] = {}
    for row in rows:
        links.setdefault(TopicId(row.cells[topic]), []).append(DocId(row.cells[post]))
    return {topic_id: tuple(posts) for topic_id, posts in links.items()}


def write_topic_links(
    path: Path, column: str, links: Iterable[tuple[TopicId, Sequence[DocId]]]
) -> None:
    """Write the posts of each topic; ``column`` is what they are, ``question`` or ``post``."""
    with open_atomic(path) as file:
        file.write(f"topic\t{column}\n")
        for topic_id, posts in links:
            check_ids(path, (topic_id, *posts))
            file.writelines(f"{topic_id}\t{post}\n" for post in posts)
