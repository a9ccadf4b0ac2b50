"""Rows of the database as records."""

from __future__ import annotations

from collections.abc import Iterable

from porism.assess.judgments.database import DatabaseRow
from porism.assess.records import Annotation, Choice, Instructions, Judgment, VisualMatchRule
from porism.model import DocId, TopicId

JUDGMENT_COLUMNS = (
    "key, batch, assessor, topic, document, choice, seconds, comment, is_adjudication, "
    "is_machine_made, is_unrelated"
)
"""The content of a judgment, which must be equal if the same key is sent again."""

SELECT_JUDGMENTS = f"SELECT number, {JUDGMENT_COLUMNS}, instructions, at FROM judgments"

ANNOTATION_COLUMNS = "key, batch, assessor, topic, document, is_machine_made, is_unrelated"
SELECT_ANNOTATIONS = f"SELECT number, {ANNOTATION_COLUMNS}, at FROM annotations"

SELECT_INSTRUCTIONS = (
    "SELECT number, same_look, asks_annotations, at FROM instructions ORDER BY number"
)


def judgment_from_row(row: DatabaseRow) -> Judgment:
    """The judgment of a row of ``SELECT_JUDGMENTS``."""
    number, _, batch, assessor, topic, document, choice, seconds, comment, *flags, at = row
    is_adjudication, is_machine_made, is_unrelated, instructions = flags
    return Judgment(
        number=number,
        batch=batch,
        assessor=assessor,
        topic_id=TopicId(topic),
        doc_id=DocId(document),
        choice=None if choice is None else Choice(choice),
        at=at,
        seconds=seconds,
        comment=comment,
        is_adjudication=bool(is_adjudication),
        is_machine_made=_flag(is_machine_made),
        is_unrelated=_flag(is_unrelated),
        instructions=instructions,
    )


def annotation_from_row(row: DatabaseRow) -> Annotation:
    """The annotation of a row of ``SELECT_ANNOTATIONS``."""
    number, _, batch, assessor, topic, document, is_machine_made, is_unrelated, at = row
    return Annotation(
        number=number,
        batch=batch,
        assessor=assessor,
        topic_id=TopicId(topic),
        doc_id=DocId(document),
        is_machine_made=_flag(is_machine_made),
        is_unrelated=_flag(is_unrelated),
        at=at,
    )


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def instructions_from_rows(rows: Iterable[DatabaseRow]) -> tuple[Instructions, ...]:
    """All instructions from the rows of ``SELECT_INSTRUCTIONS``; the last are the current ones."""
    stored = (
        Instructions(number, VisualMatchRule(same_look), bool(asks_annotations), at)
        for number, same_look, asks_annotations, at in rows
    )
    return (Instructions(), *stored)
