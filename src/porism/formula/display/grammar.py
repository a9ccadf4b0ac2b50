"""The grammar of LaTeX for the display: rows, groups, arguments and scripts as atoms.

It recovers from errors like the parser of layout trees, but reports nothing: that has been done.
Commands that are more than a symbol are in the table of ``constructs``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from html import escape

from porism.errors import LatexError
from porism.formula.display.atoms import (
    NEUTRAL,
    SLOT,
    Atom,
    Elements,
    Kind,
    Limits,
    Mark,
    combined,
    elements_of,
    with_hit,
)
from porism.formula.display.fonts import WORD_FONTS, font_glyph
from porism.formula.display.symbols import GLYPHS, Glyph, character
from porism.formula.display.tokens import SPLIT, PlacedToken
from porism.formula.latex.macros import argument_at, option_at
from porism.formula.latex.tokenizer import WILDCARD_MARK
from porism.formula.symbols import INVISIBLE, SUBSCRIPTS, SUPERSCRIPTS
from porism.formula.tree import MAX_DEPTH

MAX_LENGTH = 2_000_000
"""Characters of the MathML of one formula, which no real one needs."""

STOPS = frozenset(["", "}", "&", r"\right", r"\end", r"\cr", r"\crcr", r"\newline", r"\middle"])
_PRIMES = frozenset("'’′")
_PRIME_RUNS = {1: "′", 2: "″", 3: "‴", 4: "⁗"}


class Size(IntEnum):
    """TeX's styles."""

    DISPLAY = 0
    TEXT = 1
    SCRIPT = 2


Construct = Callable[["DisplayParser", str, list[Atom]], None]


class DisplayParser:
    """The state of writing one formula."""

    def __init__(
        self,
        tokens: list[str],
        constructs: Mapping[str, Construct],
        marks: Mapping[float, int],
        size: Size,
    ) -> None:
        self.tokens = tokens
        self.constructs = constructs
        self.marks = marks
        self.at = 0
        self.depth = 0
        self.size = size
        self.font = ""
        self.style = ""
        """Attributes of the ``mstyle`` around atoms from here to the end of the group."""
        self.awaited = {"}": 0, r"\right": 0, r"\end": 0, r"\middle": 0}
        self.tag = ""
        """The content of the last ``\\tag``, as MathML."""
        self.written = 0
        self.place: float | None = None
        """The place of the text in which this formula is nested, if it is."""

    # Rows -------------------------------------------------------------------------------------

    def atoms(self) -> list[Atom]:
        """The atoms up to the next token of ``STOPS`` or the end of a line."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LatexError("".join(self.tokens)[:200], 0, "nested too deeply to be displayed")
        row: list[Atom] = []
        while True:
            token = self.tokens[self.at]
            if token in STOPS or token[:2] == "\\\\":
                break
            self.at += 1
            self.item(token, row)
        self.depth -= 1
        return row

    def item(self, token: str, row: list[Atom]) -> None:
        """Add what ``token``, which has been read, begins."""
        glyph = GLYPHS.get(token)
        if glyph is not None and not self.font:
            row.append(self.atom(glyph, self.mark_of(token)))
            return
        first = token[0]
        if first in "^_" or first in _PRIMES or first in SUPERSCRIPTS or first in SUBSCRIPTS:
            self.at -= 1
            self.scripts(row)
        elif first == "{":
            row.append(self.group())
        elif first.isascii() and first.isalpha() and self.font:
            self.letter(token, row)
        elif glyph is not None:
            text = font_glyph(glyph, self.font)
            row.append(self.atom(text, self.mark_of(token)))
        elif token in self.constructs:
            self.constructs[token](self, token, row)
        elif token[-1] == "}" and first == "\\":
            self.constructs[r"\text"](self, token, row)
        elif first == "\\":
            self.unknown(token, row)
        elif first.isdigit() or first == ".":
            row.append(self.atom(font_glyph(Glyph("mn", token), self.font), self.mark_of(token)))
        elif first == WILDCARD_MARK:
            row.append(self.atom(Glyph("mi", f"?{escape(token[1:])}"), self.mark_of(token)))
        elif first == "~":
            row.append(Atom('<mspace width="0.333em"/>', Kind.SPACE, style=self.style))
        elif first not in "$&" and first not in INVISIBLE and first.isprintable():
            row.append(self.atom(font_glyph(character(first), self.font), self.mark_of(token)))

    def unknown(self, token: str, row: list[Atom]) -> None:
        """An unknown command as its name."""
        if len(token) > 1 and token[1].isalpha():
            row.append(self.leaf(f"<mtext>{escape(token)}</mtext>", self.mark_of(token)))

    def letter(self, token: str, row: list[Atom]) -> None:
        """A letter in a font; in some, letters next to each other are one word."""
        before = row[-1] if row else None
        if (
            self.font in WORD_FONTS
            and before is not None
            and before.word
            and before.style == self.style
        ):
            before.word += token
            before.mark = self.mark_of(token)
            before.xml = self._xml(font_glyph(Glyph("mi", before.word), self.font))
            return
        atom = self.atom(font_glyph(Glyph("mi", token), self.font), self.mark_of(token))
        atom.word = token if self.font in WORD_FONTS else ""
        row.append(atom)

    # Atoms ------------------------------------------------------------------------------------

    def mark_of(self, token: str) -> Mark:
        """The mark at a token's place; None if there are marks elsewhere only."""
        if not self.marks:
            return NEUTRAL
        place = token.place if isinstance(token, PlacedToken) else self.place
        return None if place is None else self.marks.get(place)

    def atom(self, glyph: Glyph, mark: Mark = NEUTRAL) -> Atom:
        """A symbol as an atom."""
        is_operator = glyph.element == "mo"
        return self.counted(
            Atom(
                self._xml(glyph),
                glyph.role,
                mark,
                glyph.spaces if is_operator else None,
                glyph.limits,
                self.style,
                is_sign=glyph.spaces == (4, 4),
            )
        )

    def _xml(self, glyph: Glyph) -> str:
        slot = SLOT if glyph.element == "mo" else ""
        return f"<{glyph.element}{glyph.attributes}{slot}>{glyph.text}</{glyph.element}>"

    def leaf(self, xml: str, mark: Mark = NEUTRAL, role: Kind = Kind.ORD) -> Atom:
        """An element that is no operator as an atom."""
        return self.counted(Atom(xml, role, mark, style=self.style))

    def space(self, width: str) -> Atom:
        return Atom(f'<mspace width="{width}"/>', Kind.SPACE, style=self.style)

    def built(
        self,
        write: Callable[[bool], str],
        parts: Sequence[Elements],
        mark: Mark = NEUTRAL,
        role: Kind = Kind.ORD,
    ) -> Atom:
        """An atom made of rows; ``write`` is told whether it is marked as a whole."""
        whole = combined((mark, *(part.mark for part in parts)))
        is_marked = whole is not None and whole != NEUTRAL
        return self.counted(Atom(write(is_marked), role, whole, style=self.style))

    def counted(self, atom: Atom) -> Atom:
        """The atom, unless the formula has become too long."""
        self.written += len(atom.xml)
        if self.written > MAX_LENGTH:
            raise LatexError("".join(self.tokens)[:200], 0, "too long to be displayed")
        return atom

    def elements(self, atoms: Sequence[Atom]) -> Elements:
        return elements_of(atoms, self.size is Size.SCRIPT)

    # Groups and arguments ----------------------------------------------------------------------

    def group(self) -> Atom:
        """A brace group, whose opening brace has been read, as an ordinary atom."""
        style, self.style = self.style, ""
        row = self.braced()
        self.style = style
        return self.ordinary(row)

    def ordinary(self, row: list[Atom]) -> Atom:
        """A row of atoms without a style as one ordinary atom."""
        if len(row) == 1 and row[0].spaces is None and row[0].role is not Kind.SPACE:
            only = row[0]
            if not only.style:
                only.role, only.word, only.limits, only.style = (
                    Kind.ORD,
                    "",
                    Limits.BESIDE,
                    self.style,
                )
                return only
        elements = self.elements(row)
        return self.built(elements.one, (elements,))

    def restyled(self, **attributes: str) -> None:
        """Set attributes of the ``mstyle`` around what follows in this group."""
        for name, value in attributes.items():
            kept = re.sub(rf' {name}="[^"]*"', "", self.style)
            self.style = f'{kept} {name}="{value}"'

    def braced(self) -> list[Atom]:
        """The atoms up to the closing brace, which is consumed, with all settings as before."""
        settings = self.font, self.style, self.size
        atoms = self.row_until("}")
        if self.tokens[self.at] == "}":
            self.at += 1
        self.font, self.style, self.size = settings
        return atoms

    def row_until(self, ending: str) -> list[Atom]:
        """The atoms up to ``ending``, or up to the end of an enclosing construct."""
        if ending:
            self.awaited[ending] += 1
        atoms = self.atoms()
        token = self.tokens[self.at]
        while token and token != ending and not self.awaited.get(token):
            self.at += 1
            if token == r"\end":
                self.raw_argument()
            atoms += self.atoms()
            token = self.tokens[self.at]
        if ending:
            self.awaited[ending] -= 1
        return atoms

    def argument(self) -> list[Atom]:
        """The next argument by the rules of TeX: a group, or one symbol, digit or command."""
        token = self.tokens[self.at]
        if token == "{":
            self.at += 1
            return self.braced()
        if token in STOPS or token[:2] == "\\\\" or token in ("^", "_"):
            return []
        if len(token) > 1 and (token[0].isdigit() or token[0] == "."):
            place = token.place if isinstance(token, PlacedToken) else 0.0
            self.tokens[self.at] = PlacedToken(token[1:], place + SPLIT)
            return [self.atom(Glyph("mn", token[0]), self.mark_of(token))]
        self.at += 1
        row: list[Atom] = []
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise LatexError("".join(self.tokens)[:200], 0, "nested too deeply to be displayed")
        settings = self.font, self.style, self.size
        self.item(token, row)
        self.font, self.style, self.size = settings
        self.depth -= 1
        return row

    def argument_elements(self, size: Size | None = None) -> Elements:
        """The elements of the next argument, in a style of its own."""
        settings = self.style, self.size
        self.style, self.size = "", self.size if size is None else size
        elements = self.elements(self.argument())
        self.style, self.size = settings
        return elements

    def inner(self, tokens: list[str], size: Size | None = None) -> Elements:
        """A formula within this one, such as an index or one between dollars in text."""
        outer = self.tokens, self.at, self.style, self.size, self.awaited
        self.tokens, self.at, self.style = [*tokens, ""], 0, ""
        self.size = self.size if size is None else size
        self.awaited = dict.fromkeys(self.awaited, 0)
        elements = self.elements(self.row_until(""))
        self.tokens, self.at, self.style, self.size, self.awaited = outer
        return elements

    def option(self) -> list[str] | None:
        content, self.at = option_at(self.tokens, self.at)
        return content

    def raw_argument(self) -> str:
        """The next argument as text, for names, colours and lengths."""
        content, self.at = argument_at(self.tokens, self.at)
        return "".join(content)

    # Scripts -----------------------------------------------------------------------------------

    def scripts(self, row: list[Atom]) -> None:
        """Attach the scripts that begin at the current token to the last atom of the row."""
        below: Elements | None = None
        above: Elements | None = None
        primes = 0
        prime_mark: Mark = NEUTRAL
        while True:
            token = self.tokens[self.at]
            first = token[:1]
            if first in _PRIMES and first and above is None:
                self.at += 1
                prime_mark = prime_mark if primes else self.mark_of(token)
                primes += 1
            elif first and first in SUPERSCRIPTS and above is None:
                self.at += 1
                above = self._typed_script(token, SUPERSCRIPTS)
            elif first and first in SUBSCRIPTS and below is None:
                self.at += 1
                below = self._typed_script(token, SUBSCRIPTS)
            elif token == "^" and above is None:
                self.at += 1
                above = self.argument_elements(Size.SCRIPT)
            elif token == "_" and below is None:
                self.at += 1
                below = self.argument_elements(Size.SCRIPT)
            else:
                break
        if primes:
            above = self._with_primes(primes, prime_mark, above)
        self.attach(row, below, above)

    def _with_primes(self, count: int, mark: Mark, above: Elements | None) -> Elements:
        text = "".join(_PRIME_RUNS[min(4, count - at)] for at in range(0, count, 4))
        prime = Atom(f'<mo class="prime" lspace="0" rspace="0">{text}</mo>', mark=mark)
        rest = [] if above is None else [Atom(above.one(False), mark=above.mark)]
        if above is not None and above.mark not in (None, NEUTRAL):
            rest = [Atom(above.one(True), mark=above.mark)]
        return elements_of([prime, *rest], True)

    def _typed_script(self, token: str, table: Mapping[str, str]) -> Elements:
        """A run of Unicode's superscript or subscript characters."""
        atoms = [self.atom(character(table[char]), self.mark_of(token)) for char in token]
        return elements_of(atoms, True)

    def attach(self, row: list[Atom], below: Elements | None, above: Elements | None) -> None:
        """The last atom of the row with scripts, beside it or as its limits."""
        if below is None and above is None:
            return
        if row and row[-1].role is not Kind.SPACE:
            base = row.pop()
        else:
            base = Atom("<mrow></mrow>", style=self.style)
        row.append(self.scripted(base, below, above))

    def scripted(self, base: Atom, below: Elements | None, above: Elements | None) -> Atom:
        is_over = base.limits is Limits.ALWAYS or (
            base.limits is Limits.MOVABLE and self.size is Size.DISPLAY
        )
        parts = [part for part in (below, above) if part is not None]
        whole = combined((base.mark, *(part.mark for part in parts)))
        is_marked = whole is not None and whole != NEUTRAL
        xml = base.xml
        if not is_marked and base.mark is not None and base.mark != NEUTRAL:
            xml = with_hit(xml, 1, base.mark)
        if is_over and self.size is not Size.DISPLAY and base.role is Kind.OP:
            xml = xml.replace(SLOT, f' movablelimits="false"{SLOT}', 1)
        names = ("munder", "mover", "munderover") if is_over else ("msub", "msup", "msubsup")
        name = names[2 if len(parts) == 2 else 0 if below is not None else 1]
        scripts = "".join(part.one(is_marked) for part in parts)
        atom = Atom(f"<{name}>{xml}{scripts}</{name}>", base.role, whole, base.spaces)
        atom.style = base.style
        return self.counted(atom)
