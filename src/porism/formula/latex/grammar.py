"""The grammar of LaTeX as people write it, parsed directly to the layout tree.

A recursive-descent parser over tokens. It recovers from all errors: unknown commands become
symbols, unclosed constructs are closed at the end, and each recovery is reported. Only input that
is too long or too deeply nested is rejected, with ``LatexError``.

The commands and environments themselves are tables: symbols in ``symbols``, constructs in
``constructs``. This module has the grammar they share: rows, groups, scripts, arguments, macros.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from porism.errors import LatexError
from porism.formula.fences import FENCE_LABELS, fenced
from porism.formula.fonts import WORD_STYLES, styled, upright
from porism.formula.latex import macros as macro_language
from porism.formula.latex.leaves import FENCE_LEAVES, LEAVES, STYLED_LEAVES
from porism.formula.latex.macros import (
    DOCUMENT_LIMITS,
    ExpansionBudget,
    ExpansionLimits,
    LatexMacro,
)
from porism.formula.latex.tokenizer import WILDCARD_MARK, offsets, tokens
from porism.formula.layout import LIMIT_EDGES, attached, with_prescripts
from porism.formula.symbols import INVISIBLE, LIMIT_LABELS, SUBSCRIPTS, SUPERSCRIPTS, symbol_label
from porism.formula.tree import BLANK, MAX_DEPTH, Edge, Node, ParseProblem, Row

MAX_LENGTH = 100_000
"""Characters a formula may have; the longest of ARQMath's 28 million has a tenth of that."""

MAX_WORD = 64
"""Letters of a word in roman type; longer ones are not words, and would cost quadratic time."""

STOPS = frozenset(["", "}", "&", r"\right", r"\end", r"\cr", r"\crcr", r"\newline", "\\\\"])
"""Tokens that end a row; the caller of ``row`` decides whether it expected one."""

NO_WORD = (0, 0)

_ABOVE, _BELOW = Edge.ABOVE, Edge.BELOW
_PRIME = Node("′")


Construct = Callable[["LatexParser", str, list[Node]], None]
"""The function of a command: called after its token, it reads its arguments and adds to the row."""


class LatexParser:
    """The state of parsing one formula. ``constructs`` has commands that are more than a symbol."""

    def __init__(
        self,
        source: str,
        constructs: Mapping[str, Construct],
        macros: Mapping[str, LatexMacro],
        limits: ExpansionLimits = DOCUMENT_LIMITS,
    ) -> None:
        self.source = source
        self.constructs = constructs
        self.macros = dict(macros)
        self.tokens = tokens(source)
        self.at = 0
        self.depth = 0
        self.fences = 0  # fences read so far: a row that adds none needs no pairing
        self.blanks = 0  # scripts without a base
        self.style = ""
        self.shadowed: dict[int, dict[str, Node]] = {}  # leaf tables without redefined commands
        self.leaves = self.unshadowed(LEAVES)
        self.fence_leaves = FENCE_LEAVES
        self.word = ""  # the last word, and the row, with its length, at whose end it may grow
        self.word_at = NO_WORD
        self.awaited = {"}": 0, r"\right": 0, r"\end": 0}  # constructs still open, by their end
        self.budget = ExpansionBudget(limits)
        self.origins: list[int] | None = None  # source positions of tokens, once they differ
        self.messages: dict[str, int] = {}  # problems, each with the token where it first occurred

    # Rows -------------------------------------------------------------------------------------

    def row(self) -> list[Node]:
        """The nodes up to the next token of ``STOPS``, fences not yet paired.

        This is the main loop of the parser; plain symbols take its first branch.
        """
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.rejection(f"nested more than {MAX_DEPTH} levels deep")
        row: list[Node] = []
        token_list = self.tokens
        leaves = self.leaves
        at = self.at
        while True:
            token = token_list[at]
            at += 1
            leaf = leaves.get(token)
            if leaf is not None:
                row.append(leaf)
                continue
            self.at = at
            if token == "^":
                self.script(row, _ABOVE)
            elif token == "_":
                self.script(row, _BELOW)
            elif token in self.fence_leaves and token not in self.macros:
                self.fences += 1
                row.append(self.fence_leaves[token])
            elif token == "{":
                self.group(row)
            elif token in STOPS or token[:2] == "\\\\":
                self.at = at - 1
                break
            else:
                self.item(token, row)
                leaves = self.leaves
            at = self.at
        self.depth -= 1
        return row

    def item(self, token: str, row: list[Node]) -> None:
        """Add what ``token`` begins, which is more than a plain symbol, to the row."""
        if token in self.macros:
            self.expand(token)
            return
        construct = self.constructs.get(token)
        if construct is None and token[-1] == "}" and len(token) > 2:
            construct = self.constructs[r"\text"]  # a command for text, with its argument
        if construct is not None:
            construct(self, token, row)
            return
        first = token[0]
        if first in SUPERSCRIPTS or first in SUBSCRIPTS:
            self.typed_script(token, row)
        elif first.isalpha() and self.style in WORD_STYLES:
            self.letter(styled(token, self.style), row)
        elif first == WILDCARD_MARK and len(token) > 1:
            row.append(Node("?" + token[1:]))
        elif _is_number(token):
            row.append(Node("N!" + styled(token, self.style)))
        elif first == "'" or first == "’" or first == "′":
            self.primes(row)
        elif first == "\\":
            self.command(token, row)
        elif first == "$":
            self.problem("dollar sign inside a formula")
        elif not (first.isspace() or first == "~"):
            self.character(upright(token), row)

    def letter(self, letter: str, row: list[Node]) -> None:
        """Add a letter of a style in which adjacent letters form a word."""
        at_end = self.word_at == (id(row), len(row)) and not row[-1].parts
        if at_end and len(self.word) < MAX_WORD:
            self.word += letter
            row[-1] = Node(symbol_label(self.word))
        else:
            self.word = letter
            row.append(Node(symbol_label(letter)))
        self.word_at = id(row), len(row)

    def character(self, char: str, row: list[Node]) -> None:
        """Add a character typed directly, such as a Greek letter, an operator or a fence."""
        node = Node(symbol_label(char))
        if node.label in FENCE_LABELS:
            self.fences += 1
        if char.isprintable():
            row.append(node)
        elif char not in INVISIBLE:
            self.problem(f"unprintable character U+{ord(char):04X} left out")

    def command(self, token: str, row: list[Node]) -> None:
        """Add an unknown command as a symbol with its name."""
        if token in (r"\left", r"\middle"):
            return
        if len(token) == 1:
            return  # the end of a formula whose final space after a backslash was trimmed
        if not token[1].isalpha():
            self.problem(f"unknown command {token}")
        else:
            self.problem(f"unknown command {token}, read as a symbol")
            row.append(Node("V!" + token[1:]))

    def finished(self, row: list[Node], fences_before: int) -> Row:
        """The row for the tree: fences paired, prescripts moved to their symbol."""
        if self.blanks:
            row = with_prescripts(row)
        if self.fences != fences_before:
            row = fenced(row)
        return tuple(row)

    # Groups and arguments ----------------------------------------------------------------------

    def group(self, row: list[Node]) -> None:
        """Add the content of a brace group, whose opening brace has been read, to the row."""
        before = len(row)
        row += self.braced()
        if len(row) == before and self.tokens[self.at] in ("^", "_"):
            self.blank(row)

    def braced(self) -> list[Node]:
        """The nodes up to the closing brace, which is consumed; font switches end with it."""
        start = self.at - 1
        style, leaves = self.style, self.leaves
        self.word_at = NO_WORD
        nodes = self.row_until("}")
        if self.tokens[self.at] == "}":
            self.at += 1
        else:
            self.problem("brace is not closed", start)
        self.style, self.leaves = style, leaves
        self.word_at = NO_WORD
        return nodes

    def row_until(self, ending: str) -> list[Node]:
        """The nodes up to ``ending``, or up to the end of an enclosing construct.

        Any other token that ends rows is misplaced here: it is reported and skipped.
        """
        if ending:
            self.awaited[ending] += 1
        nodes = self.row()
        token = self.tokens[self.at]
        while token and token != ending and not self.awaited.get(token):
            self.skip_stray(token)
            nodes += self.row()
            token = self.tokens[self.at]
        if ending:
            self.awaited[ending] -= 1
        return nodes

    def skip_stray(self, token: str) -> None:
        """Skip a token that ends rows where none is expected."""
        if token in self.awaited:
            self.problem(f"{token} without a beginning", self.at)
        elif self.awaited["}"]:
            self.problem(f"{token} inside braces", self.at)
        self.at += 1
        if token == r"\end":
            self.raw_argument()

    def argument(self) -> Row:
        """The next argument by the rules of TeX: a group, or one symbol, digit or command."""
        fences = self.fences
        token = self.tokens[self.at]
        if token == "{":
            self.at += 1
            leaf = self.leaves.get(self.tokens[self.at])
            if leaf is not None and self.tokens[self.at + 1] == "}":  # by far the most common
                self.at += 2
                return (leaf,)
            return self.finished(self.braced(), fences)
        leaf = self.leaves.get(token)
        if leaf is not None and (len(token) == 1 or not token[0].isdecimal()):
            self.at += 1
            return (leaf,)
        return self.finished(self.bare_argument(token), fences)

    def bare_argument(self, token: str) -> list[Node]:
        """An argument without braces that is not a plain symbol."""
        row: list[Node] = []
        if _is_number(token):
            self.tokens[self.at] = token[1:]
            self.at += len(token) == 1
            return [Node(symbol_label(styled(token[0], self.style)))]
        if token in self.fence_leaves:
            self.at += 1
            self.fences += 1
            return [self.fence_leaves[token]]
        if token in STOPS or token[:2] == "\\\\":
            self.problem("argument is missing")
            return row
        if token in ("^", "_"):
            self.problem("script where an argument was expected")
            return row
        self.at += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.rejection(f"nested more than {MAX_DEPTH} levels deep")
        self.item(token, row)
        if not row and self.tokens[self.at] and token in self.macros:
            row = list(self.argument())
        self.depth -= 1
        return row

    def option(self) -> Row | None:
        """The next argument in brackets, or None if there is none."""
        content, self.at = macro_language.option_at(self.tokens, self.at)
        return None if content is None else self.inner([*content, ""])

    def row_before(self, ending: str) -> Row:
        """The row up to a token that belongs to the current construct, and is consumed too."""
        content, self.at = macro_language.tokens_before(ending, self.tokens, self.at)
        if content is None:
            self.problem(f"{ending} is missing")
            return ()
        return self.inner([*content, ""])

    def inner(self, token_list: list[str]) -> Row:
        """A formula within this one, such as an index or a formula between dollars in text."""
        content = LatexParser("", self.constructs, self.macros)
        content.tokens = token_list
        content.depth = self.depth
        content.budget = self.budget
        try:
            row = content.whole_row()
        except LatexError as error:  # the offset is that of the whole inner formula
            raise self.rejection(error.why) from None
        for message in content.messages:
            self.problem(message)
        return row

    def raw_argument(self) -> str:
        """The next argument as text, for names, colours and lengths."""
        content, self.at = macro_language.argument_at(self.tokens, self.at)
        return "".join(content)

    def whole_row(self) -> Row:
        """All remaining tokens as one row; tokens that end rows are skipped."""
        fences = self.fences
        return self.finished(self.row_until(""), fences)

    # Scripts -----------------------------------------------------------------------------------

    def script(self, row: list[Node], edge: Edge) -> None:
        """Attach the next argument to the last symbol of the row."""
        at = self.at
        content = self.argument()
        if not content:
            return
        if not row:
            self.blank(row)
        base = row[-1]
        if base.label in LIMIT_LABELS:
            edge = LIMIT_EDGES.get(edge, edge)
        taken = base.row(edge) if base.parts else ()
        if taken and any(node != _PRIME for node in taken):
            if self.tokens[at - 2 : at - 1] != ["}"]:
                self.problem("second script at the same place", at - 1)
            base = Node("M!1x1", ((Edge.WITHIN, (base,)),))
        row[-1] = attached(base, edge, content)

    def blank(self, row: list[Node]) -> None:
        """Add a blank as the base of a script."""
        self.blanks += 1
        row.append(BLANK)

    def typed_script(self, token: str, row: list[Node]) -> None:
        """Attach a run of Unicode's superscript or subscript characters to the last symbol."""
        table, edge = (SUPERSCRIPTS, _ABOVE) if token[0] in SUPERSCRIPTS else (SUBSCRIPTS, _BELOW)
        plain = "".join(table[char] for char in token)
        if not row:
            self.blank(row)
        row[-1] = attached(row[-1], edge, LatexParser(plain, self.constructs, {}).whole_row())

    def primes(self, row: list[Node]) -> None:
        """Attach a run of primes, the first of which has been read, above the last symbol."""
        count = 1
        while self.tokens[self.at] in ("'", "’", "′"):
            self.at += 1
            count += 1
        if not row:
            self.blank(row)
        row[-1] = attached(row[-1], _ABOVE, (_PRIME,) * count)

    # Styles and macros -------------------------------------------------------------------------

    def switch(self, style: str) -> None:
        """Set the style of what follows in this group."""
        self.style = style
        self.leaves = self.unshadowed(STYLED_LEAVES[style])
        self.word_at = NO_WORD

    def unshadowed(self, leaves: dict[str, Node]) -> dict[str, Node]:
        """The leaves without those that a macro redefines."""
        if not self.macros:
            return leaves
        cached = self.shadowed.get(id(leaves))
        if cached is None:
            cached = {token: leaf for token, leaf in leaves.items() if token not in self.macros}
            self.shadowed[id(leaves)] = cached
        return cached

    def in_style(self, style: str) -> Row:
        """The next argument in a style."""
        before, leaves = self.style, self.leaves
        self.switch(style)
        content = self.argument()
        self.style, self.leaves = before, leaves
        self.word_at = NO_WORD
        return content

    def define(self) -> None:
        """Define the macro whose defining command has been read."""
        definition = macro_language.definition_at(self.tokens, self.at - 1)
        if definition is None:
            self.problem("macro definition that cannot be read")
            return
        name, macro, self.at = definition
        self.macros[name] = macro
        self.shadowed.clear()
        self.leaves = self.unshadowed(STYLED_LEAVES[self.style])

    def expand(self, token: str) -> None:
        """Replace the use of a macro, whose name has been read, by its expansion.

        A macro that would exceed the limits is removed, and its name read as a symbol.
        """
        start = self.at - 1
        macro = self.macros[token]
        arguments, self.at = macro_language.macro_arguments(macro, self.tokens, self.at)
        if not self.budget.allows(macro.size(arguments)):
            self.problem(f"macro {token} expands without end", start)
            del self.macros[token]
        else:
            if self.origins is None:
                self.origins = list(range(len(self.tokens)))
            body = macro.expanded(arguments)
            self.origins[start : self.at] = [self.origins[start]] * len(body)
            self.tokens[start : self.at] = body
        self.at = start

    def forget(self, token: str) -> None:
        """Remove every further occurrence of a token."""
        origins = self.origins or list(range(len(self.tokens)))
        kept = [place for place in range(self.at, len(self.tokens)) if self.tokens[place] != token]
        self.origins = origins[: self.at] + [origins[place] for place in kept]
        self.tokens[self.at :] = [self.tokens[place] for place in kept]

    # Problems ----------------------------------------------------------------------------------

    def problem(self, message: str, at: int | None = None) -> None:
        """Report a recovery, by default at the last token read; each message once."""
        self.messages.setdefault(message, self.origin(self.at - 1 if at is None else at))

    def origin(self, at: int) -> int:
        """The index among the source's tokens of the token at ``at``, which may be of a macro."""
        if self.origins is None:
            return max(0, at)
        return self.origins[max(0, min(at, len(self.origins) - 1))]

    def rejection(self, why: str) -> LatexError:
        places = offsets(self.source)
        return LatexError(self.source, places[min(self.origin(self.at), len(places) - 1)], why)

    def problems(self) -> tuple[ParseProblem, ...]:
        if not self.messages:
            return ()
        places = offsets(self.source)
        return tuple(ParseProblem(places[at], message) for message, at in self.messages.items())


def _is_number(token: str) -> bool:
    return token[:1].isdecimal() or (token[:1] == "." and token[1:2].isdecimal())
