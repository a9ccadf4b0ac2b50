"""Which formulas are the same to the eye, and what to call them.

ARQMath counts formulas that look alike as one (S1 section 5.4, S3 section 5.4): each such cluster
has a visual id. Here is the string by which ours are told apart, and the rule by which a cluster
keeps its id when its members turn out to look different after all.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from porism.formula.mathml.presentation_reader import read_presentation_verbatim
from porism.formula.tree import Tree

Key = TypeVar("Key", bound=Hashable)


def visual_id(tree: Tree, latex: str) -> str:
    """The string that formulas share if they look alike: that of their layout tree, and colours.

    A tree has no colour, but a red x and a black one do not look alike, so the colours that the
    LaTeX sets are named behind it. Of a formula whose tree is empty, because it was refused or
    nothing in it prints, only its LaTeX is known: that is taken without white space, as the
    ARQMath files have it.

    >>> from porism.formula.tree import parse_tree
    >>> visual_id(parse_tree("[V!x]"), "x"), visual_id(parse_tree(""), "a b")
    ('[V!x]', 'ab')
    >>> visual_id(parse_tree("[V!x]"), r"\\color{red} x")
    '[V!x] \\\\color{red}'
    """
    return visual_id_of_layout(str(tree), latex)


def visual_id_of_layout(layout: str, latex: str) -> str:
    """The same where the layout tree is at hand as a string, which is empty for an empty tree."""
    if not layout:
        return "".join(latex.split())
    if "color" not in latex:
        return layout
    colours = ("".join(found.split()) for found in _COLOUR.findall(latex))
    return " ".join((layout, *colours))


_COLOUR = re.compile(r"\\(?:text)?color\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}")


def visual_id_of_mathml(mathml: str, latex: str = "") -> str:
    """The same of Presentation MathML, whose symbols count as their elements type them.

    So were the official ids made: a formula that LaTeXML got wrong is not the same as another
    that it got right, and an operator typed as a character, which it takes for a letter, is not
    the one that a command prints.
    """
    tree = read_presentation_verbatim(mathml).tree
    return str(tree) if tree.row else visual_id(tree, latex)


class JudgedInstance(NamedTuple):
    """One occurrence of a formula: its id in the collection and the grade it was judged with."""

    formula_id: int
    grade: int = 0


def part_keeping_id(parts: Mapping[Key, Sequence[JudgedInstance]]) -> Key:
    """The part of a split cluster that keeps the cluster's visual id; the others get other ids.

    S3 section 3: the part with the most instances; of several, that with the largest sum of
    grades; of several still, that with the lowest formula id. ``parts`` maps what now tells the
    instances apart, such as ``visual_id``, to the instances; no part is empty.

    >>> part_keeping_id({"x": [JudgedInstance(7)], "y": [JudgedInstance(9), JudgedInstance(8)]})
    'y'
    >>> part_keeping_id({"x": [JudgedInstance(7, 1), JudgedInstance(5)], "y": [JudgedInstance(9, 3), JudgedInstance(8)]})
    'y'
    >>> part_keeping_id({"x": [JudgedInstance(7), JudgedInstance(5, 2)], "y": [JudgedInstance(9, 2), JudgedInstance(4)]})
    'y'
    """

    def claim(key: Key) -> tuple[int, int, int]:
        instances = parts[key]
        lowest = min(instance.formula_id for instance in instances)
        return len(instances), sum(instance.grade for instance in instances), -lowest

    return max(parts, key=claim)
