r"""All formulas of an HTML text, in ``math-container`` spans, between delimiters or as MathML.

One regular expression jumps from one position of interest to the next, since this is run over
millions of texts. LaTeX comes out as its author meant it, with entities decoded, without delimiters
and tags. Each formula lists the repairs it needed. Nothing is parsed or rejected here.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from itertools import compress, product
from typing import NamedTuple

from porism.formats.markup.delimiters import (
    ENVIRONMENTS,
    MAX_NESTING,
    delimited_end,
    environment_end,
    is_prose,
    trimmed,
    undelimited,
)
from porism.formats.markup.html_syntax import (
    ATTRIBUTE,
    ATTRIBUTES,
    BLOCKS,
    CELLS,
    INLINE,
    ElementEnds,
    attributes,
    escaped,
    unescaped,
)


class MarkupRepair(StrEnum):
    """A deviation from the project's markup that was repaired."""

    UNMARKED = "unmarked"  # outside a span
    NO_ID = "no-id"  # a span without id
    DOLLARS = "dollars"  # a span with delimiters
    DOUBLE_ESCAPED = "double-escaped"  # entities that were escaped twice


class LocatedFormula(NamedTuple):
    """A formula and its position in the markup, tags or delimiters included.

    ``latex`` is empty if there is only MathML, which is then in ``mathml``, unchanged.
    """

    start: int
    end: int
    latex: str
    id: str = ""
    mathml: str = ""
    repairs: tuple[MarkupRepair, ...] = ()


def find_formulas(markup: str) -> list[LocatedFormula]:
    """The formulas in order; no two of them overlap.

    Code, scripts, comments and attributes have none, except for those marked by a span.

    >>> [formula.latex for formula in find_formulas("If $a &lt; b$, it costs $5 and $10.")]
    ['a < b']
    """
    formulas: list[LocatedFormula] = []
    endings = ElementEnds(markup)
    code_end = 0  # up to here the text is code, in which only spans count
    at = 0
    while (mark := _NEXT.search(markup, at)) is not None:
        start, at = mark.span()
        kind = mark.lastindex
        formula: LocatedFormula | None = None
        if kind == 2:
            formula = _from_span(start, at, unescaped(mark[1] or ""), mark[2])
        elif kind == 3:
            name = mark[3].lower()
            if name == "span":
                formula, at = _span(markup, start, endings)
            elif name in ("pre", "code"):
                if start >= code_end:
                    code_end = endings.after(name, at) or code_end
                at = _tag_end(markup, at)
            elif (end := endings.after(name, at)) is not None:
                formula = _mathml(markup[start:end], start) if name == "math" else None
                at = end
            else:
                at = _tag_end(markup, at)
        elif kind in _DELIMITERS and start >= code_end:
            formula, at = _delimited(markup, mark)
        if formula is not None:
            formulas.append(formula)
    return formulas


def marked_latex(inner: str) -> str:
    """The LaTeX of a span of the form ``MARKED``; empty where it holds MathML without any."""
    return _span_latex(inner if "<" not in inner else _span_content(inner)[0])[0]


MARKED = re.compile(
    r'<span class="math-container"(?: id="([^"<]*)")?>'
    r"([^<]*+|(?is:<math(?=[\s>])(?:(?!</math\s*+>).)*+</math\s*+>))</span>"
)
"""The one form of formulas in markup that ``with_formula_spans`` made: id, LaTeX or MathML."""

_ENVIRONMENT = "|".join(sorted(ENVIRONMENTS))
# 1, 2: a span as in our own files; 3: an element that holds or hides formulas; 4: an environment;
# 5, 6: other delimiters. Escapes, code between backticks (7) and other tags with attributes are
# skipped. Each alternative begins with a literal character, so that the search skips prose.
_NEXT = re.compile(
    r'<span class="math-container"(?: id="([^"<]*)")?>([^<]*)</span>'
    r"|<(?i:((?:span|math|pre|code|script|style|textarea)(?=[\s>])|!--)"
    rf"|[a-z][\w:-]*+(?:{ATTRIBUTE})++)"
    rf"|\\(?:[\\$]|begin\{{((?:{_ENVIRONMENT})\*?)\}}|([(\[]))"
    r"|\$(\$?)"
    r"|`(?<![\w`]`)(`?)(?=[^\s`])[^`<\n]{1,300}+(?<=\S)`\7(?![\w`$])"
)
_DELIMITERS = (4, 5, 6)


def _tag_end(markup: str, at: int) -> int:
    """The position after the attributes of a tag, whose name ends at ``at``."""
    rest = _REST.match(markup, at)
    return at if rest is None else rest.end()


_REST = re.compile(ATTRIBUTES)


def _from_span(
    start: int, end: int, formula_id: str, inner: str, mathml: str = ""
) -> LocatedFormula:
    latex, was_delimited, was_double = _span_latex(inner)
    repairs = _SPAN_REPAIRS[formula_id == "", was_delimited, was_double]
    return LocatedFormula(start, end, latex, formula_id, mathml, repairs)


@lru_cache(maxsize=1 << 14)  # most spans hold the same few formulas
def _span_latex(inner: str) -> tuple[str, bool, bool]:
    """The LaTeX of a span, whether it had delimiters, and whether it was escaped twice."""
    text = single = unescaped(inner)
    if "&" in text:
        single = _DOUBLE.sub(_single, text)
    bare = trimmed(single)
    latex = undelimited(bare)
    return latex, latex != bare, single != text


_SPAN_REPAIRS = {
    needed: tuple(
        compress((MarkupRepair.NO_ID, MarkupRepair.DOLLARS, MarkupRepair.DOUBLE_ESCAPED), needed)
    )
    for needed in product((False, True), repeat=3)
}
"""The repairs of a span that has no id, has delimiters, or is escaped twice; built once."""

# An entity that is left after one decoding, however often it was escaped.
_DOUBLE = re.compile(r"&(?:amp;)*(lt|gt|amp|quot|#39);")


def _single(entity: re.Match[str]) -> str:
    return unescaped(f"&{entity[1]};")


def _unmarked(start: int, end: int, text: str) -> LocatedFormula:
    """A formula outside a span, whose tags and entities have been decoded."""
    latex = _DOUBLE.sub(_single, text)
    repairs = (
        (MarkupRepair.UNMARKED,)
        if latex == text
        else (MarkupRepair.UNMARKED, MarkupRepair.DOUBLE_ESCAPED)
    )
    return LocatedFormula(start, end, undelimited(latex), repairs=repairs)


def _delimited(markup: str, mark: re.Match[str]) -> tuple[LocatedFormula | None, int]:
    """The formula that ``mark`` opens, if any, and where to continue."""
    start, inside = mark.span()
    if mark.lastindex == 4:
        end = environment_end(markup, mark[4], inside)
        if end is None:
            return None, inside
        return _unmarked(start, end, unescaped(_untagged(markup[start:end]))), end
    close = delimited_end(markup, mark[0], inside)
    if close is None:
        return None, inside
    end = close + len(mark[0])
    text = unescaped(_untagged(markup[inside:close]))
    if not text or text.isspace():
        return None, end
    if is_prose(text, markup[end : end + 1]):
        return None, inside  # the second delimiter may still open a formula
    return _unmarked(start, end, text), end


def _span(markup: str, start: int, endings: ElementEnds) -> tuple[LocatedFormula | None, int]:
    """The formula of the span that begins at ``start``, if any, and where to continue."""
    tag = _SPAN.match(markup, start)
    if tag is None:
        return None, start + len("<span")
    values = attributes(tag[0])
    if "math-container" not in values.get("class", "").split():
        return None, tag.end()
    close = _span_close(markup, tag.end(), endings)
    if close is None:
        return None, tag.end()
    inner = markup[tag.end() : close.start()]
    if inner.count("math-container") > 1:  # unclosed: the closing tag is that of another formula
        return None, tag.end()
    formula_id = values.get("id") or _inner_id(inner)
    return _from_span(start, close.end(), formula_id, *_span_content(inner)), close.end()


def _span_content(inner: str) -> tuple[str, str]:
    """The LaTeX of a span, without tags but with entities, or its MathML."""
    text, mathml = _without_mathml(inner)
    return _untagged(text), mathml


_SPAN = re.compile(rf"<span{ATTRIBUTES}", re.IGNORECASE)
_SPAN_STEP = re.compile(
    r"<(?:(span)(?=[\s/>])|(/span)\s*+>|(math)(?=[\s>])"
    rf"|/?(?:{BLOCKS}|{CELLS})(?:\s*+/?>|{ATTRIBUTE}))",
    re.IGNORECASE,
)


def _span_close(markup: str, at: int, endings: ElementEnds) -> re.Match[str] | None:
    """The closing tag, in the same block, of a span whose content begins at ``at``."""
    depth = 1
    while (step := _SPAN_STEP.search(markup, at)) is not None:
        at = step.end()
        if step.lastindex == 1:
            depth += 1
            if depth > MAX_NESTING:
                return None
        elif step.lastindex == 2:
            depth -= 1
            if depth == 0:
                return step
        elif step.lastindex == 3:
            at = endings.after("math", at) or at
        else:
            return None
    return None


def _inner_id(inner: str) -> str:
    """The id of a span that is the whole content of another, except for dollars."""
    tag = _SPAN.search(inner)
    if tag is None or inner[: tag.start()].strip("$ \r\n"):
        return ""
    values = attributes(tag[0])
    is_all = inner.count("<span") == 1 and inner.rstrip("$ \r\n").endswith("</span>")
    return values.get("id", "") if is_all and values.get("class") == "math-container" else ""


def _untagged(markup: str) -> str:
    """The markup without tags that Markdown may have left in a formula; breaks become blanks."""
    if "<" not in markup:
        return markup
    return _TAG.sub("", _BREAK.sub(" ", _LETTER.sub(r"\2", markup)))


_BREAK = re.compile(r"</?br\s*+/?>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{INLINE}){ATTRIBUTES}|<a{ATTRIBUTE}{ATTRIBUTES}|</a>", re.IGNORECASE)
_LETTER = re.compile(r"<([bisu])>([^<]*)</\1>", re.IGNORECASE)  # unpaired, < and > may be signs


def _mathml(element: str, start: int) -> LocatedFormula:
    end = start + len(element)
    latex = _mathml_latex(element)
    if latex is None:
        return LocatedFormula(start, end, "", mathml=element, repairs=(MarkupRepair.UNMARKED,))
    return _unmarked(start, end, latex)


def _mathml_latex(element: str) -> str | None:
    """The LaTeX in the attributes or annotations of a ``math`` element."""
    tag = _MATH.match(element)
    alternative = attributes(tag[0]).get("alttext") if tag else None
    if alternative:
        return alternative
    annotation = _ANNOTATION.search(element)
    return unescaped(annotation[1]) if annotation else None


_MATH_NAME = re.compile(r"<math(?=[\s>])", re.IGNORECASE)
_MATH = re.compile(rf"<math{ATTRIBUTES}", re.IGNORECASE)
_ANNOTATION = re.compile(
    r"""<annotation\s[^<>]*encoding\s*=\s*["']application/x-tex["'][^<>]*>([^<]*)</annotation\s*>""",
    re.IGNORECASE,
)


def _without_mathml(inner: str) -> tuple[str, str]:
    """A span's content with MathML as LaTeX; or else, if that is its whole content, the MathML."""
    if "<" not in inner or "<math" not in inner.lower():
        return inner, ""
    whole = inner.strip()
    if _MATH_NAME.match(whole) and ElementEnds(whole).after("math", 0) == len(whole):
        # As outside a span, whatever its attributes.
        latex = _mathml_latex(whole)
        return ("", whole) if latex is None else (escaped(latex), "")
    endings = ElementEnds(inner)
    pieces: list[str] = []
    at = 0
    for tag in _MATH.finditer(inner):
        end = endings.after("math", tag.start()) if tag.start() >= at else None
        if end is None:
            continue
        latex = _mathml_latex(inner[tag.start() : end])
        pieces += (inner[at : tag.start()], escaped(latex or ""))
        at = end
    return "".join(pieces) + inner[at:], ""
