"""Components of a search index: what building, updating, opening and checking loop over.

A system names what it needs of an index as specifications, such as a ``FieldSpec``. An index stores
components, each in its own folder and of one kind; a component stores one or more specifications.
A new kind of component is a module with a specification and a class that implements ``Component``,
listed in ``kinds``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from porism.analysis import FormulaTokens, Unit
from porism.inverted import IndexFormatError
from porism.searchindex.formula_table import TableKind, TokenisedFormulas
from porism.searchindex.tokeniser import DocumentTokeniser, IndexedItem
from porism.storage.array_file import StoredFile

REBUILD = "make it again with porism index"

Value = TypeVar("Value")


class ComponentSpec(Protocol):
    """What a system needs of an index: a frozen, hashable value."""

    @property
    def name(self) -> str:
        """What users read when an index does not have it."""


class OpenedComponent(Protocol):
    """A component opened for searching; threads may share it."""

    @property
    def fingerprint(self) -> str:
        """A short text that differs whenever the content differs."""


class ComponentWriter(Protocol):
    """Adds documents to a component, or deletes them; nothing is in force until a commit."""

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        """Add formulas of the collection; a build, not an update, passes all, by their numbers."""

    def add(self, doc_ids: Sequence[str], payload: Any) -> None:  # what its ``payload`` returned
        """Add documents, each in the place of the one with its id."""

    def delete(self, doc_ids: Sequence[str]) -> None:
        """Delete documents."""

    def flush(self) -> Component:
        """Write everything, and return the component with its new state."""

    def close(self) -> None:
        """Release the files; what was not flushed is lost."""


class Component(Protocol):
    """A stored component: its specifications, and the state that one commit left.

    It is a frozen value that can be pickled, because other processes analyze documents for it.
    """

    kind: ClassVar[str]
    """The name of the kind in the manifest."""

    @property
    def name(self) -> str:
        """The name of its folder, unique in the index."""

    @property
    def unit(self) -> Unit:
        """What it is given to analyze: answers and notes, or visually distinct formulas."""

    @property
    def specs(self) -> tuple[ComponentSpec, ...]:
        """The specifications that it stores."""

    @property
    def formula_tokens(self) -> tuple[TableKind, ...]:
        """The kinds of tokens, or packed features, that it needs of every formula."""

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterable[Component]:
        """Return the empty components of this kind that an index with these specifications has."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> Component:  # Any: JSON
        """Return the component that the manifest at ``path`` describes."""

    def record(self) -> dict[str, object]:
        """Return all of it but its kind as JSON values, for the manifest."""

    @property
    def files(self) -> tuple[StoredFile, ...]:
        """The files in its folder, with their checksums."""

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> object:
        """Return what is stored of one document; an exception skips the document."""

    def payload(self, analyzed: Sequence[Any], tokeniser: DocumentTokeniser) -> object:
        """Return what ``analyze`` returned for a batch of documents, for the writer."""

    def writer(self, folder: Path, memory: int) -> ComponentWriter:
        """Return a writer that continues from this state and holds about ``memory`` bytes."""

    def open(self, folder: Path) -> OpenedComponent:
        """Open this state; FileNotFoundError if it is no longer there."""


def joined_specs(needs: Iterable[Iterable[ComponentSpec]]) -> tuple[ComponentSpec, ...]:
    """Return every specification in any of ``needs``, without duplicates."""
    return tuple(dict.fromkeys(chain.from_iterable(needs)))


def table_kinds(components: Iterable[Component]) -> tuple[TableKind, ...]:
    """Return the kinds of tokens that every formula is tokenised into for these components.

    A visual id belongs to the occurrence, not to the formula, so it is not among them.
    """
    kinds = chain.from_iterable(component.formula_tokens for component in components)
    return tuple(kind for kind in dict.fromkeys(kinds) if kind is not FormulaTokens.VISUAL)


def lookup(what: str, name: str, known: Mapping[str, Value], manifest: Path) -> Value:
    """Return what a manifest calls ``name``; one unknown to this version of Porism is refused."""
    if name not in known:
        raise IndexFormatError(
            f"{manifest.parent}: made by another version of Porism: it needs the {what} {name!r}; "
            f"{REBUILD}"
        )
    return known[name]


FORMULA_TOKENS = {str(kind): kind for kind in FormulaTokens}
"""Kinds of formula tokens by the names that manifests have."""
