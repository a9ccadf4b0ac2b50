"""The counts reported at the end of an ingest."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field

from porism.collection.ingest.instance_ids import POSTS_FROM, RECOVERED, REPAIRS
from porism.collection.ingest.sources import SourceFormat
from porism.collection.schema import RejectSeverity
from porism.formats.markup import MarkupRepair
from porism.model import PostKind


@dataclass(frozen=True, slots=True)
class IngestReport:
    """Counts of a collection; ``new_formulas`` and ``seconds`` are those of the last ingest.

    ``official`` counts instances to which the lab's formula files give a visual id other than
    ours, ``fresh`` those with an id from Porism. ``repairs`` counts the repairs by kind.
    ``left_out`` counts bad rows, ``skipped`` unreadable files and posts on which Porism fails, and
    ``guessed`` files whose encoding was guessed or that changed while they were read.
    ``other_files`` counts files in a folder of documents that are no documents, by the reason.
    """

    questions: int = 0
    answers: int = 0
    documents: int = 0
    comments: int = 0
    links: int = 0
    instances: int = 0
    official: int = 0
    fresh: int = 0
    formulas: int = 0
    new_formulas: int = 0
    refused: int = 0
    problems: int = 0
    left_out: int = 0
    skipped: int = 0
    guessed: int = 0
    spurious: int = 0
    lost_comments: int = 0
    repairs: dict[str, int] = field(default_factory=dict)
    other_files: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


def ingest_report(
    connection: sqlite3.Connection, new_formulas: int, seconds: float
) -> IngestReport:
    """The counts of the collection in the database."""

    def count(sql: str, *values: object) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {sql}", values).fetchone()[0])

    kinds = dict(connection.execute("SELECT kind, count(*) FROM posts GROUP BY kind"))
    lost = connection.execute("SELECT value FROM meta WHERE key = 'lost comments'").fetchone()
    return IngestReport(
        questions=kinds.get(PostKind.QUESTION, 0),
        answers=kinds.get(PostKind.ANSWER, 0),
        documents=kinds.get(PostKind.DOCUMENT, 0),
        comments=count("comments"),
        links=count("links"),
        instances=count("instances"),
        official=count("instances WHERE visual_id IS NOT NULL"),
        fresh=count("instances WHERE id >= ?", POSTS_FROM),
        formulas=count("formulas"),
        new_formulas=new_formulas,
        refused=count("formulas WHERE problem LIKE 'refused:%'"),
        problems=count("formulas WHERE problem IS NOT NULL"),
        left_out=count("rejects WHERE is_bad = ?", RejectSeverity.BAD),
        skipped=count("rejects WHERE is_bad = ?", RejectSeverity.SKIPPED),
        guessed=count("rejects WHERE is_bad = ?", RejectSeverity.GUESSED),
        spurious=count("rejects WHERE is_bad = ?", RejectSeverity.SPURIOUS),
        lost_comments=int(lost[0]) if lost else 0,
        repairs=_repairs(connection),
        other_files=dict(
            connection.execute(
                "SELECT reason, count(*) FROM rejects WHERE is_bad = ? "
                "GROUP BY reason ORDER BY count(*) DESC, reason",
                (RejectSeverity.OTHER,),
            )
        ),
        seconds=seconds,
    )


def _repairs(connection: sqlite3.Connection) -> dict[str, int]:
    """Repairs by kind; only in the lab's files should every formula have a span with an id."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'format'").fetchone()
    is_lab = row is not None and row[0] == SourceFormat.ARQMATH
    tally: Counter[str] = Counter()
    for bits, number in connection.execute(
        "SELECT repairs, count(*) FROM instances WHERE repairs <> 0 GROUP BY repairs"
    ):
        for place, repair in enumerate(REPAIRS):
            if bits & 1 << place and (is_lab or repair is MarkupRepair.DOUBLE_ESCAPED):
                tally[repair.value] += number
        if bits & RECOVERED:
            tally["id-recovered"] += number
    return dict(sorted(tally.items()))
