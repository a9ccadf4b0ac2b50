"""What must hold of every string that is given for a formula."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from porism.errors import FormatError, LatexError
from porism.formula.convert import made_of, read_formula
from porism.formula.draw import drawing
from porism.formula.forms import Form, targets
from porism.formula.operators import operator_tree
from porism.formula.tree import Parsed, Tree, parse_tree

SECONDS = 5.0
SECONDS_A_CHARACTER = 1e-4
"""Allowed time: some hundred times what is needed, as the machine may be busy with other work."""


def check_latex(source: str) -> None:
    """Parse ``source`` and make everything of it, unless it is refused, as some may be.

    An exception other than ``LatexError``, or work that takes too long, is a fault.
    """
    with _in_time(len(source)):
        parsed = _read(source, Form.LATEX)
        if isinstance(parsed, Parsed):
            assert all(0 <= problem.offset <= len(source) for problem in parsed.problems)
            _check_tree(parsed.tree, Form.LATEX, source)
        else:
            assert isinstance(parsed, LatexError)
            assert 0 <= parsed.offset <= len(source), "the error shows a place in the formula"


def check_markup(source: str) -> None:
    """The same for MathML of both kinds, where what is refused gives a ``FormatError``."""
    for form in (Form.MATHML, Form.CONTENT_MATHML):
        with _in_time(len(source)):
            parsed = _read(source, form)
            if isinstance(parsed, Parsed):
                _check_tree(parsed.tree, form, "")
            else:
                assert isinstance(parsed, FormatError)


def _read(source: str, form: Form) -> Parsed | LatexError | FormatError:
    try:
        return read_formula(source, form)
    except (LatexError, FormatError) as error:
        return error


def _check_tree(tree: Tree, form: Form, source: str) -> None:
    for target in targets(form):
        made_of(tree, target, source)
    _check_strings(tree)
    if tree.kind == "slt":
        _check_strings(operator_tree(tree))


def _check_strings(tree: Tree) -> None:
    assert drawing(tree) or not tree.row
    assert parse_tree(str(tree), tree.kind) == tree


@contextmanager
def _in_time(length: int) -> Iterator[None]:
    begun = time.process_time()
    yield
    seconds = time.process_time() - begun
    allowed = SECONDS + SECONDS_A_CHARACTER * length
    assert seconds < allowed, f"took {seconds:.1f} s for {length} characters"
