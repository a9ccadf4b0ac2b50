"""Which questions of a collection a topic repeats: lines of a topic's id and a question's id.

The lab knew this from its site and gave it to nobody, so the form is ours: tab separated, with the
header ``topic`` and ``question``.
"""

from __future__ import annotations

from pathlib import Path

from porism.formats.tab_separated import column, read_tabbed
from porism.model import DocId, TopicId


def read_topic_links(path: Path) -> dict[TopicId, tuple[DocId, ...]]:
    """The duplicates of each topic, in the order of the file."""
    rows = read_tabbed(path)
    header = next(rows).cells
    topic, question = (column(header, (name,), path) for name in ("topic", "question"))
    found: dict[TopicId, tuple[DocId, ...]] = {}
    for row in rows:
        topic_id = TopicId(row.cells[topic])
        found[topic_id] = (*found.get(topic_id, ()), DocId(row.cells[question]))
    return found
