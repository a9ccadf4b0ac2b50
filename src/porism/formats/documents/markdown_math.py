r"""Formulas in Markdown: rules for markdown-it that find them before Markdown can spoil them.

Markdown would take ``\(`` for an escaped parenthesis, ``a_1 b_1`` for emphasis, and a line of a
displayed formula that begins with a minus for a list. Hence a formula is recognised first, also
where it interrupts a paragraph, which those who write notes do more often than not.
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
"""How far the end of a formula is looked for, in characters of a line and in lines."""


def math_plugin(markdown: MarkdownIt) -> None:
    """Let formulas become tokens of the types ``math_inline`` and ``math_block``."""
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
    found = formula_at(state.src, state.pos)
    if found is None or found.end > state.posMax:
        return False
    if not silent:
        token = state.push("math_inline", "math", 0)
        token.content = found.latex
    state.pos = found.end
    return True


def _block_rule(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:
    if state.is_code_block(start_line):
        return False
    if not state.src.startswith(
        _DISPLAY_STARTS, state.bMarks[start_line] + state.tShift[start_line]
    ):
        return False
    text = _block_text(state, start_line, end_line)
    found = formula_at(text, 0)
    if found is None:
        return False
    rest, _, _ = text[found.end :].partition("\n")
    if _WORD.search(rest) and "\n" not in text[: found.end]:
        return False  # a sentence that begins with a formula
    if silent:
        return True
    state.line = start_line + text.count("\n", 0, found.end) + 1
    token = state.push("math_block", "math", 0)
    token.block = True
    token.content = found.latex
    token.map = [start_line, state.line]
    _push_paragraph(state, rest.strip())
    return True


_WORD = re.compile(r"\w")

_DISPLAY_STARTS = ("$$", "\\[", "\\\\[", "\\begin{")


def _block_text(state: StateBlock, start_line: int, end_line: int) -> str:
    """The lines in which the formula must end, without the marks of quotes and lists."""
    lines: list[str] = []
    alone = False
    for line in range(start_line, min(end_line, start_line + MAX_LINES)):
        text = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
        if line == start_line:
            alone = text.strip() in ("$$", "\\[", "\\\\[")
        elif (state.sCount[line] < state.blkIndent and text) or (not text.strip() and not alone):
            break
        lines.append(text)
    return "\n".join(lines)


def _push_paragraph(state: StateBlock, text: str) -> None:
    """What follows a displayed formula in its line, such as a full stop, is prose again."""
    if not text:
        return
    state.push("paragraph_open", "p", 1)
    inline = state.push("inline", "", 0)
    inline.content = text
    inline.children = []
    inline.map = [state.line - 1, state.line]
    state.push("paragraph_close", "p", -1)


def formula_at(text: str, at: int) -> DelimitedFormula | None:
    r"""The formula whose opening delimiter stands at ``at``, or None if none begins there.

    Doubled backslashes, ``\\(`` and ``\\[``, are how some programs want the delimiters written.

    >>> formula_at(r"\(x_1\), and", 0)
    DelimitedFormula(latex='x_1', end=7)
    >>> formula_at("$5 and $10", 0) is None
    True
    """
    if text.startswith("$", at) and not text.startswith("$$", at):
        return _between_dollars(text, at)
    for opening in _OPENINGS:
        if text.startswith(opening, at):
            found = delimited_formula(opening, text, at + len(opening))
            return found if found and found.latex.strip() else None
    begin = _BEGIN.match(text, at)
    if begin and is_math_environment(begin[1]):
        return environment_formula(begin[1], text, begin.end())
    return None


_OPENINGS = ("$$", "\\(", "\\[", "\\\\(", "\\\\[")
_BEGIN = re.compile(r"\\begin\{([A-Za-z]+\*?)\}")


def _between_dollars(text: str, at: int) -> DelimitedFormula | None:
    found = delimited_formula("$", text, at + 1, MAX_INLINE)
    if found is None or not _is_formula(found.latex, text[found.end : found.end + 1]):
        return None
    return DelimitedFormula(_bare(found.latex), found.end)


def _is_formula(latex: str, after: str) -> bool:
    r"""Whether dollars enclose mathematics, not a price or code between two prices.

    A blank before the second dollar alone says that it opens something, "$x and $y"; one on
    either side, "$ x $", is a habit. Code binds tighter than dollars do.
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
# A number, then words, without any sign that belongs to mathematics: "5 each or 3 for 12".
_PRICE = re.compile(r"\s*\d[\d.,]*\s*[a-zA-Z]*\s+(?:[a-zA-Z]{2,}[^\\^_={}<>+*/|]*)\Z")


def _bare(latex: str) -> str:
    backticked = _BACKTICKED.fullmatch(latex)
    return (backticked[1] if backticked else latex).strip()
