"""A collection becomes an index folder, and an index folder follows its collection."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from porism.collection.digests import answer_digests
from porism.collection.progress import Watch
from porism.collection.schema import text_number
from porism.collection.store import Collection
from porism.collection.visual_formulas import visual_formulas
from porism.errors import PorismError
from porism.filters import label_kinds
from porism.index.writer import empty_meta
from porism.locking import ProcessLock
from porism.searchindex.components import CollectionDigests, IndexBuild, index_fields
from porism.searchindex.components import IndexOptions as IndexOptions  # callers have it from here
from porism.searchindex.digests import changes, read_digests
from porism.searchindex.files import remove_unreferenced_files
from porism.searchindex.formula_table import write_empty_table
from porism.searchindex.index_folder import (
    ANSWERS,
    FORMULAS,
    IndexPlan,
    Manifest,
    generation_folder,
    is_search_index,
    read_keywords,
    read_manifest,
    write_manifest,
)

LOCK = ".index.lock"


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What the index now has, and how much of that was written or deleted to get there.

    ``skipped`` counts documents that were left out because of an error, which the log names.
    """

    answers: int
    formulas: int
    written: int
    deleted: int
    seconds: float
    skipped: int = 0


def build_index(
    collection: Collection, folder: Path, plan: IndexPlan, options: IndexOptions, watch: Watch
) -> IndexReport:
    """Index a collection in ``folder``; an index that is there stays in force until all is done."""
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        return _built(collection, folder, plan, options, watch)


def _built(
    collection: Collection, folder: Path, plan: IndexPlan, options: IndexOptions, watch: Watch
) -> IndexReport:
    begun = monotonic()
    # An index of another version, or a damaged one, is replaced as any other.
    before = _readable_contents(folder)
    if before is not None or not is_search_index(folder):
        remove_unreferenced_files(folder, before)
    numbers = (path.name.partition("-")[2] for path in folder.glob("generation-*"))
    last = max((int(number) for number in numbers if number.isdigit()), default=0)
    with _new_generation(folder, last + 1) as generation:
        work = IndexBuild(collection, generation, plan, options, watch)
        indexed = CollectionDigests(
            work.answer_digests(), work.visual_formula_digests(), work.keywords()
        )
        metas = empty_meta(index_fields(plan.answers)), empty_meta(index_fields(plan.formulas))
        with work.writers(metas, {}) as writers, work.table_folder() as table:
            skipped = work.tokenise_formulas(table, writers)
            work.write_forward(writers, table)
            threads = dict.fromkeys(thread for _, thread, _ in answer_digests(collection))
            answers = work.write_answers(writers, table, list(threads))
            skipped += answers.skipped
            written = answers.written
            written += work.write_formulas(writers.formulas, table, visual_formulas(collection))
            writers.flush()
            contents = Manifest(
                generation=last + 1,
                commit=1 if before is None else before.commit + 1,
                collection=os.path.relpath(collection.path.resolve(), folder.resolve()),
                plan=plan,
                labels=label_kinds(),
                **work.written_parts(writers, indexed, 1),
            )
            write_manifest(folder, contents)
    remove_unreferenced_files(folder, contents)
    return _report(contents, written, 0, begun, skipped)


def _readable_contents(folder: Path) -> Manifest | None:
    """What is in force, if that can be read."""
    try:
        return read_manifest(folder)
    except PorismError:
        return None


def _alone(folder: Path) -> ProcessLock:
    return ProcessLock(
        folder / LOCK, f"{folder}: another process is making this index; wait for it"
    )


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


def update_index(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch
) -> IndexReport:
    """Index what has changed in the collection since, and delete what is gone from it.

    An index that an earlier Porism made, with other labels, is made again as a whole.
    """
    begun = monotonic()
    with _alone(folder):
        return _updated(collection, folder, options, watch, begun)


def _updated(
    collection: Collection, folder: Path, options: IndexOptions, watch: Watch, begun: float
) -> IndexReport:
    contents = read_manifest(folder)
    remove_unreferenced_files(folder, contents)
    plan = contents.plan
    generation = generation_folder(folder, contents.generation)
    work = IndexBuild(collection, generation, plan, options, watch)
    indexed = CollectionDigests(
        work.answer_digests(), work.visual_formula_digests(), work.keywords()
    )
    answers = changes(read_digests(generation, contents.digests[0]), indexed.answers)
    formulas = changes(read_digests(generation, contents.digests[1]), indexed.formulas)
    if contents.labels != label_kinds():
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
        if text_number(doc_id) in answers.to_write
    )
    altered = (
        look
        for look in visual_formulas(collection)
        if text_number(look.visual_id) in formulas.to_write
    )
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
        write_manifest(folder, contents)
    remove_unreferenced_files(folder, contents)
    written = len(answers.to_write) - done.skipped + len(formulas.to_write)
    return _report(contents, written, deleted, begun, done.skipped)


def _report(
    contents: Manifest, written: int, deleted: int, begun: float, skipped: int
) -> IndexReport:
    return IndexReport(
        answers=contents.answers.documents,
        formulas=contents.formulas.documents,
        written=written,
        deleted=deleted,
        seconds=monotonic() - begun,
        skipped=skipped,
    )
