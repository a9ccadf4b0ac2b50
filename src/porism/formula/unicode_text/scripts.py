"""Superscripts, subscripts and accents in Unicode, for lines of text without mathematics."""

from porism.formula.symbols import SUBSCRIPTS, SUPERSCRIPTS
from porism.formula.unicode_text.errors import NotReadable

_ABOVE = {plain: raised for raised, plain in SUPERSCRIPTS.items()} | dict(
    zip(
        "abcdefghjklmoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθ",
        "ᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿ",
        strict=True,
    )
)
_BELOW = {plain: lowered for lowered, plain in SUBSCRIPTS.items()} | dict(
    zip("ruvβγρχ", "ᵣᵤᵥᵦᵧᵨᵪ", strict=True)
)
_MINUS = "−"

_OVER = dict(
    zip(
        "^~¯→˙¨ˇ˘˚´`",
        "\u0302\u0303\u0304\u20d7\u0307\u0308\u030c\u0306\u030a\u0301\u0300",
        strict=True,
    )
)
_UNDER = {"¯": "\u0332", "~": "\u0330", "→": "\u20ef"}
_LINE = "\u0305"


def raised(text: str) -> str:
    """A superscript: in raised characters if Unicode has all of them, else after ``^``.

    >>> raised("2n+1"), raised("∞"), raised("−x²")
    ('²ⁿ⁺¹', '^∞', '^(−x²)')
    """
    return _script(text, _ABOVE, "^")


def lowered(text: str) -> str:
    """A subscript: in lowered characters if Unicode has all of them, else after ``_``.

    >>> lowered("n=1"), lowered("x→0")
    ('ₙ₌₁', '_(x→0)')
    """
    return _script(text, _BELOW, "_")


def _script(text: str, characters: dict[str, str], sign: str) -> str:
    plain = text.replace(_MINUS, "-")
    if all(char in characters for char in plain):
        return "".join(map(characters.__getitem__, plain))
    return f"{sign}{text}" if len(text) == 1 else f"{sign}({text})"


def accented(base: str, mark: str, is_over: bool) -> str:
    """A letter with an accent, or a few with a line over them, in combining characters.

    >>> accented("x", "^", True), accented("AB", "¯", True)
    ('x̂', 'A̅B̅')
    """
    combining = (_OVER if is_over else _UNDER).get(mark)
    if combining is not None and len(base) == 1:
        return base + combining
    if mark == "¯" and is_over and base.isalnum():
        return "".join(char + _LINE for char in base)
    raise NotReadable
