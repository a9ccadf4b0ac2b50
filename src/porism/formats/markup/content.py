r"""HTML with marked formulas, and its plain content.

In the project's markup every formula is ``<span class="math-container" id="123">LATEX</span>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import unescape
from itertools import accumulate

from porism.formats.markup.formulas import MARKED, LocatedFormula, find_formulas, marked_latex
from porism.formats.markup.html_syntax import (
    ATTRIBUTE,
    ATTRIBUTES,
    BLOCKS,
    CELLS,
    INLINE,
    ElementEnds,
    escaped,
    unescaped,
)
from porism.model import Content, Formula


def with_formula_spans(markup: str, formulas: Sequence[LocatedFormula], ids: Sequence[str]) -> str:
    """The markup with each formula in a span with its id, for ``marked_content`` to read.

    A span that already has this id and form stays unchanged byte for byte, so that files can be
    reproduced. An empty id gives a span without one. Text that only resembles such a span, for
    example in a comment, gets other quotation marks; nothing else is changed.

    >>> with_formula_spans("Let $a &lt; b$.", find_formulas("Let $a &lt; b$."), ["7"])
    'Let <span class="math-container" id="7">a &lt; b</span>.'
    """
    pieces: list[str] = []
    at = 0
    is_rewritten = True  # every span, none of them with MathML
    for formula, formula_id in zip(formulas, ids, strict=True):
        prose = markup[at : formula.start]
        at = formula.end
        if formula_id == formula.id and markup.startswith("<span", formula.start):
            pieces += (prose, markup[formula.start : at])
            is_rewritten = False
        else:
            pieces += (prose, _span(formula, formula_id))
            is_rewritten = is_rewritten and not formula.mathml
    pieces.append(markup[at:])
    marked = "".join(pieces)
    # Usually there is nothing else that begins like a span, which is quicker to see.
    if is_rewritten and marked.count(_SPAN) == len(formulas):
        return marked
    ends = list(accumulate(map(len, pieces)))
    places = list(zip(ends[:-1:2], ends[1::2], strict=True))
    if [span.span() for span in MARKED.finditer(marked)] == places:
        return marked
    for place in range(0, len(pieces), 2):
        pieces[place] = _unlike_spans(pieces[place])
    pieces[1::2] = map(_span, formulas, ids)
    return "".join(pieces)


def _span(formula: LocatedFormula, formula_id: str) -> str:
    inner = formula.mathml if formula.mathml and not formula.latex else escaped(formula.latex)
    attribute = f' id="{_attribute_value(formula_id)}"' if formula_id else ""
    return f'<span class="math-container"{attribute}>{inner}</span>'


_SPAN = '<span class="math-container"'


def _unlike_spans(markup: str) -> str:
    return markup.replace(_SPAN, "<span class='math-container'")


def _attribute_value(value: str) -> str:
    return value if value.isalnum() else escaped(value).replace('"', "&quot;")


def content(markup: str) -> Content:
    r"""The visible text: prose and formulas in reading order, without leading or trailing blanks.

    Blocks, list items and breaks begin a line; other white space is one blank, except in ``pre``.

    >>> content('<p>Let <span class="math-container" id="7">x</span> &gt; 0.</p><p>Then</p>')
    ('Let ', Formula(id='7', latex='x', visual_id='', macros='', number=None), ' > 0.\nThen')
    """
    pieces: list[str] = []
    formulas: list[Formula] = []
    at = 0
    for located in find_formulas(markup):
        pieces.append(markup[at : located.start])
        formulas.append(Formula(located.id, located.latex))
        at = located.end
    pieces.append(markup[at:])
    return _content(pieces, formulas)


def marked_content(markup: str) -> Content:
    """The content of markup in which ``with_formula_spans`` has marked every formula.

    No others are searched for.

    >>> marked_content('costs $5, or $<span class="math-container" id="7">x</span>')
    ('costs $5, or $', Formula(id='7', latex='x', visual_id='', macros='', number=None))
    """
    pieces = MARKED.split(markup)
    formulas = map(Formula, map(_id, pieces[1::3]), map(marked_latex, pieces[2::3]))
    return _content(pieces[::3], formulas)


def _id(attribute: str | None) -> str:
    return unescaped(attribute or "")


def _content(pieces: Sequence[str], formulas: Iterable[Formula]) -> Content:
    """Pieces of markup and the formulas between them as content."""
    # All prose is converted at once, which is much faster than piece by piece.
    prose = _prose(
        _PLACEHOLDER.join(
            piece.replace(_PLACEHOLDER, "\N{REPLACEMENT CHARACTER}") for piece in pieces
        )
    )
    first, *others = prose.strip(_WHITE).split(_PLACEHOLDER)
    parts: list[str | Formula] = [first]
    for formula, text in zip(formulas, others, strict=True):
        parts += (formula, text)
    return tuple(part for part in parts if part != "")


_PLACEHOLDER = "\0"  # of a formula; HTML has no such character, and no entity decodes to it
_WHITE = " \t\r\n\f"


def plain_text(markup: str) -> str:
    r"""The content as one string: prose, and formulas as ``$latex$``.

    >>> plain_text("Is <em>every</em> \\(n &gt; 0\\) so?")
    'Is every $n > 0$ so?'
    """
    return "".join(
        piece if isinstance(piece, str) else f"${piece.latex}$" for piece in content(markup)
    )


def bare_text(markup: str) -> str:
    """The text without anything in angle brackets, for markup that cannot be read otherwise.

    >>> bare_text("<p>Let <b>$x$</b></p>")
    'Let $x$'
    """
    return " ".join(unescape(_BRACKETED.sub(" ", markup)).split())


_BRACKETED = re.compile(r"<[^<>]*>")


def _prose(markup: str) -> str:
    """The text of markup without formulas."""
    endings = ElementEnds(markup)
    texts: list[str] = []
    flow: list[str] = []
    at = 0
    for special in _SPECIAL.finditer(markup):
        name = special[1].lower()
        end = endings.after(name, special.end()) if special.start() >= at else None
        if end is None:
            continue
        if name != "pre":
            flow.append(markup[at : special.start()])
            flow.append(_placeholders(markup[special.start() : end]))
            at = end
            continue
        tag = _TAG.match(markup, special.start()) or special
        flow.append(markup[at : tag.end()])
        at = markup.rindex("<", 0, end)  # the tags of "pre" end the lines around it
        texts.append(_flowing("".join(flow)))
        texts.append(_TAG.sub(_space, markup[tag.end() : at]).strip("\n"))
        flow.clear()
    flow.append(markup[at:])
    texts.append(_flowing("".join(flow)))
    return unescaped("".join(texts))


def _flowing(markup: str) -> str:
    """The text with line breaks where tags make them, and never two blanks in a row."""
    text = markup.replace("\n", " ").replace("\r", " ").replace("\t", " ").replace("\f", " ")
    text = _BLANKS.sub(" ", _TAG.sub(_space, text))
    if "\n" not in text:
        return text
    first, *between, last = text.split("\n")
    lines = (line.strip(" ") for line in between)
    return "\n".join((first.rstrip(" "), *(line for line in lines if line), last.lstrip(" ")))


def _space(tag: re.Match[str]) -> str:
    return _SPACES[tag.lastindex or 0] + _placeholders(tag[0])


def _placeholders(dropped: str) -> str:
    """The formulas in markup that is dropped.

    In broken HTML, a tag or comment may contain a formula that was located before. Such a formula
    has an id, so it is never dropped.
    """
    return _PLACEHOLDER * dropped.count(_PLACEHOLDER)


_SPACES = ("", "\n", " ")
_SPECIAL = re.compile(r"<((?i:script|style|pre)(?=[\s>])|!--)")
# 1 begins a line, 2 is a cell, others leave no space. Anything with attribute values, and any
# closing tag, is a tag whatever its name.
_TAG = re.compile(
    rf"<(?i:/?(?:({BLOCKS}|br)|({CELLS})|{INLINE}|[biqsu]){ATTRIBUTES}"
    rf"|[a-z][\w:-]*+(?:{ATTRIBUTE})++\s*+/?>"
    r"|/[a-z][\w:.-]*+\s*+>)"
)
_BLANKS = re.compile(r"  +")
