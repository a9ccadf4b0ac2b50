"""The weights of ``ltr``: read, refused, and applied to structural features."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from porism.collection.sample import sample_topics
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.rank.structure.ltr import (
    ALL_FEATURES,
    FormulaFeatures,
    FormulaWeights,
    WeightedFeatures,
    formula_weights,
    parsed_formula_weights,
    read_formula_weights,
    shipped_formula_weights,
)
from porism.rank.structure.pair_features import TREE_FEATURES, tree_features
from porism.rank.structure.tangent_s import TangentS
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.structure.packed_trees import PackedTrees, packed_trees

OWN = FormulaWeights(dict.fromkeys(ALL_FEATURES, 2.0), dict.fromkeys(TREE_FEATURES, 1.0))


@pytest.fixture(scope="module")
def search_index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


def test_there_are_the_features_of_the_paper() -> None:
    assert len(TREE_FEATURES) == 18
    assert sum("edit distance" in name for name in TREE_FEATURES) == 8
    assert (*TREE_FEATURES, "cft cosine") == ALL_FEATURES


def test_equal_formulas_have_all_features_in_full() -> None:
    layout, other = parse_latex("a^2+b").tree, parse_latex("x^2+y").tree
    rows = [packed_trees(tree, operator_tree(tree)) for tree in (layout, other)]
    numbers = np.array([number for row in rows for number in row], np.uint64)
    stored = PackedTrees(numbers, np.cumsum([0, *map(len, rows)]))
    table = tree_features(layout, stored)
    assert table[0].tolist() == [1.0] * len(TREE_FEATURES)
    by_name = dict(zip(TREE_FEATURES, table[1].tolist(), strict=True))
    # Two of four symbols are renamed: the distance is 2, or 2 * 4 / 10 by weighted costs.
    assert by_name["layout edit distance"] == pytest.approx(1 - 2 / 8)
    assert by_name["layout weighted edit distance"] == pytest.approx(1 - 0.8 / 8)
    assert by_name["layout nodes"] == 0.5
    assert all(
        value == 1 for name, value in by_name.items() if "typed" in name or "alignment" in name
    )


def test_scores_are_weighted_sums_of_features(search_index: SearchIndex) -> None:
    topic = next(iter(read_topics(sample_topics(2))))
    hits = TangentS(search_index).rank(topic, 5)
    features = FormulaFeatures(search_index)
    scorer = WeightedFeatures(features, OWN.without_vectors)
    table = features.of(topic, [hit.doc_id for hit in hits])
    assert scorer.scores(topic, hits) == pytest.approx(table.sum(axis=1))
    explained = scorer.explain(topic, hits)
    assert [each.value for each in explained] == pytest.approx(table.sum(axis=1))


def test_weights_are_written_and_read(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    path.write_text(json.dumps(OWN.record()))
    assert read_formula_weights(path) == OWN


def test_an_index_without_weights_uses_those_shipped(search_index: SearchIndex) -> None:
    assert formula_weights(search_index) == shipped_formula_weights()
    assert shipped_formula_weights().training["sets"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not a file of weights"),
        ({"version": 2}, "version 2 of the format"),
        ({"with_vectors": {}}, "expected a weight in with_vectors"),
        ({"without_vectors": dict.fromkeys(TREE_FEATURES, "1")}, "expected a number"),
        ({"without_vectors": dict.fromkeys(TREE_FEATURES, float("inf"))}, "expected a number"),
    ],
)
def test_wrong_weights_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(PorismError, match=message):
        parsed_formula_weights({**OWN.record(), **change}, "w.json")


def test_files_that_are_no_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    with pytest.raises(PorismError, match="no such file"):
        read_formula_weights(path)
    path.write_text("{")
    with pytest.raises(PorismError, match="cannot be read as JSON"):
        read_formula_weights(path)
