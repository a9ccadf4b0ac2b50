"""Training of the network of formula-graph: equality with the encoder, determinism, the command."""

import json
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.collection.store import open_collection
from porism.errors import FormatError, PorismError
from porism.lab.training import graph_formulas
from porism.lab.training.graph_formulas import file_corpus, index_corpus
from porism.searchindex.builder import IndexOptions
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.index_folder import open_index
from porism.searchindex.manifest import read_manifest
from porism.structure.embeddings.model_files import load_model_folder
from porism.structure.graphs.formula_views import GraphCorpus, graph_corpus
from porism.structure.graphs.tree_graphs import formula_graphs
from tests.killing import interrupt
from tests.searchindex.test_formula_vector_filling import build
from tests.searchindex.test_vector_filling import write_notes
from tests.structure.graphs.tiny_network import FORMULAS, SPEC, packed, tiny_network

NOTES = {str(number): f"A formula: ${latex}$." for number, latex in enumerate(FORMULAS)}
GRAPH = FormulaVectorSpec("graph")


def made_index(folder: Path, notes: dict[str, str]) -> Path:
    build(write_notes(folder, notes), folder / "index", GRAPH)
    return folder / "index"


def train(*arguments: object) -> Result:
    return CliRunner().invoke(porism, ["train", "graph", *map(str, arguments)])


def settings(**changes: Any) -> Any:  # Any: the module needs PyTorch
    from porism.lab.training.graph_training import GraphTraining

    return GraphTraining(**{"network": SPEC, "batch": 8, "steps": 20, "warm_up": 5, **changes})


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    """Let PyTorch use one thread: the threads of tests that run at once wait for each other."""
    if find_spec("torch") is not None:
        import_module("torch").set_num_threads(1)


@pytest.fixture
def corpus() -> GraphCorpus:
    return graph_corpus(formula_graphs(packed(*FORMULAS)))


def test_formulas_of_an_index_are_packed(tmp_path: Path) -> None:
    index = made_index(tmp_path, {**NOTES, "x": "Small ones: $x$, $y^2$."})
    with open_collection(tmp_path / "collection") as collection:
        corpus = index_corpus(collection, index, IndexOptions(), lambda progress: None)
    assert corpus.formulas == len(FORMULAS)


def test_formulas_of_a_file_are_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "formulas.txt"
    path.write_text("\n".join([*FORMULAS, "x", "{" * 5_000]), encoding="utf-8")
    assert file_corpus(path, IndexOptions(), lambda progress: None).formulas == len(FORMULAS)
    monkeypatch.setattr(graph_formulas, "MAX_FORMULAS", 5)
    assert file_corpus(path, IndexOptions(), lambda progress: None).formulas <= 5


def test_a_file_without_formulas_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "formulas.txt"
    with pytest.raises(PorismError, match="cannot be read"):
        file_corpus(path, IndexOptions(), lambda progress: None)
    path.write_bytes(b"x+y\n\xff")
    with pytest.raises(FormatError, match="not UTF-8"):
        file_corpus(path, IndexOptions(), lambda progress: None)
    path.write_bytes(b"x\n")
    with pytest.raises(PorismError, match="nothing to train on"):
        file_corpus(path, IndexOptions(), lambda progress: None)


@pytest.mark.train("torch")
def test_the_encoder_equals_the_trained_network() -> None:
    import torch

    from porism.lab.training.graph_training import formula_vectors

    network = tiny_network()
    parameters = {name: torch.tensor(each) for name, each in network.weights.items()}
    trees = packed(*FORMULAS, "x")
    theirs = formula_vectors(SPEC, parameters, formula_graphs(trees)).numpy()
    assert network.encode(trees) == pytest.approx(theirs, abs=1e-4)


@pytest.mark.train("torch")
def test_the_loss_falls_and_the_seed_decides(corpus: GraphCorpus) -> None:
    from porism.lab.training.graph_training import train as trained

    losses: list[float] = []
    one = trained(corpus, settings(), report=lambda step, loss: losses.append(loss))
    again = trained(corpus, settings())
    other = trained(corpus, settings(seed=1))
    assert len(losses) == 20
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    assert all(np.array_equal(one.weights[name], again.weights[name]) for name in one.weights)
    assert any(not np.array_equal(one.weights[name], other.weights[name]) for name in one.weights)


@pytest.mark.train("torch")
def test_one_formula_is_refused() -> None:
    from porism.lab.training.graph_training import train as trained

    with pytest.raises(PorismError, match="at least 2 different ones are needed"):
        trained(graph_corpus(formula_graphs(packed("x+y"))), settings())


@pytest.mark.train("torch")
def test_the_command_stores_a_model_and_its_vectors(tmp_path: Path) -> None:
    index = made_index(tmp_path, NOTES)
    model = tmp_path / "model"
    result = train(index, "--steps", 2, "--batch", 4, "-o", model, "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["vectors"] == len(FORMULAS)
    assert record["settings"]["training"]["steps"] == 2
    assert load_model_folder(model, "graph").settings["training"]["formulas"] == len(FORMULAS)
    with open_index(index) as opened:
        vectors = opened.formula_vectors("graph")
        assert vectors is not None
        assert vectors.is_complete


@pytest.mark.train("torch")
def test_an_unknown_device_is_refused(tmp_path: Path) -> None:
    result = train(made_index(tmp_path, NOTES), "--steps", 1, "--device", "abacus")
    assert result.exit_code == 1
    assert "PyTorch cannot compute on 'abacus' here" in result.output


@pytest.mark.train("torch")
def test_an_index_without_formulas_is_refused_and_unchanged(tmp_path: Path) -> None:
    index = made_index(tmp_path, {"1": "No formulas."})
    before = read_manifest(index)
    result = train(index, "--steps", 1)
    assert result.exit_code == 1
    assert "nothing to train on" in result.output
    assert read_manifest(index) == before


@pytest.mark.train("torch")
def test_interrupted_training_leaves_the_index_unchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from porism.lab.training import graph_training

    index = made_index(tmp_path, NOTES)
    before = read_manifest(index)
    monkeypatch.setattr(graph_training, "train", lambda *given: interrupt())
    result = train(index, "--steps", 1)
    assert result.exit_code != 0
    assert read_manifest(index) == before
    assert not list(index.glob("formula-model-*"))
