"""The format of an index is stable: a stored one opens and answers, and is written the same again.

After a change of format ``layout.FORMAT`` is raised, the stored index is renamed after its own
format, to be refused, and a new one is written by --update-golden.
"""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from porism.inverted import (
    BM25,
    BM25_PLUS,
    TF_IDF,
    Clause,
    Index,
    IndexFormatError,
    IndexWriter,
    Term,
    open_inverted_index,
)
from tests.inverted.small_indexes import FIELDS, SMALL, random_documents

GOLDEN = Path(__file__).parent / "golden"
TERMS = (Term("a"), Term("c", 0.5), Term("rare1", 2.0, 0.5), Term("absent"))


def written(path: Path) -> Index:
    """An index with two segments, one of them with a deleted and a replaced document."""
    documents = random_documents(11, 90)
    ids = list(documents)
    with IndexWriter(path, FIELDS, about={"made": "for tests"}, layout=SMALL) as writer:
        for doc_id in ids[:70]:
            writer.add(doc_id, documents[doc_id])
        writer.commit()
        writer.delete(ids[:1])
        for doc_id in ids[69:]:
            writer.add(doc_id, documents[doc_id])
        writer.commit()
    return open_inverted_index(path)


def answers(index: Index) -> dict[str, object]:
    """What an index says of itself and answers to three models."""
    return {
        "documents": index.documents,
        "fingerprint": index.fingerprint,
        "fields": {name: repr(of) for name, of in index.fields.items()},
        "rankings": [
            [[hit.doc_id, hit.score] for hit in index.search([Clause("words", TERMS, model)], 5)]
            for model in (BM25, BM25_PLUS, TF_IDF)
        ],
    }


def files(path: Path) -> dict[str, bytes]:
    """All that is in an index, by name."""
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and file.name != "writer.lock"
    }


def test_the_stored_index_is_read_and_written_as_before(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    index = written(tmp_path / "index")
    stored = GOLDEN / "index.zip"
    if request.config.getoption("--update-golden"):
        GOLDEN.mkdir(exist_ok=True)
        text = json.dumps(answers(index), indent=1) + "\n"
        (GOLDEN / "answers.json").write_text(text, encoding="utf-8")
        with ZipFile(stored, "w", ZIP_DEFLATED) as archive:
            for name, content in files(tmp_path / "index").items():
                archive.writestr(ZipInfo(name), content)
    with ZipFile(stored) as archive:
        archive.extractall(tmp_path / "stored")
    expected = json.loads((GOLDEN / "answers.json").read_text(encoding="utf-8"))
    assert answers(open_inverted_index(tmp_path / "stored")) == expected
    assert answers(index) == expected
    assert files(tmp_path / "index") == files(tmp_path / "stored")


def test_an_index_of_an_earlier_format_is_refused(tmp_path: Path) -> None:
    with ZipFile(GOLDEN / "index-format-1.zip") as archive:
        archive.extractall(tmp_path / "stored")
    with pytest.raises(IndexFormatError, match=r"has format 1, .* reads format 2; index again"):
        open_inverted_index(tmp_path / "stored")
