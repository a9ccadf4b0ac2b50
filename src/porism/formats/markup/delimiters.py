r"""Where a formula between delimiters ends in HTML, and whether what stands there is a formula.

Delimiters are ``$``, ``$$``, ``\(``, ``\[`` and ``\begin{...}``. Dollars also stand for money, and
people forget one of a pair: then the text between two of them is prose. The rules were read off the
titles and comments of Mathematics Stack Exchange; where they leave a doubt it is a formula, because
there a text between dollars is shown as one.
"""

from __future__ import annotations

import re
import sys
from functools import cache

from porism.formats.markup.html_syntax import ATTRIBUTE, BLOCKS, CELLS, VERBATIM

MAX_NESTING = 50
"""Braces or environments within each other. Deeper than this no formula is written by hand, and the
bound keeps the work linear: a beginning without end is passed over by no more searches than this,
because each of them has counted all the unclosed ones after its own."""

ENVIRONMENTS = frozenset(
    """
    equation displaymath math dmath align alignat aligned alignedat flalign xalignat xxalignat
    gather gathered multline multlined eqnarray IEEEeqnarray split array subarray darray dgroup
    subequations cases dcases rcases matrix smallmatrix pmatrix bmatrix vmatrix Bmatrix Vmatrix CD
    """.split()
)
"""The environments that are formulas by themselves, without the stars of some of their names."""

# A formula ends no later than the block it stands in, or where another formula or code begins.
_BARRIER = (
    rf"<(?i:/?(?:{BLOCKS}|{CELLS}|{VERBATIM})(?:\s*+/?>|{ATTRIBUTE})"
    r"|span\s[^<>]*math-container|math(?=[\s>])|!--)"
)
_PAIRS = (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]"))
_OPENERS = ("$", "\\(", "\\[")
_TAG = rf"<[A-Za-z][\w:-]*+(?:{ATTRIBUTE})++"


def _steps(opener: str, closer: str, *others: str) -> re.Pattern[str]:
    """1 closes, 2 is a brace, 3 opens once more (dollars do not tell), 4 is a barrier."""
    signs = [f"({re.escape(closer)})", r"([{}])"]
    signs.append("(?!)()" if opener == closer else f"({re.escape(opener)})")
    return re.compile("|".join((*signs, *others)), re.DOTALL)


_STEPS = {pair[0]: _steps(*pair, r"\\[^<]", f"({_BARRIER})", _TAG) for pair in _PAIRS}
_LATEX_STEPS = {
    pair[0]: _steps(*pair, r"\\.") for pair in (*_PAIRS, ("\\\\(", "\\\\)"), ("\\\\[", "\\\\]"))
}


def delimited_end(markup: str, opener: str, at: int) -> int | None:
    r"""The place of the delimiter that closes ``opener``, whose content begins at ``at``.

    Delimiters in braces belong to what the braces hold, as in ``$x \text{ if $y$}$``.
    """
    return _end(_STEPS[opener], markup, at)


def latex_end(latex: str, opener: str, at: int, limit: int) -> int | None:
    r"""The same in text that is no HTML, looked for before ``limit``.

    Here doubled backslashes, as in ``\\\\(``, are delimiters too, as some Markdown has them.
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
    r"""The place after the ``\end{name}`` of the environment whose content begins at ``at``."""
    return _environment_end(_environment_steps(name, _BARRIER), markup, at)


def latex_environment_end(latex: str, name: str, at: int, limit: int) -> int | None:
    """The same in text that is no HTML, looked for before ``limit``."""
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
    r"""The LaTeX without blanks and delimiters around it, however many there are.

    A dollar without its pair at either end goes as well. ``$a$ or $b$`` stays, as no one formula.
    """
    if (plain := _PLAIN.fullmatch(latex)) is not None:  # as nearly all are, so this saves time
        return plain[2]
    while True:
        latex = trimmed(latex)
        inner = _inside(latex)
        if inner is None:
            return latex
        latex = inner


# A letter or sign at either end, no blank, no other delimiter within.
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
    r"""The LaTeX without blanks around it, but with the one of a final ``\ ``."""
    short = latex.strip()
    if short.endswith("\\") and not latex.endswith("\\"):
        slashes = len(short) - len(short.rstrip("\\"))
        if slashes % 2:
            return short + " "
    return short


def is_prose(text: str, following: str) -> bool:
    """Whether what stands between two dollars is no formula, but words or an amount of money.

    ``text`` is not blank; ``following`` is the character after the second dollar, "" at the end.
    """
    words = [word for word in _WORD.findall(text) if word not in _FUNCTIONS]
    if not words and not _SENTENCE_END.match(text):
        return not _is_free(following) and _is_amount(text, following)
    if _is_hugged(text):
        return False
    if _SENTENCE_END.match(text):
        return True
    if _SIGNS.search(text):
        return "\\text" not in text and bool(_SENTENCE.search(text))
    return len(words) > 1 or words[0] in _SMALL_WORDS or bool(_NUMBER.match(text))


def _is_amount(text: str, following: str) -> bool:
    """Whether a text without long words is a sum of money and what stands before the next one."""
    if _AMOUNT.fullmatch(text) or (following.isdigit() and _JOINED_AMOUNT.fullmatch(text)):
        return True
    return not (_is_hugged(text) or _SIGNS.search(text)) and bool(_AMOUNT_AND_WORD.match(text))


def _is_free(following: str) -> bool:
    """Whether a dollar before this character opens nothing."""
    return not following or following.isspace() or following in ".,;:!?)"


def _is_hugged(text: str) -> bool:
    """Whether dollars stand close to the text, as those of formulas do and of sums do not."""
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
"""Four words in a row, such as no formula has outside of ``\\text``."""
