"""Vectors of formulas in an index: models, updates, rebuilds, killed processes."""

from __future__ import annotations

from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from porism.analysis import query_layout
from porism.catalog import index_plan
from porism.collection.formulas.visual_groups import visual_formulas
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.formula.operators import operator_tree
from porism.inverted import Filter
from porism.model import Formula, Topic, TopicId
from porism.rank.structure.formula_vectors import formula_vector_ranker
from porism.searchindex import formula_vector_filling
from porism.searchindex.builder import IndexOptions, build_index, update_index
from porism.searchindex.components import ComponentSpec
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.files import check_index
from porism.searchindex.formula_vector_filling import (
    LOCK,
    FormulaVectorReport,
    fill_formula_vectors,
    store_formula_model,
)
from porism.searchindex.index_folder import open_index
from porism.searchindex.indexing import VectorChoice, index_collection
from porism.searchindex.manifest import read_manifest
from porism.structure.embeddings import FormulaInput, FormulaModel
from porism.structure.embeddings.model_files import load_model_folder, save_model_folder
from tests.killing import End, forked, interrupt, kill
from tests.searchindex.test_atomic_update import copied, leftovers
from tests.searchindex.test_vector_filling import damage, write_notes
from tests.structure.tiny_model import DIMENSION, tiny_model

NOTES = {
    "0": r"The sum $\sum_n n^2$ and $a+b$.",
    "1": r"The product $\prod_n n^3$ and $a+b$.",
    "2": r"A square: $x^2+y^2=z^2$.",
}
CFT = FormulaVectorSpec("cft")


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formula_vector_filling, "CHUNK_FORMULAS", 1)
    monkeypatch.setattr(formula_vector_filling, "FORMULAS_PER_PART", 2)


def build(collection: Path, index: Path, *specs: ComponentSpec) -> None:
    with open_collection(collection) as opened:
        every = (*index_plan(["tangent-l"]), *specs)
        build_index(opened, index, every, IndexOptions(), lambda progress: None)


def update(collection: Path, index: Path) -> tuple[FormulaVectorReport, ...]:
    with open_collection(collection) as opened:
        update_index(opened, index, IndexOptions(), lambda progress: None)
        return fill_formula_vectors(opened, index, IndexOptions(), lambda progress: None)


def store(collection: Path, index: Path, model: FormulaModel, jobs: int = 1) -> FormulaVectorReport:
    with open_collection(collection) as opened:
        options = IndexOptions(jobs=jobs)
        return store_formula_model(opened, index, model, options, lambda progress: None)


def formula(latex: str) -> FormulaInput:
    layout = query_layout(latex).tree
    return FormulaInput(latex, layout, cache(partial(operator_tree, layout)))


def topic(latex: str) -> Topic:
    focus = Formula("q", latex)
    return Topic(TopicId("1"), (focus,), focus=focus)


def found(index: Path, latex: str, k: int = 10) -> list[tuple[str, float]]:
    """The LaTeX of the formulas that a search finds, with their scores."""
    with open_index(index) as opened:
        hits = formula_vector_ranker(opened, "cft").rank(topic(latex), k)
        formulas = {each.visual_id: each.formula for each in visual_formulas(opened.collection)}
        stored = [opened.collection.formula(formulas[hit.doc_id]) for hit in hits]
        return [
            (each.latex, round(hit.score, 2))
            for each, hit in zip(stored, hits, strict=True)
            if each
        ]


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    build(write_notes(tmp_path, NOTES), tmp_path / "index", CFT)
    store(tmp_path / "collection", tmp_path / "index", tiny_model())
    return tmp_path


def test_an_index_has_a_place_for_vectors_before_it_has_a_model(tmp_path: Path) -> None:
    index = tmp_path / "index"
    build(write_notes(tmp_path, NOTES), index, CFT)
    with open_index(index) as opened:
        vectors = opened.formula_vectors("cft")
        assert vectors is not None
        assert len(vectors.missing()) == 4
        assert vectors.nearest(np.ones(3, np.float32), 3, opened.formulas) == []
        assert np.isnan(vectors.scores(np.ones(3, np.float32), ["1"])).all()
        with pytest.raises(PorismError, match=r"has no cft vectors; porism train cft .* adds them"):
            formula_vector_ranker(opened, "cft")
    assert update(tmp_path / "collection", index) == ()


def test_every_visually_distinct_formula_gets_its_vector(trained: Path) -> None:
    index = trained / "index"
    for latex in ("a+b", "x^2+y^2=z^2"):
        assert found(index, latex)[0] == (latex, 1.0)
    assert len(found(index, "a+b")) <= 4
    with open_index(index) as opened:
        vectors = opened.formula_vectors("cft")
        assert vectors is not None
        assert vectors.is_complete
        assert len(vectors) == 4
    assert check_index(index, lambda progress: None).damages == ()
    assert leftovers(index) == {LOCK}


def test_a_filter_restricts_the_nearest(trained: Path) -> None:
    with open_index(trained / "index") as opened:
        ranker = formula_vector_ranker(opened, "cft")
        everything = ranker.rank(topic("a+b"), 10)
        for hits in (everything[1:2], everything[1:]):
            within = Filter(documents=frozenset(hit.doc_id for hit in hits))
            assert ranker.rank(topic("a+b"), 10, within) == hits
        explained = ranker.explain(topic("a+b"), [everything[0].doc_id])
        assert explained[0].value == everything[0].score
        assert ranker.cosines(topic("a+b"), [everything[0].doc_id])[0] == pytest.approx(
            everything[0].score
        )


@pytest.mark.parametrize("latex", ["", "?a", "?a+?b", "?a=?a", r"\frac"])
def test_queries_without_known_parts_find_nothing_or_little(trained: Path, latex: str) -> None:
    hits = found(trained / "index", latex)
    assert len(hits) <= 4
    with open_index(trained / "index") as opened:
        tokens = formula_vector_ranker(opened, "cft").tokens(topic(latex))
        assert tokens == (None if hits else ())


def test_a_model_is_added_to_an_index_without_a_place_for_it(tmp_path: Path) -> None:
    index = tmp_path / "index"
    build(write_notes(tmp_path, NOTES), index)
    report = store(tmp_path / "collection", index, tiny_model(), jobs=2)
    assert (report.encoded, report.vectors, report.without_vector) == (4, 4, 0)
    assert read_manifest(index).generation == 1
    assert found(index, "a+b")[0] == ("a+b", 1.0)


def test_an_update_encodes_new_formulas_by_the_stored_model(trained: Path) -> None:
    index = trained / "index"
    collection = write_notes(trained, {"0": NOTES["0"], "3": r"New: $\int_0^1 f$."})
    (report,) = update(collection, index)
    assert (report.encoded, report.without_vector) == (1, 0)
    assert found(index, r"\int_0^1 f")[0] == (r"\int_0^1 f", 1.0)
    assert not any(latex == "x^2+y^2=z^2" for latex, _ in found(index, "x^2+y^2=z^2"))


def test_a_rebuild_keeps_model_and_vectors(trained: Path) -> None:
    index = trained / "index"
    before = found(index, "a+b")
    build(trained / "collection", index, CFT)
    (report,) = update(trained / "collection", index)
    assert report.encoded == 0
    assert read_manifest(index).generation == 2
    assert found(index, "a+b") == before


def test_a_trained_model_stays_when_an_index_is_made_for_other_systems(trained: Path) -> None:
    index = trained / "index"
    before = found(index, "a+b")
    with open_collection(trained / "collection") as opened:
        index_collection(
            opened,
            index,
            index_plan(["l8"]),
            VectorChoice(False),
            IndexOptions(),
            lambda progress: None,
        )
    assert found(index, "a+b") == before


def test_a_rebuild_drops_a_damaged_model(trained: Path) -> None:
    index = trained / "index"
    damage(next(index.glob("generation-1/formula-vectors-cft/model-*")))
    with open_index(index) as opened, pytest.raises(PorismError, match="is damaged"):
        formula_vector_ranker(opened, "cft").rank(topic("x"), 1)
    build(trained / "collection", index, CFT)
    assert update(trained / "collection", index) == ()


def test_another_model_replaces_all_vectors(trained: Path) -> None:
    index = trained / "index"
    before = found(index, "a+b")
    assert store(trained / "collection", index, tiny_model()).vectors == 4
    assert found(index, "a+b") == before
    assert store(trained / "collection", index, tiny_model(1)).encoded == 4
    assert found(index, "a+b") != before
    assert len(list(index.glob("generation-1/formula-vectors-cft/model-*"))) == 1


@pytest.mark.parametrize("end", [kill, interrupt])
def test_a_new_model_is_in_force_with_all_vectors_or_not_at_all(trained: Path, end: End) -> None:
    before = found(trained / "index", "a+b")
    copy = trained / "copy"

    def work() -> None:
        store(trained / "collection", copy, tiny_model(1))

    copied(trained / "index", copy)
    events = forked(work, 0, end)
    after = found(copy, "a+b")
    assert after != before
    for at in range(1, events + 1, 3):
        copied(trained / "index", copy)
        forked(work, at, end)
        assert found(copy, "a+b") in (before, after), at
        assert check_index(copy, lambda progress: None).damages == ()
        store(trained / "collection", copy, tiny_model(1))
        assert found(copy, "a+b") == after
        assert leftovers(copy) == {LOCK}


def test_a_model_folder_is_read_back_or_refused(tmp_path: Path) -> None:
    model = tiny_model()
    save_model_folder(tmp_path, tiny_model(1))
    save_model_folder(tmp_path, model)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arrays-2", "model.json"]
    again = load_model_folder(tmp_path, "cft")
    assert (again.dimension, again.settings) == (DIMENSION, model.settings)
    for name, array in model.arrays.items():
        assert (again.arrays[name] == array.reshape(-1)).all()
    with pytest.raises(PorismError, match="of the embedding 'cft', where one of 'graph'"):
        load_model_folder(tmp_path, "graph")
    damage(tmp_path / "arrays-2")
    with pytest.raises(PorismError, match="arrays-2 is damaged"):
        load_model_folder(tmp_path, "cft")
    with pytest.raises(PorismError, match=r"no model of formulas .* porism train cft INDEX"):
        load_model_folder(tmp_path / "none", "cft")
