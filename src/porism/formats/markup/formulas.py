r"""Every formula of an HTML text, whether it stands in a ``math-container`` or between dollars.

One regular expression jumps from one place of interest to the next, since this is run over millions
of texts. LaTeX comes out as its author meant it: entities read, delimiters and tags taken away.
What had to be mended is told with each formula. Nothing is parsed here, and nothing refused.
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
    """What was not as the internal form of markup has it, and has been understood nevertheless."""

    UNMARKED = "unmarked"  # stood outside a span
    NO_ID = "no-id"  # a span without id
    DOLLARS = "dollars"  # a span that holds delimiters
    DOUBLE_ESCAPED = "double-escaped"  # entities that were escaped once more


class LocatedFormula(NamedTuple):
    """A formula and its place in the markup, tags or delimiters included.

    ``latex`` is empty where there is only MathML, which ``mathml`` then holds as it stands.
    """

    start: int
    end: int
    latex: str
    id: str = ""
    mathml: str = ""
    repairs: tuple[MarkupRepair, ...] = ()


def find_formulas(markup: str) -> list[LocatedFormula]:
    """The formulas in the order in which they stand; no two of them overlap.

    Code, scripts, comments and the attributes of tags have none, but for those marked by a span.

    >>> [formula.latex for formula in find_formulas("If $a &lt; b$, it costs $5 and $10.")]
    ['a < b']
    """
    found: list[LocatedFormula] = []
    endings = ElementEnds(markup)
    quiet = 0  # up to here the text is code, in which only spans count
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
                if start >= quiet:
                    quiet = endings.after(name, at) or quiet
                at = _tag_end(markup, at)
            elif (end := endings.after(name, at)) is not None:
                formula = _mathml(markup[start:end], start) if name == "math" else None
                at = end
            else:
                at = _tag_end(markup, at)
        elif kind in _DELIMITERS and start >= quiet:
            formula, at = _delimited(markup, mark)
        if formula is not None:
            found.append(formula)
    return found


def marked_latex(inner: str) -> str:
    """The LaTeX of a span of the form ``MARKED``; empty where it holds MathML without any."""
    return _span_latex(inner if "<" not in inner else _span_content(inner)[0])[0]


MARKED = re.compile(
    r'<span class="math-container"(?: id="([^"<]*)")?>'
    r"([^<]*+|(?is:<math(?=[\s>])(?:(?!</math\s*+>).)*+</math\s*+>))</span>"
)
"""The one form of formulas in markup that ``with_formula_spans`` made: id, LaTeX or MathML."""

_ENVIRONMENT = "|".join(sorted(ENVIRONMENTS))
# 1, 2: a span as our own files have it; 3: what holds a formula or hides some; 4: an environment;
# 5, 6: other delimiters. Escapes, code between backticks (7) and other tags with attributes are
# passed over. Each alternative begins with a plain character, so that the search skips prose.
_NEXT = re.compile(
    r'<span class="math-container"(?: id="([^"<]*)")?>([^<]*)</span>'
    r"|<(?i:((?:span|math|pre|code|script|style|textarea)(?=[\s>])|!--)"
    rf"|[a-z][\w:-]*+(?:{ATTRIBUTE})++)"
    rf"|\\(?:[\\$]|begin\{{((?:{'|'.join(sorted(ENVIRONMENTS))})\*?)\}}|([(\[]))"
    r"|\$(\$?)"
    r"|`(?<![\w`]`)(`?)(?=[^\s`])[^`<\n]{1,300}+(?<=\S)`\7(?![\w`$])"
)
_DELIMITERS = (4, 5, 6)


def _tag_end(markup: str, at: int) -> int:
    """The place after the attributes of a tag, whose name ends at ``at``."""
    rest = _REST.match(markup, at)
    return at if rest is None else rest.end()


_REST = re.compile(ATTRIBUTES)


def _from_span(
    start: int, end: int, formula_id: str, inner: str, mathml: str = ""
) -> LocatedFormula:
    latex, was_delimited, was_double = _span_latex(inner)
    repairs = _SPAN_REPAIRS[formula_id == "", was_delimited, was_double]
    return LocatedFormula(start, end, latex, formula_id, mathml, repairs)


@lru_cache(maxsize=1 << 14)  # the same few formulas stand in most spans
def _span_latex(inner: str) -> tuple[str, bool, bool]:
    """The LaTeX that a span holds, whether it had delimiters, and whether it was escaped twice."""
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
"""What is told of a span that has no id, holds delimiters, or is escaped twice; made once."""

# What is left of an entity after one reading. However often it was escaped, once is enough here.
_DOUBLE = re.compile(r"&(?:amp;)*(lt|gt|amp|quot|#39);")


def _single(entity: re.Match[str]) -> str:
    return unescaped(f"&{entity[1]};")


def _unmarked(start: int, end: int, text: str) -> LocatedFormula:
    """A formula whose tags and entities have been read, but which stood in no span."""
    latex = _DOUBLE.sub(_single, text)
    repairs = (
        (MarkupRepair.UNMARKED,)
        if latex == text
        else (MarkupRepair.UNMARKED, MarkupRepair.DOUBLE_ESCAPED)
    )
    return LocatedFormula(start, end, undelimited(latex), repairs=repairs)


def _delimited(markup: str, mark: re.Match[str]) -> tuple[LocatedFormula | None, int]:
    """The formula that ``mark`` opens, if it is one, and where to go on."""
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
        return None, inside  # the second delimiter may yet open a formula
    return _unmarked(start, end, text), end


def _span(markup: str, start: int, endings: ElementEnds) -> tuple[LocatedFormula | None, int]:
    """The formula of the span that begins at ``start``, if it holds one, and where to go on."""
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
    if inner.count("math-container") > 1:  # its end is that of another, and these are formulas
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
    """The closing tag of a span whose content begins at ``at``; it stands in the same block."""
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
    """The id of the span that is all the content of another, but for dollars."""
    tag = _SPAN.search(inner)
    if tag is None or inner[: tag.start()].strip("$ \r\n"):
        return ""
    values = attributes(tag[0])
    is_all = inner.count("<span") == 1 and inner.rstrip("$ \r\n").endswith("</span>")
    return values.get("id", "") if is_all and values.get("class") == "math-container" else ""


def _untagged(markup: str) -> str:
    """The markup without the tags that Markdown may have left in a formula; breaks are blanks."""
    if "<" not in markup:
        return markup
    return _TAG.sub("", _BREAK.sub(" ", _LETTER.sub(r"\2", markup)))


_BREAK = re.compile(r"</?br\s*+/?>", re.IGNORECASE)
_TAG = re.compile(rf"</?(?:{INLINE}){ATTRIBUTES}|<a{ATTRIBUTE}{ATTRIBUTES}|</a>", re.IGNORECASE)
_LETTER = re.compile(r"<([bisu])>([^<]*)</\1>", re.IGNORECASE)  # alone it may be less and greater


def _mathml(element: str, start: int) -> LocatedFormula:
    end = start + len(element)
    latex = _mathml_latex(element)
    if latex is None:
        return LocatedFormula(start, end, "", mathml=element, repairs=(MarkupRepair.UNMARKED,))
    return _unmarked(start, end, latex)


def _mathml_latex(element: str) -> str | None:
    """The LaTeX that a ``math`` element tells of itself."""
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
    """A span's content with MathML as LaTeX; or else, if that is all it holds, the MathML."""
    if "<" not in inner or "<math" not in inner.lower():
        return inner, ""
    whole = inner.strip()
    if _MATH_NAME.match(whole) and ElementEnds(whole).after("math", 0) == len(whole):
        # As outside a span, whatever its tag holds.
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
