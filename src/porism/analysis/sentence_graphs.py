r"""Sentences with formulas as graphs, after MathAMR (DPRL 2022): words and operators in one tree.

MathAMR parses a sentence to its Abstract Meaning Representation (AMR), in which it puts the
operator tree of a formula in place of the formula, and writes the graph as one line, depth first.
A parser of AMR, or of dependencies, needs a trained model, and no package index has a small one
that could be a dependency: spaCy's models are not on PyPI, and those of others are downloaded when
first used. So the graph is made by rules by default (``RuleParser``), the same on every machine:

- A verb of ``VERBS`` is the root, or *be* if there is none; further verbs hang on it by ``:and``.
- Of several words in a row the last is the head, and the others hang on it by ``:mod``.
- A preposition before words or a formula is the edge to the word before it: "roots of $f$" has the
  edge ``:of``. Without a preposition they hang on the last verb by ``:arg``; those before the first
  verb hang on that.
- A formula right after words ("the sequence $a_n$") hangs on them by ``:math``.
- Other function words are left out.

Several sentences hang on one root, ``multi-sentence``, as in AMR.

>>> content = ("Find the positive roots of ", Formula("1", "x^2-1"), ".")
>>> linearised(multi_sentence(RuleParser().graphs(sentences(content))))
'find :arg roots :mod positive :of math plus sup x 2 minus 1'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Protocol

from porism.analysis.query_formulas import query_layout
from porism.formula.operators import operator_tree
from porism.formula.tree import Node
from porism.model import Content, Formula
from porism.text.stop_words import LONG_STOP_WORDS

MAX_WORDS = 60
"""Words and formulas of a sentence that its graph has: more than any sentence that people read."""

ROOT = "multi-sentence"
MATH = "math"

_END = re.compile(r"(?<=[.?!])\s+|\n\s*\n")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

PREPOSITIONS = frozenset(
    """
    about above after against among around as at before below between beyond by during for from in
    inside into of on onto over per through to toward under until upon via when where with within
    without if because than
    """.split()
)


def _inflections(verb: str) -> Iterator[str]:
    """Yield the forms of a regular verb."""
    base = verb.removesuffix("e")
    yield from (verb, f"{verb}s", f"{verb}es", f"{base}ed", f"{base}ing")
    if verb.endswith("y"):
        yield from (f"{verb[:-1]}ies", f"{verb[:-1]}ied")


_REGULAR = """
    find show prove solve evaluate compute calculate determine simplify derive deduce verify check
    explain understand consider suppose assume define denote let give take choose fix apply use
    integrate differentiate converge diverge exist hold satisfy imply follow contain commute divide
    factor expand approximate estimate bound minimize maximize count draw generate represent express
    write rewrite construct extend map preserve equal mean know want ask try get obtain have become
    tend increase decrease vanish depend belong intersect
"""

_IRREGULAR = """
    found shown proven given taken gave took chosen chose wrote written rewritten drawn held known
    knew meant had has got getting became mapped mapping letting
"""

VERBS = frozenset(form for verb in _REGULAR.split() for form in _inflections(verb)) | frozenset(
    _IRREGULAR.split()
)
"""The verbs of mathematical prose, in all their forms."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """A concept of a sentence, or a symbol of a formula, with labelled edges to others."""

    label: str
    edges: tuple[tuple[str, GraphNode], ...] = ()


class SentenceParser(Protocol):
    """What makes graphs of sentences."""

    def graphs(self, sentences: Sequence[Content]) -> list[GraphNode]:
        """Return the graph of each sentence, with the operators of its formulas."""
        ...


def sentences(content: Content) -> list[Content]:
    """Return the sentences of a text; formulas never end one.

    >>> [len(each) for each in sentences(("Let ", Formula("1", "x. y"), " be. Why? Say"))]
    [3, 1, 1]
    """
    complete: list[Content] = []
    current: list[str | Formula] = []
    for piece in content:
        if isinstance(piece, Formula):
            current.append(piece)
            continue
        first, *others = _END.split(piece)
        current.append(first)
        for part in others:
            complete.append(tuple(current))
            current = [part]
    complete.append(tuple(current))
    return [each for each in complete if any(isinstance(p, Formula) or p.strip() for p in each)]


def sentences_around(content: Content, formula_id: str) -> list[Content]:
    """Return the sentence with a formula, the one before and the one after; none without it."""
    known = sentences(content)
    for place, each in enumerate(known):
        if any(isinstance(piece, Formula) and piece.id == formula_id for piece in each):
            return known[max(0, place - 1) : place + 2]
    return []


@dataclass(slots=True)
class _Draft:
    """A node whose edges are still being added."""

    label: str
    edges: list[tuple[str, _Draft | GraphNode]] = field(default_factory=list)

    def node(self) -> GraphNode:
        return GraphNode(
            self.label,
            tuple(
                (label, other if isinstance(other, GraphNode) else other.node())
                for label, other in self.edges
            ),
        )


@dataclass(slots=True)
class _SentenceDraft:
    """The graph of a sentence, read from left to right.

    ``words`` are those in a row that are read already, ``edge`` is the preposition before them, and
    ``early`` what was read before the first verb.
    """

    root: _Draft | None = None
    verb: _Draft | None = None
    noun: _Draft | None = None
    edge: str = ""
    words: list[str] = field(default_factory=list)
    early: list[tuple[str, _Draft | GraphNode]] = field(default_factory=list)

    def add_formula(self, formula: Formula) -> None:
        follows_words = bool(self.words)
        self.end_words()
        if follows_words and self.noun is not None:
            self.noun.edges.append((f":{MATH}", formula_node(formula)))
        else:
            self._attach(formula_node(formula))

    def add_word(self, word: str) -> None:
        if word in PREPOSITIONS:
            self.end_words()
            self.edge = f":{word}"
        elif word in VERBS:
            self.end_words()
            self._add_verb(_Draft(word))
        elif word in LONG_STOP_WORDS:
            self.end_words()
        else:
            self.words.append(word)

    def _add_verb(self, verb: _Draft) -> None:
        if self.root is None:
            self.root = verb
        else:
            self.root.edges.append((":and", verb))
        self.verb, self.noun, self.edge = verb, None, ""

    def end_words(self) -> None:
        """Make a node of the words in a row."""
        if self.words:
            *others, head = self.words
            noun = _Draft(head, [(":mod", GraphNode(word)) for word in others])
            self._attach(noun)
            self.noun, self.words = noun, []

    def _attach(self, node: _Draft | GraphNode) -> None:
        """Hang a node on the word before the preposition, else on the verb."""
        if self.edge and self.noun is not None:
            self.noun.edges.append((self.edge, node))
        else:
            edges = self.early if self.verb is None else self.verb.edges
            edges.append((self.edge or ":arg", node))
        self.edge = ""

    def graph(self) -> GraphNode:
        self.end_words()
        root = self.root or _Draft("be")
        root.edges[:0] = self.early
        return root.node()


@dataclass(frozen=True, slots=True)
class RuleParser:
    """Graphs by the rules above."""

    def graphs(self, sentences: Sequence[Content]) -> list[GraphNode]:
        return [_rule_graph(each) for each in sentences]


def _rule_graph(sentence: Content) -> GraphNode:
    draft = _SentenceDraft()
    for token in islice(_tokens(sentence), MAX_WORDS):
        if isinstance(token, Formula):
            draft.add_formula(token)
        else:
            draft.add_word(token)
    return draft.graph()


def _tokens(sentence: Content) -> Iterator[str | Formula]:
    """Yield the words of a sentence, in lower case, and its formulas."""
    for piece in sentence:
        if isinstance(piece, Formula):
            yield piece
        else:
            yield from _WORD.findall(piece.lower())


def formula_node(formula: Formula) -> GraphNode:
    """Return the operator tree of a formula as a node; one that cannot be parsed has its LaTeX."""
    return _formula_node(formula.latex, formula.macros)


@lru_cache(4096)
def _formula_node(latex: str, macros: str) -> GraphNode:
    operators = operator_tree(query_layout(latex, macros).tree).row
    if not operators:
        return GraphNode(MATH, ((":latex", GraphNode(" ".join(latex.split()))),))
    return GraphNode(MATH, tuple((":op", _operator_node(node)) for node in operators))


def _operator_node(node: Node) -> GraphNode:
    return GraphNode(
        operator_name(node.label),
        tuple((":op", _operator_node(operand)) for operand in node.operands),
    )


def operator_name(label: str) -> str:
    """Return a label without the mark of its kind, operators in lower case.

    >>> operator_name("U!plus"), operator_name("O!SUP"), operator_name("V!X"), operator_name("W!")
    ('plus', 'sup', 'X', '')
    """
    kind, _, name = label.rpartition("!")
    return name if kind in ("V", "N") else name.lower()


def multi_sentence(graphs: Sequence[GraphNode]) -> GraphNode:
    """Return the graph of several sentences; that of a single one is unchanged."""
    if len(graphs) == 1:
        return graphs[0]
    return GraphNode(
        ROOT, tuple((f":snt{number}", graph) for number, graph in enumerate(graphs, start=1))
    )


def linearised(graph: GraphNode) -> str:
    """Return a graph as one line, depth first: labels, and edges but those of operators."""
    return " ".join(filter(None, _line(graph)))


def _line(graph: GraphNode) -> Iterator[str]:
    yield graph.label
    for edge, other in graph.edges:
        if edge != ":op":
            yield edge
        yield from _line(other)
