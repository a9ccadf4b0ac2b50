"""Graphs of sentences by a parser of AMR: ``amrlib``, with a model that the user has.

Formulas are given to the parser as words, ``eqx0eqx``, as MathAMR does, and their operator trees
take the place of these in the graph. Nothing is downloaded; a model such as amrlib's
``parse_xfm_bart_large`` takes most of a second for a sentence without a graphics card.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Protocol

from porism.analysis.sentence_graphs import GraphNode, RuleParser, SentenceParser, formula_node
from porism.errors import PorismError
from porism.model import Content, Formula

MAX_DEPTH = 60
"""Levels of a graph; one that is deeper is made by rules."""

_TOKEN = re.compile(r'"[^"]*"|[()/]|[^\s()/]+')
_PLACE = re.compile(r"eqx([0-9]+)eqx", re.IGNORECASE)
_SENSE = re.compile(r"-[0-9]+$")
_OPENING = threading.Lock()


class AmrModel(Protocol):
    """What amrlib loads: sentences become graphs in PENMAN notation, None where it fails."""

    def parse_sents(self, sents: list[str], add_metadata: bool = ...) -> list[str | None]: ...


def sentence_parser(folder: str | None) -> SentenceParser:
    """Return the parser with the model in a folder, opened once, or that by rules without one."""
    if folder is None:
        return RuleParser()
    with _OPENING:
        return _opened(folder)


@cache
def _opened(folder: str) -> AmrParser:
    try:
        amrlib = import_module("amrlib")
    except ModuleNotFoundError as error:
        raise PorismError(
            f"the model for graphs of sentences in {folder} needs the package {error.name}, which "
            "is not installed: pip install amrlib"
        ) from error
    try:
        return AmrParser(amrlib.load_stog_model(model_dir=folder), folder)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise PorismError(
            f"{folder}: cannot be opened as a model of amrlib for parsing ({error}); give a folder "
            "as amrlib has them, with amrlib_meta.json"
        ) from error


class AmrParser:
    """Sentences parsed by amrlib; one that it fails on is parsed by rules. Threads may share it."""

    def __init__(self, model: AmrModel, folder: str) -> None:
        self._model = model
        self._folder = folder
        self._parsing = threading.Lock()

    def __repr__(self) -> str:
        return f"AmrParser({self._folder!r})"

    def graphs(self, sentences: Sequence[Content]) -> list[GraphNode]:
        """Return the graph of each sentence."""
        with self._parsing:
            parsed = self._model.parse_sents(list(map(_placed, sentences)), add_metadata=False)
        return [
            _spliced(penman, sentence) for penman, sentence in zip(parsed, sentences, strict=True)
        ]


def _placed(sentence: Content) -> str:
    """Return a sentence with a word in place of each formula."""
    number = 0
    pieces: list[str] = []
    for piece in sentence:
        if isinstance(piece, Formula):
            pieces.append(f" eqx{number}eqx ")
            number += 1
        else:
            pieces.append(piece)
    return " ".join("".join(pieces).split())


def _spliced(penman: str | None, sentence: Content) -> GraphNode:
    """Return a graph with the operator trees of its formulas; those that it lost are at the root.

    What cannot be read is parsed by rules.
    """
    formulas = [piece for piece in sentence if isinstance(piece, Formula)]
    nodes = {str(number): formula_node(each) for number, each in enumerate(formulas)}
    try:
        graph = penman_graph(penman or "", nodes)
    except ValueError:
        return RuleParser().graphs([sentence])[0]
    present = set(_formula_nodes(graph))
    lost = tuple((":math", node) for node in nodes.values() if node not in present)
    return GraphNode(graph.label, (*graph.edges, *lost))


def _formula_nodes(graph: GraphNode) -> Iterator[GraphNode]:
    yield graph
    for _, other in graph.edges:
        yield from _formula_nodes(other)


def penman_graph(penman: str, formulas: Mapping[str, GraphNode]) -> GraphNode:
    """Return a graph in PENMAN notation as a tree; ValueError if it is none.

    Concepts lose their senses, and roles are in lower case. A variable that occurs again is a node
    with the label of its concept. ``eqxNeqx`` becomes the formula of that number.

    >>> graph = penman_graph('(f / find-01 :ARG1 (r / root :poss (e / eqx0eqx)) :ARG2 r)', {})
    >>> graph.label, [(role, node.label) for role, node in graph.edges]
    ('find', [(':arg1', 'root'), (':arg2', 'root')])
    """
    tokens = _TOKEN.findall(penman)
    concepts = {
        tokens[at - 1]: tokens[at + 1] for at in range(1, len(tokens) - 1) if tokens[at] == "/"
    }
    graph, end = _node(tokens, 0, concepts, formulas, MAX_DEPTH)
    if end != len(tokens):
        raise ValueError("there is something after the graph")
    return graph


def _node(
    tokens: Sequence[str],
    at: int,
    concepts: Mapping[str, str],
    formulas: Mapping[str, GraphNode],
    depth: int,
) -> tuple[GraphNode, int]:
    """Return the node that begins at a token, and where the next one begins."""
    if at >= len(tokens) or not depth:
        raise ValueError("the graph is not complete")
    if tokens[at] != "(":
        return _leaf(concepts.get(tokens[at], tokens[at]), formulas), at + 1
    if len(tokens) < at + 4 or tokens[at + 2] != "/":
        raise ValueError("a node has no concept")
    node, at = _leaf(tokens[at + 3], formulas), at + 4
    edges: list[tuple[str, GraphNode]] = []
    while at < len(tokens) and tokens[at] != ")":
        role = tokens[at]
        if not role.startswith(":"):
            raise ValueError("an edge has no role")
        other, at = _node(tokens, at + 1, concepts, formulas, depth - 1)
        edges.append((role.lower(), other))
    if at >= len(tokens):
        raise ValueError("a bracket is not closed")
    return GraphNode(node.label, (*node.edges, *edges)), at + 1


def _leaf(concept: str, formulas: Mapping[str, GraphNode]) -> GraphNode:
    text = concept.strip('"')
    place = _PLACE.fullmatch(text)
    if place is not None and place[1] in formulas:
        return formulas[place[1]]
    return GraphNode(_SENSE.sub("", text))
