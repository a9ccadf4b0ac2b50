r"""The end of a delimited formula in HTML, and whether the text between delimiters is a formula.

Delimiters are ``$``, ``$$``, ``\(``, ``\[`` and ``\begin{...}``. Dollars are also money, and people
forget one of a pair: then the text between two of them is prose. The rules were derived from the
titles and comments of Mathematics Stack Exchange. In doubt it is a formula, because that site
renders text between dollars as one.
"""

from __future__ import annotations

import re
import sys
from functools import cache

from porism.formats.markup.html_syntax import ATTRIBUTE, BLOCKS, CELLS, VERBATIM

MAX_NESTING = 50
"""Levels of nested braces or environments. No formula written by hand is deeper, and the bound
keeps the work linear: an unclosed beginning is scanned by no more searches than this, because each
of them has counted all the unclosed ones after its own."""

ENVIRONMENTS = frozenset(
    """
    equation displaymath math dmath align alignat aligned alignedat flalign xalignat xxalignat
    gather gathered multline multlined eqnarray IEEEeqnarray split array subarray darray dgroup
    subequations cases dcases rcases matrix smallmatrix pmatrix bmatrix vmatrix Bmatrix Vmatrix CD
    """.split()
)
"""The environments that are formulas by themselves, by their names without stars."""

# A formula ends no later than its block, or where another formula or code begins.
_BARRIER = (
    rf"<(?i:/?(?:{BLOCKS}|{CELLS}|{VERBATIM})(?:\s*+/?>|{ATTRIBUTE})"
    r"|span\s[^<>]*math-container|math(?=[\s>])|!--)"
)
_PAIRS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_OPENERS = ("$", "\\(", "\\[")
_TAG = rf"<[A-Za-z][\w:-]*+(?:{ATTRIBUTE})++"


def _steps(opener: str, closer: str, *others: str) -> re.Pattern[str]:
    """1 closes, 2 is a brace, 3 opens once more (never for dollars), 4 is a barrier."""
    signs = [f"({re.escape(closer)})", r"([{}])"]
    signs.append("(?!)()" if opener == closer else f"({re.escape(opener)})")
    return re.compile("|".join((*signs, *others)), re.DOTALL)


_STEPS = {pair[0]: _steps(*pair, r"\\[^<]", f"({_BARRIER})", _TAG) for pair in _PAIRS}
_LATEX_STEPS = {
    pair[0]: _steps(*pair, r"\\.") for pair in (*_PAIRS, ("\\\\(", "\\\\)"), ("\\\\[", "\\\\]"))
}


def delimited_end(markup: str, opener: str, at: int) -> int | None:
    r"""The position of the delimiter that closes ``opener``, whose content begins at ``at``.

    Delimiters in braces belong to the content of the braces, as in ``$x \text{ if $y$}$``.
    """
    return _end(_STEPS[opener], markup, at)


def latex_end(latex: str, opener: str, at: int, limit: int) -> int | None:
    r"""The same in text that is not HTML, up to ``limit``.

    Here doubled backslashes, as in ``\\\\(``, are delimiters too, as in some Markdown.
    """
    return _end(_LATEX_STEPS[opener], latex, at, limit)


def _end(steps: re.Pattern[str], text: str, at: int, limit: int = sys.maxsize) -> int | None:
    depth = 0
    for step in steps.finditer(text, at, limit):
        kind = step.lastindex
        if kind == 1:
            if depth <= 0:
                return step.start()
        elif kind == 2:
            depth += 1 if step[2] == "{" else -1
            if depth > MAX_NESTING:
                return None
        elif kind == 4 or (kind == 3 and depth <= 0):
            return None
    return None


def environment_end(markup: str, name: str, at: int) -> int | None:
    r"""The position after the ``\end{name}`` of the environment whose content begins at ``at``."""
    return _environment_end(_environment_steps(name, _BARRIER), markup, at)


def latex_environment_end(latex: str, name: str, at: int, limit: int) -> int | None:
    """The same in text that is not HTML, up to ``limit``."""
    return _environment_end(_environment_steps(name, "(?!)"), latex, at, limit)


def _environment_end(
    steps: re.Pattern[str], text: str, at: int, limit: int = sys.maxsize
) -> int | None:
    depth = 1
    for step in steps.finditer(text, at, limit):
        if step[1] == "begin":
            depth += 1
            if depth > MAX_NESTING:
                return None
        elif step[1] == "end":
            depth -= 1
            if depth == 0:
                return step.end()
        elif step[0][0] == "<":
            return None
    return None


@cache
def _environment_steps(name: str, barrier: str) -> re.Pattern[str]:
    return re.compile(rf"\\(begin|end)\{{{re.escape(name)}\}}|\\\\|{barrier}")


def undelimited(latex: str) -> str:
    r"""The LaTeX without surrounding blanks and delimiters, however many there are.

    An unpaired dollar at either end is removed too. ``$a$ or $b$`` stays: it is not one formula.
    """
    if (plain := _PLAIN.fullmatch(latex)) is not None:  # a shortcut for nearly all of them
        return plain[2]
    while True:
        latex = trimmed(latex)
        inner = _inside(latex)
        if inner is None:
            return latex
        latex = inner


# A letter or sign at either end, no blank, no other delimiter inside.
_PLAIN = re.compile(r"(\$\$?+)([^\s$\\](?:[^$]*[^\s$\\])?|\\[A-Za-z][^$]*[^\s$\\])\1")


def _inside(latex: str) -> str | None:
    if not latex.startswith(_OPENERS) and not latex.endswith("$"):
        return None
    for opener, closer in _PAIRS:
        if latex.startswith(opener) and latex.endswith(closer):
            size = len(opener)
            if (
                "$" not in latex[size:-size]
                and opener[0] == "$"
                and not latex.endswith("\\" + closer)
            ):
                return latex[size:-size]
            if _end(_LATEX_STEPS[opener], latex, size) == len(latex) - size:
                return latex[size:-size]
    if "$" not in latex:
        return None
    dollars = [step for step in _DOLLARS.finditer(latex) if step[1]]
    if len(dollars) == 1 and dollars[0].start() == 0:
        return latex[dollars[0].end() :]
    if len(dollars) == 1 and dollars[0].end() == len(latex):
        return latex[: dollars[0].start()]
    return None


_DOLLARS = re.compile(r"(\$\$?)|\\.", re.DOTALL)


def trimmed(latex: str) -> str:
    r"""The LaTeX without surrounding blanks, except for that of a final ``\ ``."""
    stripped = latex.strip()
    if stripped.endswith("\\") and not latex.endswith("\\"):
        slashes = len(stripped) - len(stripped.rstrip("\\"))
        if slashes % 2:
            return stripped + " "
    return stripped


def is_prose(text: str, following: str) -> bool:
    """Whether the text between two dollars is words or an amount of money, not a formula.

    ``text`` is not blank; ``following`` is the character after the second dollar, "" at the end.
    """
    words = [word for word in _WORD.findall(text) if word not in _FUNCTIONS]
    if not words and not _SENTENCE_END.match(text):
        return not _opens_nothing(following) and _is_amount(text, following)
    if _is_tight(text):
        return False
    if _SENTENCE_END.match(text):
        return True
    if _SIGNS.search(text):
        return "\\text" not in text and bool(_SENTENCE.search(text))
    return len(words) > 1 or words[0] in _SMALL_WORDS or bool(_NUMBER.match(text))


def _is_amount(text: str, following: str) -> bool:
    """Whether a text without long words is an amount of money, up to the dollar of the next one."""
    if _AMOUNT.fullmatch(text) or (following.isdigit() and _JOINED_AMOUNT.fullmatch(text)):
        return True
    return not (_is_tight(text) or _SIGNS.search(text)) and bool(_AMOUNT_AND_WORD.match(text))


def _opens_nothing(following: str) -> bool:
    """Whether a dollar before this character opens nothing."""
    return not following or following.isspace() or following in ".,;:!?)"


def _is_tight(text: str) -> bool:
    """Whether both dollars touch the text, as those of formulas do and those of amounts do not."""
    if text[0].isspace() or text[-1].isspace() or text[-1] in "([\"'“‘":
        return False
    return not (_NUMBER.match(text) and _COUNTRY.search(text))


_SMALL_WORDS = frozenset(
    """
    an and are as at be but by each for from has have if in is it its more not of on only or per so
    than the then this to us was we were will with you
    """.split()
)
_FUNCTIONS = frozenset(
    "sinh cosh tanh coth arcsin arccos arctan choose pmod rank trace span over quad sqrt".split()
)
_WORD = re.compile(
    rf"(?<![\\A-Za-z])(?:(?:{'|'.join(sorted(_SMALL_WORDS))})(?![A-Za-z])"
    r"|[a-z]{4,}+(?![A-Za-z]))"
)
_SIGNS = re.compile(r"[\\^_{}=+*/<>|&~]")
_SENTENCE_END = re.compile(r"[.,;:?!)]+\s")
_NUMBER = re.compile(r"\s*\d")
_AMOUNT = re.compile(r"\d[\d,.]*(?:[kKmMbB]n?)?[;:!?)]*\s+(?:[(\"'“‘]|US|AU|CA|NZ|HK)?")
_JOINED_AMOUNT = re.compile(r"\d[\d,.]*(?:[kKmMbB]n?)?[\s,;:/+=–—-]+")
_AMOUNT_AND_WORD = re.compile(
    r"\s*\d[\d,.]*(?:[kKmMbB]n?)?[,.;:!?)]*\s+(?!sin|cos|tan|log|mod|max|min|gcd|lim|exp)[A-Za-z]{2,}\b"
)
_COUNTRY = re.compile(r"(?<![A-Za-z])(?:(?:US|AU|CA|NZ|HK)D?|A|C|S)$")
_SENTENCE = re.compile(r"(?<![\\A-Za-z])(?:[a-z]{2,}+(?:'[a-z]++)?[,.?;:]?\s+|a\s+|I\s+){4}")
"""Four words in a row, which no formula has outside of ``\\text``."""
