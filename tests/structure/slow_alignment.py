"""Tangent-S's alignment in plain Python, from its description."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

from porism.formula.features.tangent_layout import SYMBOL_NAMES, is_wildcard, symbols
from porism.formula.tree import Node, Tree


@dataclass(eq=False)
class Place:
    """A node of a tree, with its children by edge."""

    number: int
    name: str
    edge: str
    children: list[Place] = field(default_factory=list)
    parent: Place | None = None

    @property
    def is_wildcard(self) -> bool:
        return is_wildcard(self.name)

    @property
    def is_variable(self) -> bool:
        return self.name.startswith("V!")

    @property
    def below(self) -> list[Place]:
        """The node and all its descendants in reading order."""
        return [self, *(node for child in self.children for node in child.below)]

    def child(self, edge: str) -> Place | None:
        return next((child for child in self.children if child.edge == edge), None)


def places(tree: Tree) -> list[Place]:
    """The nodes of a tree in reading order."""
    nodes: list[Place] = []

    def add(label: str, parent: Place | None, edge: str) -> Place:
        name = label if is_wildcard(label) else SYMBOL_NAMES[label]
        node = Place(len(nodes), name, edge, parent=parent)
        nodes.append(node)
        if parent is not None:
            parent.children.append(node)
        return node

    def add_operators(given: Node, parent: Place | None, edge: str) -> None:
        node = add(given.label, parent, edge)
        for number, operand in enumerate(given.operands):
            add_operators(operand, node, str(number))

    if tree.kind == "slt":
        for label, above, edge in symbols(tree):
            add(label, nodes[above] if edge else None, edge)
    else:
        for number, root in enumerate(tree.row):
            add_operators(root, None, str(number))
    return nodes


Pair = tuple[Place, Place]


class Alignment:
    """Alignments of all pairs of nodes of two trees."""

    def __init__(self, query: Tree, result: Tree) -> None:
        self.is_layout = query.kind == "slt"
        self.query, self.result = places(query), places(result)
        self.size = cache(self._size)

    def compatible(self, one: Place, two: Place) -> bool:
        return one.is_wildcard or one.name == two.name or (one.is_variable and two.is_variable)

    def _size(self, one: Place, two: Place) -> tuple[int, int]:
        """Nodes of the alignment with these roots, and identical names among them."""
        if not self.compatible(one, two):
            return 0, 0
        sizes = [self.size(*pair) for pair in self.children(one, two)]
        return 1 + sum(size[0] for size in sizes), (one.name == two.name) + sum(
            size[1] for size in sizes
        )

    def children(self, one: Place, two: Place) -> list[Pair]:
        """The children of two nodes that are aligned with each other."""
        if not self.is_layout and one.name.startswith("U!"):
            return self.greedy(one, two)
        pairs: list[Pair] = []
        for child in one.children:
            options = [two.child(child.edge)]
            if self.is_layout and child.edge == "n" and self.is_open(one):
                while (last := options[-1]) is not None:
                    options.append(last.child("n"))
            known = [option for option in options if option is not None]
            sized = [(self.size(child, option), -option.number, option) for option in known]
            sized = [each for each in sized if each[0] > (0, 0)]
            if sized:
                pairs.append((child, max(sized, key=lambda each: each[:2])[2]))
        return pairs

    def greedy(self, one: Place, two: Place) -> list[Pair]:
        left, right = list(one.children), list(two.children)
        pairs: list[Pair] = []
        while left and right:
            options = [(self.size(a, b), -a.number, -b.number, a, b) for a in left for b in right]
            size, _, _, a, b = max(options, key=lambda each: each[:3])
            if size == (0, 0):
                break
            pairs.append((a, b))
            left.remove(a)
            right.remove(b)
        return pairs

    def is_open(self, one: Place) -> bool:
        return one.is_wildcard and all(child.edge in "ne" for child in one.children)

    def part(self, one: Place, two: Place) -> list[Place]:
        """The nodes that a node of the query matches: one, or several if it is a wildcard."""
        if not one.is_wildcard:
            return [two]
        if not self.is_layout:
            return two.below if not one.children else [two]
        own = {child.edge for child in one.children}
        after = next((b for a, b in self.children(one, two) if a is one.child("n")), None)
        part = [two]
        node: Place | None = two
        while node is not None:
            for child in node.children:
                is_first = node is two
                if child.edge != "n" and not (
                    is_first and (child.edge in own or child.edge == "e")
                ):
                    part += child.below
            following = node.child("n")
            if following is None or following is after or not self.is_open(one):
                break
            if one.child("n") is not None and after is None:
                break
            part.append(following)
            node = following
        return sorted(part, key=lambda each: each.number)

    def pairs(self, one: Place, two: Place) -> list[tuple[Pair, Pair | None]]:
        """All pairs of the alignment with these roots, each with the pair above it."""
        found: list[tuple[Pair, Pair | None]] = [((one, two), None)]
        for pair, _ in found:
            found += ((child, pair) for child in self.children(*pair))
        return found

    def shape(self, part: list[Place]) -> tuple[object, ...]:
        """What is equal for equal parts."""

        def depth(node: Place) -> int:
            return 0 if node is part[0] or node.parent is None else 1 + depth(node.parent)

        return part[0].name, *((node.name, node.edge, depth(node)) for node in part[1:])

    def matched(self, pairs: list[Pair]) -> set[Pair]:
        """The pairs that remain when variables are renamed and wildcards bound."""
        counts = Counter((a.name, b.name) for a, b in pairs if a.is_variable)
        first = {each.name: each.number for each in reversed(self.query)}
        first_result = {each.name: each.number for each in reversed(self.result)}
        order = sorted(
            counts,
            key=lambda names: (
                -counts[names],
                names[0] != names[1],
                first[names[0]],
                first_result[names[1]],
            ),
        )
        renamed: dict[str, str] = {}
        for name, new in order:
            if name not in renamed and new not in renamed.values():
                renamed[name] = new
        bound: dict[str, Counter[tuple[object, ...]]] = {}
        for a, b in sorted(pairs, key=lambda pair: pair[0].number):
            if a.is_wildcard:
                bound.setdefault(a.name, Counter())[self.shape(self.part(a, b))] += 1
        best = {name: shapes.most_common(1)[0][0] for name, shapes in bound.items()}
        return {
            (a, b)
            for a, b in pairs
            if (not a.is_variable or renamed.get(a.name) == b.name)
            and (not a.is_wildcard or best[a.name] == self.shape(self.part(a, b)))
        }

    def scores(self, one: Place, two: Place) -> tuple[float, float, float]:
        pairs = self.pairs(one, two)
        matched = self.matched([pair for pair, _ in pairs])
        nodes = len(matched)
        edges = sum(pair in matched and above in matched for pair, above in pairs)
        exact = sum(a.is_wildcard or a.name == b.name for a, b in matched)
        results = sum(len(self.part(a, b)) for a, b in matched)
        size = len(self.query)
        if not nodes:
            return 0.0, results / len(self.result), exact / size
        recall = nodes / size
        edge_recall = 1.0 if size == 1 else (edges or 0.5) / (size - 1)
        similarity = 2 * recall * edge_recall / (recall + edge_recall)
        return similarity, results / len(self.result), exact / size

    def best(self) -> tuple[float, float, float]:
        roots = [(a, b) for a in self.query for b in self.result if self.compatible(a, b)]
        return max((self.scores(a, b) for a, b in roots), default=(0.0, 0.0, 0.0))

    def best_pairs(self) -> list[tuple[int, int]]:
        """The matched nodes of the best alignment, the first in reading order."""
        roots = [(a, b) for a in self.query for b in self.result if self.compatible(a, b)]
        if not roots or self.best()[0] == 0:
            return []
        root = max(roots, key=lambda pair: (self.scores(*pair), -pair[0].number, -pair[1].number))
        matched = self.matched([pair for pair, _ in self.pairs(*root)])
        return sorted((a.number, node.number) for a, b in matched for node in self.part(a, b))
