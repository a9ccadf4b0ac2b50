"""Posts and instances as plain rows, in order, by position or by id, for other tools."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from porism.collection.schema import EFFECTIVE_VISUAL_ID, is_number
from porism.collection.store import Collection


@dataclass(frozen=True, slots=True)
class RecordTable:
    """Which rows of the database are records, and which columns they have.

    Records are ordered by ``number``. ``joins`` add columns but neither add nor remove rows.
    ``by_id`` is the condition for the id ``?1``, or ``?2`` as a number.
    """

    columns: str
    table: str
    joins: str
    number: str
    condition: str
    by_id: str

    def rows(self, collection: Collection, start: int = 0) -> Iterator[tuple[object, ...]]:
        """The rows from a position on."""
        # The first row is found by its number alone, so that texts before it are not read.
        first = (
            f"{self.number} >= (SELECT {self.number} FROM {self.table} WHERE {self.condition} "
            f"ORDER BY {self.number} LIMIT 1 OFFSET {start})"
        )
        return collection._connection.execute(self._query(first if start else "1"))

    def rows_by_id(self, collection: Collection, record_id: str) -> list[tuple[object, ...]]:
        """The row with this id, in a list, which is empty if there is none."""
        values = (record_id, int(record_id) if is_number(record_id) else -1)
        return collection._connection.execute(self._query(self.by_id), values).fetchall()

    def count(self, collection: Collection) -> int:
        """The number of rows."""
        query = f"SELECT count(*) FROM {self.table} WHERE {self.condition}"
        return int(collection._connection.execute(query).fetchone()[0])

    def _query(self, condition: str) -> str:
        return (
            f"SELECT {self.columns} FROM {self.table} {self.joins} "
            f"WHERE {self.condition} AND ({condition}) ORDER BY {self.number}"
        )


def _posts(condition: str) -> RecordTable:
    return RecordTable(
        columns="id, name, kind, parent_id, title, body, tags, score, created",
        table="posts",
        joins="",
        number="posts.id",
        condition=condition,
        by_id="name = ?1 OR (id = ?2 AND name IS NULL)",
    )


ANSWER_RECORDS = _posts("kind IN ('answer', 'document')")
QUESTION_RECORDS = _posts("kind = 'question'")
FORMULA_RECORDS = RecordTable(
    columns=(f"instances.id, latex, macros, {EFFECTIVE_VISUAL_ID}, coalesce(posts.name, posts.id)"),
    table="instances",
    joins=(
        "JOIN formulas ON formulas.number = instances.formula "
        "JOIN posts ON posts.id = instances.post_id"
    ),
    number="instances.id",
    condition="1",
    by_id="instances.id = ?2",
)
