"""Rows of the database as records: which columns are asked for, and what they become."""

from __future__ import annotations

from collections.abc import Iterable

from porism.assess.database import Row
from porism.assess.records import Annotation, Choice, Instructions, Judgment, SameLook
from porism.model import DocId, TopicId

COLUMNS = (
    "key, batch, assessor, topic, document, choice, seconds, comment, is_adjudication, "
    "is_machine_made, is_unrelated"
)
"""What a judgment says; what is sent again under the same key must say the same."""

JUDGMENTS = f"SELECT number, {COLUMNS}, instructions, at FROM judgments"

MARKS = "key, batch, assessor, topic, document, is_machine_made, is_unrelated"
ANNOTATIONS = f"SELECT number, {MARKS}, at FROM annotations"

INSTRUCTIONS = "SELECT number, same_look, asks_annotations, at FROM instructions ORDER BY number"


def judgment_of(row: Row) -> Judgment:
    """The judgment of a row of ``JUDGMENTS``."""
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
        is_machine_made=_mark(is_machine_made),
        is_unrelated=_mark(is_unrelated),
        instructions=instructions,
    )


def annotation_of(row: Row) -> Annotation:
    """The annotation of a row of ``ANNOTATIONS``."""
    number, _, batch, assessor, topic, document, is_machine_made, is_unrelated, at = row
    return Annotation(
        number=number,
        batch=batch,
        assessor=assessor,
        topic_id=TopicId(topic),
        doc_id=DocId(document),
        is_machine_made=_mark(is_machine_made),
        is_unrelated=_mark(is_unrelated),
        at=at,
    )


def _mark(kept: int | None) -> bool | None:
    return None if kept is None else bool(kept)


def instructions_of(rows: Iterable[Row]) -> tuple[Instructions, ...]:
    """What the rows of ``INSTRUCTIONS`` tell, by number; the last is what holds."""
    told = (
        Instructions(number, SameLook(same_look), bool(asks_annotations), at)
        for number, same_look, asks_annotations, at in rows
    )
    return (Instructions(), *told)
