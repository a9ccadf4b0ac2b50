r"""A table of formula concepts, and which of them a topic is about.

The table is tab-separated, with a header and the columns ``concept``, ``formula`` and ``names``:

    concept             formula         names
    Pythagorean theorem a^2 + b^2 = c^2 Pythagorean theorem|Pythagoras' theorem
    Euler's identity    e^{i\pi} = -1   Euler's identity

A concept may have several rows, one for each formula; names, separated by ``|``, may be in any of
them. A topic is about a concept if it has the concept's formula, up to the order of commutative
operands and up to renamed variables, or one of its names as a phrase.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from porism.analysis import FormulaTokens, query_tokens
from porism.errors import FormatError
from porism.formats.tab_separated import column_index, read_tabbed
from porism.model import Formula, Topic
from porism.text import PLAIN

COLUMNS = ("concept", "formula", "names")
NAME_SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class FormulaConcept:
    """A concept with the formulas (LaTeX) that express it and the names that it has."""

    name: str
    formulas: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


class LinkedConcept(NamedTuple):
    """A concept that a topic is about, and what of the topic says so."""

    concept: FormulaConcept
    evidence: str


@dataclass(frozen=True, slots=True)
class ConceptTable:
    """Concepts in the order of a table, found by formulas and by names."""

    concepts: tuple[FormulaConcept, ...] = field(repr=False)
    source: str = ""

    def linked(self, topic: Topic) -> tuple[LinkedConcept, ...]:
        """Return the concepts that a topic is about, in the order of the table."""
        lookup = _lookup(self.concepts)
        evidence: dict[int, str] = {}
        for formula in _formulas(topic):
            for key in _formula_keys(formula.latex, formula.macros):
                for number in lookup.by_formula.get(key, ()):
                    evidence.setdefault(number, f"the formula {formula.latex.strip()}")
        for words in _phrases(topic):
            for place, word in enumerate(words):
                for name in lookup.by_first_word.get(word, ()):
                    if tuple(words[place : place + len(name.words)]) == name.words:
                        evidence.setdefault(name.concept, f"the name {name.text}")
        return tuple(
            LinkedConcept(self.concepts[number], evidence[number]) for number in sorted(evidence)
        )


class _Name(NamedTuple):
    words: tuple[str, ...]
    text: str
    concept: int


class _Lookup(NamedTuple):
    by_formula: dict[str, list[int]]
    by_first_word: dict[str, list[_Name]]


@lru_cache(4)
def _lookup(concepts: tuple[FormulaConcept, ...]) -> _Lookup:
    """Return the numbers of concepts by the keys of formulas and the first words of names."""
    lookup = _Lookup(defaultdict(list), defaultdict(list))
    for number, concept in enumerate(concepts):
        for latex in concept.formulas:
            for key in _formula_keys(latex):
                lookup.by_formula[key].append(number)
        for text in concept.names:
            if words := tuple(PLAIN(text)):
                lookup.by_first_word[words[0]].append(_Name(words, text, number))
    return lookup


def _formula_keys(latex: str, macros: str = "") -> Iterator[str]:
    """Yield a formula as written, and with its variables numbered, if it has more than a symbol."""
    tokens = query_tokens(FormulaTokens.SUBFORMULAS, latex, macros).tokens
    for mark in ("~0:", "~0v:"):
        if whole := [token for token in tokens if token.startswith(mark)]:
            yield " ".join(whole)


def _formulas(topic: Topic) -> list[Formula]:
    content = (*topic.title, *topic.body, *((topic.focus,) if topic.focus else ()))
    return [piece for piece in content if not isinstance(piece, str)]


def _phrases(topic: Topic) -> Iterator[Sequence[str]]:
    """Yield the words of each text between formulas, and those of each tag."""
    for piece in (*topic.title, *topic.body, *topic.tags):
        if isinstance(piece, str):
            yield list(PLAIN(piece))


def read_concepts(path: Path) -> ConceptTable:
    """Read a table of concepts; one that cannot be used is refused with line and reason."""
    status = path.stat() if path.is_file() else None
    if status is None:
        raise FormatError(str(path), 1, "this is not a file: expected a table of concepts (TSV)")
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(4)
def _read(path: Path, modified: int, size: int) -> ConceptTable:
    rows = read_tabbed(path)
    header = next(rows).cells
    places = [column_index(header, (name,), path) for name in COLUMNS]
    formulas: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    for cells, line in rows:
        concept, latex, listed = (cells[place].strip() for place in places)
        own = [name.strip() for name in listed.split(NAME_SEPARATOR) if name.strip()]
        if not concept:
            raise FormatError(str(path), line, "found no concept: expected its name or id")
        if not latex and not own:
            raise FormatError(
                str(path), line, f"{concept} has neither a formula nor a name: expected one of them"
            )
        _check_formula(path, line, latex)
        _check_names(path, line, own)
        formulas.setdefault(concept, []).extend([latex] if latex else [])
        names.setdefault(concept, []).extend(own)
    if not formulas:
        raise FormatError(str(path), 2, "the table has no rows: expected one for each concept")
    return ConceptTable(
        tuple(
            FormulaConcept(concept, _distinct(formulas[concept]), _distinct(names[concept]))
            for concept in formulas
        ),
        path.name,
    )


def _distinct(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))


def _check_formula(path: Path, line: int, latex: str) -> None:
    if not latex:
        return
    problems = query_tokens(FormulaTokens.SUBFORMULAS, latex).problems
    if problems:
        why = f"the formula {latex[:80]!r} cannot be read: {problems[0].message}"
        raise FormatError(str(path), line, f"{why}; expected LaTeX without dollar signs")
    if not any(_formula_keys(latex)):
        raise FormatError(str(path), line, f"the formula {latex[:80]!r} has no symbols")


def _check_names(path: Path, line: int, names: Iterable[str]) -> None:
    for name in names:
        if not PLAIN(name):
            raise FormatError(
                str(path), line, f"the name {name[:80]!r} has no words to be found by"
            )
