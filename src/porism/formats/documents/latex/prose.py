r"""LaTeX as HTML: formulas as spans, prose, lists and headings.

This is not TeX: commands are known by name (``commands``); unknown ones are dropped and their
arguments are read as text. There is a result for any text; what is never closed is closed at the
end.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from porism.formats.documents.delimiters import (
    DelimitedFormula,
    delimited_formula,
    environment_formula,
    is_math_environment,
)
from porism.formats.documents.html_fragments import (
    code_block,
    document_link_tag,
    escaped_prose,
    formula_span,
)
from porism.formats.documents.latex.commands import (
    ACCENTS,
    ARGUMENTS,
    ENVIRONMENT_ARGUMENTS,
    HEADINGS,
    LISTS,
    NOTHING,
    RUN_IN,
    SIGNS,
    SYMBOLS,
    THEOREMS,
    UNREADABLE,
    VERBATIM,
    CommandArguments,
    accented,
)
from porism.formats.documents.latex.definitions import (
    LatexDefinitions,
    brace_pairs,
    environment_expansions,
)
from porism.formats.documents.latex.edits import edited_text
from porism.formats.markup.html_syntax import escaped

MAX_DOLLARS = 5_000
"""The longest formula between dollars, in characters."""

MAX_EXPANSIONS = 2_000
MAX_NESTING = 8
"""The most uses of macros in the prose of one document, and levels of macros and headings."""


def prose_html(text: str, known: LatexDefinitions) -> str:
    """A text without comments and definitions as HTML; ``known`` are the definitions."""
    expanded = edited_text(text, list(environment_expansions(text, known.macros))).text
    return _Reader(expanded, known, [MAX_EXPANSIONS]).html()


def line_html(text: str, known: LatexDefinitions) -> str:
    """A title as HTML without paragraphs."""
    return without_paragraphs(prose_html(text, known))


def without_paragraphs(markup: str) -> str:
    """The HTML of a text without its block tags, for a title."""
    return " ".join(_BLOCK_TAG.sub(" ", markup).split())


_BLOCK_TAG = re.compile(r"</?(?:p|ul|ol|li|h\d|blockquote|pre|strong|br)>")


class _Reader:
    """One pass over a text, which writes HTML as it goes."""

    def __init__(
        self, text: str, known: LatexDefinitions, budget: list[int], depth: int = 0
    ) -> None:
        self.text = text
        self.known = known
        self.budget = budget
        self.depth = depth
        self.pairs = brace_pairs(text)
        self.at = 0
        self.out: list[str] = []
        self.paragraph: list[str] = []
        self.groups: list[tuple[int, CommandArguments]] = []
        self.environments: list[tuple[str, str]] = []

    def html(self) -> str:
        for token in iter(self._token, None):
            kind = token.lastgroup
            if kind == "word":
                self._command(token["word"])
            elif kind == "sign":
                self._sign(token["sign"])
            elif kind == "dollar":
                self._dollar(token.start(), token[0])
            elif kind == "blank":
                self._end_paragraph()
            elif token[0] == "}":
                self._end_group(token.start())
            else:
                self.paragraph.append(_TYPED[token[0]])
        while self.environments:
            self._close(self.environments.pop()[1])
        self._end_paragraph()
        return "".join(self.out)

    def _token(self) -> re.Match[str] | None:
        """The next token that is more than a character; the text before it is written."""
        token = _TOKEN.search(self.text, self.at)
        end = token.start() if token else len(self.text)
        if end > self.at:
            self.paragraph.append(escaped_prose(self.text[self.at : end]))
        self.at = token.end() if token else end
        return token

    def _end_paragraph(self) -> None:
        content = "".join(self.paragraph).strip()
        self.paragraph.clear()
        if content:
            self.out.append(f"<p>{content}</p>\n")

    def _close(self, tags: str) -> None:
        self._end_paragraph()
        self.out.append(tags)

    # Formulas

    def _dollar(self, start: int, sign: str) -> None:
        inside = start + len(sign)
        formula = None
        if sign == "$":
            formula = delimited_formula(sign, self.text, inside, MAX_DOLLARS)
        elif not _EMPTY_CELL.match(self.text, inside):
            formula = delimited_formula(sign, self.text, inside)
        if formula and not _BLANK_LINE.search(formula.latex):
            self._formula(formula)
        else:
            # Two dollars that open nothing are an empty formula, as in table cells.
            self.paragraph.append(escaped_prose("$") if sign == "$" else "")
            self.at = inside

    def _formula(self, formula: DelimitedFormula) -> None:
        latex = _LINKED.sub(r"\1", formula.latex)
        self.paragraph.append(formula_span(_INVISIBLE_IN_FORMULAS.sub("", latex)))
        self.at = formula.end

    # Commands

    def _sign(self, sign: str) -> None:
        """A backslash and a character that is not a letter."""
        if sign in "([":
            formula = delimited_formula("\\" + sign, self.text, self.at)
            if formula:
                self._formula(formula)
        elif sign == "\\":
            self.at = self._after_option(self.at + self.text.startswith("*", self.at))
            self.paragraph.append("<br>")
        elif sign in ACCENTS:
            self._accent(sign)
        else:
            self.paragraph.append(escaped_prose(SIGNS.get(sign, "")))

    def _accent(self, accent: str) -> None:
        letter = _LETTER.match(self.text, self.at)
        if letter:
            plain = (letter[1] or letter[2]).removeprefix("\\")
            self.paragraph.append(escaped_prose(accented(accent, plain)))
            self.at = letter.end()

    def _command(self, name: str) -> None:
        if name == "verb":
            self._verb()
        elif name in ACCENTS and _LETTER.match(self.text, self.at):
            self._accent(name)
        elif name in self.known.macros and self.budget[0] > 0 and self.depth < MAX_NESTING:
            self._expand(name)
        else:
            self.at += self.text.startswith("*", self.at)
            self._known_command(name)

    def _known_command(self, name: str) -> None:
        if name in ("begin", "end"):
            environment_name = _ENVIRONMENT_NAME.match(self.text, self.at)
            if environment_name:
                self.at = environment_name.end()
                (self._begin if name == "begin" else self._end)(environment_name[1])
        elif name in SYMBOLS:
            self.at = self._after_blanks(self.at)
            self.paragraph.append(escaped_prose(SYMBOLS[name]))
        elif name in HEADINGS or name in RUN_IN:
            self._heading(name)
        elif name in ("item", "bibitem"):
            self._item(name)
        elif name == "par":
            self._end_paragraph()
        elif name == LINK:
            self._link()
        elif name == "ensuremath":
            inside, self.at = self._group(self.at)
            self.paragraph.append(formula_span(inside))
        elif name in ARGUMENTS:
            self._arguments(ARGUMENTS[name])
        else:
            length = _LENGTH.match(self.text, self.at)
            self.at = length.end() if length else self._after_option(self.at)
            self.at = self._after_blanks(self.at)

    def _arguments(self, arguments: CommandArguments) -> None:
        """Skip arguments, and remember what to do at the end of the one that is read."""
        self.at = self._after_groups(self.at, arguments.before)
        if arguments.after == NOTHING:
            return
        opening = self._after_blanks(self._after_option(self.at))
        if opening in self.pairs:
            self.groups.append((self.pairs[opening], arguments))
            self.paragraph.append(arguments.opening)
            self.at = opening + 1

    def _link(self) -> None:
        """A link to another document; its text is the second argument."""
        target, self.at = self._group(self.at)
        if self.at in self.pairs:
            self.paragraph.append(document_link_tag(unquote(target)))
            self.groups.append((self.pairs[self.at], CommandArguments(closing="</a>")))
            self.at += 1

    def _end_group(self, position: int) -> None:
        # A group whose end was skipped as part of a formula counts as closed.
        while self.groups and self.groups[-1][0] <= position:
            end, arguments = self.groups.pop()
            self.paragraph.append(arguments.closing)
            if end == position:
                self.at = self._after_groups(self.at, arguments.after)

    def _expand(self, name: str) -> None:
        macro = self.known.macros[name]
        arguments: list[str] = []
        at = self.at
        if macro.default is not None:
            end = self._after_option(at)
            arguments.append(self.text[at + 1 : end - 1] if end > at else macro.default)
            at = end
        while len(arguments) < macro.arguments:
            inside, at = self._group(at)
            arguments.append(inside)
        self.at = at if macro.arguments else self._after_blanks(at)
        self.budget[0] -= 1
        expanded = macro.expanded(arguments)
        if len(expanded) <= MAX_EXPANDED:
            markup = _Reader(expanded, self.known, self.budget, self.depth + 1).html()
            self.paragraph.append(without_paragraphs(markup) + " " * (expanded[-1:].isspace()))

    def _verb(self) -> None:
        verb = _VERB.match(self.text, self.at)
        if verb:
            self.paragraph.append(f"<code>{escaped(verb[2])}</code>")
            self.at = verb.end()

    # Structure

    def _heading(self, name: str) -> None:
        title, self.at = self._group(self._after_option(self.at))
        self._end_paragraph()
        if self.depth < MAX_NESTING:
            title = without_paragraphs(
                _Reader(title, self.known, self.budget, self.depth + 1).html()
            )
        else:
            title = escaped_prose(title)
        if name in RUN_IN:
            self.paragraph.append(f"<strong>{title}</strong> ")
        elif title:
            level = HEADINGS[name]
            self.out.append(f"<h{level}>{title}</h{level}>\n")

    def _item(self, name: str) -> None:
        at = self._after_blanks(self.at)
        end = self._after_option(at)
        label = self.text[at + 1 : end - 1] if end > at and name == "item" else ""
        self.at = self._after_groups(max(end, self.at), int(name == "bibitem"))
        lists = [index for index, (name, _) in enumerate(self.environments) if name in LISTS]
        if lists:
            while len(self.environments) > lists[-1] + 1:
                self._close(self.environments.pop()[1])
            kind, closing = self.environments.pop()
            self._close("</li>\n<li>" if closing.startswith("</li>") else "<li>")
            self.environments.append((kind, "</li>" + closing.removeprefix("</li>")))
        else:
            self._end_paragraph()
        if label and self.depth < MAX_NESTING:
            label = without_paragraphs(
                _Reader(label, self.known, self.budget, self.depth + 1).html()
            )
            self.paragraph.append(f"<strong>{label}</strong> ")

    def _begin(self, name: str) -> None:
        start = self.at
        if is_math_environment(name):
            formula = environment_formula(name, self.text, start)
            if formula:
                self._formula(formula)
        elif name in VERBATIM or name in UNREADABLE:
            end = self.text.find(f"\\end{{{name}}}", start)
            if end < 0:
                return
            if name in VERBATIM:
                self._close(code_block(self._listing(name, end)))
            self.at = end + len(f"\\end{{{name}}}")
        else:
            self._open(name)

    def _listing(self, name: str, end: int) -> str:
        start = self._after_groups(self.at, ENVIRONMENT_ARGUMENTS.get(name, 0))
        if name in ENVIRONMENT_ARGUMENTS:
            start = self._after_option(start)
        return self.text[start:end].strip("\n")

    def _open(self, name: str) -> None:
        """Begin an environment of prose."""
        self._end_paragraph()
        plain = name.removesuffix("*")
        declared = self.known.theorems.get(name)
        title = THEOREMS.get(plain, "") if declared is None else declared.title
        if tag := LISTS.get(plain):
            self.at = self._after_option(self.at)
            self.out.append(f"<{tag}>")
            self.environments.append((name, f"</{tag}>\n"))
        elif plain in ("quote", "quotation", "verse"):
            self.out.append("<blockquote>")
            self.environments.append((name, "</blockquote>\n"))
        else:
            self.environments.append((name, ""))
            number = _NUMBERED.match(self.text, self.at)
            if number:
                self.at = number.end()
                title = f"{title} {number[1]}"
            note = self._after_option(self.at)
            if title:
                self.paragraph.append(f"<strong>{escaped_prose(title)}</strong>")
                inside = self.text[self.at + 1 : note - 1]
                if inside.strip() and self.depth < MAX_NESTING:
                    reader = _Reader(inside, self.known, self.budget, self.depth + 1)
                    self.paragraph.append(f" ({without_paragraphs(reader.html())})")
                self.paragraph.append(". ")
            self.at = note
        self.at = self._after_groups(self.at, ENVIRONMENT_ARGUMENTS.get(name, 0))

    def _end(self, name: str) -> None:
        """End an environment and all that was opened in it; an unmatched end is ignored."""
        if any(name == opened for opened, _ in self.environments):
            opened = ""
            while opened != name:
                opened, closing = self.environments.pop()
                self._close(closing)

    # Positions in the text

    def _after_blanks(self, at: int) -> int:
        blanks = _BLANKS.match(self.text, at)
        return blanks.end() if blanks else at

    def _after_option(self, at: int) -> int:
        """The position after an argument in brackets at ``at``, or ``at`` if there is none."""
        if not self.text.startswith("[", at):
            return at
        position = at + 1
        while bracket := _BRACKET.search(self.text, position, at + MAX_OPTION):
            if bracket[0] == "]":
                return bracket.end()
            if bracket[0] == "\n\n":
                return at
            position = self.pairs.get(bracket.start(), bracket.start()) + 1
        return at

    def _group(self, at: int) -> tuple[str, int]:
        """The content of the next group, or the next character, and the position after it."""
        start = self._after_blanks(at)
        if start in self.pairs:
            return self.text[start + 1 : self.pairs[start]], self.pairs[start] + 1
        character = _CHARACTER.match(self.text, start)
        return (character[0], character.end()) if character else ("", at)

    def _after_groups(self, at: int, count: int) -> int:
        """The position after at most ``count`` groups, and arguments in brackets before them."""
        while count > 0:
            start = self._after_blanks(self._after_option(self._after_blanks(at)))
            if start not in self.pairs:
                break
            at = self.pairs[start] + 1
            count -= 1
        return at


LINK = "porism@link"
r"""A command that stands for a link to another document: ``\porism@link{name}{text}``."""

NUMBER = "porism@number"
"""A command that stands for the number of a theorem, after its beginning."""

MAX_OPTION = 1_000
MAX_EXPANDED = 10_000
_TYPED = {
    "~": " ",
    "&": " ",
    "---": "—",
    "--": "–",
    "``": "“",
    "''": "”",
    "`": "‘",
    "{": "",
}
"""Typed characters and their replacements."""

_TOKEN = re.compile(
    r"\\(?P<word>[A-Za-z@]+)|\\(?P<sign>(?s:.))|(?P<dollar>\$\$?)|(?P<blank>\n[ \t]*\n\s*)"
    r"|[{}~&]|---?|``|''|`"
)
_EMPTY_CELL = re.compile(r"\s*(?:&|\\\\)")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BLANKS = re.compile(r"[ \t]*(?:\n(?![ \t]*\n)[ \t]*)?")
_ACCENTED = r"(\\[ij](?![A-Za-z])|[A-Za-z])"
_LETTER = re.compile(rf"\s*(?:\{{\s*{_ACCENTED}\s*\}}|{_ACCENTED})")
_ENVIRONMENT_NAME = re.compile(r"\s*\{([^{}\\]{0,40})\}")
_VERB = re.compile(r"\*?([^A-Za-z*\s])(.*?)\1")
_LENGTH = re.compile(r"\s*=?\s*-?(?:\d+\.?\d*|\.\d+)\s*(?:pt|cm|mm|in|ex|em|bp|true)(?![A-Za-z])")
_BRACKET = re.compile(r"[\]{]|\n\n")
_CHARACTER = re.compile(r"\\[A-Za-z@]+|\\.|[^\s{}\\]")
_NUMBERED = re.compile(rf"\\{NUMBER}\{{([^{{}}]*)\}}")
_LINKED = re.compile(rf"\\{LINK}\{{[^{{}}]*\}}\{{([^{{}}]*)\}}")
_INVISIBLE_IN_FORMULAS = re.compile(r"\\label\s*\{[^{}]*\}|\\(?:nonumber|notag)(?![A-Za-z])")
