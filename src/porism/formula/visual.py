"""Which formulas are the same to the eye, and what to call them.

ARQMath counts formulas that look alike as one (S1 section 5.4, S3 section 5.4): each such cluster
has a visual id. Here is the string by which ours are told apart, and the rule by which a cluster
keeps its id when its members turn out to look different after all.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from porism.formula.symbols import symbol_label
from porism.formula.tree import Tree

Key = TypeVar("Key", bound=Hashable)


def visual_id(tree: Tree, latex: str) -> str:
    """The string that formulas share if they look alike: the layout tree's, and what it leaves out.

    Of a formula whose tree is empty, because it was refused or nothing in it prints, only its
    LaTeX is known: that is taken without white space, as the ARQMath files have it. A tree folds
    some signs that print differently, such as ``\\leqslant`` and ``\\leq``; those are named behind
    its string, in the order of the formula. So are operators typed as characters: LaTeXML takes
    them for letters, and the official ids therefore keep ``x∈X`` apart from ``x\\in X``.

    >>> from porism.formula.tree import parse_tree
    >>> visual_id(parse_tree("[V!x]"), "x"), visual_id(parse_tree(""), "a b")
    ('[V!x]', 'ab')
    >>> visual_id(parse_tree("[V!x[≤[V!y]]]"), r"x \\leqslant y")
    '[V!x[≤[V!y]]] \\\\leqslant'
    """
    if not tree.row:
        return "".join(latex.split())
    variants = [found for found in _VARIANT.findall(latex) if found[0] == "\\" or _is_typed(found)]
    return " ".join((str(tree), *variants))


_VARIANT = re.compile(
    r"\\(?:leqslant|geqslant|varnothing|long[a-z]+|textbf|color|textcolor)(?![a-zA-Z])"
    r"|[^\x00-\x7f]"
)
"""Commands whose print differs from that of another formula with the same tree; characters."""


def _is_typed(char: str) -> bool:
    """Whether a character is an operator; letters and letter-like signs such as ∞ are none."""
    return char.isprintable() and not char.isspace() and symbol_label(char)[1:2] != "!"


class Instance(NamedTuple):
    """One occurrence of a formula: its id in the collection and the grade it was judged with."""

    formula_id: int
    grade: int = 0


def keeper(parts: Mapping[Key, Sequence[Instance]]) -> Key:
    """The part of a split cluster that keeps the cluster's visual id; the others get other ids.

    S3 section 3: the part with the most instances; of several, that with the largest sum of
    grades; of several still, that with the lowest formula id. ``parts`` maps what now tells the
    instances apart, such as ``visual_id``, to the instances; no part is empty.

    >>> keeper({"x": [Instance(7)], "y": [Instance(9), Instance(8)]})
    'y'
    >>> keeper({"x": [Instance(7, 1), Instance(5)], "y": [Instance(9, 3), Instance(8)]})
    'y'
    >>> keeper({"x": [Instance(7), Instance(5, 2)], "y": [Instance(9, 2), Instance(4)]})
    'y'
    """

    def claim(key: Key) -> tuple[int, int, int]:
        instances = parts[key]
        lowest = min(instance.formula_id for instance in instances)
        return len(instances), sum(instance.grade for instance in instances), -lowest

    return max(parts, key=claim)
