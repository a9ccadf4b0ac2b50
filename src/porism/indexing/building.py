"""A collection becomes an index folder, and an index folder follows its collection."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import NamedTuple, TypeVar

import numpy as np

from porism.analysis import Notation, Recipe, keyword_vocabulary
from porism.analysis.labels import KINDS, labels
from porism.collection.digests import answer_digests
from porism.collection.looks import Look, looks
from porism.collection.post_text import text_content
from porism.collection.progress import Progress, Watch
from porism.collection.schema import number_of
from porism.collection.store import Collection
from porism.formats.byte_streams import replaced_file
from porism.index import Batch, Field, IndexWriter, Tokens, open_index
from porism.indexing.digests import Digests, changes, digests, read_digests, write_digests
from porism.indexing.formula_table import (
    Keys,
    open_formula_table,
    write_empty_table,
    write_formula_table,
)
from porism.indexing.forward import ForwardWriter, distinct, keys_of, rows_of
from porism.indexing.library import (
    ANSWERS,
    FORMULAS,
    IN_POST,
    KEYWORDS,
    LABELS,
    Contents,
    Plan,
    forward_folder,
    generation_folder,
    read_contents,
    write_contents,
)
from porism.indexing.tokenising import ThreadChunk, Tokeniser, thread_batch
from porism.locking import Lock
from porism.parallel import in_order

Item = TypeVar("Item")

LOCK = ".index.lock"

MAX_SEGMENTS = 8
"""How many updates leave a segment each before they are made one."""

CHUNK_THREADS = 64
CHUNK_LOOKS = 5_000


@dataclass(frozen=True, slots=True)
class Options:
    """By how many processes an index is made, and in how many bytes of memory for postings."""

    jobs: int = 1
    memory: int = 2 << 30


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
    numbers = (path.name.partition("-")[2] for path in folder.glob("generation-*"))
    last = max((int(number) for number in numbers if number.isdigit()), default=0)
    with _new_folder(generation_folder(folder, last + 1)) as generation:
        work = _Work(collection, generation, plan, options, watch)
        with work.writers() as writers, work.table_folder() as table:
            skipped = work.tokenise_formulas(table, writers)
            work.write_forward(table)
            threads = dict.fromkeys(thread for _, thread, _ in answer_digests(collection))
            answers = work.write_answers(writers.answers, table, list(threads))
            written = answers.written
            skipped += answers.skipped
            written += work.write_formulas(writers.formulas, table, looks(collection))
            writers.commit()
        work.note_what_is_indexed()
        place = os.path.relpath(collection.path.resolve(), folder.resolve())
        write_contents(folder, Contents(last + 1, place, plan, KINDS))
    for old in folder.glob("generation-*"):
        if old != generation:
            shutil.rmtree(old, ignore_errors=True)
    return work.report(written, 0, begun, skipped)


def _alone(folder: Path) -> Lock:
    return Lock(folder / LOCK, f"{folder}: another process is making this index; wait for it")


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder that is empty, and gone if what is done with it fails."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
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
    plan = contents.plan
    generation = generation_folder(folder, contents.generation)
    work = _Work(collection, generation, plan, options, watch)
    answers = changes(read_digests(work.digests_file(ANSWERS)), work.answer_digests())
    formulas = changes(read_digests(work.digests_file(FORMULAS)), work.look_digests())
    if contents.labels != KINDS:
        deleted = len(answers.to_delete) + len(formulas.to_delete)
        anew = _built(collection, folder, plan, options, watch)
        return replace(anew, deleted=deleted)
    threads = dict.fromkeys(
        thread
        for doc_id, thread, _ in answer_digests(collection)
        if number_of(doc_id) in answers.to_write
    )
    altered = (look for look in looks(collection) if number_of(look.visual_id) in formulas.to_write)
    with work.writers() as writers, work.table_folder() as table:
        write_empty_table(table, plan.notations)
        deleted = work.delete(writers.answers, ANSWERS, answers.to_delete)
        deleted += work.delete(writers.formulas, FORMULAS, formulas.to_delete)
        # Whole threads are written, because what has changed in one often concerns all of it.
        done = work.write_answers(writers.answers, table, list(threads))
        work.write_formulas(writers.formulas, table, altered)
        writers.commit()
        writers.merge_where_many()
    # If this is left undone, the next update does the same documents once more.
    work.note_what_is_indexed()
    written = len(answers.to_write) - done.skipped + len(formulas.to_write)
    return work.report(written, deleted, begun, done.skipped)


class _Writers(NamedTuple):
    answers: IndexWriter
    formulas: IndexWriter

    def commit(self) -> None:
        for writer in self:
            writer.commit()

    def merge_where_many(self) -> None:
        """Make one segment of all where updates have left too many to be searched quickly."""
        for writer in self:
            if writer.segments > MAX_SEGMENTS:
                writer.merge()


class _Answers(NamedTuple):
    """How many documents were written, and how many left out because of an error."""

    written: int
    skipped: int


@dataclass(frozen=True, slots=True)
class _Work:
    """One build or update: of which collection, in which generation, and how."""

    collection: Collection
    generation: Path
    plan: Plan
    options: Options
    watch: Watch

    @contextmanager
    def writers(self) -> Iterator[_Writers]:
        """Writers of both indexes; what they have not committed is gone at the end."""
        memory = self.options.memory // 2
        with (
            IndexWriter(self.generation / ANSWERS, _fields(self.plan.answers), memory) as answers,
            IndexWriter(
                self.generation / FORMULAS, _fields(self.plan.formulas), memory
            ) as formulas,
        ):
            yield _Writers(answers, formulas)

    @contextmanager
    def table_folder(self) -> Iterator[Path]:
        """A folder for the table of formulas, gone at the end."""
        with tempfile.TemporaryDirectory(prefix="formulas-", dir=self.generation) as folder:
            yield Path(folder)

    def tokenise_formulas(self, table: Path, writers: _Writers) -> int:
        """Make the table of formulas, and tell both dictionaries what their tokens are.

        Comes back how many formulas have no tokens because of an error.
        """
        (total,) = self.collection.connection.execute("SELECT count(*) FROM formulas").fetchone()
        done = failed = 0
        made = write_formula_table(self.collection, table, self.plan.notations, self.options.jobs)
        for count, count_failed, tokens in made:
            done += count
            failed += count_failed
            for writer in writers:
                writer.add_batch(Batch([], {}, tokens))
            self.watch(Progress("formulas to tokens", done, total, done))
        return failed

    def write_answers(self, writer: IndexWriter, table: Path, threads: Sequence[str]) -> _Answers:
        """Write the documents of threads, and say how many they were."""
        done = written = skipped = 0
        chunks = (
            ThreadChunk(self.collection.path, table, self.plan, ids)
            for ids in _by(CHUNK_THREADS, threads)
        )
        forward = self._forward_writers()
        for batch, formulas, unlisted, failed in in_order(thread_batch, chunks, self.options.jobs):
            writer.add_batch(batch)
            for notation, store in forward.items():
                if notation is None:
                    store.add(keys_of(batch.doc_ids), formulas)
                else:
                    rows = rows_of([tokens[notation] for tokens in unlisted.values()])
                    store.add(np.fromiter(unlisted, np.int64, len(unlisted)), rows)
            done += CHUNK_THREADS
            written += len(batch.doc_ids)
            skipped += len(failed)
            self.watch(Progress("answers", min(done, len(threads)), len(threads), written))
        for store in forward.values():
            store.flush()
        return _Answers(written, skipped)

    def write_formulas(self, writer: IndexWriter, table: Path, which: Iterable[Look]) -> int:
        """Write visually distinct formulas, and say how many they were."""
        recipes = self.plan.formulas
        written = 0
        for chunk in _by(CHUNK_LOOKS, which):
            known = open_formula_table(table, self.plan.notations)
            tokeniser = Tokeniser(self.collection, known, {})
            fields = {
                recipe.name: _formula_tokens(tokeniser, recipe.notations, chunk)
                for recipe in recipes
            }
            fields[LABELS] = _tokens(
                [[tokeniser.word_key(label) for label in _labels(look)]] for look in chunk
            )
            names = [look.visual_id for look in chunk]
            writer.add_batch(Batch(names, fields, tokeniser.new_tokens))
            written += len(chunk)
            self.watch(Progress("visually distinct formulas", 0, 0, written))
        return written

    def write_forward(self, table: Path) -> None:
        """Write the distinct tokens of every formula of the table, by its number."""
        known = open_formula_table(table, self.plan.notations)
        for notation, store in self._forward_writers().items():
            if notation is not None:
                for begin in range(0, len(known.numbers), CHUNK_LOOKS):
                    numbers, rows = known.rows(notation, begin, begin + CHUNK_LOOKS)
                    store.add(numbers, distinct(rows))
                store.flush()

    def _forward_writers(self) -> dict[Notation | None, ForwardWriter]:
        """By notation, and by None for the formulas of documents; none if nobody will ask."""
        wanted = (None, *self.plan.forward) if self.plan.forward else ()
        return {each: ForwardWriter(self.generation / forward_folder(each)) for each in wanted}

    def delete(self, writer: IndexWriter, name: str, hashes: frozenset[int]) -> int:
        """Delete the documents with these hashes of ids, and say how many they were."""
        if not hashes:
            return 0
        known = open_index(self.generation / name).doc_ids()
        gone = [doc_id for doc_id in known if number_of(doc_id) in hashes]
        writer.delete(gone)
        return len(gone)

    def note_what_is_indexed(self) -> None:
        """Write what updates and searches need beside the indexes."""
        write_digests(self.digests_file(ANSWERS), self.answer_digests())
        write_digests(self.digests_file(FORMULAS), self.look_digests())
        with replaced_file(self.generation / KEYWORDS) as out:
            out.write("\n".join(sorted(self._keywords())).encode())

    def digests_file(self, name: str) -> Path:
        return self.generation / f"{name}.digests"

    def answer_digests(self) -> Digests:
        return digests((doc_id, digest) for doc_id, _, digest in answer_digests(self.collection))

    def look_digests(self) -> Digests:
        return digests((look.visual_id, _look_digest(look)) for look in looks(self.collection))

    def _keywords(self) -> frozenset[str]:
        connection = self.collection.connection
        tags = connection.execute("SELECT DISTINCT tags FROM posts WHERE tags != ''")
        titles = connection.execute(
            "SELECT id, title FROM posts WHERE title IS NOT NULL "
            "UNION SELECT post_id, title FROM linked_titles"
        )
        return keyword_vocabulary(
            {tag for (listed,) in tags for tag in listed.split("\n")},
            (text_content(title, f"post {post_id}") for post_id, title in titles),
        )

    def report(self, written: int, deleted: int, begun: float, skipped: int) -> Report:
        return Report(
            answers=open_index(self.generation / ANSWERS).documents,
            formulas=open_index(self.generation / FORMULAS).documents,
            written=written,
            deleted=deleted,
            seconds=monotonic() - begun,
            skipped=skipped,
        )


def _fields(recipes: Iterable[Recipe]) -> list[Field]:
    fields = [Field(each.name, each.k1, each.b, each.length) for each in recipes]
    return [*fields, Field(LABELS)]


def _formula_tokens(
    tokeniser: Tokeniser, notations: Sequence[Notation], chunk: Sequence[Look]
) -> Tokens:
    found = ([tokeniser.formula_keys(look.formula, each) for each in notations] for look in chunk)
    return _tokens([keys for keys in pieces if keys is not None] for pieces in found)


def _tokens(documents: Iterable[Sequence[Keys | list[int]]]) -> Tokens:
    """The tokens of documents, each given in several pieces."""
    pieces: list[Keys] = [np.empty(0, np.uint64)]
    starts = [0]
    for document in documents:
        pieces += (np.asarray(piece, np.uint64) for piece in document)
        starts.append(starts[-1] + sum(map(len, document)))
    return Tokens(np.concatenate(pieces), np.array(starts, np.int64))


def _labels(look: Look) -> tuple[str, ...]:
    place = (IN_POST,) if look.is_in_post else ()
    filed = labels(sorted(look.tags), sorted(look.years), look.votes, look.is_accepted)
    return (*place, *filed)


def _look_digest(look: Look) -> int:
    """A number for what is indexed of a visually distinct formula."""
    return number_of(str(look.formula), *_labels(look))


def _by(size: int, items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items by the chunk."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
