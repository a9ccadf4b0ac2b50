"""The LaTeX of one symbol: the command, character or word for a label of the layout tree."""

import re
from itertools import groupby

from porism.formula.caches import cached_by_label
from porism.formula.fonts import unstyled
from porism.formula.latex.leaves import FENCE_LEAVES, LEAVES
from porism.formula.symbols import symbol_label

_PREFERRED = r"""
    \& \# \% \$ \_ \{ \} \|
    \leq \geq \neq \to \in \ni \land \lor \neg \cdot \emptyset \ldots \cdots \mid \ldotp \langle
    \rangle \lfloor \rfloor \lceil \rceil \subset \supset \subseteq \supseteq \setminus \perp
    \parallel \iff \implies \Leftarrow \Rightarrow \Leftrightarrow \leftarrow \leftrightarrow
    \mapsto \int \triangle \square \dagger \sim \approx \prime \leqslant \geqslant
""".split()


def _spellings() -> dict[str, str]:
    """Each label's token: a single character, a preferred command, else the first command."""
    leaves = {**LEAVES, **FENCE_LEAVES}
    spellings: dict[str, str] = {}
    for token in (*(t for t in leaves if len(t) == 1), *_PREFERRED, *leaves):
        node = leaves.get(token)
        if node is not None and not node.parts and _is_standard(token, node.label):
            spellings.setdefault(node.label, token)
    return spellings


_OPERATORS = frozenset(
    """
    arccos arcsin arctan arg cos cosh cot coth csc deg det dim exp gcd hom inf injlim ker lg lim
    liminf limsup ln log max min Pr projlim sec sin sinh sup tan tanh
""".split()
)
"""Words with a command in amsmath; others are written as operator names."""


def _is_standard(token: str, label: str) -> bool:
    """Whether LaTeX with the AMS packages has the token; styled letters have their own commands."""
    text = label[2:] if label[1:2] == "!" else label
    if label[:2] in ("N!", "T!") or unstyled(text)[1]:
        return False
    return not (text.isalpha() and len(text) > 1) or token[1:] in _OPERATORS or token == r"\bmod"


_SPELLINGS = _spellings()
_STYLE_COMMANDS = {
    "bold": r"\mathbf", "script": r"\mathcal", "fraktur": r"\mathfrak", "blackboard": r"\mathbb",
    "sans": r"\mathsf", "typewriter": r"\mathtt",
}  # fmt: skip
_STROKE = "\u0338"  # what \not adds to a symbol that has no negated form
_SPECIAL_IN_TEXT = re.compile(r"[#$%&_{}]")


def _style(char: str) -> str:
    """The style of a letter; both bold styles are one."""
    style = unstyled(char)[1]
    return "bold" if style == "boldsymbol" else style


@cached_by_label
def symbol_latex(label: str) -> str:
    """The LaTeX of a symbol without rows; empty only for an empty label.

    >>> [symbol_latex(label) for label in ("V!x", "V!α", "V!ℝ", "V!Spec", "≤", "N!12", "?a")]
    ['x', '\\\\alpha', '\\\\mathbb{R}', '\\\\operatorname{Spec}', '\\\\leq', '12', '\\\\qvar{a}']
    """
    known = _SPELLINGS.get(label)
    if known is not None:
        return known
    if label[-1:] == _STROKE and len(label) > 1:
        return rf"\not{{{symbol_latex(label[:-1])}}}"
    kind, text = label[:2], label[2:]
    if kind == "V!" and text:
        return _letters(text)
    if kind == "N!" and text:
        return _number(text)
    if kind == "T!":
        return rf"\text{{{_SPECIAL_IN_TEXT.sub(lambda match: chr(92) + match[0], text)}}}"
    if label[0:1] == "?" and len(label) > 1:
        return rf"\qvar{{{label[1:]}}}"
    if len(label) > 1 and symbol_label(label) != label:
        return _word(label)
    return label


def _number(text: str) -> str:
    """A number, in the style of its digits; a decimal point has none."""
    command = next((_STYLE_COMMANDS[_style(char)] for char in text if _style(char)), "")
    plain = "".join(unstyled(char)[0] for char in text)
    return f"{command}{{{plain}}}" if command else plain


def _letters(text: str) -> str:
    plain = "".join(unstyled(char)[0] for char in text)
    styles = {_style(char) for char in text}
    if len(text) == 1 and symbol_label(text) == "V!" + text:
        return _in_styles(text)
    if len(styles) == 1 and plain.isascii() and plain.isalpha() and styles <= _JOINING:
        return _in_styles(text)
    if plain == text and plain.isascii() and plain.isalpha() and symbol_label(text) == text:
        return rf"\mathrm{{{text}}}"
    return _word(text)


_JOINING = frozenset(("bold", "sans", "typewriter"))


def _word(text: str) -> str:
    return rf"\operatorname{{{_in_styles(text)}}}"


def _in_styles(text: str) -> str:
    """The characters, those of one style together as the argument of its command."""
    out = ""
    for style, run in groupby(text, key=_style):
        written = ""
        for char in run:
            piece = _plain(unstyled(char)[0])
            gap = written[-1:].isalpha() and "\\" in written and piece[:1].isalpha()
            written += " " + piece if gap else piece
        command = _STYLE_COMMANDS.get(style, "")
        if style == "bold" and not (written.isascii() and "\\" not in written):
            command = r"\boldsymbol"  # \mathbf leaves Greek letters unchanged
        out += rf"{command}{{{written}}}" if command else written
    return out


def _plain(char: str) -> str:
    """A character as typed in a formula."""
    return _SPELLINGS.get(char) or _SPELLINGS.get("V!" + char) or char
