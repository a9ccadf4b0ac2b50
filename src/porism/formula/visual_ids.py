"""Visual ids: strings that formulas share if they look the same.

ARQMath counts formulas that look the same as one (S1 section 5.4, S3 section 5.4): each such
cluster has a visual id. This module makes our visual ids, and has the rule for which part of a
cluster keeps its id when the cluster is split.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from porism.formula.mathml.presentation_reader import read_presentation_verbatim
from porism.formula.tree import Tree

Key = TypeVar("Key", bound=Hashable)


def visual_id(tree: Tree, latex: str) -> str:
    """The visual id of a formula: the string of its layout tree, and its colours.

    A tree has no colour, but a red x and a black one look different, so the colours that the LaTeX
    sets are appended. The visual id of an empty tree, of a formula that was rejected or prints
    nothing, is its LaTeX without white space, as in the ARQMath files.

    >>> from porism.formula.tree import parse_tree
    >>> visual_id(parse_tree("[V!x]"), "x"), visual_id(parse_tree(""), "a b")
    ('[V!x]', 'ab')
    >>> visual_id(parse_tree("[V!x]"), r"\\color{red} x")
    '[V!x] \\\\color{red}'
    """
    return visual_id_of_layout(str(tree), latex)


def visual_id_of_layout(layout: str, latex: str) -> str:
    """The same for a layout tree given as a string, which is empty for an empty tree."""
    if not layout:
        return "".join(latex.split())
    if "color" not in latex:
        return layout
    colours = ("".join(command.split()) for command in _COLOUR.findall(latex))
    return " ".join((layout, *colours))


_COLOUR = re.compile(r"\\(?:text)?color\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}")


def visual_id_of_mathml(mathml: str, latex: str = "") -> str:
    """The same for Presentation MathML, whose symbols have the types of their elements.

    The official ids were made so: a formula that LaTeXML got wrong differs from one that it got
    right, and an operator typed as a character, which it takes for a letter, differs from the one
    that a command prints.
    """
    tree = read_presentation_verbatim(mathml).tree
    return str(tree) if tree.row else visual_id(tree, latex)


class JudgedInstance(NamedTuple):
    """One occurrence of a formula: its id in the collection and its grade."""

    formula_id: int
    grade: int = 0


def part_keeping_id(parts: Mapping[Key, Sequence[JudgedInstance]]) -> Key:
    """The part of a split cluster that keeps the cluster's visual id; the others get new ids.

    S3 section 3: the part with the most instances; of several, that with the largest sum of
    grades; of several still, that with the lowest formula id. ``parts`` maps a key such as the new
    visual id to its instances; no part is empty.

    >>> part_keeping_id({"x": [JudgedInstance(7)], "y": [JudgedInstance(9), JudgedInstance(8)]})
    'y'
    """

    def claim(key: Key) -> tuple[int, int, int]:
        instances = parts[key]
        lowest = min(instance.formula_id for instance in instances)
        return len(instances), sum(instance.grade for instance in instances), -lowest

    return max(parts, key=claim)
