"""The table of texts by document: lookup both ways, replacement, deletion, merging, damage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from porism.errors import PorismError
from porism.searchindex.components.forward_store import doc_keys
from porism.searchindex.components.text_keys import (
    NO_TEXT,
    TextKeys,
    TextKeyWriter,
    TextKind,
    Texts,
)

Documents = dict[str, tuple[int, int]]


def write(writer: TextKeyWriter, documents: Documents) -> TextKeys:
    """Add documents with the keys of their question and answer as a part."""
    pairs = np.array(list(documents.values()), np.int64).reshape(-1, 2)
    texts: Texts = {TextKind.QUESTION: pairs[:, 0], TextKind.ANSWER: pairs[:, 1]}
    writer.add(list(documents), texts)
    writer.flush()
    return TextKeys(writer._folder, writer.files)


def contents(table: TextKeys, doc_ids: list[str]) -> Documents:
    keys = doc_keys(doc_ids)
    pairs = zip(
        table.texts(TextKind.QUESTION, keys).tolist(),
        table.texts(TextKind.ANSWER, keys).tolist(),
        strict=True,
    )
    return dict(zip(doc_ids, pairs, strict=True))


def owners(table: TextKeys, kind: TextKind, *keys: int) -> list[tuple[int, str]]:
    found = table.documents(kind, np.array(keys, np.int64))
    return list(zip(found.requested.tolist(), found.doc_ids, strict=True))


FIRST: Documents = {"a": (1, 10), "b": (1, 11), "c": (2, NO_TEXT), "ü": (NO_TEXT, 10)}


def test_texts_of_documents_and_documents_of_texts(tmp_path: Path) -> None:
    table = write(TextKeyWriter(tmp_path, ()), FIRST)
    assert contents(table, [*FIRST, "other"]) == {**FIRST, "other": (NO_TEXT, NO_TEXT)}
    assert owners(table, TextKind.QUESTION, 2, 1, 7) == [(0, "c"), (1, "a"), (1, "b")]
    assert owners(table, TextKind.ANSWER, 10) == [(0, "a"), (0, "ü")]
    assert table.all_texts(TextKind.QUESTION).tolist() == [1, 2]
    assert table.all_texts(TextKind.ANSWER).tolist() == [10, 11]


def test_newer_parts_replace_documents(tmp_path: Path) -> None:
    writer = TextKeyWriter(tmp_path, ())
    write(writer, FIRST)
    writer.delete(["b"])
    table = write(writer, {"a": (3, 12)})
    assert contents(table, ["a", "b"]) == {"a": (3, 12), "b": (NO_TEXT, NO_TEXT)}
    assert owners(table, TextKind.QUESTION, 1, 3) == [(1, "a")]
    assert table.all_texts(TextKind.QUESTION).tolist() == [2, 3]
    assert table.all_texts(TextKind.ANSWER).tolist() == [10, 12]


def test_merged_parts_equal_separate_ones(tmp_path: Path) -> None:
    writer = TextKeyWriter(tmp_path, ())
    write(writer, FIRST)
    writer.delete(["b"])
    before = write(writer, {"a": (3, 12), "d": (4, 13), "e": (4, 14)})
    writer.merge_recent()
    assert len(writer.files) == 1
    merged = TextKeys(tmp_path, writer.files)
    names = [*FIRST, "d", "e"]
    assert contents(merged, names) == contents(before, names)
    for kind in TextKind:
        assert merged.all_texts(kind).tolist() == before.all_texts(kind).tolist()
        every = range(20)
        assert owners(merged, kind, *every) == owners(before, kind, *every)


def test_the_last_of_equal_ids_counts(tmp_path: Path) -> None:
    writer = TextKeyWriter(tmp_path, ())
    for number in (1, 2):
        keys = np.array([number], np.int64)
        writer.add(["a"], dict.fromkeys(TextKind, keys))
    writer.flush()
    assert contents(TextKeys(tmp_path, writer.files), ["a"]) == {"a": (2, 2)}


def test_an_empty_table_has_no_texts(tmp_path: Path) -> None:
    table = TextKeys(tmp_path, ())
    assert contents(table, ["a"]) == {"a": (NO_TEXT, NO_TEXT)}
    assert owners(table, TextKind.ANSWER, 1) == []
    assert table.all_texts(TextKind.ANSWER).tolist() == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("answers-docs", "a text has a document that is not there"),
        ("id-starts", "its documents and texts differ in number"),
        ("ids", "an id is not UTF-8"),
    ],
)
def test_damage_is_reported(tmp_path: Path, name: str, message: str) -> None:
    writer = TextKeyWriter(tmp_path, ())
    write(writer, FIRST)
    (file,) = writer.files
    entry = next(array for array in file.arrays if array.name == name)
    path = tmp_path / file.name
    content = path.read_bytes()
    path.write_bytes(
        content[: entry.offset] + b"\xff" * entry.size + content[entry.offset + entry.size :]
    )
    with pytest.raises(PorismError, match=message):
        owners(TextKeys(tmp_path, writer.files), TextKind.ANSWER, 10)
