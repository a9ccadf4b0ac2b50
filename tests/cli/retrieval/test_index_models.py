"""``porism index --model ROLE=MODEL``: models of systems, and several sets of vectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from porism.catalog import models_used, ranker, ranking_notes, vector_model
from porism.errors import PorismError
from porism.model import Task
from porism.query.typed_topics import typed_answer_topic
from porism.searchindex import indexing, text_encoders
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import read_manifest
from porism.searchindex.model_roles import ModelRole, VectorRole
from tests.cli.retrieval.test_index_vectors import report, run
from tests.searchindex.hash_encoder import HashEncoder, installed
from tests.searchindex.test_vector_filling import NOTES, write_notes


@pytest.fixture(autouse=True)
def encoder(monkeypatch: pytest.MonkeyPatch) -> Iterator[HashEncoder]:
    monkeypatch.setattr(indexing, "is_installed", lambda model: True)
    yield installed(monkeypatch, HashEncoder())
    text_encoders._opened.cache_clear()


def test_a_model_is_stored_without_indexing_again(tmp_path: Path) -> None:
    collection = write_notes(tmp_path, NOTES)
    table = tmp_path / "concepts.tsv"
    table.write_text("concept\tformula\tnames\n")
    report("index", collection, "--systems", "l8")
    record = report("index", collection, "--systems", "l8", "--model", f"concepts={table}")
    assert record["models"] == {"concepts": str(table.resolve())}
    manifest = read_manifest(collection / "index")
    assert (manifest.generation, manifest.models) == (1, {"concepts": str(table.resolve())})
    # It outlasts an update and a rebuild.
    write_notes(tmp_path, {**NOTES, "new": "A limit."})
    report("update", collection)
    report("index", collection, "--systems", "bm25")
    with open_index(collection) as search_index:
        assert search_index.manifest.generation == 2
        assert search_index.model(ModelRole.CONCEPTS) == str(table.resolve())
        assert search_index.model(ModelRole.CROSS_ENCODER) is None
    removed = report("index", collection, "--systems", "bm25", "--model", "concepts=")
    assert removed["models"] == {}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("encoder=minilm", "there is no role 'encoder' of models; these are: vectors, compubert,"),
        ("concepts=nowhere.tsv", "concepts=nowhere.tsv: there is no such model"),
    ],
)
def test_bad_models_are_refused_before_indexing(tmp_path: Path, value: str, message: str) -> None:
    collection = write_notes(tmp_path, NOTES)
    result = run("index", collection, "--model", value)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr
    assert not (collection / "index").exists()


def test_vectors_have_one_usual_model(tmp_path: Path) -> None:
    models = ("--model", "minilm", "--model", "vectors=wordllama")
    result = run("index", write_notes(tmp_path, NOTES), *models)
    assert "an index has vectors by one model, not by minilm and wordllama" in result.stderr


def test_compubert_has_vectors_of_its_own_on_request(tmp_path: Path, encoder: HashEncoder) -> None:
    collection = write_notes(tmp_path, NOTES)
    assert report("index", collection)["more_vectors"] == {}
    record = report("index", collection, "--systems", "compubert", "--vectors")
    assert record["more_vectors"]["compubert"]["vectors"] == 12
    assert "The sum sum sub sum n sup n 3 of powers." in encoder.encoded
    with open_index(collection) as search_index:
        assert search_index.manifest.generation == 1
        compubert = ranker("compubert", Task.ANSWERS, search_index)
        usual = ranker("compubert22", Task.ANSWERS, search_index)
        topic = typed_answer_topic("The sum $\\sum_n n^4$ of powers").topic
        assert compubert.rank(topic, 1)[0].doc_id == usual.rank(topic, 1)[0].doc_id == "notes/4.md"
        assert vector_model("compubert", Task.ANSWERS, search_index) == encoder.identity
        first = search_index.fingerprint
    # An update fills both sets.
    write_notes(tmp_path, {**NOTES, "new": "A limit."})
    assert report("update", collection)["encoded"] == 2
    with open_index(collection) as search_index:
        for role in (VectorRole.TEXTS, VectorRole.COMPUBERT):
            vectors = search_index.text_vectors(role)
            assert vectors is not None
            assert (len(vectors), vectors.is_complete) == (14, True)
        assert search_index.fingerprint != first
    # A rebuild for other systems keeps both.
    report("index", collection, "--systems", "l8", "--vectors")
    rebuilt = report("index", collection, "--systems", "bm25,porism")
    assert rebuilt["more_vectors"]["compubert"]["encoded"] == 0


def test_systems_without_their_model_say_what_to_do(tmp_path: Path) -> None:
    collection = write_notes(tmp_path, NOTES)
    report("index", collection, "--systems", "l8", "--no-vectors")
    with open_index(collection) as search_index:
        add = "--systems compubert --vectors"
        with pytest.raises(PorismError, match=add):
            ranker("compubert", Task.ANSWERS, search_index)
        assert models_used("l8", Task.ANSWERS, search_index) == {}
        assert ranking_notes("l8", Task.ANSWERS, search_index) == ()
