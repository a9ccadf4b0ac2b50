"""The posts of a collection that belong to a topic, as duplicate questions: lines of two ids.

The lab knew these from its site and did not publish them, so the format is our own: tab-separated,
with the header ``topic`` and ``question``, or ``topic`` and ``post``.
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
    links: dict[TopicId, tuple[DocId, ...]] = {}
    for row in rows:
        topic_id = TopicId(row.cells[topic])
        links[topic_id] = (*links.get(topic_id, ()), DocId(row.cells[post]))
    return links
