"""The texts of posts as searches compare them: titles by their characters, words in their order.

An inverted index says how often a document has a word, not where. Whether words follow each other,
or how close they are, is asked of the best documents only, so a row for each document suffices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import (
    Document,
    DocumentPart,
    FormulaTokens,
    Unit,
    linear_text,
    linear_tokens,
)
from porism.inverted.keys import Keys
from porism.model import Content, Formula, PostKind, plain_text
from porism.searchindex.components import ComponentSpec
from porism.searchindex.components.forward_store import (
    SHORT,
    ForwardStore,
    ForwardWriter,
    NumberRows,
    doc_keys,
    row_starts,
    rows_of,
    short_key,
)
from porism.searchindex.formula_table import TokenisedFormulas
from porism.searchindex.tokeniser import DocumentTokeniser, IndexedItem
from porism.storage.array_file import StoredFile, stored_file
from porism.text import IN_ORDER, folded

BREAK = 0
"""Between the words of title, tags and body: no phrase goes across."""

MOST_WORDS = 4_096
"""Words of a post that are stored; few posts have more."""


def _linear_keys(formula: Formula) -> list[int]:
    return list(map(short_key, linear_tokens(formula.latex)))


def words_in_order(
    content: Content, formula_keys: Callable[[Formula], list[int]] = _linear_keys
) -> list[int]:
    """Return the short keys of the stems of a text without accents, and of its formulas.

    Formulas that are equal but for notation have the same key, which ``formula_keys`` may know
    already.
    """
    words: list[int] = []
    for piece in content:
        if isinstance(piece, str):
            words += map(_word_key, IN_ORDER(folded(piece)))
        else:
            words += formula_keys(piece)
    return words


_word_key = lru_cache(maxsize=1 << 17)(short_key)


class TextRows(NamedTuple):
    """Texts of posts: the linear text of the title, and the words of title, tags and body.

    There are breaks between these parts. An answer has neither title nor tags of its own.
    """

    titles: list[str]
    words: NumberRows


@dataclass(frozen=True, slots=True)
class TextStore:
    """The texts of answers and notes, or of questions; every index has both."""

    kind: ClassVar[str] = "texts"
    specs: ClassVar[tuple[ComponentSpec, ...]] = ()
    formula_tokens: ClassVar[tuple[FormulaTokens, ...]] = (FormulaTokens.LINEAR,)

    unit: Unit
    files: tuple[StoredFile, ...] = ()

    @property
    def name(self) -> str:
        return f"texts-{self.unit}"

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[TextStore]:
        return (cls(unit) for unit in (Unit.ANSWERS, Unit.QUESTIONS))

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> TextStore:  # Any: JSON
        return cls(Unit(record["unit"]), tuple(map(stored_file, record["files"])))

    def record(self) -> dict[str, object]:
        return {"unit": self.unit, "files": list(map(asdict, self.files))}

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> _AnalyzedText:
        assert isinstance(item, Document)

        def known(formula: Formula) -> list[int]:
            keys: list[int] = (tokeniser.keys_of(formula, FormulaTokens.LINEAR) & SHORT).tolist()
            return keys

        texts = own_texts(item)
        title, tags, body = (words_in_order(content, known) for content in texts)
        words = [*title, BREAK, *tags, BREAK, *body]
        packed = _packed(linear_text(plain_text(texts[0])))
        return _AnalyzedText(item.id, [len(packed), *packed, *words[:MOST_WORDS]])

    def payload(
        self, analyzed: Sequence[_AnalyzedText], tokeniser: DocumentTokeniser
    ) -> _KeyedTexts:
        ids = doc_keys([each.doc_id for each in analyzed])
        return _KeyedTexts(ids, rows_of([each.numbers for each in analyzed]))

    def writer(self, folder: Path, memory: int) -> _TextWriter:
        return _TextWriter(self, ForwardWriter(folder, self.files, is_short=True))

    def open(self, folder: Path) -> PostTexts:
        return PostTexts(ForwardStore(folder, self.files))


class _AnalyzedText(NamedTuple):
    doc_id: str
    numbers: list[int]


class _KeyedTexts(NamedTuple):
    keys: NDArray[np.int64]
    rows: NumberRows


def own_texts(document: Document) -> tuple[Content, Content, Content]:
    """Return title, tags and body of the post that a document is about, without its context."""
    parts = document.parts
    is_answer = f"kind:{PostKind.ANSWER}" in document.labels
    body = DocumentPart.QUESTION if _is_question(document) else DocumentPart.ANSWER
    head = () if is_answer else (DocumentPart.TITLE, DocumentPart.TAGS)
    title, tags = (parts.get(part, ()) for part in head) if head else ((), ())
    return title, tags, parts.get(body, ())


def _is_question(document: Document) -> bool:
    return f"kind:{PostKind.QUESTION}" in document.labels


class PostTexts:
    """Texts of posts, opened; threads may share them."""

    def __init__(self, store: ForwardStore) -> None:
        self._store = store
        self.fingerprint = store.fingerprint

    def of(self, doc_ids: Sequence[str]) -> TextRows:
        """Return the texts of documents, empty ones for documents that are not here."""
        rows = self._store.rows(doc_keys(doc_ids))
        lengths, starts = rows.lengths, rows.starts[:-1]
        filled = np.flatnonzero(lengths)
        sizes = np.zeros(len(lengths), np.int64)
        # A damaged row is no longer than it is.
        limits = (lengths[filled] - 1).astype(np.uint64)
        sizes[filled] = np.minimum(rows.numbers[starts[filled]], limits).astype(np.int64)
        firsts = starts + sizes + (lengths > 0)
        words = row_starts(rows.starts[1:] - firsts)
        among = np.arange(words[-1]) + np.repeat(firsts - words[:-1], np.diff(words))
        titles = [""] * len(lengths)
        for place in np.flatnonzero(sizes).tolist():
            titles[place] = _unpacked(rows.numbers[firsts[place] - sizes[place] : firsts[place]])
        return TextRows(titles, NumberRows(rows.numbers[among], words))


def _packed(text: str) -> list[int]:
    """Return a text as numbers, four bytes each."""
    data = text.encode()
    padded = data + bytes(-len(data) % 4)
    numbers: list[int] = np.frombuffer(padded, np.uint32).tolist()
    return numbers


def _unpacked(numbers: Keys) -> str:
    return numbers.astype(np.uint32).tobytes().rstrip(b"\0").decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class _TextWriter:
    component: TextStore
    store: ForwardWriter

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        """Only posts have texts."""

    def add(self, doc_ids: Sequence[str], payload: _KeyedTexts) -> None:
        self.store.add(payload.keys, payload.rows)

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Keep the rows: deleted documents are not looked up."""

    def flush(self) -> TextStore:
        self.store.flush()
        self.store.merge_recent()
        return replace(self.component, files=self.store.files)

    def close(self) -> None:
        """Only ``flush`` opens files."""
