"""``porism index --vectors`` and ``porism update`` of an index with vectors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.errors import PorismError
from porism.searchindex import indexing, text_encoders
from porism.searchindex.manifest import read_manifest
from tests.searchindex.hash_encoder import HashEncoder, installed
from tests.searchindex.test_vector_filling import NOTES, write_notes


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[HashEncoder]:
    monkeypatch.setattr(indexing, "is_installed", lambda model: True)
    yield installed(monkeypatch, HashEncoder())
    text_encoders._opened.cache_clear()


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, [*map(str, arguments), "--jobs", "1"])


def report(*arguments: str | Path) -> dict[str, Any]:  # Any: JSON
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    record: dict[str, Any] = json.loads(result.stdout)
    return record


def not_installed(model: str) -> HashEncoder:
    raise PorismError(f"the model {model} is not installed")


def test_a_small_collection_gets_vectors_by_default(tmp_path: Path) -> None:
    record = report("index", write_notes(tmp_path, NOTES))
    assert (record["vectors"], record["encoded"]) == (12, 12)
    assert record["model"] == {
        "name": "hash",
        "digest": "0123abcd",
        "dimension": 24,
        "pooling": "mean",
        "precision": "float32",
    }


@pytest.mark.parametrize(
    "options", [["--no-vectors"], ["--systems", "l8"], ["--no-vectors", "--model", "minilm"]]
)
def test_vectors_are_left_out(tmp_path: Path, options: list[str]) -> None:
    record = report("index", write_notes(tmp_path, NOTES), *options)
    assert (record["vectors"], record["model"]) == (0, None)


def test_a_large_collection_gets_vectors_only_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: HashEncoder
) -> None:
    monkeypatch.setattr(indexing, "SMALL_COLLECTION", 5)
    collection = write_notes(tmp_path, NOTES)
    assert report("index", collection)["vectors"] == 0
    result = run("index", collection, "--vectors")
    assert "12 vectors by hash, 12 texts encoded in 0 s" in result.stdout.splitlines()
    assert read_manifest(collection / "index").generation == 1
    # Once it has vectors, a rebuild keeps them.
    again = report("index", collection)
    assert (again["vectors"], again["encoded"]) == (12, 0)
    assert read_manifest(collection / "index").generation == 2
    assert len(encoder.encoded) == 12


def test_an_index_that_lacks_a_system_is_built_again(tmp_path: Path) -> None:
    collection = write_notes(tmp_path, NOTES)
    report("index", collection, "--systems", "l8", "--no-vectors")
    assert report("index", collection, "--systems", "bm25", "--vectors")["vectors"] == 12
    assert read_manifest(collection / "index").generation == 2


def test_an_index_of_another_collection_is_built_again(tmp_path: Path) -> None:
    first = write_notes(tmp_path / "first", {"0": "One text."})
    second = write_notes(tmp_path / "second", NOTES)
    report("index", first, "-o", tmp_path / "index", "--systems", "l8")
    record = report("index", second, "-o", tmp_path / "index", "--systems", "l8", "--vectors")
    assert (record["answers"], record["vectors"]) == (6, 12)
    assert read_manifest(tmp_path / "index").generation == 2


def test_a_model_that_is_not_installed_is_refused_before_indexing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_encoders, "open_encoder", not_installed)
    collection = write_notes(tmp_path, NOTES)
    result = run("index", collection, "--vectors")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the model minilm is not installed" in result.stderr
    assert not (collection / "index").exists()


def test_an_update_adds_vectors_of_new_texts(tmp_path: Path, encoder: HashEncoder) -> None:
    collection = write_notes(tmp_path, NOTES)
    report("index", collection)
    encoder.encoded.clear()
    write_notes(tmp_path, {**NOTES, "new": "A limit."})
    record = report("update", collection)
    assert (record["added"], record["vectors"], record["encoded"]) == (1, 14, 2)
    assert encoder.encoded == ["Note new\nnew", "A limit."]
    assert "is up to date" in run("update", collection).stdout


def test_an_update_without_the_model_is_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collection = write_notes(tmp_path, NOTES)
    report("index", collection)
    monkeypatch.setattr(text_encoders, "open_encoder", not_installed)
    text_encoders._opened.cache_clear()
    assert run("update", collection).stderr == ""
    write_notes(tmp_path, {**NOTES, "new": "A limit."})
    result = run("update", collection)
    assert result.exit_code == 0
    assert "1 added" in result.stdout
    assert (
        result.stderr
        == "New texts or formulas have no vectors: the model minilm is not installed\n"
    )
