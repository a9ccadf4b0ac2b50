"""The words of a collection as they are spelled, by which misspelled words of a query are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from porism.analysis import Document, FormulaTokens, Unit
from porism.searchindex.components import ComponentSpec
from porism.searchindex.components.text_store import own_texts
from porism.searchindex.formula_table import TokenisedFormulas
from porism.searchindex.tokeniser import DocumentTokeniser, IndexedItem
from porism.storage.array_file import (
    StoredFile,
    files_fingerprint,
    open_arrays,
    stored_file,
    verify,
    write_arrays,
)
from porism.text import folded, tokens

MOST_WORDS = 100_000
"""Words that are stored, the most frequent ones."""

MOST_COUNTED = 10 * MOST_WORDS
"""Words that a writer counts before it forgets the rarest, about 100 MB."""

SHORTEST, LONGEST = 3, 32


def counted_words(text: str) -> list[str]:
    """Return the words of a text that can be misspelled, in lower case.

    >>> counted_words("Euler's φ, the 2nd of 3 Möbius functions")
    ['euler', 'the', 'möbius', 'functions']
    """
    return [
        word
        for word in tokens(text)
        if SHORTEST <= len(word) <= LONGEST and word.replace("'", "").isalpha()
    ]


@dataclass(frozen=True, slots=True)
class WordCountIndex:
    """How often words occur in answers and notes, or in questions; every index has both.

    An update adds the words of what it writes. Words of what is gone are forgotten by the next
    build only: a word that once was in the collection is no misspelling.
    """

    kind: ClassVar[str] = "word-counts"
    specs: ClassVar[tuple[ComponentSpec, ...]] = ()
    formula_tokens: ClassVar[tuple[FormulaTokens, ...]] = ()

    unit: Unit
    files: tuple[StoredFile, ...] = ()

    @property
    def name(self) -> str:
        return f"word-counts-{self.unit}"

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[WordCountIndex]:
        return (cls(unit) for unit in (Unit.ANSWERS, Unit.QUESTIONS))

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> WordCountIndex:  # Any: JSON
        return cls(Unit(record["unit"]), tuple(map(stored_file, record["files"])))

    def record(self) -> dict[str, object]:
        return {"unit": self.unit, "files": list(map(asdict, self.files))}

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> list[str]:
        assert isinstance(item, Document)
        pieces = (piece for content in own_texts(item) for piece in content)
        return counted_words("\n".join(piece for piece in pieces if isinstance(piece, str)))

    def payload(self, analyzed: Sequence[list[str]], tokeniser: DocumentTokeniser) -> Counter[str]:
        return Counter(chain.from_iterable(analyzed))

    def writer(self, folder: Path, memory: int) -> _WordCountWriter:
        return _WordCountWriter(self, folder, Counter())

    def open(self, folder: Path) -> WordCounts:
        return WordCounts(folder, self.files)


@dataclass(frozen=True, slots=True)
class _WordCountWriter:
    component: WordCountIndex
    folder: Path
    counts: Counter[str]

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        """Only posts have words."""

    def add(self, doc_ids: Sequence[str], payload: Counter[str]) -> None:
        self.counts.update(payload)
        if len(self.counts) > MOST_COUNTED:
            kept = _most_frequent(self.counts, MOST_COUNTED // 2)
            self.counts.clear()
            self.counts.update(kept)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Keep the words."""

    def flush(self) -> WordCountIndex:
        if not self.counts and self.component.files:
            return self.component
        self.folder.mkdir(exist_ok=True)
        before = self.component.files
        if before:
            verify(self.folder, before)
            self.counts.update(WordCounts(self.folder, before).counts)
        kept = _most_frequent(self.counts, MOST_WORDS)
        text = "\n".join(kept).encode()
        last = max((int(Path(file.name).stem) for file in before), default=0)
        file = write_arrays(
            self.folder / f"{last + 1:06d}.words",
            {
                "words": np.frombuffer(text, np.uint8),
                "counts": np.fromiter(kept.values(), np.int64, len(kept)),
            },
        )
        return replace(self.component, files=(file,))

    def close(self) -> None:
        """Only ``flush`` opens files."""


def _most_frequent(counts: Mapping[str, int], most: int) -> dict[str, int]:
    ordered = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return dict(ordered[:most])


class WordCounts:
    """Words with their counts, opened; read when they are first needed."""

    def __init__(self, folder: Path, files: Sequence[StoredFile]) -> None:
        self.fingerprint = files_fingerprint(files)
        # Mapped now, because an update may remove the files.
        self._arrays = [open_arrays(folder, file) for file in files]

    @cached_property
    def counts(self) -> dict[str, int]:
        """How often each word occurs."""
        counts: dict[str, int] = {}
        for arrays in self._arrays:
            words = bytes(arrays["words"]).decode("utf-8", "replace").split("\n")
            counts |= zip(words, arrays["counts"].tolist(), strict=False)
        counts.pop("", None)
        return counts


class Vocabulary:
    """The words of all posts, however many stores have counted them."""

    def __init__(self, stores: Iterable[WordCounts]) -> None:
        self._stores = tuple(stores)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """How often each word occurs, in the order of the words."""
        counts: Counter[str] = Counter()
        for store in self._stores:
            counts.update(store.counts)
        return dict(sorted(counts.items()))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """All words, ascending."""
        return tuple(self.counts)

    @cached_property
    def accented(self) -> Mapping[str, tuple[str, ...]]:
        """The words with accents by their folded forms."""
        by_form: dict[str, list[str]] = {}
        for word in self.words:
            if not word.isascii():
                by_form.setdefault(folded(word), []).append(word)
        return {form: tuple(words) for form, words in by_form.items()}
