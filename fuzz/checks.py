"""What must hold of every string that is given for a formula."""

import time

from porism.errors import LatexError
from porism.formula.convert import made_of
from porism.formula.draw import drawing
from porism.formula.forms import Target
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.formula.tree import Parsed, parse_tree

SECONDS = 1.0
SECONDS_A_CHARACTER = 1e-3
"""Allowed time: some hundred times what is needed, as the machine may be busy with other work."""


def check(source: str) -> Parsed | None:
    """Parse ``source`` and make everything of it; None if it is refused, as some may be.

    An exception other than ``LatexError``, or work that takes too long, is a fault.
    """
    begun = time.process_time()
    try:
        parsed = parse_latex(source)
    except LatexError as error:
        assert 0 <= error.offset <= len(source), "the error shows a place in the formula"
        assert str(error)
        return None
    assert all(0 <= problem.offset <= len(source) for problem in parsed.problems)
    tree = parsed.tree
    operators = operator_tree(tree)
    for target in Target:
        made_of(tree, target, source)
    assert drawing(tree) or not tree.row
    assert drawing(operators) or not operators.row
    assert parse_tree(str(tree), "slt") == tree
    assert parse_tree(str(operators), "opt") == operators
    seconds = time.process_time() - begun
    allowed = SECONDS + SECONDS_A_CHARACTER * len(source)
    assert seconds < allowed, f"took {seconds:.1f} s for {len(source)} characters"
    return parsed
