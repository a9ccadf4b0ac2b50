"""An index folder as ``porism index`` makes it: answers, formulas, keywords, and whose they are.

    INDEX/library.json        which generation is in force, of which collection, with which fields
    INDEX/generation-1/       answers/ and formulas/ (indexes), keywords.txt, digests

``library.json`` is replaced last and in one step, so a reader sees a whole generation or none.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any

from porism.analysis import Notation, Part, Recipe
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.formats.byte_streams import replaced_file
from porism.index import Index, IndexFormatError, open_index
from porism.model import DocId, TopicId
from porism.text import CLASSIC, PLAIN, TERRIER

LIBRARY = "library.json"
LIBRARY_VERSION = 1

ANSWERS = "answers"
FORMULAS = "formulas"
KEYWORDS = "keywords.txt"


@dataclass(frozen=True, slots=True)
class Contents:
    """What ``library.json`` says; the collection's place is relative to the index folder."""

    generation: int
    collection: str
    answers: tuple[Recipe, ...]
    formulas: tuple[Recipe, ...]


class Library:
    """An opened index folder. Its indexes are mapped when they are first asked for."""

    def __init__(
        self,
        folder: Path,
        collection: Path | None = None,
        duplicates: Mapping[TopicId, tuple[DocId, ...]] = MappingProxyType({}),
    ) -> None:
        self.folder = folder
        self.duplicates = duplicates
        self.contents = read_contents(folder)
        self.collection_path = collection or Path(
            os.path.normpath(folder / self.contents.collection)
        )

    @property
    def generation(self) -> Path:
        """The folder of the generation in force."""
        return generation_folder(self.folder, self.contents.generation)

    @cached_property
    def answers(self) -> Index:
        """The index of answers and notes, by their ids."""
        return open_index(self.generation / ANSWERS)

    @cached_property
    def formulas(self) -> Index:
        """The index of visually distinct formulas, by their visual ids."""
        return open_index(self.generation / FORMULAS)

    @cached_property
    def keywords(self) -> frozenset[str]:
        """The stems that a question's words are chosen by: those of tags and titles."""
        return frozenset((self.generation / KEYWORDS).read_text("utf-8").split("\n"))

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

    def missing(self, answers: tuple[Recipe, ...], formulas: tuple[Recipe, ...]) -> list[str]:
        """The names of fields among these that the index does not have, or has otherwise."""
        ours = self.contents
        lacking = [each.name for each in answers if each not in ours.answers]
        return lacking + [each.name for each in formulas if each not in ours.formulas]

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


def generation_folder(folder: Path, generation: int) -> Path:
    """Where a generation of an index folder is."""
    return folder / f"generation-{generation}"


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
    return Contents(
        generation=data["generation"],
        collection=data["collection"],
        answers=tuple(map(_recipe, data["answers"])),
        formulas=tuple(map(_recipe, data["formulas"])),
    )


def write_contents(folder: Path, contents: Contents) -> None:
    """Put a generation in force."""
    data = {
        "version": LIBRARY_VERSION,
        "generation": contents.generation,
        "collection": contents.collection,
        "answers": list(map(_as_json, contents.answers)),
        "formulas": list(map(_as_json, contents.formulas)),
    }
    with replaced_file(folder / LIBRARY) as out:
        out.write(json.dumps(data, indent=2, ensure_ascii=False).encode())


def _as_json(recipe: Recipe) -> dict[str, object]:
    return {
        "name": recipe.name,
        "parts": sorted(recipe.parts),
        "chain": recipe.chain.name if recipe.chain else None,
        "notations": list(recipe.notations),
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
