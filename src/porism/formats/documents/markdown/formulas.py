r"""Formulas in Markdown: rules for markdown-it that recognise them before Markdown does.

Markdown would read ``\(`` as an escaped parenthesis, ``a_1 b_1`` as emphasis, and a line of a
displayed formula that begins with a minus as a list item. So formulas are recognised first, even
where they interrupt a paragraph, which is common in notes.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from porism.formats.documents.delimiters import (
    DelimitedFormula,
    delimited_formula,
    environment_formula,
    is_math_environment,
)
from porism.formats.markup.delimiters import is_prose

MAX_INLINE = 2_000
MAX_LINES = 400
"""The longest formula, in characters if it is inline and in lines otherwise."""


def math_plugin(markdown: MarkdownIt) -> None:
    """Make formulas tokens of the types ``math_inline`` and ``math_block``."""
    markdown.inline.ruler.before("escape", "math_inline", _inline_rule)
    markdown.block.ruler.before(
        "fence",
        "math_block",
        _block_rule,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},  # what it may interrupt
    )


def _inline_rule(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    formula = formula_at(state.src, state.pos)
    if formula is None or formula.end > state.posMax:
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = formula.latex
    state.pos = formula.end
    return True


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    if not state.src.startswith(
        _DISPLAY_STARTS, state.bMarks[start_line] + state.tShift[start_line]
    ):
        return False
    text = _block_text(state, start_line, end_line)
    formula = formula_at(text, 0)
    if formula is None:
        return False
    rest, _, _ = text[formula.end :].partition("\n")
    if _WORD.search(rest) and "\n" not in text[: formula.end]:
        return False  # a sentence that begins with a formula
    if silent:
        return True
    state.line = start_line + text.count("\n", 0, formula.end) + 1
    token = state.push("math_block", "math", 0)
    token.block = True
    token.content = formula.latex
    token.map = [start_line, state.line]
    _push_paragraph(state, rest.strip())
    return True


_WORD = re.compile(r"\w")

_DISPLAY_STARTS = ("$$", "\\[", "\\\\[", "\\begin{")


def _block_text(state: StateBlock, start_line: int, end_line: int) -> str:
    """The lines in which the formula must end, without the markers of quotes and lists."""
    lines: list[str] = []
    is_alone = False  # the delimiter, in its line
    for line in range(start_line, min(end_line, start_line + MAX_LINES)):
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        if line == start_line:
            is_alone = text.strip() in ("$$", "\\[", "\\\\[")
        elif (state.sCount[line] < state.blkIndent and text) or (not text.strip() and not is_alone):
            break
        lines.append(text)
    return "\n".join(lines)


def _push_paragraph(state: StateBlock, text: str) -> None:
    """Add the rest of the line of a displayed formula, such as a full stop, as prose."""
    if not text:
        return
    state.push("paragraph_open", "p", 1)
    inline = state.push("inline", "", 0)
    inline.content = text
    inline.children = []
    inline.map = [state.line - 1, state.line]
    state.push("paragraph_close", "p", -1)


def formula_at(text: str, at: int) -> DelimitedFormula | None:
    r"""The formula whose opening delimiter is at ``at``, or None if none begins there.

    Doubled backslashes, ``\\(`` and ``\\[``, are delimiters too, as some programs require them.

    >>> formula_at(r"\(x_1\), and", 0)
    DelimitedFormula(latex='x_1', end=7)
    >>> formula_at("$5 and $10", 0) is None
    True
    """
    if text.startswith("$", at) and not text.startswith("$$", at):
        return _between_dollars(text, at)
    for opening in _OPENINGS:
        if text.startswith(opening, at):
            formula = delimited_formula(opening, text, at + len(opening))
            return formula if formula and formula.latex.strip() else None
    begin = _BEGIN.match(text, at)
    if begin and is_math_environment(begin[1]):
        return environment_formula(begin[1], text, begin.end())
    return None


_OPENINGS = ("$$", "\\(", "\\[", "\\\\(", "\\\\[")
_BEGIN = re.compile(r"\\begin\{([A-Za-z]+\*?)\}")


def _between_dollars(text: str, at: int) -> DelimitedFormula | None:
    formula = delimited_formula("$", text, at + 1, MAX_INLINE)
    if formula is None or not _is_formula(formula.latex, text[formula.end : formula.end + 1]):
        return None
    return DelimitedFormula(_bare(formula.latex), formula.end)


def _is_formula(latex: str, after: str) -> bool:
    r"""Whether dollars enclose mathematics, not a price or code between two prices.

    A blank before the second dollar only means that this one opens something, "$x and $y"; blanks
    on both sides, "$ x $", are a habit. Code binds tighter than dollars.
    """
    if not latex.strip() or ("`" in latex and not _BACKTICKED.fullmatch(latex)):
        return False
    if latex[-1].isspace() and not latex[0].isspace():
        return False
    if after.isdigit() and (latex.lstrip()[0].isdigit() or latex[-1].isspace()):
        return False
    return not _PRICE.match(latex) and not is_prose(latex, after)


# GitHub and GitLab also read $`x`$.
_BACKTICKED = re.compile(r"`([^`]+)`")
# A number, then words, without any mathematical sign: "5 each or 3 for 12".
_PRICE = re.compile(r"\s*\d[\d.,]*\s*[a-zA-Z]*\s+(?:[a-zA-Z]{2,}[^\\^_={}<>+*/|]*)\Z")


def _bare(latex: str) -> str:
    backticked = _BACKTICKED.fullmatch(latex)
    return (backticked[1] if backticked else latex).strip()
