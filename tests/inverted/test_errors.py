"""Damaged index files are refused, or give other scores; loops never leave their arrays.

Damage that would make a loop leave its arrays is put where the loop reads it. ``fuzz.corruption``
does the same at random, with whole commands in processes of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from fuzz.corruption import BAD, run
from porism.compiler import Array
from porism.inverted import (
    Clause,
    Filter,
    Index,
    IndexFormatError,
    IndexWriter,
    Term,
    open_inverted_index,
)
from porism.inverted.layout import ARRAYS, DELETION_ARRAYS, read_meta
from porism.storage.checked_json import json_with_checksum
from tests.inverted.small_indexes import FIELDS, SMALL, VOCABULARY, random_documents, write

ALL = [Clause(field, tuple(map(Term, VOCABULARY))) for field in ("words", "math", "title")]
LABELLED = Filter((("year:1", "year:2"),))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An index with deleted documents in a segment of several blocks."""
    documents = random_documents(5, 300)
    write(tmp_path / "index", documents)
    with IndexWriter(tmp_path / "index", FIELDS, layout=SMALL) as writer:
        writer.delete(list(documents)[::7])
        writer.commit()
    return tmp_path / "index"


def overwrite(folder: Path, name: str, change: Callable[[Array], None]) -> None:
    """Change an array of the first segment, as if its bytes had been damaged."""
    for file in read_meta(folder).segments[0].files:
        for array in file.arrays:
            if array.name == name:
                content = bytearray((folder / file.name).read_bytes())
                count = array.size // np.dtype(array.dtype).itemsize
                change(np.frombuffer(content, array.dtype, count, array.offset))
                (folder / file.name).write_bytes(content)


def use(index: Index) -> None:
    """Call everything that an index offers."""
    ids = list(index.doc_ids())
    for within in (None, LABELLED, Filter(documents=frozenset(ids[:20]))):
        index.search(ALL, 10, within)
        index.search([Clause("words", (Term("a", -1.0), Term("rare1")))], 1000, within)
    index.scores(ALL, ids)
    index.lengths("words", ids)
    for doc_id in ids[:3]:
        index.explain(ALL, doc_id)
    list(index.tokens("words"))


def merge(folder: Path) -> None:
    with IndexWriter(folder, FIELDS, layout=SMALL) as writer:
        writer.delete(["d1", "d2", "d3"])
        writer.merge()


@pytest.mark.parametrize("name", [*ARRAYS, *DELETION_ARRAYS])
def test_any_numbers_in_an_array_are_safe(folder: Path, name: str) -> None:
    random = np.random.default_rng(len(name))

    def largest(values: Array) -> None:
        values[:] = np.iinfo(values.dtype).max

    def smallest(values: Array) -> None:
        values[:] = np.iinfo(values.dtype).min

    def inside(values: Array) -> None:
        # First and last offsets are right, so that it can be opened.
        values[1:-1] = random.integers(0, 2**31, len(values))[1:-1].astype(values.dtype)

    def mixed(values: Array) -> None:
        random.shuffle(values)

    whole = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for change in (largest, smallest, inside, mixed):
        overwrite(folder, name, change)
        with suppress(IndexFormatError):
            use(open_inverted_index(folder))
        changed = any(path.read_bytes() != content for path, content in whole.items())
        if changed:
            with pytest.raises(IndexFormatError, match="is damaged"):
                merge(folder)
        for path in folder.iterdir():
            if path in whole:
                path.write_bytes(whole[path])
            elif path.is_file():
                path.unlink()


def test_an_array_of_another_length_is_refused(folder: Path) -> None:
    meta = read_meta(folder)
    record = meta.record()
    segments = record["segments"]
    assert isinstance(segments, list | tuple)
    arrays = segments[0]["file"]["arrays"]
    for number, array in enumerate(arrays):
        size = np.dtype(array.dtype).itemsize
        if array.size > size and array.name not in ("id_text", "token_text"):
            shorter = [*arrays]
            shorter[number] = array._replace(size=array.size - size)
            segments[0]["file"]["arrays"] = shorter
            (folder / "meta.json").write_bytes(json_with_checksum(record))
            with pytest.raises(IndexFormatError, match="is damaged"):
                open_inverted_index(folder)


def test_a_changed_byte_of_meta_is_detected(folder: Path) -> None:
    whole = (folder / "meta.json").read_bytes()
    for place in range(0, len(whole), 97):
        content = bytearray(whole)
        content[place] ^= 2
        (folder / "meta.json").write_bytes(content)
        with pytest.raises(IndexFormatError):
            open_inverted_index(folder)


def test_a_truncated_file_is_refused(folder: Path) -> None:
    path = folder / "segment-000001"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(IndexFormatError, match=r"has [\d,]+ bytes instead of"):
        open_inverted_index(folder)


def test_the_corruption_trial_finds_nothing(tmp_path: Path) -> None:
    assert [trial for trial in run(tmp_path, 20, seed=7) if trial.outcome in BAD] == []
