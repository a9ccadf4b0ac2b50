"""Weights of porism: files of them, what is refused, and the weights of an index."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from porism.catalog import index_plan, ranker, ranking_notes
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.model import Task
from porism.rank.rerank import Rerank
from porism.rank.systems.answer_weights import (
    AnswerWeights,
    FeatureWeights,
    answer_weights,
    parsed_weights,
    read_weights,
    shipped_weights,
)
from porism.rank.systems.weighted_scorers import WeightedScorers
from porism.searchindex.builder import IndexOptions, build_index, set_rankers, update_index
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.indexing import VectorChoice, index_collection
from porism.searchindex.manifest import read_manifest
from tests.searchindex.hash_encoder import HashEncoder

OWN = AnswerWeights(
    FeatureWeights(0.1, 0.7, 1.5, 0.25), FeatureWeights(0.2, 0.6), {"sets": [{"name": "links"}]}
)
WITHOUT_VECTORS = VectorChoice(is_used=False)


def written(path: Path, record: object) -> Path:
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def changed(**values: Any) -> dict[str, Any]:  # Any: JSON
    """A record with other weights for indexes with vectors."""
    record: dict[str, Any] = {**OWN.record()}
    record["with_vectors"] = {**record["with_vectors"], **values}
    return record


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    assert read_weights(written(tmp_path / "weights.json", OWN.record())) == OWN


def test_the_weights_that_porism_ships_are_valid() -> None:
    shipped = shipped_weights()
    assert 0 < shipped.with_vectors.tuples < 1
    assert min(shipped.with_vectors.question_vector, shipped.with_vectors.formulas) > 0
    assert shipped.without_vectors.question_vector == shipped.without_vectors.answer_vector == 0


def test_whole_numbers_are_weights(tmp_path: Path) -> None:
    weights = parsed_weights(changed(formulas=1), "here").with_vectors
    assert weights.formulas == 1.0
    assert isinstance(weights.formulas, float)


def test_vector_weights_may_be_left_out() -> None:
    record = {**OWN.record(), "without_vectors": {"tuples": 0.5, "formulas": 0}}
    assert parsed_weights(record, "here").without_vectors == FeatureWeights(0.5, 0.0)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "not a file of weights"),
        ({}, "not a file of weights"),
        ({**OWN.record(), "format": "other"}, "not a file of weights"),
        ({**OWN.record(), "version": 2}, "has version 2 of the format, and this Porism reads 1"),
        ({**OWN.record(), "with_vectors": None}, "has None in with_vectors: expected the weights"),
        ({**OWN.record(), "without_vectors": {"tuples": 1}}, "has tuples in without_vectors"),
        (changed(votes=0.1), "votes in with_vectors: expected the weights tuples, formulas"),
        (changed(formulas=-0.1), "with_vectors.formulas is -0.1: expected a number from 0 to 1000"),
        (changed(formulas=float("nan")), "with_vectors.formulas is nan"),
        (changed(formulas=float("inf")), "with_vectors.formulas is inf"),
        (changed(formulas=10**400), "with_vectors.formulas is 1000"),
        (changed(formulas="0.1"), "with_vectors.formulas is '0.1'"),
        (changed(formulas=True), "with_vectors.formulas is True"),
        (changed(formulas=None), "with_vectors.formulas is None"),
        (changed(tuples=1.5), "with_vectors.tuples is 1.5: expected a number from 0 to 1"),
    ],
)
def test_bad_weights_are_refused(record: object, message: str, tmp_path: Path) -> None:
    with pytest.raises(PorismError) as refused:
        read_weights(written(tmp_path / "weights.json", record))
    assert message in str(refused.value)
    assert "weights.json: " in str(refused.value)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"format": "porism-answer-weights"']
)
def test_a_damaged_file_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_bytes(content)
    with pytest.raises(PorismError, match=r"weights\.json: cannot be read as JSON"):
        read_weights(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="there is no such file; porism tune --learn writes"):
        read_weights(tmp_path / "none.json")
    with pytest.raises(PorismError, match="cannot be read"):
        read_weights(tmp_path)


def used_weights(search_index: SearchIndex) -> dict[str, float]:
    """The weights in the ranker that an index gives."""
    system = ranker("porism", Task.ANSWERS, search_index)
    assert isinstance(system, Rerank)
    assert isinstance(system.scorer, WeightedScorers)
    return {part.name: part.weight for part in system.scorer.parts}


@pytest.fixture(scope="module")
def site(sample_collection: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the collection of the sample with an index for porism, without vectors."""
    folder = tmp_path_factory.mktemp("weights")
    shutil.copytree(sample_collection, folder / "site", ignore=shutil.ignore_patterns("index"))
    with open_collection(folder / "site") as collection:
        plan = index_plan(["porism"])
        build_index(collection, folder / "index", plan, IndexOptions(), lambda progress: None)
    return folder


@pytest.fixture
def index(site: Path) -> Iterator[Path]:
    """The index; tests leave it with the weights that Porism ships."""
    yield site / "index"
    manifest = read_manifest(site / "index")
    if manifest.weights is not None:
        make_index(site, IndexOptions())


def make_index(
    site: Path, options: IndexOptions, choice: VectorChoice = WITHOUT_VECTORS, name: str = "index"
) -> None:
    with open_collection(site / "site") as collection:
        plan = index_plan(["porism"])
        index_collection(collection, site / name, plan, choice, options, lambda progress: None)


def files_of(folder: Path) -> dict[str, int]:
    """The files of all generations, and when each was written."""
    return {
        str(path.relative_to(folder)): os.stat(path).st_mtime_ns
        for path in folder.glob("generation-*/**/*")
        if path.is_file()
    }


def test_an_index_is_kept_and_uses_its_weights_until_it_is_made_without(
    site: Path, index: Path
) -> None:
    with open_index(index) as search_index:
        assert answer_weights(search_index) is shipped_weights()
        assert used_weights(search_index) == {
            "formulas": shipped_weights().without_vectors.formulas
        }
    before, files = read_manifest(index), files_of(index)
    make_index(site, IndexOptions(weights=OWN.record()))
    assert files_of(index) == files
    assert read_manifest(index) == replace(before, weights=OWN.record())
    with open_index(index) as search_index:
        assert answer_weights(search_index) == OWN
        assert used_weights(search_index) == {"formulas": 0.6}
        (note,) = ranking_notes("porism", Task.ANSWERS, search_index)
        assert "porism ranks without vectors: " in note
        assert "--vectors adds them" in note
    make_index(site, IndexOptions())
    assert read_manifest(index).weights is None
    assert read_manifest(index).generation > before.generation


def test_an_update_keeps_weights(site: Path, index: Path) -> None:
    set_rankers(index, IndexOptions(weights=OWN.record()))
    with open_collection(site / "site") as collection:
        update_index(collection, index, IndexOptions(), lambda progress: None)
    assert read_manifest(index).weights == OWN.record()


def test_a_new_index_has_the_weights_it_is_made_with(site: Path) -> None:
    make_index(site, IndexOptions(weights=OWN.record()), name="new")
    with open_index(site / "new") as search_index:
        assert answer_weights(search_index) == OWN


@pytest.mark.usefixtures("hash_encoder")
def test_vectors_are_kept_with_new_weights_unless_they_are_not_wanted(site: Path) -> None:
    own = IndexOptions(jobs=1, weights=OWN.record())
    make_index(site, IndexOptions(jobs=1), VectorChoice(is_wanted=True), "vectors")
    make_index(site, own, VectorChoice(), "vectors")
    with open_index(site / "vectors") as search_index:
        assert used_weights(search_index)["question_vector"] == 1.5
    make_index(site, IndexOptions(jobs=1), VectorChoice(is_wanted=True), "vectors")
    assert read_manifest(site / "vectors").weights == OWN.record()
    make_index(site, own, VectorChoice(is_wanted=False), "vectors")
    with open_index(site / "vectors") as search_index:
        assert search_index.vectors is None
        assert used_weights(search_index) == {"formulas": 0.6}


def test_weights_of_an_index_by_another_version_are_refused(index: Path) -> None:
    set_rankers(index, IndexOptions(weights={**OWN.record(), "version": 9}))
    with open_index(index) as search_index, pytest.raises(PorismError, match="has version 9"):
        ranker("porism", Task.ANSWERS, search_index)


def test_the_weights_of_an_index_with_vectors_are_used(
    hash_index: Path, hash_encoder: HashEncoder
) -> None:
    shipped = shipped_weights().with_vectors
    with open_index(hash_index) as search_index:
        assert ranking_notes("porism", Task.ANSWERS, search_index) == ()
        assert used_weights(search_index) == {
            "formulas": shipped.formulas,
            "question_vector": shipped.question_vector,
            "answer_vector": shipped.answer_vector,
        }
