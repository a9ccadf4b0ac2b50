"""Which posts of a collection belong to a topic, as questions that it repeats: lines of two ids.

The lab knew this from its site and gave it to nobody, so the form is ours: tab separated, with the
header ``topic`` and ``question``, or ``topic`` and ``post``.
"""

from __future__ import annotations

from pathlib import Path

from porism.formats.tab_separated import column_index, read_tabbed
from porism.model import DocId, TopicId


def read_topic_links(path: Path) -> dict[TopicId, tuple[DocId, ...]]:
    """The posts of each topic, in the order of the file."""
    rows = read_tabbed(path)
    header = next(rows).cells
    topic, post = (
        column_index(header, names, path) for names in (("topic",), ("question", "post"))
    )
    found: dict[TopicId, tuple[DocId, ...]] = {}
    for row in rows:
        topic_id = TopicId(row.cells[topic])
        found[topic_id] = (*found.get(topic_id, ()), DocId(row.cells[post]))
    return found
