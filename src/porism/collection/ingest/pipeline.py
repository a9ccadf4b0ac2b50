"""Ingest of a source into a new or existing collection.

The steps follow the files: posts, comments, small tables, the lab's formula files; then each
distinct formula is parsed once. Every step can be interrupted and resumed.
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

from porism.collection.ingest.documents import ingest_documents, known_files
from porism.collection.ingest.draft import DraftCollection, open_draft
from porism.collection.ingest.formula_trees import PendingFormula, parsed_formulas
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
from porism.collection.profile import PROFILE, computed_profile, profile_record
from porism.collection.progress import StepProgress, Watch
from porism.collection.schema import (
    DATABASE,
    INDEXES_BY_POST,
    LATE_INDEXES,
    SOURCE_PATH,
    UNFINISHED,
    RejectSeverity,
    connect_to_read,
    storable,
    transaction,
)
from porism.errors import PorismError
from porism.formats.documents import MAX_FILES
from porism.parallel import map_in_order

Row = TypeVar("Row")

REJECTS = "rejects.tsv"

CHUNK_FORMULAS = 1_000
FEW_FORMULAS = 5_000
"""Up to this number, formulas are parsed faster than worker processes start."""


@dataclass(frozen=True, slots=True)
class IngestOptions:
    """Options of an ingest.

    ``until`` keeps what was created up to the end of that year. ``skip_bad`` leaves out bad rows,
    which otherwise keep the ingest from finishing until they are fixed. A folder of documents may
    have ``max_files``.
    """

    format: SourceFormat | None = None
    until: int | None = None
    jobs: int = field(default_factory=lambda: os.cpu_count() or 1)
    skip_bad: bool = False
    max_files: int = MAX_FILES


def ingest(
    path: Path,
    folder: Path,
    options: IngestOptions,
    watch: Watch = lambda progress: None,
) -> IngestReport:
    """Ingest the source at ``path`` into the collection in ``folder`` and report its contents.

    Rows that have not changed are not processed again. If anything fails, the collection is
    unchanged, and the same call continues from where it stopped.
    """
    started = time.monotonic()
    source = open_source(path, options.format, known_files(folder), options.max_files)
    rules = IngestRules(options.until, options.jobs)
    _check_rules(folder, rules)
    _check_folder(folder, source)
    if _is_up_to_date(folder, source):
        with closing(connect_to_read(folder / DATABASE)) as connection:
            return ingest_report(connection, 0, time.monotonic() - started)
    purpose = f"{source.format} {path.resolve()} until {options.until}"
    with open_draft(folder, purpose) as draft:
        _ingest_parts(draft, source, rules, watch)
        new = _parse(draft, rules.jobs, watch)
        join_annotations(draft)
        _tidy(draft)
        _write_rejects(draft)
        if not options.skip_bad:
            _refuse_bad(draft)
        _record_profile(draft)
        report = ingest_report(draft.connection, new, time.monotonic() - started)
        draft.publish()
    return report


def _check_rules(folder: Path, rules: IngestRules) -> None:
    """Refuse another ``--until``, since rows left out by the first ingest would be missing."""
    if not (folder / DATABASE).exists():
        return
    with closing(connect_to_read(folder / DATABASE)) as connection:
        (until,) = connection.execute("SELECT value FROM meta WHERE key = 'until'").fetchone()
    if until != str(rules.until):
        before = "without --until" if until == "None" else f"with --until {until}"
        raise PorismError(f"{folder}: was made {before}; use the same, or make another collection")


def _check_folder(folder: Path, source: CollectionSource) -> None:
    """Refuse documents that would replace others with the same names from another folder."""
    if not source.is_documents or not (folder / DATABASE).exists():
        return
    part = source.posts[0]
    with closing(connect_to_read(folder / DATABASE)) as connection:
        row = connection.execute(
            "SELECT value FROM meta WHERE key = ?", (_path_key(part),)
        ).fetchone()
    if row is None or row[0] == storable(str(part.path.resolve())):
        return
    # A folder that no longer exists has most likely been moved.
    if os.path.lexists(row[0]):
        raise PorismError(
            f"{part.path}: the collection {folder} has the documents of {row[0]} under the same "
            "names, which these would replace; rename the folder, or make another collection"
        )


def _path_key(part: SourcePart[Row]) -> str:
    """The key under which the path of documents is recorded."""
    return f"{SOURCE_PATH}{part.name}"


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
    """Whether the finished collection has the current version of every part."""
    if not (folder / DATABASE).exists() or (folder / UNFINISHED).exists():
        return False
    with closing(connect_to_read(folder / DATABASE)) as connection:
        known = set(connection.execute("SELECT name, fingerprint FROM parts WHERE is_finished"))
    return all((part.name, part.fingerprint) in known for part in _parts(source))


def _ingest_parts(
    draft: DraftCollection, source: CollectionSource, rules: IngestRules, watch: Watch
) -> None:
    """Ingest the parts of the source that are new or have changed."""
    with transaction(draft.connection):
        draft.record_meta("until", str(rules.until))
        draft.record_meta("format", source.format)
        draft.record_meta("site", source.site)
        draft.record_meta("attributes", " ".join(source.attributes))
        if source.is_documents:
            part = source.posts[0]
            draft.record_meta(_path_key(part), storable(str(part.path.resolve())))
        _forget_dependent_parts(draft, source)
        draft.connection.execute("DROP INDEX IF EXISTS pending_by_number")
        (has_rows,) = draft.connection.execute("SELECT EXISTS (SELECT 1 FROM posts)").fetchone()
        if has_rows:
            _make_indexes_by_post(draft)
    for posts in source.posts:
        if not draft.is_finished(posts):
            read = ingest_documents if source.is_documents else ingest_posts
            read(draft, posts, rules, watch)
    for comments in source.comments:
        if not draft.is_finished(comments):
            ingest_comments(draft, comments, rules, watch)
    with transaction(draft.connection):
        _make_indexes_by_post(draft)
    ingest_small_tables(draft, source, rules, watch)
    remove_orphans(draft, source, rules)
    ingest_formula_files(draft, source, watch)


def _make_indexes_by_post(draft: DraftCollection) -> None:
    for statement in INDEXES_BY_POST:
        draft.connection.execute(statement)


def _forget_dependent_parts(draft: DraftCollection, source: CollectionSource) -> None:
    """Have parts ingested again if their rows depend on parts that are new."""

    def is_new(*parts: SourcePart[object]) -> bool:
        return not all(draft.is_finished(part) for part in parts)

    if is_new(*source.posts):
        # Rows without their post were left out, and it may be there now; months are written to
        # the rows of posts.
        draft.forget_parts((*source.comments, *source.links, *source.votes, *source.months))
    if any(draft.has_changed(part) for part in source.formulas):
        draft.connection.execute("DELETE FROM annotations")
    (unjoined,) = draft.connection.execute("SELECT EXISTS (SELECT 1 FROM annotations)").fetchone()
    if not unjoined and is_new(*source.posts, *source.comments, *source.formulas):
        # All formula files are joined with the instances together.
        draft.forget_parts(source.formulas)


def _parse(draft: DraftCollection, jobs: int, watch: Watch) -> int:
    """Parse the pending formulas and return how many were new."""
    connection = draft.connection
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
            connection.executemany("INSERT INTO formulas VALUES (?, ?, ?, ?, ?, ?)", chunk)
        done += len(chunk)
        watch(StepProgress("formulas", done, total, done))
    with transaction(connection):
        connection.execute("DROP INDEX pending_by_number")
        connection.execute("DELETE FROM pending")
    return int(total)


def _pending(connection: sqlite3.Connection) -> Iterator[list[PendingFormula]]:
    """The pending formulas in chunks, ordered by number."""
    last = -1
    while rows := connection.execute(
        "SELECT number, latex, macros FROM pending WHERE number > ? "
        "GROUP BY number ORDER BY number LIMIT ?",
        (last, CHUNK_FORMULAS),
    ).fetchall():
        last = rows[-1][0]
        yield rows


def _tidy(draft: DraftCollection) -> None:
    """Create the remaining indexes, and delete formulas that no longer occur."""
    connection = draft.connection
    with transaction(connection):
        for statement in LATE_INDEXES.split(";\n"):
            connection.execute(statement)
        connection.execute(
            "DELETE FROM formulas WHERE NOT EXISTS "
            "(SELECT 1 FROM instances WHERE instances.formula = formulas.number)"
        )


def _record_profile(draft: DraftCollection) -> None:
    with transaction(draft.connection):
        draft.record_meta(PROFILE, profile_record(computed_profile(draft.connection)))


def _write_rejects(draft: DraftCollection) -> None:
    """Write rejected rows and formulas with problems to a file next to the database."""
    unfinished = draft.folder / f".{REJECTS}"
    try:
        with unfinished.open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, delimiter="\t", lineterminator="\n")
            table.writerow(("path", "line", "what", "reason"))
            table.writerows(
                draft.connection.execute("SELECT path, line, what, reason FROM rejects")
            )
            table.writerows(
                ("", "", f"${latex}$", problem)
                for latex, problem in draft.connection.execute(
                    "SELECT latex, problem FROM formulas WHERE problem IS NOT NULL ORDER BY latex"
                )
            )
        unfinished.replace(draft.folder / REJECTS)
    finally:
        unfinished.unlink(missing_ok=True)


MAX_LISTED = 10
"""Bad rows that an error message lists."""


def _refuse_bad(draft: DraftCollection) -> None:
    """Refuse to finish while there are bad rows."""
    bad = draft.connection.execute(
        "SELECT path, line, what, reason FROM rejects WHERE is_bad = ? ORDER BY path, line",
        (RejectSeverity.BAD,),
    ).fetchall()
    if not bad:
        return
    lines = [f"{path}:{line}: {what}: {reason}" for path, line, what, reason in bad[:MAX_LISTED]]
    if len(bad) > MAX_LISTED:
        lines.append(f"... and {len(bad) - MAX_LISTED:,} more, in {draft.folder / REJECTS}")
    raise PorismError(
        "\n".join(lines)
        + f"\n{len(bad):,} {'row' if len(bad) == 1 else 'rows'} cannot be ingested. Fix the source "
        "or run the same command with --skip-bad, which continues from here without bad rows."
    )
