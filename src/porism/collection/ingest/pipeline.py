"""A source becomes a collection, or brings one up to date.

The steps follow the files: posts, comments, what belongs to them, the lab's formula files; then
each distinct formula is parsed once. Every step can be broken off and gone on with.
"""

from __future__ import annotations

import csv
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from porism.collection.ingest.draft import DraftCollection, open_draft
from porism.collection.ingest.formula_trees import PendingValues, parsed_formulas
from porism.collection.ingest.posts import IngestRules, ingest_comments, ingest_posts
from porism.collection.ingest.reconciliation import join_annotations, remove_orphans
from porism.collection.ingest.report import IngestReport, ingest_report
from porism.collection.ingest.sources import (
    CollectionSource,
    SourceFormat,
    SourcePart,
    open_source,
)
from porism.collection.ingest.tables import ingest_formula_files, ingest_small_tables
from porism.collection.progress import StepProgress, Watch
from porism.collection.schema import (
    DATABASE,
    INDEXES_BY_POST,
    LATE_INDEXES,
    UNFINISHED,
    RejectSeverity,
    connect_to_read,
    storable,
    transaction,
)
from porism.errors import PorismError
from porism.parallel import map_in_order

Row = TypeVar("Row")

REJECTS = "rejects.tsv"

CHUNK_FORMULAS = 1_000
FEW_FORMULAS = 5_000
"""So many formulas are parsed sooner than other processes have begun."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """How a source is taken in.

    ``until`` keeps what was created up to the end of that year. ``skip_bad`` leaves out rows that
    cannot be taken in, where otherwise the collection stays as it was until they are mended.
    """

    format: SourceFormat | None = None
    until: int | None = None
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    skip_bad: bool = False


def ingest(
    path: Path,
    folder: Path,
    options: IngestOptions,
    watch: Watch = lambda progress: None,
) -> IngestReport:
    """Take the source at ``path`` into the collection in ``folder``, and report what it then has.

    What is in the collection as it is in the source is left alone. If anything fails, the
    collection is what it was before, and the same call again goes on where it stopped.
    """
    begun = time.monotonic()
    source = open_source(path, options.format)
    rules = IngestRules(options.until, options.jobs)
    _check_rules(folder, rules)
    _check_folder(folder, source)
    if _is_up_to_date(folder, source):
        with closing(connect_to_read(folder / DATABASE)) as connection:
            return ingest_report(connection, 0, time.monotonic() - begun)
    purpose = f"{source.format} {path.resolve()} until {options.until}"
    with open_draft(folder, purpose) as building:
        _take(building, source, rules, watch)
        new = _parse(building, rules.jobs, watch)
        join_annotations(building)
        _tidy(building)
        _write_rejects(building)
        if not options.skip_bad:
            _refuse_bad(building)
        told = ingest_report(building.connection, new, time.monotonic() - begun)
        building.publish()
    return told


def _check_rules(folder: Path, rules: IngestRules) -> None:
    """Refuse to mix years: what an earlier ingest left out would be missed without a word."""
    if not (folder / DATABASE).exists():
        return
    with closing(connect_to_read(folder / DATABASE)) as connection:
        (until,) = connection.execute("SELECT value FROM meta WHERE key = 'until'").fetchone()
    if until != str(rules.until):
        before = "without --until" if until == "None" else f"with --until {until}"
        raise PorismError(f"{folder}: was made {before}; keep to that, or make another collection")


def _check_folder(folder: Path, source: CollectionSource) -> None:
    """Refuse documents that would take the place of others, which have the same names elsewhere."""
    if not source.is_documents or not (folder / DATABASE).exists():
        return
    part = source.posts[0]
    with closing(connect_to_read(folder / DATABASE)) as connection:
        found = connection.execute(
            "SELECT value FROM meta WHERE key = ?", (_place(part),)
        ).fetchone()
    if found is None or found[0] == storable(str(part.path.resolve())):
        return
    # One that is no longer there has most likely been moved.
    if os.path.lexists(found[0]):
        raise PorismError(
            f"{part.path}: the collection {folder} has the documents of {found[0]} under the same "
            "names, and these would take their place; rename it, or make another collection"
        )


def _place(part: SourcePart[Row]) -> str:
    """What the place of documents is noted under."""
    return f"place of {part.name}"


def _parts(source: CollectionSource) -> Iterator[SourcePart[object]]:
    yield from source.posts
    yield from source.comments
    yield from source.links
    yield from source.tags
    yield from source.users
    yield from source.votes
    yield from source.formulas
    yield from source.linked_titles
    yield from source.months


def _is_up_to_date(folder: Path, source: CollectionSource) -> bool:
    """Whether the finished collection has every part of the source as it is now."""
    if not (folder / DATABASE).exists() or (folder / UNFINISHED).exists():
        return False
    with closing(connect_to_read(folder / DATABASE)) as connection:
        known = set(connection.execute("SELECT name, fingerprint FROM parts WHERE is_finished"))
    return all((part.name, part.fingerprint) in known for part in _parts(source))


def _take(
    building: DraftCollection, source: CollectionSource, rules: IngestRules, watch: Watch
) -> None:
    """Take in the parts of the source that are not in the collection as they are."""
    with transaction(building.connection):
        building.note("until", str(rules.until))
        building.note("format", source.format)
        building.note("attributes", " ".join(source.attributes))
        if source.is_documents:
            building.note(_place(source.posts[0]), storable(str(source.posts[0].path.resolve())))
        _forget_what_depends(building, source)
        building.connection.execute("DROP INDEX IF EXISTS pending_by_number")
        (has_rows,) = building.connection.execute("SELECT EXISTS (SELECT 1 FROM posts)").fetchone()
        if has_rows:
            _make_indexes_by_post(building)
    for posts in source.posts:
        if not building.is_finished(posts):
            ingest_posts(building, posts, rules, watch)
    for comments in source.comments:
        if not building.is_finished(comments):
            ingest_comments(building, comments, rules, watch)
    with transaction(building.connection):
        _make_indexes_by_post(building)
    ingest_small_tables(building, source, rules, watch)
    remove_orphans(building, source, rules)
    ingest_formula_files(building, source, watch)


def _make_indexes_by_post(building: DraftCollection) -> None:
    for statement in INDEXES_BY_POST:
        building.connection.execute(statement)


def _forget_what_depends(building: DraftCollection, source: CollectionSource) -> None:
    """See to it that parts are taken in again whose rows depend on others that are new."""

    def is_new(*parts: SourcePart[object]) -> bool:
        return not all(building.is_finished(part) for part in parts)

    if is_new(*source.posts):
        # Rows whose post was not there have been left out, and it may be there now; the months
        # are written to the rows of posts.
        building.forget((*source.comments, *source.links, *source.votes, *source.months))
    if any(building.has_changed(part) for part in source.formulas):
        building.connection.execute("DELETE FROM annotations")
    (unjoined,) = building.connection.execute(
        "SELECT EXISTS (SELECT 1 FROM annotations)"
    ).fetchone()
    if not unjoined and is_new(*source.posts, *source.comments, *source.formulas):
        # What formula files say is joined to the instances, by all files together.
        building.forget(source.formulas)


def _parse(building: DraftCollection, jobs: int, watch: Watch) -> int:
    """Parse the formulas that are pending and return how many were new."""
    connection = building.connection
    with transaction(connection):
        connection.execute(
            "DELETE FROM pending WHERE EXISTS "
            "(SELECT 1 FROM formulas WHERE formulas.number = pending.number)"
        )
        connection.execute("CREATE INDEX IF NOT EXISTS pending_by_number ON pending (number)")
    (total,) = connection.execute("SELECT count(DISTINCT number) FROM pending").fetchone()
    done = 0
    for chunk in map_in_order(
        parsed_formulas, _pending(connection), jobs if total > FEW_FORMULAS else 1
    ):
        with transaction(connection):
            connection.executemany("INSERT INTO formulas VALUES (?, ?, ?, ?, ?, ?, ?)", chunk)
        done += len(chunk)
        watch(StepProgress("formulas", done, total, done))
    with transaction(connection):
        connection.execute("DROP INDEX pending_by_number")
        connection.execute("DELETE FROM pending")
    return int(total)


def _pending(connection: sqlite3.Connection) -> Iterator[list[PendingValues]]:
    """The formulas that are pending, by the chunk and in order, so that each chunk is a range."""
    last = -1
    while rows := connection.execute(
        "SELECT number, latex, macros FROM pending WHERE number > ? "
        "GROUP BY number ORDER BY number LIMIT ?",
        (last, CHUNK_FORMULAS),
    ).fetchall():
        last = rows[-1][0]
        yield rows


def _tidy(building: DraftCollection) -> None:
    """Make the indexes that were left for the end, and drop formulas that occur no more."""
    connection = building.connection
    with transaction(connection):
        for statement in LATE_INDEXES.split(";\n"):
            connection.execute(statement)
        connection.execute(
            "DELETE FROM formulas WHERE NOT EXISTS "
            "(SELECT 1 FROM instances WHERE instances.formula = formulas.number)"
        )


def _write_rejects(building: DraftCollection) -> None:
    """Write what was not taken as it stands, and formulas with problems, beside the database."""
    unfinished = building.folder / f".{REJECTS}"
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, delimiter="\t", lineterminator="\n")
            table.writerow(("path", "line", "what", "reason"))
            table.writerows(
                building.connection.execute("SELECT path, line, what, reason FROM rejects")
            )
            table.writerows(
                ("", "", f"${latex}$", problem)
                for latex, problem in building.connection.execute(
                    "SELECT latex, problem FROM formulas WHERE problem IS NOT NULL ORDER BY latex"
                )
            )
        unfinished.replace(building.folder / REJECTS)
    finally:
        unfinished.unlink(missing_ok=True)


PROGRESS_ROWS = 10


def _refuse_bad(building: DraftCollection) -> None:
    """Refuse to finish while there are rows that cannot be taken in."""
    bad = building.connection.execute(
        "SELECT path, line, what, reason FROM rejects WHERE is_bad = ? ORDER BY path, line",
        (RejectSeverity.BAD,),
    ).fetchall()
    if not bad:
        return
    told = [f"{path}:{line}: {what}: {reason}" for path, line, what, reason in bad[:PROGRESS_ROWS]]
    if len(bad) > PROGRESS_ROWS:
        told.append(f"... and {len(bad) - PROGRESS_ROWS:,} more, in {building.folder / REJECTS}")
    raise PorismError(
        "\n".join(told)
        + f"\n{len(bad):,} {'row' if len(bad) == 1 else 'rows'} cannot be taken in as found. Mend "
        "what is wrong, or run the same command with --skip-bad, which goes on from here without."
    )
