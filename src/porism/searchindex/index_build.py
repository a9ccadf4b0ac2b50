"""The steps of a build or an update, each of which writes all components.

Nothing that is written here is in force: ``builder`` commits all of it at once.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from porism.analysis import Unit
from porism.collection.digests import answer_digests, question_digests
from porism.collection.formulas.visual_groups import VisualFormula, visual_formulas
from porism.collection.progress import StepProgress, Watch
from porism.collection.store import Collection
from porism.hashing import text_number
from porism.inverted.keys import BYTES_PER_KEY
from porism.parallel import map_in_order
from porism.searchindex.batches import (
    AnalyzedBatch,
    FormulaChunk,
    ThreadChunk,
    formula_batches,
    thread_batches,
)
from porism.searchindex.collection_state.digests import Digests, digests, write_digests
from porism.searchindex.collection_state.excluded_links import (
    NO_LINKS,
    ExcludedLinks,
    write_excluded_links,
)
from porism.searchindex.collection_state.keywords import collection_keywords, write_keywords
from porism.searchindex.components import Component, ComponentWriter, table_kinds
from porism.searchindex.components.inverted_index import unit_index
from porism.searchindex.formula_table import write_formula_table
from porism.storage.array_file import StoredFile

Item = TypeVar("Item")

CHUNK_THREADS = 64
CHUNK_FORMULAS = 5_000


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """How many processes make an index, and how many bytes of memory they have together.

    Half of the memory is for postings, half for the keys of tokens that processes remember. A build
    leaves ``excluded_links`` out of documents; an update those that the build left out.
    ``weights`` are for rankers of answers on the new index, ``formula_weights`` for those of
    formulas, ``ranker_weights`` for further systems by name, if not those that Porism comes with.
    ``models`` are new places of models, by ``ModelRole``; an empty one removes that of its role.
    """

    jobs: int = 1
    memory: int = 2 << 30
    excluded_links: ExcludedLinks = NO_LINKS
    weights: Mapping[str, Any] | None = None  # Any: JSON
    formula_weights: Mapping[str, Any] | None = None
    ranker_weights: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    models: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_about_rankers(self) -> bool:
        """Whether there are any weights or models."""
        return bool(self.weights or self.formula_weights or self.ranker_weights or self.models)


class CollectionDigests(NamedTuple):
    """What the collection has: the digests of each unit, and the keywords."""

    units: dict[Unit, Digests]
    keywords: frozenset[str]

    def with_formulas(self, formulas: Digests) -> CollectionDigests:
        """Return these digests with those of visually distinct formulas."""
        return self._replace(units={**self.units, Unit.FORMULAS: formulas})


class DocumentCounts(NamedTuple):
    """How many documents were written, and how many skipped because of an error."""

    written: int
    skipped: int


@dataclass(frozen=True, slots=True)
class IndexBuild:
    """One build or update of the components of a generation."""

    collection: Collection
    generation: Path
    components: tuple[Component, ...]
    options: IndexOptions
    watch: Watch

    def post_digests(self) -> CollectionDigests:
        """Return what the collection has now, but for its formulas."""
        answers = digests((doc_id, digest) for doc_id, _, digest in answer_digests(self.collection))
        questions = digests(question_digests(self.collection))
        units = {Unit.ANSWERS: answers, Unit.QUESTIONS: questions}
        return CollectionDigests(units, collection_keywords(self.collection))

    @contextmanager
    def writers(self) -> Iterator[list[ComponentWriter]]:
        """Open a writer for each component, in their order, which continues from its state."""
        memory = self.options.memory // 2 // len(Unit)
        with ExitStack() as stack:
            yield [
                stack.enter_context(closing(each.writer(self.generation / each.name, memory)))
                for each in self.components
            ]

    @contextmanager
    def table_folder(self) -> Iterator[Path]:
        """Make a folder for the table of formulas, which is removed at the end."""
        with tempfile.TemporaryDirectory(prefix="formulas-", dir=self.generation) as folder:
            yield Path(folder)

    def tokenise_formulas(self, table: Path, writers: Sequence[ComponentWriter]) -> int:
        """Make the table of formulas, and pass them to all writers.

        Returns how many formulas have no tokens because of an error.
        """
        total = self.collection.count_formulas()
        done = failed = 0
        kinds = table_kinds(self.components)
        options = self.options
        remembered = options.memory // 2 // options.jobs // BYTES_PER_KEY
        for formulas in write_formula_table(
            self.collection, table, kinds, options.jobs, remembered
        ):
            done += len(formulas.numbers)
            failed += formulas.failed
            for writer in writers:
                writer.add_formulas(formulas)
            self.watch(StepProgress("formulas to tokens", done, total, done))
        return failed

    def write_posts(
        self,
        table: Path,
        writers: Sequence[ComponentWriter],
        changed: Mapping[Unit, frozenset[int]] | None = None,
    ) -> DocumentCounts:
        """Write answers and notes, and questions, which are analyzed in other processes.

        They are all of the units that the components have, or those whose ids have the ``changed``
        numbers.
        """
        components = tuple(each for each in self.components if each.unit is not Unit.FORMULAS)
        threads = self._threads(frozenset(each.unit for each in components), changed)
        return self._write(self._thread_batches(threads, components, table), writers)

    def write_formulas(
        self, formulas: Iterable[VisualFormula], table: Path, writers: Sequence[ComponentWriter]
    ) -> DocumentCounts:
        """Write visually distinct formulas, which are analyzed in other processes."""
        components = tuple(each for each in self.components if each.unit is Unit.FORMULAS)
        return self._write(self._formula_batches(formulas, components, table), writers)

    def _write(
        self, batches: Iterable[dict[Unit, AnalyzedBatch]], writers: Sequence[ComponentWriter]
    ) -> DocumentCounts:
        places: dict[Unit, list[int]] = {unit: [] for unit in Unit}
        for place, component in enumerate(self.components):
            places[component.unit].append(place)
        written = skipped = 0
        for of_units in batches:
            for unit, batch in of_units.items():
                for place, payload in zip(places[unit], batch.payloads, strict=True):
                    writers[place].add(batch.doc_ids, payload)
                written += len(batch.doc_ids)
                skipped += len(batch.failed)
        return DocumentCounts(written, skipped)

    def _threads(
        self, units: frozenset[Unit], changed: Mapping[Unit, frozenset[int]] | None
    ) -> dict[str, tuple[Unit, ...]]:
        """Return threads with the units that get documents of each.

        All answers of a thread are written, because a change in one often concerns the others.
        """
        wanted: dict[str, tuple[Unit, ...]] = {}

        def want(unit: Unit, thread: str, doc_id: str) -> None:
            if unit in wanted.get(thread, ()):
                return
            if changed is None or text_number(doc_id) in changed[unit]:
                wanted[thread] = (*wanted.get(thread, ()), unit)

        if Unit.QUESTIONS in units:
            for question, _ in question_digests(self.collection):
                want(Unit.QUESTIONS, question, question)
        if Unit.ANSWERS in units:
            for doc_id, thread, _ in answer_digests(self.collection):
                want(Unit.ANSWERS, thread, doc_id)
        return wanted

    def _thread_batches(
        self,
        threads: Mapping[str, tuple[Unit, ...]],
        components: tuple[Component, ...],
        table: Path,
    ) -> Iterator[dict[Unit, AnalyzedBatch]]:
        excluded = self.options.excluded_links
        thread_chunks = (
            ThreadChunk(
                self.collection.path,
                table,
                components,
                chunk,
                excluded.of([thread_id for thread_id, _ in chunk]),
            )
            for chunk in chunks(CHUNK_THREADS, threads.items())
        )
        done = written = 0
        for batches in map_in_order(thread_batches, thread_chunks, self.options.jobs):
            yield batches
            done += CHUNK_THREADS
            written += sum(len(batch.doc_ids) for batch in batches.values())
            self.watch(StepProgress("threads", min(done, len(threads)), len(threads), written))

    def _formula_batches(
        self, formulas: Iterable[VisualFormula], components: tuple[Component, ...], table: Path
    ) -> Iterator[dict[Unit, AnalyzedBatch]]:
        formula_chunks = (
            FormulaChunk(self.collection.path, table, components, chunk)
            for chunk in chunks(CHUNK_FORMULAS, formulas)
        )
        written = 0
        for batches in map_in_order(formula_batches, formula_chunks, self.options.jobs):
            yield batches
            written += len(batches[Unit.FORMULAS].doc_ids)
            self.watch(StepProgress("visually distinct formulas", 0, 0, written))

    def formulas(self, changed: frozenset[int] | None = None) -> Iterator[VisualFormula]:
        """Yield visually distinct formulas: all, or those whose ids have ``changed`` numbers."""
        for formula in visual_formulas(self.collection):
            if changed is None or text_number(formula.visual_id) in changed:
                yield formula

    def delete(
        self, unit: Unit, writers: Sequence[ComponentWriter], numbers: frozenset[int]
    ) -> int:
        """Delete the documents whose ids have these numbers, and return how many they were."""
        if not numbers:
            return 0
        index = unit_index(self.components, unit)
        known = index.open(self.generation / index.name).doc_ids()
        doc_ids = [doc_id for doc_id in known if text_number(doc_id) in numbers]
        for component, writer in zip(self.components, writers, strict=True):
            if component.unit is unit:
                writer.delete(doc_ids)
        return len(doc_ids)

    def write_digests(self, indexed: CollectionDigests, commit: int) -> dict[Unit, StoredFile]:
        """Write what an update compares the collection with."""
        return {
            unit: write_digests(self.generation / f"{unit}-{commit:06d}.digests", table)
            for unit, table in indexed.units.items()
        }

    def write_keywords(self, indexed: CollectionDigests, commit: int) -> StoredFile:
        """Write the keywords."""
        return write_keywords(self.generation / f"keywords-{commit:06d}", indexed.keywords)

    def write_excluded_links(self) -> StoredFile | None:
        """Write the links that documents are made without, if any."""
        return write_excluded_links(self.generation / "excluded-links", self.options.excluded_links)


def chunks(size: int, items: Iterable[Item]) -> Iterator[list[Item]]:
    """Yield the items in lists of at most ``size``."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk
