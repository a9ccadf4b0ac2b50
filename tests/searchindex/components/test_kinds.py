"""A component of a new kind needs one module: here it is built, opened, updated and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from porism.analysis import (
    ANSWER_FORMULAS,
    QUESTION_FORMULAS,
    QUESTION_TUPLES,
    QUESTION_WORDS,
    Document,
    FieldSpec,
    FormulaTokens,
    Unit,
)
from porism.catalog import index_plan
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import open_collection
from porism.inverted import IndexFormatError
from porism.model import plain_text
from porism.searchindex.builder import IndexOptions, build_index, update_index
from porism.searchindex.components import ComponentSpec, kinds
from porism.searchindex.components.forward_index import ForwardSpec
from porism.searchindex.components.inverted_index import UnitIndex
from porism.searchindex.components.kinds import planned_components
from porism.searchindex.files import check_index
from porism.searchindex.formula_table import TokenisedFormulas
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import read_manifest, write_manifest
from porism.searchindex.tokeniser import DocumentTokeniser, IndexedItem
from porism.storage.array_file import (
    StoredFile,
    files_fingerprint,
    open_arrays,
    stored_file,
    write_arrays,
)
from porism.text import PLAIN


@dataclass(frozen=True)
class SizeSpec:
    """The number of characters of each document."""

    name: str = "sizes"


@dataclass(frozen=True)
class OpenedSizes:
    sizes: dict[str, int]
    fingerprint: str


@dataclass(frozen=True)
class Sizes:
    kind: ClassVar[str] = "sizes"
    name: ClassVar[str] = "sizes"
    unit: ClassVar[Unit] = Unit.ANSWERS
    specs: ClassVar[tuple[ComponentSpec, ...]] = (SizeSpec(),)
    formula_tokens: ClassVar[tuple[FormulaTokens, ...]] = ()

    files: tuple[StoredFile, ...] = ()

    @classmethod
    def planned(cls, specs: Sequence[ComponentSpec]) -> Iterator[Sizes]:
        if SizeSpec() in specs:
            yield cls()

    @classmethod
    def from_record(cls, record: Mapping[str, Any], path: Path) -> Sizes:
        return cls(tuple(map(stored_file, record["files"])))

    def record(self) -> dict[str, object]:
        return {"files": list(map(asdict, self.files))}

    def analyze(self, item: IndexedItem, tokeniser: DocumentTokeniser) -> int:
        assert isinstance(item, Document)
        return sum(len(plain_text(content)) for content in item.parts.values())

    def payload(self, analyzed: Sequence[int], tokeniser: DocumentTokeniser) -> list[int]:
        return list(analyzed)

    def writer(self, folder: Path, memory: int) -> SizeWriter:
        folder.mkdir(exist_ok=True)
        return SizeWriter(folder, self.open(folder).sizes, len(self.files) and self.files[0].name)

    def open(self, folder: Path) -> OpenedSizes:
        sizes: dict[str, int] = {}
        for file in self.files:
            arrays = open_arrays(folder, file)
            names = bytes(arrays["names"]).decode().split("\n")
            sizes |= zip(names, arrays["sizes"].tolist(), strict=True)
        return OpenedSizes(sizes, files_fingerprint(self.files))


@dataclass
class SizeWriter:
    folder: Path
    sizes: dict[str, int]
    last: str | int

    def add_formulas(self, formulas: TokenisedFormulas) -> None:
        pass

    def add(self, doc_ids: Sequence[str], payload: list[int]) -> None:
        self.sizes |= zip(doc_ids, payload, strict=True)

    def delete(self, doc_ids: Sequence[str]) -> None:
        for doc_id in doc_ids:
            del self.sizes[doc_id]

    def flush(self) -> Sizes:
        names = np.frombuffer("\n".join(self.sizes).encode(), np.uint8)
        arrays = {"names": names, "sizes": np.array(list(self.sizes.values()))}
        return Sizes((write_arrays(self.folder / f"{int(self.last) + 1}", arrays),))

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _known_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(kinds.COMPONENT_KINDS, Sizes.kind, Sizes)


def note(folder: Path, name: str, text: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n")


def built(tmp_path: Path, *specs: ComponentSpec) -> Path:
    """An index of two notes, for one system and other specifications."""
    note(tmp_path / "notes", "sums", "The sum $\\sum_n n^2$ is large.")
    note(tmp_path / "notes", "limits", "The limit $\\lim_n a_n$ exists.")
    ingest(tmp_path / "notes", tmp_path / "collection", IngestOptions(jobs=1))
    with open_collection(tmp_path / "collection") as collection:
        plan = (*index_plan(["l8"]), *specs)
        build_index(collection, tmp_path / "index", plan, IndexOptions(), lambda progress: None)
    return tmp_path / "index"


def sizes(index: Path) -> dict[str, int]:
    with open_index(index) as opened:
        return opened.component("sizes", OpenedSizes).sizes


def updated(tmp_path: Path) -> None:
    ingest(tmp_path / "notes", tmp_path / "collection", IngestOptions(jobs=1))
    with open_collection(tmp_path / "collection") as collection:
        update_index(collection, tmp_path / "index", IndexOptions(), lambda progress: None)


def test_a_new_kind_of_component_is_built_opened_and_updated(tmp_path: Path) -> None:
    index = built(tmp_path, SizeSpec())
    before = sizes(index)
    assert set(before) == {"notes/sums.md", "notes/limits.md"}
    (tmp_path / "notes" / "limits.md").unlink()
    note(tmp_path / "notes", "sums", "The sum $\\sum_n n^2$ is very large.")
    note(tmp_path / "notes", "roots", "The root $\\sqrt n$.")
    updated(tmp_path)
    after = sizes(index)
    assert set(after) == {"notes/sums.md", "notes/roots.md"}
    assert after["notes/sums.md"] == before["notes/sums.md"] + len("very ")
    assert len(list(index.glob("generation-1/sizes/*"))) == 1


def test_a_new_kind_of_component_is_missed_where_it_is_needed(tmp_path: Path) -> None:
    with open_index(built(tmp_path)) as opened:
        assert opened.missing((SizeSpec(), ForwardSpec(FormulaTokens.PATHS))) == ["sizes", "paths"]
    with open_index(built(tmp_path, SizeSpec())) as opened:
        assert opened.missing((SizeSpec(),)) == []


def test_the_fingerprint_covers_every_component(tmp_path: Path) -> None:
    with open_index(built(tmp_path)) as opened:
        without = opened.fingerprint
    with open_index(built(tmp_path, SizeSpec())) as opened:
        first = opened.fingerprint
    (name,) = (tmp_path / "index").glob("generation-*/sizes/1")
    manifest = read_manifest(tmp_path / "index")
    other = write_arrays(name, {"names": np.zeros(1, np.uint8), "sizes": np.zeros(1, np.int64)})
    components = (*manifest.components[:-1], Sizes((other,)))
    write_manifest(tmp_path / "index", replace(manifest, components=components))
    with open_index(tmp_path / "index") as opened:
        assert len({without, first, opened.fingerprint}) == 3


def test_the_files_of_every_component_are_checked(tmp_path: Path) -> None:
    index = built(tmp_path, SizeSpec())
    assert check_index(index, lambda progress: None).damages == ()
    (path,) = index.glob("generation-1/sizes/*")
    path.write_bytes(path.read_bytes()[:-1] + b"\xff")
    (damage,) = check_index(index, lambda progress: None).damages
    assert "the checksum of sizes does not match" in damage


def test_fields_of_a_unit_share_one_inverted_index() -> None:
    words = FieldSpec("words", analyzer=PLAIN)
    tuples = FieldSpec("tuples", formula_tokens=(FormulaTokens.L8,), unit=Unit.FORMULAS)
    paths = ForwardSpec(FormulaTokens.PATHS)
    components = planned_components((words, paths, tuples, words, paths))
    assert [each.name for each in components] == [
        *("answers", "questions", "formulas"),
        *("forward-formulas", "forward-formulas-questions", "forward-paths"),
        *("texts-answers", "texts-questions", "word-counts-answers", "word-counts-questions"),
    ]
    specs = [each.specs for each in components]
    of_questions = (QUESTION_WORDS, QUESTION_TUPLES, QUESTION_FORMULAS)
    assert specs == [(words, ANSWER_FORMULAS), of_questions, (tuples,), (), (), (paths,), *[()] * 4]


def test_a_specification_that_nothing_stores_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(kinds.COMPONENT_KINDS, Sizes.kind)
    with pytest.raises(ValueError, match="no kind of component stores sizes"):
        planned_components((SizeSpec(),))


def refusal(index: Path) -> str:
    with pytest.raises(IndexFormatError) as refused:
        open_index(index)
    return str(refused.value)


def test_an_unknown_component_is_reported_as_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = built(tmp_path, SizeSpec())
    monkeypatch.delitem(kinds.COMPONENT_KINDS, Sizes.kind)
    assert refusal(index) == (
        f"{index}: made by another version of Porism: it needs the component 'sizes'; "
        "make it again with porism index"
    )


@pytest.mark.parametrize(
    ("field", "value", "needed"),
    [
        ("analyzer", "other", "analyzer 'other'"),
        ("formula_tokens", ["other"], "formula tokens 'other'"),
        ("parts", ["other"], "document part 'other'"),
    ],
)
def test_an_unknown_part_of_a_field_is_reported_as_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str, value: object, needed: str
) -> None:
    index = built(tmp_path)
    record_of = UnitIndex.record

    def record(component: UnitIndex) -> dict[str, Any]:
        values: dict[str, Any] = record_of(component)
        return {**values, "fields": [{**each, field: value} for each in values["fields"]]}

    monkeypatch.setattr(UnitIndex, "record", record)
    write_manifest(index, read_manifest(index))
    assert f"made by another version of Porism: it needs the {needed}; make" in refusal(index)
