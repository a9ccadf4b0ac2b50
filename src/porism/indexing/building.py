"""A collection becomes an index folder, and an index folder follows its collection."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from porism.analysis.labels import KINDS
from porism.collection.digests import answer_digests
from porism.collection.looks import looks
from porism.collection.progress import Watch
from porism.collection.schema import number_of
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.index.writing import empty_meta
from porism.indexing.digests import changes, read_digests
from porism.indexing.files import remove_unnamed_files
from porism.indexing.formula_table import (
    write_empty_table,
)
from porism.indexing.library import (
    ANSWERS,
    FORMULAS,
    Contents,
    Plan,
    generation_folder,
    is_library,
    read_contents,
    read_keywords,
    write_contents,
)
from porism.indexing.work import Indexed, Work, fields_of
from porism.indexing.work import Options as Options  # callers have it from here
from porism.locking import Lock

LOCK = ".index.lock"


@dataclass(frozen=True, slots=True)
class Report:
    """What the index now has, and how much of that was written or deleted to get there.

    ``skipped`` counts documents that were left out because of an error, which the log names.
    """

    answers: int
    formulas: int
    written: int
    deleted: int
    seconds: float
    skipped: int = 0


def build(
    collection: Collection, folder: Path, plan: Plan, options: Options, watch: Watch
) -> Report:
    """Index a collection in ``folder``; an index that is there stays in force until all is done."""
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        return _built(collection, folder, plan, options, watch)


def _built(
    collection: Collection, folder: Path, plan: Plan, options: Options, watch: Watch
) -> Report:
    begun = monotonic()
    # An index of another version, or a damaged one, is replaced as any other.
    before = _readable_contents(folder)
    if before is not None or not is_library(folder):
        remove_unnamed_files(folder, before)
    numbers = (path.name.partition("-")[2] for path in folder.glob("generation-*"))
    last = max((int(number) for number in numbers if number.isdigit()), default=0)
    with _new_generation(folder, last + 1) as generation:
        work = Work(collection, generation, plan, options, watch)
        indexed = Indexed(work.answer_digests(), work.look_digests(), work.keywords())
        metas = empty_meta(fields_of(plan.answers)), empty_meta(fields_of(plan.formulas))
        with work.writers(metas, {}) as writers, work.table_folder() as table:
            skipped = work.tokenise_formulas(table, writers)
            work.write_forward(writers, table)
            threads = dict.fromkeys(thread for _, thread, _ in answer_digests(collection))
            answers = work.write_answers(writers, table, list(threads))
            skipped += answers.skipped
            written = answers.written
            written += work.write_formulas(writers.formulas, table, looks(collection))
            writers.flush()
            contents = Contents(
                generation=last + 1,
                commit=1 if before is None else before.commit + 1,
                collection=os.path.relpath(collection.path.resolve(), folder.resolve()),
                plan=plan,
                labels=KINDS,
                **work.written_parts(writers, indexed, 1),
            )
            write_contents(folder, contents)
    remove_unnamed_files(folder, contents)
    return _report(contents, written, 0, begun, skipped)


def _readable_contents(folder: Path) -> Contents | None:
    """What is in force, if that can be read."""
    try:
        return read_contents(folder)
    except PorismError:
        return None


def _alone(folder: Path) -> Lock:
    return Lock(folder / LOCK, f"{folder}: another process is making this index; wait for it")


@contextmanager
def _new_generation(folder: Path, number: int) -> Iterator[Path]:
    """An empty folder for a generation, gone again if that is not put in force."""
    generation = generation_folder(folder, number)
    shutil.rmtree(generation, ignore_errors=True)
    generation.mkdir()
    try:
        yield generation
    except BaseException:
        # It may have been put in force just before, as when an interrupt came at that moment.
        contents = _readable_contents(folder)
        if contents is None or contents.generation != number:
            shutil.rmtree(generation, ignore_errors=True)
        raise


def update(collection: Collection, folder: Path, options: Options, watch: Watch) -> Report:
    """Index what has changed in the collection since, and delete what is gone from it.

    An index that an earlier Porism made, with other labels, is made again as a whole.
    """
    begun = monotonic()
    with _alone(folder):
        return _updated(collection, folder, options, watch, begun)


def _updated(
    collection: Collection, folder: Path, options: Options, watch: Watch, begun: float
) -> Report:
    contents = read_contents(folder)
    remove_unnamed_files(folder, contents)
    plan = contents.plan
    generation = generation_folder(folder, contents.generation)
    work = Work(collection, generation, plan, options, watch)
    indexed = Indexed(work.answer_digests(), work.look_digests(), work.keywords())
    answers = changes(read_digests(generation, contents.digests[0]), indexed.answers)
    formulas = changes(read_digests(generation, contents.digests[1]), indexed.formulas)
    if contents.labels != KINDS:
        deleted = len(answers.to_delete) + len(formulas.to_delete)
        anew = _built(collection, folder, plan, options, watch)
        return replace(anew, deleted=deleted)
    if not (answers.is_any or formulas.is_any) and indexed.keywords == read_keywords(
        generation, contents.keywords
    ):
        return _report(contents, 0, 0, begun, 0)
    threads = dict.fromkeys(
        thread
        for doc_id, thread, _ in answer_digests(collection)
        if number_of(doc_id) in answers.to_write
    )
    altered = (look for look in looks(collection) if number_of(look.visual_id) in formulas.to_write)
    metas = contents.answers, contents.formulas
    with work.writers(metas, contents.forward) as writers, work.table_folder() as table:
        write_empty_table(table, plan.notations)
        deleted = work.delete(writers.answers, ANSWERS, answers.to_delete)
        deleted += work.delete(writers.formulas, FORMULAS, formulas.to_delete)
        # Whole threads are written, because what has changed in one often concerns all of it.
        done = work.write_answers(writers, table, list(threads))
        work.write_formulas(writers.formulas, table, altered)
        writers.flush()
        number = contents.commit + 1
        parts = work.written_parts(writers, indexed, number)
        contents = replace(contents, commit=number, **parts)
        write_contents(folder, contents)
    remove_unnamed_files(folder, contents)
    written = len(answers.to_write) - done.skipped + len(formulas.to_write)
    return _report(contents, written, deleted, begun, done.skipped)


def _report(contents: Contents, written: int, deleted: int, begun: float, skipped: int) -> Report:
    return Report(
        answers=contents.answers.documents,
        formulas=contents.formulas.documents,
        written=written,
        deleted=deleted,
        seconds=monotonic() - begun,
        skipped=skipped,
    )
