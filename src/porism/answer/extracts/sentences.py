r"""The sentences of a post, with their display formulas, and texts made of them.

A text is Markdown with LaTeX between dollars. It is only ever cut between sentences, or, where one
sentence is too long, between words and formulas; a formula is never cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from porism.formats.answer_text import DELIMITERS
from porism.model import Content, Formula

ELLIPSIS = "…"


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with the display formulas that belong to it, and whether it begins a block.

    A line of prose or formulas that no full stop ends, such as an item of a list, is one too.
    """

    content: Content
    begins_block: bool = False

    @property
    def text(self) -> str:
        """The sentence as Markdown."""
        return markdown(self.content)


def markdown(content: Content) -> str:
    r"""Content as Markdown with LaTeX: a formula on a line of its own is a display formula.

    A dollar sign in prose is escaped, and so is every other delimiter of formulas, so that it
    cannot begin one. Formulas without LaTeX are left out.

    >>> markdown(("It costs $5, and\n", Formula("", r"x = \text{$y$}"), "\nholds."))
    'It costs \\$5, and\n$$x = \\text{\\(y\\)}$$\nholds.'
    """
    pieces = [piece for piece in content if isinstance(piece, str) or piece.latex.strip()]
    texts = []
    for place, piece in enumerate(pieces):
        if isinstance(piece, str):
            is_before_formula = place + 1 < len(pieces)
            prose = _OPENING.sub(r"\1\\\2", piece)
            texts.append(_whole_backslashes(prose) if is_before_formula else prose)
            continue
        before = pieces[place - 1] if place else "\n"
        after = pieces[place + 1] if place + 1 < len(pieces) else "\n"
        is_display = _ends_line(before) and _begins_line(after)
        texts.append(_delimited(piece.latex, "$$" if is_display and len(pieces) > 1 else "$"))
    return _BLANK_LINES.sub(_line_ends, "".join(texts)).strip()


_UNESCAPED_DOLLAR = re.compile(r"(?<!\\)(?P<pairs>(?:\\\\)*)\$")
_OPENING = re.compile(rf"(?<!\\)((?:\\\\)*)({'|'.join(map(re.escape, DELIMITERS))})")
"""What would begin a formula in prose."""

_BLANK_LINES = re.compile(r"[ \t]*\n[ \t]*(?:\n\s*)?")


def _line_ends(match: re.Match[str]) -> str:
    """White space around line ends as one line end, or two where there was a blank line."""
    return "\n" if match[0].count("\n") == 1 else "\n\n"


def _ends_line(piece: str | Formula) -> bool:
    return isinstance(piece, str) and piece.rstrip(" \t").endswith("\n")


def _begins_line(piece: str | Formula) -> bool:
    return isinstance(piece, str) and piece.lstrip(" \t.,;:").startswith("\n")


def _delimited(latex: str, dollars: str) -> str:
    """LaTeX between dollars, on one line; dollars within it, as in text, become parentheses."""
    source = _whole_backslashes(" ".join(latex.split()))
    opening_next = True

    def parenthesis(match: re.Match[str]) -> str:
        nonlocal opening_next
        opening_next = not opening_next
        return match["pairs"] + (r"\)" if opening_next else r"\(")

    return f"{dollars}{_UNESCAPED_DOLLAR.sub(parenthesis, source)}{dollars}"


def _whole_backslashes(text: str) -> str:
    """A text with a space after a last backslash that would escape a dollar behind it."""
    backslashes = len(text) - len(text.rstrip("\\"))
    return f"{text} " if backslashes % 2 else text


def sentences(content: Content) -> tuple[Sentence, ...]:
    r"""The sentences of a text. A display formula belongs to the sentence around it.

    >>> text = ("We have, i.e. by parts,\n", Formula("1", "a = b"), "\nas said. So ")
    >>> [sentence.text for sentence in sentences((*text, Formula("2", "c"), " holds. Done!"))]
    ['We have, i.e. by parts,\n$$a = b$$\nas said.', 'So $c$ holds.', 'Done!']
    """
    complete: list[Sentence] = []
    current: list[str | Formula] = []
    begins_block = True
    for unit in _units(content):
        if unit == "\n":
            if _has_text(current):
                current.append("\n")
            continue
        if _has_text(current) and _separates(current, unit):
            ends_block = _ends_line(current[-1])
            complete.append(Sentence(_trimmed(current), begins_block))
            current, begins_block = [], ends_block
        current.append(unit)
    if _has_text(current):
        complete.append(Sentence(_trimmed(current), begins_block))
    return tuple(complete)


def _units(content: Content) -> Iterator[str | Formula]:
    """Formulas, line ends, and prose up to where a sentence may end."""
    for piece in content:
        if isinstance(piece, Formula):
            yield piece
            continue
        for place, line in enumerate(piece.split("\n")):
            if place:
                yield "\n"
            yield from filter(None, _POSSIBLE_END.split(line))


_POSSIBLE_END = re.compile(r"(?<=[.!?])(?=\s)|(?<=[.!?][)\]\"'”’])(?=\s)")
_SENTENCE_END = re.compile(r"[.!?][)\]\"'”’]*\s*\Z")
_ABBREVIATION = re.compile(
    r"(?:\b(?:i\.e|e\.g|cf|vs|etc|resp|viz|ca|approx|w\.r\.t|w\.l\.o\.g|a\.e|a\.s|s\.t|eqs?|figs?"
    r"|thms?|prop|lem|def|sec|ch|chap|ex|no|vol|pp?|ed|eds|dr|prof|mr|mrs|st)|\b(?-i:[A-Z]))\.\s*\Z",
    re.IGNORECASE,
)
_LETTER = re.compile(r"\b[a-z]\.\s*\Z")
"""A part of an abbreviation with spaces, such as "i. e."; or a variable, which ends a sentence."""


def _separates(current: Sequence[str | Formula], unit: str | Formula) -> bool:
    """Whether a sentence ends before the next unit."""
    last = next(piece for piece in reversed(current) if piece != "\n")
    is_new_line = current[-1] == "\n"
    if isinstance(last, str):
        text = last.rstrip()
        if _SENTENCE_END.search(text):
            is_within = _ABBREVIATION.search(text) or (
                _LETTER.search(text) and isinstance(unit, str) and _continues(unit)
            )
            return not is_within or is_new_line
        return is_new_line and isinstance(unit, str) and not _continues(unit)
    if not isinstance(unit, str) or _continues(unit):
        return False
    # Many authors put the full stop into the formula.
    return is_new_line or (last.latex.rstrip(" }").endswith(".") and unit.lstrip()[:1].isupper())


def _continues(prose: str) -> bool:
    first = prose.lstrip()[:1]
    return first.islower() or first in ",;.):"


def _has_text(pieces: Sequence[str | Formula]) -> bool:
    return any(
        bool((piece.latex if isinstance(piece, Formula) else piece).strip()) for piece in pieces
    )


def _trimmed(pieces: Sequence[str | Formula]) -> Content:
    """The pieces without white space around them, neighbouring prose joined."""
    joined: list[str | Formula] = []
    for piece in pieces:
        if isinstance(piece, str) and joined and isinstance(joined[-1], str):
            joined[-1] += piece
        else:
            joined.append(piece)
    if isinstance(joined[0], str):
        joined[0] = joined[0].lstrip()
    if isinstance(joined[-1], str):
        joined[-1] = joined[-1].rstrip()
    return tuple(piece for piece in joined if piece != "")


def joined_text(chosen: Sequence[Sentence]) -> str:
    """Sentences as one text, those of a block in one paragraph."""
    text = ""
    for sentence in chosen:
        if text:
            text += "\n\n" if sentence.begins_block else " "
        text += sentence.text
    return text


def prefix_within(chosen: Sequence[Sentence], limit: int) -> str:
    """The longest beginning of a text that has at most ``limit`` characters.

    It ends with a sentence or, if the first one is longer, with a word or formula and an ellipsis;
    it is empty if the first word or formula alone is too long.
    """
    whole = whole_within(chosen, limit)
    if whole or not chosen:
        return joined_text(chosen[:whole])
    return _cut(chosen[0].content, limit)


def whole_within(chosen: Sequence[Sentence], limit: int) -> int:
    """How many sentences, from the first one on, have at most ``limit`` characters together."""
    length = 0
    for place, sentence in enumerate(chosen):
        if length:
            length += len("\n\n") if sentence.begins_block else len(" ")
        length += len(sentence.text)
        if length > limit:
            return place
    return len(chosen)


def _cut(content: Content, limit: int) -> str:
    """The longest beginning of a sentence that fits with an ellipsis, words and formulas whole."""
    atoms = [
        atom
        for piece in content
        for atom in ((piece,) if isinstance(piece, Formula) else _WORD.findall(piece))
    ]
    for end in range(_most_atoms(atoms, limit), 0, -1):
        text = f"{markdown(tuple(atoms[:end]))} {ELLIPSIS}"
        if len(text) <= limit:
            return text
    return ""


_WORD = re.compile(r"\s*\S+|\s+\Z")


def _most_atoms(atoms: Sequence[str | Formula], limit: int) -> int:
    """How many words and formulas may fit, at most all but one.

    A sentence may have thousands, and each attempt reads all of them. Markdown is never shorter
    than what is counted here, and seldom much longer.
    """
    length = 0
    for place, atom in enumerate(atoms):
        if isinstance(atom, Formula):
            length += len(" ".join(atom.latex.split())) + len("$$")
        else:
            length += len(atom.strip()) + (atom[:1].isspace() and place > 0)
        if length > limit:
            return min(place, len(atoms) - 1)
    return len(atoms) - 1
