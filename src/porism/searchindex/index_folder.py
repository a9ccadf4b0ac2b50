"""An index folder as ``porism index`` makes it: answers, formulas, keywords, and whose they are.

    INDEX/library.json        which files are in force, of which collection, with which fields
    INDEX/generation-1/       answers/ and formulas/ (indexes), forward stores, keywords, digests

``library.json`` states every file with the checksums of its content. It is replaced last and in one
step, so a reader sees all of a build or an update or nothing of it. What it does not name is left
over from a process that was killed, and is removed when the next one starts to write.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, NamedTuple

from porism.analysis import DocumentPart, FieldSpec, FormulaTokens
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.index import Index, IndexFormatError
from porism.index.reader import open_commit
from porism.index.storage.array_file import StoredFile, open_arrays, stored_file, verify
from porism.index.storage.checked_json import check_json, json_with_checksum, parsed_json
from porism.index.storage.files import write_file
from porism.index.storage.layout import IndexMeta, parsed_meta
from porism.model import DocId, TopicId
from porism.searchindex.forward_store import ForwardStore
from porism.text import CLASSIC, PLAIN, TERRIER

MANIFEST = "library.json"
MANIFEST_VERSION = 2

ANSWERS = "answers"
FORMULAS = "formulas"
KEYWORDS = "keywords"

LABELS = "labels"
"""The field by which documents are filtered; it takes no part in scores."""

FIRST_LABELS = ("kind", "tag", "year")
"""The kinds of labels in an index that does not say which it has."""

IN_POST = "in:post"
"""The label of formulas that stand in a question or an answer, and not in comments only."""


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """What an index is to have: fields of answers and of formulas."""

    answers: tuple[FieldSpec, ...] = ()
    formulas: tuple[FieldSpec, ...] = ()
    forward: tuple[FormulaTokens, ...] = ()
    """Notations in which formulas are also kept one by one, for systems that re-rank."""

    @property
    def notations(self) -> tuple[FormulaTokens, ...]:
        """What formulas must be tokenised by, each once.

        A visual id is the occurrence's and not the formula's, so it is not among them.
        """
        recipes = (*self.answers, *self.formulas)
        wanted = (*(each for recipe in recipes for each in recipe.notations), *self.forward)
        return tuple(each for each in dict.fromkeys(wanted) if each is not FormulaTokens.VISUAL)


def joined_plans(plans: Iterable[IndexPlan]) -> IndexPlan:
    """All that is in any of the plans, each once."""
    everything = list(plans)
    return IndexPlan(
        tuple(dict.fromkeys(recipe for plan in everything for recipe in plan.answers)),
        tuple(dict.fromkeys(recipe for plan in everything for recipe in plan.formulas)),
        tuple(dict.fromkeys(notation for plan in everything for notation in plan.forward)),
    )


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``library.json`` says; the collection's place is relative to the index folder.

    ``labels`` are the kinds of labels that documents have; ``commit`` counts builds and updates.
    ``digests`` are those of answers and of formulas, ``forward`` the parts of each store.
    """

    generation: int
    commit: int
    collection: str
    plan: IndexPlan
    labels: tuple[str, ...]
    answers: IndexMeta
    formulas: IndexMeta
    digests: tuple[StoredFile, StoredFile]
    keywords: StoredFile
    forward: Mapping[str, tuple[StoredFile, ...]]

    def files(self) -> Iterator[tuple[str, StoredFile]]:
        """All files, each with the folder inside the generation that it is in."""
        for folder, meta in ((ANSWERS, self.answers), (FORMULAS, self.formulas)):
            for file in meta.files:
                yield folder, file
        for folder, parts in self.forward.items():
            for file in parts:
                yield folder, file
        for file in (self.keywords, *self.digests):
            yield "", file


class IndexState(NamedTuple):
    """Everything that one commit left, opened at one time; threads may share it."""

    contents: Manifest
    answers: Index
    formulas: Index
    forward: Mapping[FormulaTokens | None, ForwardStore]
    keywords: frozenset[str]


class SearchIndex:
    """An opened index folder: one state of it, whatever is made or updated there meanwhile."""

    def __init__(
        self,
        folder: Path,
        collection: Path | None = None,
        duplicates: Mapping[TopicId, tuple[DocId, ...]] = MappingProxyType({}),
        state: IndexState | None = None,
        opened: Callable[[Path], Collection] | None = None,
    ) -> None:
        """A ``state`` that is open already may be given, and what opens the collection.

        A collection that was opened so is not closed with the library.
        """
        self.folder = folder
        self.duplicates = duplicates
        self._state = open_index_state(folder) if state is None else state
        self._opened = opened
        self._collection: Collection | None = None
        self.collection_path = collection or _collection_path(folder, self.contents.collection)

    @property
    def contents(self) -> Manifest:
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

    def tokens(self, notation: FormulaTokens) -> ForwardStore:
        """The distinct tokens of each formula, by its number, in a notation kept so."""
        return self._state.forward[notation]

    @property
    def collection(self) -> Collection:
        """The collection that the index was made of."""
        if self._collection is not None:
            return self._collection
        if not self.collection_path.exists():
            raise PorismError(
                f"{self.folder}: its collection {self.collection_path} is not there; "
                "say where it is with --collection"
            )
        self._collection = (self._opened or open_collection)(self.collection_path)
        return self._collection

    @property
    def fingerprint(self) -> str:
        """A short text that differs whenever what is indexed differs."""
        return f"{self.answers.fingerprint}-{self.formulas.fingerprint}"

    def missing(self, plan: IndexPlan) -> list[str]:
        """The names of what is planned that the index does not have, or has otherwise."""
        ours = self.contents.plan
        lacking = [each.name for each in plan.answers if each not in ours.answers]
        lacking += (each.name for each in plan.formulas if each not in ours.formulas)
        return lacking + [str(each) for each in plan.forward if each not in ours.forward]

    def close(self) -> None:
        """Close the collection, if it was opened here."""
        if self._collection is not None and self._opened is None:
            self._collection.close()
            self._collection = None

    def __enter__(self) -> SearchIndex:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def open_index(
    folder: Path,
    collection: Path | None = None,
    duplicates: Mapping[TopicId, tuple[DocId, ...]] = MappingProxyType({}),
) -> SearchIndex:
    """The index in a folder; ``collection`` says where its collection is now, if it has moved.

    ``duplicates`` are the questions that topics repeat, which only an oracle knows.
    """
    return SearchIndex(folder, collection, duplicates)


def _collection_path(folder: Path, place: str) -> Path:
    """Where the collection is; from a folder that is a link, also seen from where that leads."""
    path = Path(os.path.normpath(folder / place))
    return path if path.exists() else Path(os.path.normpath(folder.resolve() / place))


def open_index_state(folder: Path) -> IndexState:
    """The state in force; opened again if another one took its place just now."""
    while True:
        contents = read_manifest(folder)
        try:
            return _state_of(contents, generation_folder(folder, contents.generation))
        except (PorismError, FileNotFoundError) as error:
            if read_manifest(folder) == contents:
                if isinstance(error, FileNotFoundError):
                    name = Path(error.filename).relative_to(folder)
                    raise IndexFormatError(
                        f"{folder}: is damaged ({name} is missing); {_AGAIN}"
                    ) from error
                raise
        except OSError as error:
            raise PorismError(f"{folder}: cannot be opened ({error.strerror})") from error


def _state_of(contents: Manifest, generation: Path) -> IndexState:
    stored = (None, *contents.plan.forward) if contents.plan.forward else ()
    return IndexState(
        contents,
        open_commit(generation / ANSWERS, contents.answers),
        open_commit(generation / FORMULAS, contents.formulas),
        {
            each: ForwardStore(
                generation / forward_folder(each), contents.forward[forward_folder(each)]
            )
            for each in stored
        },
        read_keywords(generation, contents.keywords),
    )


def read_keywords(generation: Path, stored: StoredFile) -> frozenset[str]:
    """The keywords of an index; all of the file is read, so its checksum is checked."""
    verify(generation, [stored])
    text = bytes(open_arrays(generation, stored)["text"]).decode("utf-8")
    return frozenset(text.split("\n"))


def generation_folder(folder: Path, generation: int) -> Path:
    """Where a generation of an index folder is."""
    return folder / f"generation-{generation}"


def forward_folder(notation: FormulaTokens | None = None) -> str:
    """The folder of what formulas each answer has or, of a notation, what tokens a formula has."""
    return f"forward-{notation or 'formulas'}"


def is_search_index(folder: Path) -> bool:
    """Whether a folder holds a finished index."""
    return (folder / MANIFEST).is_file()


def read_manifest(folder: Path) -> Manifest:
    """What an index folder says of itself."""
    path = folder / MANIFEST
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise PorismError(_absent(folder)) from None
    except OSError as error:
        raise PorismError(f"{path}: cannot be read ({error.strerror})") from error
    try:
        data = parsed_json(text, path)
        version = data.get("version")
        if version != MANIFEST_VERSION:
            raise IndexFormatError(
                f"{folder}: an index of version {version}, and this Porism reads version "
                f"{MANIFEST_VERSION}; {_AGAIN}"
            )
        check_json(text, path)
        return _contents(data, path)
    except (KeyError, ValueError, TypeError, AttributeError):
        raise IndexFormatError(f"{path}: damaged; {_AGAIN}") from None


def _contents(data: Mapping[str, Any], path: Path) -> Manifest:  # Any: as ``write_manifest`` made
    return Manifest(
        generation=data["generation"],
        commit=data["commit"],
        collection=data["collection"],
        plan=IndexPlan(
            answers=tuple(map(_recipe, data["answers"])),
            formulas=tuple(map(_recipe, data["formulas"])),
            forward=tuple(map(FormulaTokens, data["forward"])),
        ),
        labels=tuple(map(str, data.get("labels", FIRST_LABELS))),
        answers=parsed_meta(data["indexes"][ANSWERS], path),
        formulas=parsed_meta(data["indexes"][FORMULAS], path),
        digests=(
            stored_file(data["digests"][ANSWERS]),
            stored_file(data["digests"][FORMULAS]),
        ),
        keywords=stored_file(data[KEYWORDS]),
        forward={
            name: tuple(map(stored_file, parts)) for name, parts in data["forward_parts"].items()
        },
    )


def write_manifest(folder: Path, contents: Manifest) -> None:
    """Put a build or an update in force: all of it, in one step."""
    data = {
        "version": MANIFEST_VERSION,
        "generation": contents.generation,
        "commit": contents.commit,
        "collection": contents.collection,
        "answers": list(map(_as_json, contents.plan.answers)),
        "formulas": list(map(_as_json, contents.plan.formulas)),
        "forward": list(contents.plan.forward),
        "labels": list(contents.labels),
        "indexes": {ANSWERS: contents.answers.record(), FORMULAS: contents.formulas.record()},
        "digests": {
            ANSWERS: asdict(contents.digests[0]),
            FORMULAS: asdict(contents.digests[1]),
        },
        KEYWORDS: asdict(contents.keywords),
        "forward_parts": {
            name: list(map(asdict, parts)) for name, parts in contents.forward.items()
        },
    }
    write_file(folder / MANIFEST, json_with_checksum(data))


def _as_json(recipe: FieldSpec) -> dict[str, object]:
    return {
        "name": recipe.name,
        "parts": sorted(recipe.parts),
        "chain": recipe.analyzer.name if recipe.analyzer else None,
        "notations": list(recipe.notations),
        "repeated": dict(recipe.repeated),
        "k1": recipe.k1,
        "b": recipe.b,
        "length": recipe.length,
    }


def _recipe(data: dict[str, Any]) -> FieldSpec:  # Any: whatever JSON has, as it was written above
    return FieldSpec(
        name=data["name"],
        parts=frozenset(map(DocumentPart, data["parts"])),
        analyzer=ANALYZERS[data["chain"]] if data["chain"] else None,
        notations=tuple(map(FormulaTokens, data["notations"])),
        repeated=tuple((DocumentPart(part), times) for part, times in data["repeated"].items()),
        k1=data["k1"],
        b=data["b"],
        length=data["length"],
    )


ANALYZERS = {chain.name: chain for chain in (CLASSIC, PLAIN, TERRIER)}

_AGAIN = "make it again with porism index"


def _absent(folder: Path) -> str:
    if (folder / "collection.sqlite").exists():
        return f"{folder}: a collection, not an index; make one with porism index {folder}"
    if any(folder.glob("generation-*")):
        return f"{folder}: an unfinished index; run the same porism index again"
    return f"{folder}: no index; make one with porism index COLLECTION -o {folder}"
