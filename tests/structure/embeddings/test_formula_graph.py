"""The embedding of formula-graph: its model, and the one that Porism ships."""

from dataclasses import replace
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest

from porism.analysis import query_layout
from porism.errors import PorismError
from porism.formula.operators import operator_tree
from porism.structure.embeddings import FormulaInput, open_formula_encoder
from porism.structure.embeddings.formula_graph import graph_model, open_encoder
from porism.structure.embeddings.model_files import (
    load_model_folder,
    packaged_model,
    save_model_folder,
)
from tests.structure.graphs.tiny_network import FORMULAS, packed, tiny_network


def inputs(*formulas: str) -> list[FormulaInput]:
    layouts = {latex: query_layout(latex).tree for latex in formulas}
    return [
        FormulaInput(latex, layout, cache(partial(operator_tree, layout)))
        for latex, layout in layouts.items()
    ]


def test_a_stored_model_gives_the_same_vectors(tmp_path: Path) -> None:
    network = tiny_network()
    save_model_folder(tmp_path, graph_model(network, {"steps": 3}))
    model = load_model_folder(tmp_path, "graph")
    assert model.settings["training"] == {"steps": 3}
    vectors = open_formula_encoder(model).encode(inputs(*FORMULAS))
    assert vectors == pytest.approx(network.encode(packed(*FORMULAS)), abs=1e-2)


def test_a_refused_formula_has_no_vector() -> None:
    refused = "{" * 5_000 + "x"
    vectors = open_encoder(graph_model(tiny_network(), {})).encode(inputs(refused, "x"))
    assert not vectors[0].any()
    assert vectors[1].any()


def test_a_model_of_another_form_is_refused() -> None:
    model = graph_model(tiny_network(), {})
    for damaged in (
        replace(model, settings={}),
        replace(model, settings={"network": {"colour": 3}}),
        replace(model, arrays={}),
        replace(model, arrays={name: each.ravel()[:-1] for name, each in model.arrays.items()}),
    ):
        with pytest.raises(PorismError, match=r"train it again with porism train graph"):
            open_encoder(damaged)


def test_the_shipped_model_finds_renamed_and_partial_formulas_similar() -> None:
    model = packaged_model("graph")
    assert model is not None
    query, renamed, part, other = open_formula_encoder(model).encode(
        inputs("x^2+y^2=z^2", "a^2+b^2=c^2", "x^2+y^2", r"\int_0^1 \ln t\,dt")
    )
    assert query @ renamed > 0.5 > query @ other
    assert query @ part > 0.5
    assert sum(each.nbytes for each in model.arrays.values()) < 3_000_000


def test_only_one_embedding_comes_with_a_model() -> None:
    assert packaged_model("cft") is None


def test_wildcards_and_matrices_have_vectors() -> None:
    model = packaged_model("graph")
    assert model is not None
    matrix = r"\begin{pmatrix}" + r"\\".join(["&".join(["a"] * 20)] * 20) + r"\end{pmatrix}"
    vectors = open_formula_encoder(model).encode(inputs("?x+?y", "?x", matrix))
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
