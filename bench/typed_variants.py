r"""Real titles as people would type them: without dollars, in Unicode, as plain text, with typos.

The rules are independent of ``porism.query``, which reads such texts. They take what they can
convert and return None for the rest: a title with a matrix is typed by nobody in Unicode.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from porism.model import Content, Formula, plain_text

MIN_LONE = 7
"""Characters, without blanks, of a formula that is a query of its own; shorter ones are common."""

MAX_LONE = 120
"""Characters, without blanks, of a formula that somebody types."""

_SYMBOLS = {
    "infty": ("∞", "oo"),
    "le": ("≤", "<="),
    "leq": ("≤", "<="),
    "ge": ("≥", ">="),
    "geq": ("≥", ">="),
    "ne": ("≠", "!="),
    "neq": ("≠", "!="),
    "to": ("→", "->"),
    "rightarrow": ("→", "->"),
    "in": ("∈", " in "),
    "cdot": ("·", "*"),
    "times": ("×", "x"),
    "pm": ("±", "+-"),
    "cdots": ("⋯", "..."),
    "ldots": ("…", "..."),
    "dots": ("…", "..."),
    "sum": ("∑", "sum"),
    "prod": ("∏", "prod"),
    "int": ("∫", "int"),
    "lim": ("lim", "lim"),
    "equiv": ("≡", "="),
    "subset": ("⊂", " subset "),
    "cup": ("∪", " union "),
    "cap": ("∩", " intersect "),
    "partial": ("∂", "d"),
    "mid": ("∣", "|"),
    "quad": (" ", " "),
    "displaystyle": ("", ""),
    **{
        name: (sign, name)
        for name, sign in zip(
            "alpha beta gamma delta epsilon varepsilon zeta theta lambda mu pi rho sigma phi "
            "varphi omega Gamma Delta Sigma Omega Phi".split(),
            "αβγδεεζθλμπρσφφωΓΔΣΩΦ",
            strict=True,
        )
    },
    **{
        name: (name, name)
        for name in "sin cos tan cot sec log ln exp arctan arcsin det gcd max min dim ker".split()
    },
}
_BOARD = dict(zip("RNZQC", "ℝℕℤℚℂ", strict=True))
_ABOVE = dict(zip("0123456789n+-", "⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ⁺⁻", strict=True))
_BELOW = dict(zip("0123456789n+-ijk", "₀₁₂₃₄₅₆₇₈₉ₙ₊₋ᵢⱼₖ", strict=True))
_GROUP = r"\{([^{}]*)\}"
_ARGUMENT = rf"(?:{_GROUP}|(\d|[a-zA-Z]|\\[a-zA-Z]+))"
_FUNCTION = re.compile(r"\\(?:sin|cos|tan|cot|sec|log|ln|exp|arctan|arcsin|arccos)\s*$")
_FRACTION = re.compile(rf"\\[dt]?frac\s*{_ARGUMENT}\s*{_ARGUMENT}")
_ROOT = re.compile(rf"\\sqrt\s*{_ARGUMENT}")
_LETTERS = re.compile(r"\\math(?:bb|bf|rm|cal)\s*(?:\{([A-Za-z]+)\}|([A-Za-z]))")
_SCRIPT = re.compile(rf"([_^])\s*{_ARGUMENT}")
_COMMAND = re.compile(r"\\([a-zA-Z]+)\s?")
_SPACE = re.compile(r"\\[,;:! ]|~")


def unicode_text(latex: str) -> str | None:
    r"""A formula in Unicode, None if it has what this cannot convert.

    >>> unicode_text(r"\int_0^\infty \frac{x^2}{e^{2x}+1}\,dx")
    '∫₀^∞ x²/(e^(2x)+1) dx'
    """
    return _converted(latex, 0)


def calculator_text(latex: str) -> str | None:
    r"""A formula as in a calculator, None if it has what this cannot convert.

    >>> calculator_text(r"\sum_{n=1}^\infty \frac1{n^2}=\frac{\pi^2}6")
    'sum_(n=1)^oo 1/n^2=(pi^2)/6'
    """
    return _converted(latex, 1)


def _converted(latex: str, column: int) -> str | None:
    text = re.sub(r"\\(?:left|right|big|Big)(?![a-z])", "", latex)
    text = _SPACE.sub(" ", text)
    text = _LETTERS.sub(lambda m: _board(m[1] or m[2], column), text)
    for _ in range(6):  # from the innermost group outwards
        before = text
        text = _SCRIPT.sub(lambda m: _script(m, column), text)
        text = _ROOT.sub(lambda m: _root(m, column), text)
        text = _FRACTION.sub(_fraction, text)
        if text == before:
            break
    text = _COMMAND.sub(lambda m: _symbol(m, column), text)
    text = re.sub(r"\s+", " ", text.replace("<SQRT>", ("√", "sqrt")[column])).strip()
    return None if re.search(r"[\\{}&~]", text) else text


def _symbol(match: re.Match[str], column: int) -> str:
    text = _SYMBOLS.get(match[1], ("\\",) * 2)[column]
    return f"{text} " if text.isalpha() and match.string[match.end() :][:1].isalnum() else text


def _fraction(match: re.Match[str]) -> str:
    text = f"{_operand(match[1] or match[2])}/{_operand(match[3] or match[4])}"
    return f"({text})" if _FUNCTION.search(match.string[: match.start()]) else text


def _board(letters: str, column: int) -> str:
    return "".join(_BOARD.get(each, each) for each in letters) if column == 0 else letters


def _script(match: re.Match[str], column: int) -> str:
    sign, text = match[1], (match[2] if match[2] is not None else match[3])
    table = _ABOVE if sign == "^" else _BELOW
    if column == 0 and text and all(each in table for each in text):
        return "".join(table[each] for each in text)
    if re.fullmatch(r"\\[a-zA-Z]+", text):
        return f"{sign}{text} "
    return sign + (text if re.fullmatch(r"\d+|\w", text) else f"({text})")


def _root(match: re.Match[str], column: int) -> str:
    text = match[1] if match[1] is not None else match[2]
    is_short = column == 0 and re.fullmatch(r"\d+|\w", text) is not None
    return f"<SQRT>{text}" if is_short else f"<SQRT>({text})"


def _operand(text: str) -> str:
    is_short = re.fullmatch(r"\d*\w?|\d*\\[a-zA-Z]+|d[a-z]|\w[⁰¹²³⁴-⁹ⁿ]|\w\^\d", text)
    return text if is_short else f"({text})"


class Variant(NamedTuple):
    """A kind of query, and how it is made of a text of a question; None if the text does not suit.

    The text is the title, or the body if ``is_body``.
    """

    kind: str
    make: Callable[[Content], str | None]
    is_body: bool = False


def _title(title: Content) -> str | None:
    return plain_text(title)


def _formulas(title: Content) -> list[str]:
    return [piece.latex for piece in title if isinstance(piece, Formula)]


def _with_formulas(convert: Callable[[str], str | None]) -> Callable[[Content], str | None]:
    """Titles of words and formulas, with these converted."""

    def make(title: Content) -> str | None:
        if not any(len(latex) > 3 for latex in _formulas(title)):
            return None
        texts = [convert(each.latex) if isinstance(each, Formula) else each for each in title]
        known = [text for text in texts if text is not None]
        is_changed = any(each not in plain_text(title) for each in known)
        words = " ".join(each for each in title if isinstance(each, str)).split()
        is_whole = len(known) == len(texts) and len(words) > 1
        return "".join(known) if is_whole and (is_changed or convert is _same) else None

    return make


def _lone(convert: Callable[[str], str | None]) -> Callable[[Content], str | None]:
    """The largest formula of a text alone."""

    def make(text: Content) -> str | None:
        typed = convert(longest_formula(text))
        return typed if typed and MIN_LONE <= len(typed.replace(" ", "")) <= MAX_LONE else None

    return make


def longest_formula(text: Content) -> str:
    """The LaTeX of the longest formula of a text, the first of these, or nothing."""
    return max(_formulas(text), key=len, default="")


def _same(latex: str) -> str:
    return latex


def spoken_text(latex: str) -> str | None:
    r"""An integral, sum or limit in words, None for other formulas.

    >>> spoken_text(r"\sum_{n=1}^\infty \frac1{n^2}")
    'sum of 1/n^2 from n=1 to infinity'
    >>> spoken_text(r"\int_0^{\pi} \sin(x)\,dx"), spoken_text(r"\lim_{x \to 0} \frac{\sin x}{x}")
    ('integral of sin(x) from 0 to pi', 'limit of (sin x)/x as x approaches 0')
    """
    whole = _SPACE.sub(" ", re.sub(r"\\(?:limits|displaystyle|left|right)(?![a-z])", "", latex))
    operation = _OPERATION.fullmatch(whole.strip(" ."))
    if operation is None:
        return None
    name, below, above, inner = operation.groups()
    if name == "int" and re.search(r"d[a-z]$", inner) is None:
        return None
    inner = calculator_text(re.sub(r"\s*d[a-z]$", "", inner) if name == "int" else inner)
    first, last = (
        None if each is None else calculator_text(each.strip("{}")) for each in (below, above)
    )
    if not inner or not first or re.search(r"\b(?:int|sum|lim|prod)\b|=", inner):
        return None
    if name == "lim":
        variable, arrow, value = (each.strip() for each in first.partition("->"))
        return f"limit of {inner} as {variable} approaches {_said(value)}" if arrow else None
    if not last:
        return None
    word = {"int": "integral", "sum": "sum"}[name]
    return f"{word} of {inner} from {_said(first)} to {_said(last)}"


_BOUND = r"(\{(?:[^{}]|\{[^{}]*\})*\}|\\[a-z]+|\w)"
_OPERATION = re.compile(rf"\\(int|sum|lim)\s*_\s*{_BOUND}\s*(?:\^\s*{_BOUND})?\s*(.+)", re.DOTALL)


def _said(text: str) -> str:
    return text.replace("oo", "infinity")


def _keywords(title: Content) -> str | None:
    """The words of a title without formulas that say something, without the others."""
    words = [] if _formulas(title) else re.findall(r"[a-z'-]{4,}", plain_text(title).lower())
    kept = [word for word in words if word not in _COMMON]
    return " ".join(kept) if len(kept) >= 4 else None


_COMMON = frozenset(
    "what when where which with that this these there does have from into about show prove find "
    "over some such then than they them their your just only using given help need".split()
)


def _with_typo(wrong_word: Callable[[str], str]) -> Callable[[Content], str | None]:
    """The words of a title without formulas, with an error in its longest word."""

    def make(title: Content) -> str | None:
        text = plain_text(title).lower().rstrip("?.! ")
        words = re.findall(r"[a-z]{7,}", text)
        if _formulas(title) or not words or len(text.split()) < 4:
            return None
        word = max(words, key=len)
        wrong = wrong_word(word)
        return None if wrong == word else text.replace(word, wrong, 1)

    return make


def _swapped(word: str) -> str:
    """The word with its two middle letters swapped."""
    at = len(word) // 2
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _mistyped(word: str) -> str:
    """The word with a letter left out, doubled or replaced by its neighbour on the keyboard."""
    number = blake2b(word.encode()).digest()
    at = 1 + number[0] % (len(word) - 1)
    row = next(row for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm") if word[at] in row)
    neighbour = row[(row.index(word[at]) + 1) % len(row)]
    return word[:at] + ("", word[at] * 2, neighbour)[number[1] % 3] + word[at + 1 :]


VARIANTS = (
    Variant("title", _title),
    Variant("keywords", _keywords),
    Variant("latex", _with_formulas(_same)),
    Variant("unicode", _with_formulas(unicode_text)),
    Variant("plain", _with_formulas(calculator_text)),
    Variant("typo", _with_typo(_swapped)),
    Variant("mistyped", _with_typo(_mistyped)),
    Variant("lone latex", _lone(_same)),
    Variant("lone unicode", _lone(unicode_text)),
    Variant("lone plain", _lone(calculator_text)),
    Variant("lone spoken", _lone(spoken_text), is_body=True),
    Variant("body latex", _lone(_same), is_body=True),
    Variant("body unicode", _lone(unicode_text), is_body=True),
    Variant("body plain", _lone(calculator_text), is_body=True),
)


def sampled(ids: Sequence[str], kind: str) -> Iterator[str]:
    """The ids in an order that only depends on them and the kind."""
    return iter(sorted(ids, key=lambda each: blake2b(f"{kind} {each}".encode()).digest()))
