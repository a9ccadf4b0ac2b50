"""Brackets around mathematics as one element; brackets around prose stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

from porism.query.undelimited.formula_runs import run_at
from porism.query.undelimited.lexer import Element, Slot

MAX_NESTING = 20
"""Brackets within brackets; deeper ones are signs, so that functions over groups may recurse."""

_CLOSERS = {"(": ")]", "[": "])", "{": "}"}


def grouped(elements: Sequence[Element]) -> list[Element]:
    """The elements with each pair of brackets around mathematics, and what it has, as one.

    Intervals may be half open. Brackets that have no partner keep their slots; those around prose
    are signs that no formula has.
    """
    partners = _partners(elements)
    levels: list[list[Element]] = [[]]
    openers: list[int] = []
    for at, element in enumerate(elements):
        if element.slot is Slot.OPEN and at in partners:
            openers.append(at)
            levels.append([])
        elif element.slot is Slot.CLOSE and at in partners:
            children = _with_bars(levels.pop())
            opener = openers.pop()
            is_argument = element.text == "}" and _takes_braces(elements, opener)
            if len(children) == 1 and opener and elements[opener - 1].slot is Slot.SCRIPT:
                is_argument = True  # a sign alone, as in 0^(+)
            levels[-1] += _closed(elements[opener], children, element, is_argument)
        else:
            levels[-1].append(element)
    return _with_bars(levels[0])


def _partners(elements: Sequence[Element]) -> set[int]:
    """The places of brackets that belong together."""
    partners: set[int] = set()
    opened: list[int] = []
    for at, element in enumerate(elements):
        if element.slot is Slot.OPEN:
            opened.append(at)
        elif element.slot is Slot.STOP and element.text.isspace():
            opened.clear()
        elif element.slot is Slot.CLOSE:
            if opened and element.text in _CLOSERS[elements[opened[-1]].text]:
                if len(opened) <= MAX_NESTING:
                    partners |= {opened[-1], at}
                opened.pop()
            else:
                opened.clear()
    return partners


def _takes_braces(elements: Sequence[Element], opener: int) -> bool:
    """Whether braces are those of an argument of LaTeX or a script, whatever they have."""
    if not opener:
        return False
    before = elements[opener - 1]
    if before.slot is Slot.SPACE and opener > 1:
        before = elements[opener - 2]
        return before.text[:1] == "\\" or before.text == "}"
    return before.slot is Slot.SCRIPT or before.text[:1] == "\\" or before.text == "}"


def _closed(
    opener: Element, children: list[Element], closer: Element, is_argument: bool
) -> list[Element]:
    run = run_at(children, 1 if children and children[0].slot is Slot.SPACE else 0, is_inside=True)
    end = len(children) - (1 if children and children[-1].slot is Slot.SPACE else 0)
    if is_argument or (children and run.end > run.start and run.end >= end):
        has_items = any(child.slot is Slot.COMMA for child in children)
        is_strong = run.is_formula and (opener.text != "[" or len(children) > 1 or has_items)
        text = opener.text + closer.text
        group = Element(Slot.GROUP, text, opener.start, closer.end, is_strong, tuple(children))
        return [group]
    return [opener._replace(slot=Slot.STOP), *children, closer._replace(slot=Slot.STOP)]


def _with_bars(elements: list[Element]) -> list[Element]:
    """The elements with each absolute value or norm as one."""
    if not any(element.slot is Slot.BAR for element in elements):
        return elements
    row: list[Element] = []
    opened: int | None = None
    for at, element in enumerate(elements):
        row.append(element)
        if element.slot is not Slot.BAR:
            continue
        if _is_opening(elements, at) or (
            opened is None and at > 1 and elements[at - 2].slot is Slot.SCRIPT
        ):
            opened = len(row) - 1
        elif opened is not None and row[opened].text == element.text:
            content = row[opened + 1 : -1]
            run = run_at(content, 0, is_inside=True)
            if content and run.end == len(content):
                bar = row[opened]
                del row[opened:]
                row.append(
                    Element(Slot.GROUP, bar.text * 2, bar.start, element.end, True, tuple(content))
                )
            opened = None
    return row


def _is_opening(elements: list[Element], at: int) -> bool:
    before = elements[at - 1] if at else None
    after = elements[at + 1] if at + 1 < len(elements) else None
    if after is None or after.slot is Slot.SPACE:
        return False
    return before is None or before.slot in (
        Slot.SPACE, Slot.BINARY, Slot.COMMA, Slot.OPEN, Slot.NUMBER, Slot.SCRIPT, Slot.GLUE,
        Slot.FUNCTION, Slot.PREFIX,
    )  # fmt: skip
