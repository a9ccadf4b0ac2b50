"""The parts of an index folder, written from a collection by a build or an update.

Nothing of what is written here is in force: ``building`` puts all of it in force at once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypedDict, TypeVar

import numpy as np

from porism.analysis import FieldSpec, FormulaTokens, keyword_vocabulary
from porism.collection.digests import answer_digests
from porism.collection.post_text import text_content
from porism.collection.progress import StepProgress, Watch
from porism.collection.schema import text_number
from porism.collection.store import Collection
from porism.collection.visual_formulas import VisualFormula, visual_formulas
from porism.filters import fact_labels
from porism.index import DocumentBatch, Field, FieldTokens, IndexWriter
from porism.index.reader import open_commit
from porism.index.storage.array_file import StoredFile, write_arrays
from porism.index.storage.layout import IndexMeta
from porism.parallel import map_in_order
from porism.searchindex.digests import Digests, digests, write_digests
from porism.searchindex.formula_table import Keys, open_formula_table, write_formula_table
from porism.searchindex.forward_store import ForwardWriter, distinct_numbers, doc_keys, rows_of
from porism.searchindex.index_folder import (
    ANSWERS,
    FORMULAS,
    IN_POST,
    KEYWORDS,
    LABELS,
    IndexPlan,
    forward_folder,
)
from porism.searchindex.tokeniser import DocumentTokeniser, ThreadChunk, thread_batch

Item = TypeVar("Item")

CHUNK_THREADS = 64
CHUNK_VISUAL_FORMULAS = 5_000


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """By how many processes an index is made, and in how many bytes of memory for postings."""

    jobs: int = 1
    memory: int = 2 << 30


class CollectionDigests(NamedTuple):
    """What the collection has: digests of answers and formulas, and the keywords of questions."""

    answers: Digests
    formulas: Digests
    keywords: frozenset[str]


class ComponentFiles(TypedDict):
    """The parts of an index as they are written, for its contents."""

    answers: IndexMeta
    formulas: IndexMeta
    digests: tuple[StoredFile, StoredFile]
    keywords: StoredFile
    forward: dict[str, tuple[StoredFile, ...]]


class ComponentWriters(NamedTuple):
    """Writers of both indexes, and of forward stores by notation (None: formulas of documents)."""

    answers: IndexWriter
    formulas: IndexWriter
    forward: dict[FormulaTokens | None, ForwardWriter]

    def flush(self) -> None:
        """Write everything, and keep the numbers of segments and parts small."""
        for writer in (self.answers, self.formulas):
            writer.flush()
            writer.merge_recent()
        for store in self.forward.values():
            store.flush()
            store.merge_recent()


class DocumentCounts(NamedTuple):
    """How many documents were written, and how many left out because of an error."""

    written: int
    skipped: int


@dataclass(frozen=True, slots=True)
class IndexBuild:
    """One build or update: of which collection, in which generation, and how."""

    collection: Collection
    generation: Path
    plan: IndexPlan
    options: IndexOptions
    watch: Watch

    @contextmanager
    def writers(
        self, metas: tuple[IndexMeta, IndexMeta], parts: Mapping[str, Sequence[StoredFile]]
    ) -> Iterator[ComponentWriters]:
        """Writers of both indexes and all forward stores, which go on from what is in force."""
        memory = self.options.memory // 2
        # Without notations to keep, nobody asks for the formulas of documents either.
        wanted = (None, *self.plan.forward) if self.plan.forward else ()
        with (
            IndexWriter(
                self.generation / ANSWERS, metas[0].fields, memory, committed=metas[0]
            ) as answers,
            IndexWriter(
                self.generation / FORMULAS, metas[1].fields, memory, committed=metas[1]
            ) as formulas,
        ):
            forward = {
                each: ForwardWriter(
                    self.generation / forward_folder(each), parts.get(forward_folder(each), ())
                )
                for each in wanted
            }
            yield ComponentWriters(answers, formulas, forward)

    def written_parts(
        self, writers: ComponentWriters, indexed: CollectionDigests, commit: int
    ) -> ComponentFiles:
        """What the writers have flushed, and what updates need beside it, as files."""
        keywords = "\n".join(sorted(indexed.keywords)).encode()
        return ComponentFiles(
            answers=writers.answers.meta,
            formulas=writers.formulas.meta,
            digests=(
                write_digests(self.generation / f"{ANSWERS}-{commit:06d}.digests", indexed.answers),
                write_digests(
                    self.generation / f"{FORMULAS}-{commit:06d}.digests", indexed.formulas
                ),
            ),
            keywords=write_arrays(
                self.generation / f"{KEYWORDS}-{commit:06d}",
                {"text": np.frombuffer(keywords, np.uint8)},
            ),
            forward={
                forward_folder(notation): store.files for notation, store in writers.forward.items()
            },
        )

    @contextmanager
    def table_folder(self) -> Iterator[Path]:
        """A folder for the table of formulas, gone at the end."""
        with tempfile.TemporaryDirectory(prefix="formulas-", dir=self.generation) as folder:
            yield Path(folder)

    def tokenise_formulas(self, table: Path, writers: ComponentWriters) -> int:
        """Make the table of formulas, and tell both dictionaries what their tokens are.

        Comes back how many formulas have no tokens because of an error.
        """
        (total,) = self.collection.connection.execute("SELECT count(*) FROM formulas").fetchone()
        done = failed = 0
        made = write_formula_table(self.collection, table, self.plan.notations, self.options.jobs)
        for count, count_failed, tokens in made:
            done += count
            failed += count_failed
            for writer in (writers.answers, writers.formulas):
                writer.add_batch(DocumentBatch([], {}, tokens))
            self.watch(StepProgress("formulas to tokens", done, total, done))
        return failed

    def write_answers(
        self, writers: ComponentWriters, table: Path, threads: Sequence[str]
    ) -> DocumentCounts:
        """Write the documents of threads, and say how many they were."""
        done = written = skipped = 0
        chunks = (
            ThreadChunk(self.collection.path, table, self.plan, ids)
            for ids in _by(CHUNK_THREADS, threads)
        )
        for batch, formulas, unlisted, failed in map_in_order(
            thread_batch, chunks, self.options.jobs
        ):
            writers.answers.add_batch(batch)
            for notation, store in writers.forward.items():
                if notation is None:
                    store.add(doc_keys(batch.doc_ids), formulas)
                else:
                    rows = rows_of([tokens[notation] for tokens in unlisted.values()])
                    store.add(np.fromiter(unlisted, np.int64, len(unlisted)), rows)
            done += CHUNK_THREADS
            written += len(batch.doc_ids)
            skipped += len(failed)
            self.watch(StepProgress("answers", min(done, len(threads)), len(threads), written))
        return DocumentCounts(written, skipped)

    def write_formulas(
        self, writer: IndexWriter, table: Path, which: Iterable[VisualFormula]
    ) -> int:
        """Write visually distinct formulas, and say how many they were."""
        recipes = self.plan.formulas
        written = 0
        for chunk in _by(CHUNK_VISUAL_FORMULAS, which):
            known = open_formula_table(table, self.plan.notations)
            tokeniser = DocumentTokeniser(self.collection, known, {})
            fields = {
                recipe.name: _formula_tokens(tokeniser, recipe.notations, chunk)
                for recipe in recipes
            }
            fields[LABELS] = _tokens(
                [[tokeniser.word_key(label) for label in _labels(look)]] for look in chunk
            )
            names = [look.visual_id for look in chunk]
            writer.add_batch(DocumentBatch(names, fields, tokeniser.new_tokens))
            written += len(chunk)
            self.watch(StepProgress("visually distinct formulas", 0, 0, written))
        return written

    def write_forward(self, writers: ComponentWriters, table: Path) -> None:
        """Write the distinct tokens of every formula of the table, by its number."""
        known = open_formula_table(table, self.plan.notations)
        for notation, store in writers.forward.items():
            if notation is not None:
                for begin in range(0, len(known.numbers), CHUNK_VISUAL_FORMULAS):
                    numbers, rows = known.rows(notation, begin, begin + CHUNK_VISUAL_FORMULAS)
                    store.add(numbers, distinct_numbers(rows))
                store.flush()

    def delete(self, writer: IndexWriter, name: str, hashes: frozenset[int]) -> int:
        """Delete the documents with these hashes of ids, and say how many they were."""
        if not hashes:
            return 0
        known = open_commit(self.generation / name, writer.meta).doc_ids()
        gone = [doc_id for doc_id in known if text_number(doc_id) in hashes]
        writer.delete(gone)
        return len(gone)

    def answer_digests(self) -> Digests:
        return digests((doc_id, digest) for doc_id, _, digest in answer_digests(self.collection))

    def visual_formula_digests(self) -> Digests:
        return digests(
            (look.visual_id, _look_digest(look)) for look in visual_formulas(self.collection)
        )

    def keywords(self) -> frozenset[str]:
        """The stems of tags and titles that the words of a question are chosen by."""
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


def index_fields(recipes: Iterable[FieldSpec]) -> list[Field]:
    """The fields of an index, of which the last is that of labels."""
    fields = [Field(each.name, each.k1, each.b, each.length) for each in recipes]
    return [*fields, Field(LABELS)]


def _formula_tokens(
    tokeniser: DocumentTokeniser, notations: Sequence[FormulaTokens], chunk: Sequence[VisualFormula]
) -> FieldTokens:
    found = ([tokeniser.formula_keys(look.formula, each) for each in notations] for look in chunk)
    return _tokens([keys for keys in pieces if keys is not None] for pieces in found)


def _tokens(documents: Iterable[Sequence[Keys | list[int]]]) -> FieldTokens:
    """The tokens of documents, each given in several pieces."""
    pieces: list[Keys] = [np.empty(0, np.uint64)]
    starts = [0]
    for document in documents:
        pieces += (np.asarray(piece, np.uint64) for piece in document)
        starts.append(starts[-1] + sum(map(len, document)))
    return FieldTokens(np.concatenate(pieces), np.array(starts, np.int64))


def _labels(look: VisualFormula) -> tuple[str, ...]:
    place = (IN_POST,) if look.is_in_post else ()
    return (*place, *fact_labels(look))


def _look_digest(look: VisualFormula) -> int:
    """A number for what is indexed of a visually distinct formula."""
    return text_number(str(look.formula), *_labels(look))


def _by(size: int, items: Iterable[Item]) -> Iterator[list[Item]]:
    """The items by the chunk."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
