"""An index folder as ``porism index`` makes it: answers, formulas, keywords, and whose they are.

    INDEX/library.json        which generation is in force, of which collection, with which fields
    INDEX/generation-1/       answers/ and formulas/ (indexes), keywords.txt, digests

``library.json`` is replaced last and in one step, so a reader sees a whole generation or none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple

from porism.analysis import Notation, Part, Recipe
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.formats.byte_streams import replaced_file
from porism.index import Index, IndexFormatError, open_index
from porism.indexing.forward import ForwardStore
from porism.model import DocId, TopicId
from porism.text import CLASSIC, PLAIN, TERRIER

LIBRARY = "library.json"
LIBRARY_VERSION = 1

ANSWERS = "answers"
FORMULAS = "formulas"
KEYWORDS = "keywords.txt"

LABELS = "labels"
"""The field by which documents are filtered; it takes no part in scores."""

FIRST_LABELS = ("kind", "tag", "year")
"""The kinds of labels in an index that does not say which it has."""

IN_POST = "in:post"
"""The label of formulas that stand in a question or an answer, and not in comments only."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an index is to have: fields of answers and of formulas."""

    answers: tuple[Recipe, ...] = ()
    formulas: tuple[Recipe, ...] = ()
    forward: tuple[Notation, ...] = ()
    """Notations in which formulas are also kept one by one, for systems that re-rank."""

    @property
    def notations(self) -> tuple[Notation, ...]:
        """What formulas must be tokenised by, each once.

        A visual id is the occurrence's and not the formula's, so it is not among them.
        """
        recipes = (*self.answers, *self.formulas)
        wanted = (*(each for recipe in recipes for each in recipe.notations), *self.forward)
        return tuple(each for each in dict.fromkeys(wanted) if each is not Notation.VISUAL)


def joined(plans: Iterable[Plan]) -> Plan:
    """All that is in any of the plans, each once."""
    everything = list(plans)
    return Plan(
        tuple(dict.fromkeys(recipe for plan in everything for recipe in plan.answers)),
        tuple(dict.fromkeys(recipe for plan in everything for recipe in plan.formulas)),
        tuple(dict.fromkeys(notation for plan in everything for notation in plan.forward)),
    )


@dataclass(frozen=True, slots=True)
class Contents:
    """What ``library.json`` says; the collection's place is relative to the index folder.

    ``labels`` are the kinds of labels that documents have.
    """

    generation: int
    collection: str
    plan: Plan
    labels: tuple[str, ...]


class _State(NamedTuple):
    """Everything of one generation, opened at one time."""

    contents: Contents
    answers: Index
    formulas: Index
    forward: Mapping[Notation | None, ForwardStore]
    keywords: frozenset[str]


class Library:
    """An opened index folder: one state of it, whatever is made or updated there meanwhile."""

    def __init__(
        self,
        folder: Path,
        collection: Path | None = None,
        duplicates: Mapping[TopicId, tuple[DocId, ...]] = MappingProxyType({}),
    ) -> None:
        self.folder = folder
        self.duplicates = duplicates
        self._state = _opened(folder)
        self.collection_path = collection or _collection_path(folder, self.contents.collection)

    @property
    def contents(self) -> Contents:
        """What the folder says of itself."""
        return self._state.contents

    @property
    def answers(self) -> Index:
        """The index of answers and notes, by their ids."""
        return self._state.answers

    @property
    def formulas(self) -> Index:
        """The index of visually distinct formulas, by their visual ids."""
        return self._state.formulas

    @property
    def keywords(self) -> frozenset[str]:
        """The stems that a question's words are chosen by: those of tags and titles."""
        return self._state.keywords

    @property
    def formulas_of(self) -> ForwardStore:
        """For each answer the numbers of its formulas, each once; for plans with ``forward``."""
        return self._state.forward[None]

    def tokens(self, notation: Notation) -> ForwardStore:
        """The distinct tokens of each formula, by its number, in a notation kept so."""
        return self._state.forward[notation]

    @cached_property
    def collection(self) -> Collection:
        """The collection that the index was made of."""
        if not self.collection_path.exists():
            raise PorismError(
                f"{self.folder}: its collection {self.collection_path} is not there; "
                "say where it is with --collection"
            )
        return open_collection(self.collection_path)

    @property
    def fingerprint(self) -> str:
        """A short text that differs whenever what is indexed differs."""
        return f"{self.answers.fingerprint}-{self.formulas.fingerprint}"

    def missing(self, plan: Plan) -> list[str]:
        """The names of what is planned that the index does not have, or has otherwise."""
        ours = self.contents.plan
        lacking = [each.name for each in plan.answers if each not in ours.answers]
        lacking += (each.name for each in plan.formulas if each not in ours.formulas)
        return lacking + [str(each) for each in plan.forward if each not in ours.forward]

    def close(self) -> None:
        """Close the collection, if it was opened."""
        if "collection" in self.__dict__:
            self.collection.close()

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_library(
    folder: Path,
    collection: Path | None = None,
    duplicates: Mapping[TopicId, tuple[DocId, ...]] = MappingProxyType({}),
) -> Library:
    """The index in a folder; ``collection`` says where its collection is now, if it has moved.

    ``duplicates`` are the questions that topics repeat, which only an oracle knows.
    """
    return Library(folder, collection, duplicates)


def _collection_path(folder: Path, place: str) -> Path:
    """Where the collection is; from a folder that is a link, also seen from where that leads."""
    path = Path(os.path.normpath(folder / place))
    return path if path.exists() else Path(os.path.normpath(folder.resolve() / place))


def _opened(folder: Path) -> _State:
    """The state in force; opened again if another one took its place just now."""
    while True:
        contents = read_contents(folder)
        generation = generation_folder(folder, contents.generation)
        try:
            kept = (None, *contents.plan.forward) if contents.plan.forward else ()
            return _State(
                contents,
                open_index(generation / ANSWERS),
                open_index(generation / FORMULAS),
                {each: ForwardStore(generation / forward_folder(each)) for each in kept},
                frozenset((generation / KEYWORDS).read_text("utf-8").split("\n")),
            )
        except (PorismError, FileNotFoundError) as error:
            if read_contents(folder) == contents:
                raise IndexFormatError(f"{folder}: is damaged ({error}); {_AGAIN}") from error


def generation_folder(folder: Path, generation: int) -> Path:
    """Where a generation of an index folder is."""
    return folder / f"generation-{generation}"


def forward_folder(notation: Notation | None = None) -> str:
    """The folder of what formulas each answer has or, of a notation, what tokens a formula has."""
    return f"forward-{notation or 'formulas'}"


def is_library(folder: Path) -> bool:
    """Whether a folder holds a finished index."""
    return (folder / LIBRARY).is_file()


def read_contents(folder: Path) -> Contents:
    """What an index folder says of itself."""
    try:
        data = json.loads((folder / LIBRARY).read_text("utf-8"))
    except FileNotFoundError:
        raise PorismError(_absent(folder)) from None
    except (ValueError, OSError) as error:
        raise IndexFormatError(f"{folder / LIBRARY}: cannot be read ({error}); {_AGAIN}") from error
    version = data.get("version") if isinstance(data, dict) else None
    if version != LIBRARY_VERSION:
        raise IndexFormatError(
            f"{folder}: an index of version {version}, and this Porism reads version "
            f"{LIBRARY_VERSION}; {_AGAIN}"
        )
    try:
        return Contents(
            generation=data["generation"],
            collection=data["collection"],
            plan=Plan(
                answers=tuple(map(_recipe, data["answers"])),
                formulas=tuple(map(_recipe, data["formulas"])),
                forward=tuple(map(Notation, data["forward"])),
            ),
            labels=tuple(map(str, data.get("labels", FIRST_LABELS))),
        )
    except (KeyError, ValueError, TypeError, AttributeError):
        raise IndexFormatError(f"{folder / LIBRARY}: damaged; {_AGAIN}") from None


def write_contents(folder: Path, contents: Contents) -> None:
    """Put a generation in force."""
    data = {
        "version": LIBRARY_VERSION,
        "generation": contents.generation,
        "collection": contents.collection,
        "answers": list(map(_as_json, contents.plan.answers)),
        "formulas": list(map(_as_json, contents.plan.formulas)),
        "forward": list(contents.plan.forward),
        "labels": list(contents.labels),
    }
    with replaced_file(folder / LIBRARY) as out:
        out.write(json.dumps(data, indent=2, ensure_ascii=False).encode())


def _as_json(recipe: Recipe) -> dict[str, object]:
    return {
        "name": recipe.name,
        "parts": sorted(recipe.parts),
        "chain": recipe.chain.name if recipe.chain else None,
        "notations": list(recipe.notations),
        "repeated": dict(recipe.repeated),
        "k1": recipe.k1,
        "b": recipe.b,
        "length": recipe.length,
    }


def _recipe(data: dict[str, Any]) -> Recipe:  # Any: whatever JSON has, as it was written above
    return Recipe(
        name=data["name"],
        parts=frozenset(map(Part, data["parts"])),
        chain=CHAINS[data["chain"]] if data["chain"] else None,
        notations=tuple(map(Notation, data["notations"])),
        repeated=tuple((Part(part), times) for part, times in data["repeated"].items()),
        k1=data["k1"],
        b=data["b"],
        length=data["length"],
    )


CHAINS = {chain.name: chain for chain in (CLASSIC, PLAIN, TERRIER)}

_AGAIN = "make it again with porism index"


def _absent(folder: Path) -> str:
    if (folder / "collection.sqlite").exists():
        return f"{folder}: a collection, not an index; make one with porism index {folder}"
    if any(folder.glob("generation-*")):
        return f"{folder}: an unfinished index; run the same porism index again"
    return f"{folder}: no index; make one with porism index COLLECTION -o {folder}"
