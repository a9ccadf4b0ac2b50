r"""The outline of a LaTeX document: its sections, theorems, labels and references, with numbers.

One pass from the beginning to the end, over a text without comments and definitions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from porism.formats.documents.anchors import FileAnchors
from porism.formats.documents.delimiters import SINGLE, is_math_environment
from porism.formats.documents.latex.commands import LISTING, THEOREMS
from porism.formats.documents.latex.definitions import LatexDefinitions, TheoremDeclaration
from porism.formats.documents.latex.numbering import SECTION_LEVELS, Counters

SPLIT_LEVEL = SECTION_LEVELS["section"]
"""Sections down to this level are documents of their own."""


@dataclass(slots=True)
class OutlinePart:
    """A section, a theorem, or the text before the first section; positions are in the text.

    ``headings`` are the titles of the sections around it, outermost first; its own ``title`` is
    that of its section or kind of theorem, and ``note`` the place of a theorem's argument in
    brackets.
    ``inside`` is what its document has; a theorem has its proof, if one follows it at once.
    """

    title: str
    start: int
    end: int
    inside: list[tuple[int, int]]
    headings: tuple[str, ...] = ()
    number: str = ""
    note: tuple[int, int] = (0, 0)
    labels: list[str] = field(default_factory=list)
    section_number: int = 0
    is_theorem: bool = False
    anchor: str = ""

    @property
    def name(self) -> str:
        """What a reader would call a theorem: "Theorem 3.2"."""
        return f"{self.title} {self.number}".strip()


class LabelTarget(NamedTuple):
    """What a label is of: its kind, such as "Theorem" or "equation", its number, and its part."""

    kind: str
    number: str
    part: OutlinePart


class LabelReference(NamedTuple):
    """A command that refers to labels or, if ``is_citation``, to works with ``options``."""

    start: int
    end: int
    command: str
    keys: tuple[str, ...]
    options: str = ""
    is_citation: bool = False


class Outline(NamedTuple):
    """The parts of a document in reading order, targets by label, references, and inner numbers.

    ``numbers`` are those of theorems within other parts, by the position after their beginning.
    """

    parts: tuple[OutlinePart, ...]
    targets: Mapping[str, LabelTarget]
    references: tuple[LabelReference, ...]
    numbers: Mapping[int, str]


def outline(text: str, pairs: dict[int, int], known: LatexDefinitions, body: int) -> Outline:
    """The outline of a text whose body begins at ``body``; ``pairs`` are its braces."""
    reader = _OutlineReader(text, pairs, known, body)
    reader.read()
    anchors = FileAnchors()
    for part in reader.parts:
        if part.is_theorem:
            part.anchor = anchors.anchor(part.labels[0] if part.labels else part.name)
        elif part.section_number:
            part.anchor = anchors.anchor(f"{part.section_number} {part.title}")
    return Outline(tuple(reader.parts), reader.targets, tuple(reader.references), reader.numbers)


class _Environment(NamedTuple):
    """An open environment, and what a label referred to before it."""

    name: str
    before: LabelTarget
    part: OutlinePart | None = None


@dataclass(slots=True)
class _EquationRow:
    """The row of a displayed formula that is being read."""

    labels: list[str] = field(default_factory=list)
    tag: str = ""
    is_numbered: bool = True


class _OutlineReader:
    def __init__(
        self, text: str, pairs: dict[int, int], known: LatexDefinitions, body: int
    ) -> None:
        self.text = text
        self.pairs = pairs
        self.known = known
        self.body = body
        self.counters = Counters(text, known)
        first = OutlinePart("", body, len(text), [(body, len(text))])
        self.parts = [first]
        self.section = first
        self.trail: list[tuple[int, str]] = []
        self.targets: dict[str, LabelTarget] = {}
        self.references: list[LabelReference] = []
        self.numbers: dict[int, str] = {}
        self.current = LabelTarget("section", "", first)
        self.environments: list[_Environment] = []
        self.row: _EquationRow | None = None
        self.sub_equations: list[tuple[str, int]] = []
        self.last_theorem: OutlinePart | None = None
        self.at = body

    def read(self) -> None:
        for match in _EVENT.finditer(self.text, self.body):
            if match.start() < self.at:
                continue  # in the title of a section
            if match["heading"]:
                self._heading(match)
            elif match["begin"]:
                self._begin(match["begin"], match)
            elif match["end"]:
                self._end(match["end"], match)
            elif match["label"]:
                self._label(match["label"].strip())
            elif match["float"]:
                self._caption()
            elif match["appendix"]:
                self.counters.begin_appendix()
            elif match["counter"]:
                self._set_counter(match)
            elif match["command"]:
                keys = tuple(key.strip() for key in match["keys"].split(",") if key.strip())
                self.references.append(
                    LabelReference(match.start(), match.end(), match["command"], keys)
                )
            elif match["cite"]:
                keys = tuple(key.strip() for key in match["works"].split(",") if key.strip())
                self.references.append(
                    LabelReference(
                        match.start(),
                        match.end(),
                        match["cite"],
                        keys,
                        match["options"] or "",
                        is_citation=True,
                    )
                )
            elif self.row is not None:
                self._in_equation(match)

    def _heading(self, match: re.Match[str]) -> None:
        opening = match.end() - 1
        if opening not in self.pairs:
            return
        self._close_theorem(match.start())
        level = SECTION_LEVELS[match["heading"]]
        title = self.text[opening + 1 : self.pairs[opening]]
        self.at = self.pairs[opening] + 1
        number = "" if match["star"] else self.counters.step(match["heading"])
        self.trail = [each for each in self.trail if each[0] < level]
        if level <= SPLIT_LEVEL:
            last_start, _ = self.section.inside.pop()
            self.section.inside.append((last_start, match.start()))
            self.section.end = match.start()
            self.section = OutlinePart(
                title,
                match.start(),
                len(self.text),
                [(self.at, len(self.text))],
                self._headings(),
                number,
                section_number=self.section.section_number + 1,
            )
            self.parts.append(self.section)
        self.trail.append((level, title))
        self.current = LabelTarget("section", number, self.section)

    def _close_theorem(self, position: int) -> None:
        """End a theorem that was never closed: no section begins inside one."""
        part = self._theorem()
        if part is not None:
            self._end_part(part, position, position)
            self.environments.clear()

    def _headings(self) -> tuple[str, ...]:
        return tuple(title for _, title in self.trail if title.strip())

    def _theorem(self) -> OutlinePart | None:
        """The theorem that is open, if any."""
        return next((each.part for each in self.environments if each.part is not None), None)

    def _begin(self, name: str, match: re.Match[str]) -> None:
        plain = name.removesuffix("*")
        if len(self.environments) >= MAX_NESTING:
            return
        if name == "subequations":
            self.sub_equations.append((self.counters.step("equation"), 0))
            self.environments.append(_Environment(name, self.current))
            self.current = LabelTarget("equation", self.sub_equations[-1][0], self.current.part)
            return
        if is_math_environment(name):
            self.environments.append(_Environment(name, self.current))
            if plain in _NUMBERED_EQUATIONS and self.row is None:
                self.row = _EquationRow(is_numbered=not name.endswith("*"))
            return
        declaration = self.known.theorems.get(name) or _undeclared(plain)
        part = None
        before = self.current
        if declaration is not None:
            part = self._begin_theorem(name, declaration, match)
        elif plain == "proof" and self._theorem() is None and self._follows(match.start()):
            part = self.last_theorem  # its end will be that of the theorem
        self.environments.append(_Environment(name, before, part))

    def _follows(self, start: int) -> bool:
        """Whether a proof begins right after the last theorem."""
        last = self.last_theorem
        return last is not None and not _LABELS.sub("", self.text[last.end : start]).strip()

    def _begin_theorem(
        self, name: str, declaration: TheoremDeclaration, match: re.Match[str]
    ) -> OutlinePart | None:
        """A theorem as a part of its own, unless it is inside another one."""
        number = self.counters.step_theorem(declaration, name)
        if declaration.title == "Proof":
            return None
        note = _NOTE.match(self.text, match.end())
        outer = self._theorem()
        if outer is not None:
            self.numbers[match.end()] = number
            self.current = LabelTarget(declaration.title, number, outer)
            return None
        inside = note.end() if note else match.end()
        part = OutlinePart(
            declaration.title,
            match.start(),
            len(self.text),
            [(inside, len(self.text))],
            self._headings(),
            number,
            note.span(1) if note else (0, 0),
            is_theorem=True,
        )
        self.parts.append(part)
        self.current = LabelTarget(declaration.title, number, part)
        return part

    def _end(self, name: str, match: re.Match[str]) -> None:
        if not any(each.name == name for each in self.environments):
            return
        while True:
            closed = self.environments.pop()
            if closed.name == name:
                break
        if is_math_environment(name) and name != "subequations":
            if self.row is not None and name.removesuffix("*") in _NUMBERED_EQUATIONS:
                self._end_row()
                self.row = None
            return
        if name == "subequations" and self.sub_equations:
            self.sub_equations.pop()
        self.current = closed.before
        if closed.part is not None:
            self._end_part(closed.part, match.start(), match.end())

    def _end_part(self, part: OutlinePart, inside_end: int, end: int) -> None:
        """End a theorem, or the proof that belongs to it."""
        if part.end == len(self.text):
            part.inside = [(part.inside[0][0], inside_end)]
            self.last_theorem = part
        else:
            part.inside.append((part.end, end))
        part.end = end

    def _label(self, label: str) -> None:
        if self.row is not None:
            self.row.labels.append(label)
            return
        part = self.current.part
        part.labels.append(label)
        self.targets.setdefault(label, self.current)

    def _in_equation(self, match: re.Match[str]) -> None:
        row = self.row
        assert row is not None
        if match["quiet"]:
            row.is_numbered = False
        elif match["tag"]:
            row.tag = match["tag"].strip()
        elif match["break"] and self.environments:
            name = self.environments[-1].name
            if name.removesuffix("*") in _EQUATION_ROWS:
                self._end_row()
                self.row = _EquationRow(is_numbered=not name.endswith("*"))

    def _end_row(self) -> None:
        row = self.row
        assert row is not None
        number = row.tag
        if not number and row.is_numbered:
            number = self._equation_number()
        part = self._theorem() or self.section
        for label in row.labels:
            self.targets.setdefault(label, LabelTarget("equation", number, part))

    def _equation_number(self) -> str:
        if not self.sub_equations:
            return self.counters.step("equation")
        number, count = self.sub_equations[-1]
        self.sub_equations[-1] = number, count + 1
        return f"{number}{chr(ord('a') + count)}" if number and count < MAX_LETTERS else ""

    def _caption(self) -> None:
        """Number the figure or table that is open, if any."""
        names = [each.name.removesuffix("*") for each in self.environments]
        kind = next((name for name in reversed(names) if name in ("figure", "table")), "")
        if kind:
            self.current = LabelTarget(kind, self.counters.step(kind), self.current.part)

    def _set_counter(self, match: re.Match[str]) -> None:
        change = self.counters.add if match["setting"] == "addto" else self.counters.set
        change(match["counter"], int(match["value"]))


MAX_LETTERS = 26
MAX_NESTING = 100
"""Open environments; more are never closed, and each end looks for its beginning among all."""

_EQUATION_ROWS = frozenset("align gather eqnarray alignat flalign".split())
_NUMBERED_EQUATIONS = _EQUATION_ROWS | {"multline", *SINGLE} - {"displaymath", "math"}
_NO_THEOREMS = frozenset(("Abstract", "Algorithm", "Answer", "Proof", "Solution"))


def _undeclared(name: str) -> TheoremDeclaration | None:
    """A theorem by its usual name, in a document that does not declare it; it has no number."""
    title = THEOREMS.get(name, "")
    if not title or title in _NO_THEOREMS:
        return None
    return TheoremDeclaration(title, is_unnumbered=True)


_LABELS = re.compile(r"\\label\s*\{[^{}]*\}")
_NOTE = re.compile(r"[ \t]*\n?[ \t]*\[((?:[^\[\]{}]|\{[^{}]*\}){0,500})\]")
_EVENT = re.compile(
    LISTING + r"|\\(?P<heading>chapter|section|subsection|subsubsection)(?P<star>\*?)"
    r"\s*(?:\[[^\[\]]{0,500}\])?\s*\{"
    r"|\\begin\s*\{(?P<begin>[^{}\\]{1,40})\}"
    r"|\\end\s*\{(?P<end>[^{}\\]{1,40})\}"
    r"|\\label\s*\{(?P<label>[^{}]{1,200})\}"
    r"|\\(?P<float>caption)(?![A-Za-z])"
    r"|\\(?P<appendix>appendix)(?![A-Za-z])"
    r"|\\(?P<setting>set|addto)counter\s*\{(?P<counter>\w+)\}\s*\{\s*(?P<value>-?\d{1,6})\s*\}"
    r"|\\(?P<command>ref|eqref|autoref|cref|Cref|pageref|nameref|vref)\*?"
    r"\s*\{(?P<keys>[^{}]{1,500})\}"
    r"|\\(?P<cite>cite[a-zA-Z]*|(?:paren|text|auto)cite)\*?"
    r"(?P<options>(?:\s*\[[^\[\]]{0,200}\]){0,2})\s*\{(?P<works>[^{}]{1,1000})\}"
    r"|(?P<break>\\\\)"
    r"|\\(?P<quiet>nonumber|notag)(?![A-Za-z])"
    r"|\\tag\*?\s*\{(?P<tag>[^{}]*)\}"
    r"|\\(?s:.)"
)
