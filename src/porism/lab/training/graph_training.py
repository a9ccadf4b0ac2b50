"""Training of the network of ``formula-graph`` by contrast of views (InfoNCE), with PyTorch.

In each step a batch of formulas has two views each. Of each tree, and of both together, the vector
of one view should be nearer to that of the other view of the same formula than to those of all
other formulas, in both directions. On one processor the same seed gives the same network.

The recipe is the published one (batches of 1,024, 5,000 steps) with a smaller network, because a
product encodes on processors without accelerators. The temperature and the rate of learning are not
published; these are usual values. Of temperatures .03, .05 and .1, the last is a little worse.

Importing this loads PyTorch, of the extra ``train``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import cos, pi
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from porism import __version__
from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.structure.embeddings import FormulaModel
from porism.structure.embeddings.formula_graph import graph_model
from porism.structure.graphs.formula_views import GraphCorpus, ViewSpec, views
from porism.structure.graphs.network import (
    BRANCHES,
    EPSILON,
    SLOPE,
    GraphNetwork,
    NetworkSpec,
    label_buckets,
)
from porism.structure.graphs.tree_graphs import DEPTHS, STEPS, FormulaGraphs, TreeGraphs

Parameters = dict[str, torch.Tensor]

_NETWORK, _VIEWS = NetworkSpec(), ViewSpec()

MIN_FORMULAS = 2
"""Formulas without which there is nothing to contrast."""


@dataclass(frozen=True, slots=True)
class GraphTraining:
    """How a network is trained."""

    network: NetworkSpec = _NETWORK
    views: ViewSpec = _VIEWS
    batch: int = 1024
    steps: int = 5000
    rate: float = 2e-3
    temperature: float = 0.05
    warm_up: int = 100
    decay: float = 1e-4
    seed: int = 0


def train(
    corpus: GraphCorpus,
    training: GraphTraining,
    device: str = "cpu",
    report: Callable[[int, float], None] = lambda step, loss: None,
) -> GraphNetwork:
    """Return a network that was trained on the formulas of a corpus.

    ``report`` is called after each step with its number, from 1, and its loss.
    """
    if corpus.formulas < MIN_FORMULAS:
        raise PorismError(
            f"{corpus.formulas} formulas of some size to train on: at least {MIN_FORMULAS} "
            "different ones are needed"
        )
    random = np.random.default_rng(training.seed)
    parameters = _initial(training.network, random, device)
    optimizer = torch.optim.AdamW(
        list(parameters.values()), lr=training.rate, weight_decay=training.decay
    )
    for step in range(training.steps):
        for group in optimizer.param_groups:
            group["lr"] = _rate(training, step)
        count = min(training.batch, corpus.formulas)
        formulas = np.sort(random.choice(corpus.formulas, count, replace=False))
        pair = [
            branch_vectors(
                training.network, parameters, views(corpus, formulas, training.views, random)
            )
            for _ in range(2)
        ]
        loss = _loss(pair[0], pair[1], training.temperature)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        report(step + 1, float(loss.detach()))
    return GraphNetwork(
        training.network,
        {name: values.detach().cpu().numpy() for name, values in parameters.items()},
    )


def train_graph_model(
    corpus: GraphCorpus, training: GraphTraining, device: str, watch: Watch
) -> FormulaModel:
    """Return a trained network as a model of the embedding; an unknown device is refused."""
    try:
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise PorismError(f"PyTorch cannot compute on {device!r} here: {reason}") from None

    def report(step: int, loss: float) -> None:
        watch(StepProgress("steps of training", step, training.steps, step))

    network = train(corpus, training, device, report)
    settings = {
        "porism": __version__,
        "torch": str(torch.__version__),
        "device": device,
        "formulas": corpus.formulas,
        **{name: value for name, value in asdict(training).items() if name != "network"},
    }
    return graph_model(network, settings)


def _rate(training: GraphTraining, step: int) -> float:
    """Return the rate of learning of a step: it rises, then falls along a cosine."""
    if step < training.warm_up:
        return training.rate * (step + 1) / training.warm_up
    done = (step - training.warm_up) / max(1, training.steps - training.warm_up)
    return training.rate * (0.02 + 0.98 * (1 + cos(pi * done)) / 2)


def _initial(network: NetworkSpec, random: np.random.Generator, device: str) -> Parameters:
    """Return random weights; NumPy draws them, so that they are the same for every device."""
    parameters: Parameters = {}
    for name, shape in network.shapes().items():
        last = name.rpartition(".")[2]
        if last == "gain":
            values = np.ones(shape)
        elif last == "shift":
            values = np.zeros(shape)
        elif last in ("source", "target", "output", "readout"):
            values = random.normal(0.0, shape[0] ** -0.5, shape)
        else:
            values = random.normal(0.0, 0.2, shape)
        parameters[name] = torch.tensor(
            values, dtype=torch.float32, device=device, requires_grad=True
        )
    return parameters


def _loss(one: list[torch.Tensor], other: list[torch.Tensor], temperature: float) -> torch.Tensor:
    """Return the mean of InfoNCE of both trees and of both together, in both directions."""
    pairs = [*zip(one, other, strict=True), (_joined(one), _joined(other))]
    target = torch.arange(len(one[0]), device=one[0].device)
    losses = []
    for left, right in pairs:
        similarities = left @ right.T / temperature
        losses.append(torch.nn.functional.cross_entropy(similarities, target))
        losses.append(torch.nn.functional.cross_entropy(similarities.T, target))
    return torch.stack(losses).mean()


def _joined(branches: list[torch.Tensor]) -> torch.Tensor:
    return torch.nn.functional.normalize(torch.cat(branches, dim=1), dim=1)


def formula_vectors(
    network: NetworkSpec, parameters: Parameters, graphs: FormulaGraphs
) -> torch.Tensor:
    """Return the vector of each formula, as ``GraphNetwork.encode_graphs`` does."""
    return _joined(branch_vectors(network, parameters, graphs))


def branch_vectors(
    network: NetworkSpec, parameters: Parameters, graphs: FormulaGraphs
) -> list[torch.Tensor]:
    """Return the vectors of the trees of each formula, those of layouts first."""
    return [
        _branch(network, parameters, name, each)
        for name, each in zip(BRANCHES, graphs, strict=True)
    ]


def _branch(
    network: NetworkSpec, parameters: Parameters, branch: str, graphs: TreeGraphs
) -> torch.Tensor:
    labels = parameters["labels"]

    def tensor(values: NDArray[np.integer[Any]]) -> torch.Tensor:
        return torch.from_numpy(values.astype(np.int64)).to(labels.device)

    one, other = label_buckets(graphs.labels, network.buckets)
    steps = tensor(graphs.steps)
    states = labels.index_select(0, tensor(one)) + labels.index_select(0, tensor(other))
    states = states + _rows(parameters[f"{branch}.kinds"], tensor(graphs.kinds))
    states = states + _rows(parameters[f"{branch}.steps"], steps)
    depths = np.minimum(graphs.depths, DEPTHS - 1)
    states = states + _rows(parameters[f"{branch}.depths"], tensor(depths))
    count = len(graphs.parents)
    children = tensor(np.flatnonzero(graphs.parents >= 0))
    parents = tensor(graphs.parents)[children]
    nodes = torch.arange(count, device=labels.device)
    down = steps[children]
    sources = torch.cat([nodes, parents, children])
    targets = torch.cat([nodes, children, parents])
    types = torch.cat([torch.zeros_like(nodes), down, STEPS + down])
    for layer in range(network.layers):
        weights = {
            name: parameters[f"{branch}.{layer}.{name}"]
            for name in ("source", "target", "edges", "attention", "output", "gain", "shift")
        }
        states = _layer(network.heads, weights, states, (sources, targets, types))
    owners = tensor(np.repeat(np.arange(graphs.graphs), np.diff(graphs.starts)))
    sizes = tensor(np.maximum(1, np.diff(graphs.starts)))
    zeros = torch.zeros(graphs.graphs, network.width, device=labels.device)
    mean = zeros.index_add(0, owners, states) / sizes[:, None]
    highest = zeros.scatter_reduce(
        0, owners[:, None].expand(-1, network.width), states, "amax", include_self=False
    )
    pooled = torch.cat([mean, highest], dim=1)
    return torch.nn.functional.normalize(pooled @ parameters[f"{branch}.readout"], dim=1)


def _rows(table: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """Return rows of a small table: a product, because gradients of repeated rows are slow."""
    return torch.nn.functional.one_hot(numbers, len(table)).to(table.dtype) @ table


def _layer(
    heads: int,
    weights: Parameters,
    states: torch.Tensor,
    edges: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
) -> torch.Tensor:
    """Return the states after one layer of attention along edges: source, target and type."""
    sources, targets, types = edges
    count, width = states.shape
    messages = (states @ weights["source"]).index_select(0, sources)
    messages = messages + _rows(weights["edges"], types)
    scores = torch.nn.functional.leaky_relu(
        messages + (states @ weights["target"]).index_select(0, targets), SLOPE
    )
    scores = (scores * weights["attention"]).view(-1, heads, width // heads).sum(2)
    # The highest score of each node is subtracted, so that no exponential overflows.
    highest = torch.full((count, heads), -torch.inf, device=states.device)
    highest = highest.scatter_reduce(
        0, targets[:, None].expand(-1, heads), scores.detach(), "amax", include_self=False
    )
    shares = torch.exp(scores - highest.index_select(0, targets))
    sums = torch.zeros(count, heads, device=states.device).index_add(0, targets, shares)
    parts = (
        messages.view(-1, heads, width // heads)
        * (shares / sums.index_select(0, targets))[:, :, None]
    )
    gathered = torch.zeros_like(states).index_add(0, targets, parts.reshape(-1, width))
    states = states + torch.relu(gathered) @ weights["output"]
    return torch.nn.functional.layer_norm(
        states, (width,), weights["gain"], weights["shift"], EPSILON
    )
