r"""The results that a text announces, and the one that it ends with.

Results are ranked by how they are announced: in a box; after "the answer is" and the like; in a
sentence with "hence", "we get" or "equals"; as any other equation; in a side remark, such as after
"where" or "since"; as another relation. Of the best, the last one is the final result. A text that
is nothing but one expression has it as result. A single letter is no result, and neither is what is
set in a side remark, such as x = 1.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from porism import deadlines
from porism.answer.verification.canonical_expressions import is_number, is_trivial
from porism.answer.verification.statements import MAX_LATEX, Side, Statement, statements
from porism.formats.answer_text import math_pieces


class Announcement(IntEnum):
    """How a text presents a statement, the strongest last."""

    NONE = 0
    REMARK = 1
    RELATION = 2
    EQUATION = 3
    CONCLUSION = 4
    ANSWER = 5
    BOX = 6


@dataclass(frozen=True, slots=True)
class StatedResult:
    """A statement with its announcement; ``prose`` is its sentence before it, without formulas."""

    statement: Statement
    announcement: Announcement
    source: str
    """The formula that contains it."""
    prose: str
    is_whole: bool = True
    """Whether the formula contains nothing else."""

    @property
    def latex(self) -> str:
        """The statement as LaTeX: as written if that is short, else its first and last side."""
        is_balanced = self.source.count("{") == self.source.count("}")
        if self.is_whole and is_balanced and len(self.source) < _MAX_WHOLE:
            return self.source
        value = self.statement.value
        if not self.statement.is_equation:
            return value.latex
        sign = r"\approx" if value.is_approximate else "="
        return f"{self.statement.sides[0].latex} {sign} {value.latex}"


_NOUN = (
    r"(?:answer|result|value|solution|total|limit|probability|integral|sum|product|area|volume|"
    r"expectation|series|determinant|number|count)"
)
_IS = (
    r"(?:is|are|equals|be|becomes|=|:)[\s*_]*(?:(?:therefore|thus|then|hence|exactly|approximately|"
    r"about|simply|just|given by|equal to|indeed|also)[\s*_:]+)*"
)
_ANSWER = re.compile(rf"\b{_NOUN}\b[^.!?\n]{{0,60}}?(?:(?<=\W)|\b)(?:to\s+)?{_IS}[\s*_:]*$", re.I)
_CONCLUSION = re.compile(
    r"\b(?:hence|therefore|thus|thereby|so|finally|conclude|concludes|conclusion|gives?|giving|"
    r"yields?|yielding|obtains?|get|equals?|results?|answer|consequently|whence|follows|becomes)\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\b(?:where|since|because|with|for|when|whenever|if|let|letting|as|using|note|notice|remark|"
    r"recall|remember|e\.g\.|i\.e\.|example|instance|assume|assuming|suppose|given|put|set|setting|"
    r"denote|that)[\s,:*_(]*(?:that|of)?[\s,:*_(]*$|\([^)]*$",
    re.IGNORECASE,
)
_RESULT_THAT = re.compile(
    r"\b(?:conclude|follows|shows?|find|see|implies|have|know|get|obtain|means)\s+that[\s,:*_]*$",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"\b{_NOUN}\b(?:[^.!?\n$]|\.(?=\d)){{0,60}}?(?<=\W){_IS}[\s*_]*"
    r"(?P<number>-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:/\d+)?)(?![\w^%/]|[.,]\d|\s*[-+$\\]|\s*\*\s*\w)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n\s*\n")
_MAX_SENTENCE = 300
_BOX = re.compile(r"\\(?:f|b|big)?box(?:ed)?(?![A-Za-z])")


def final_result(text: str) -> StatedResult | None:
    r"""The final result of a text, None if there is none.

    >>> result = final_result(r"So $2x = 6$. Hence $x = \boxed{3}$, where $x = y + 1$.")
    >>> result.latex if result else None
    'x = \\boxed{3}'
    """
    best: StatedResult | None = None
    for result in results(text):
        if best is None or result.announcement >= best.announcement:
            best = result
    if best is None or best.announcement > Announcement.NONE:
        return best
    return best if not re.search(r"[^\W\d_]{2}", _prose(text)) else None


def _prose(text: str) -> str:
    return "".join(piece.text for piece in math_pieces(text) if not piece.is_math)


def results(
    text: str,
    is_wanted: Callable[[str, str], bool] = lambda latex, sentence: True,
    *,
    max_results: int = 200,
) -> Iterator[StatedResult]:
    """The statements of a text in reading order, up to a number, and numbers given in words.

    Only formulas that are wanted are read, by their LaTeX and the sentence before them.
    """
    sentence = before = ""
    last: Statement | None = None
    count = 0
    for piece in math_pieces(text):
        deadlines.check()
        if not piece.is_math:
            yield from _announced_numbers(piece.text)
            sentence = _sentence(sentence, piece.text)
            continue
        if count >= max_results:
            return
        if len(piece.text) > MAX_LATEX:
            sentence = before = ""
            last = None
            continue
        latex = _TRAILING.sub("", piece.text.strip())
        goes_on = latex.startswith(_GOES_ON)
        if not is_wanted(latex, sentence):
            before, last = latex, None
        else:
            if goes_on and last is None and before:
                last = next(iter(statements(before)[-1:]), None)
            stated = statements(latex, last)
            is_whole = len(stated) == 1 and not goes_on
            is_whole = is_whole and stated[0].is_alone
            is_whole = is_whole and "&" not in latex and "\\\\" not in latex
            for statement in stated:
                count += 1
                announcement = _announcement(statement, latex, sentence, is_only=len(stated) == 1)
                yield StatedResult(statement, announcement, latex, sentence, is_whole)
            before, last = latex, stated[-1] if stated else None
        sentence += " "


_TRAILING = re.compile(r"(?:\\\\|\\[,;:! ]|\\q?quad(?![A-Za-z])|[.,;\s])+$")
_MAX_WHOLE = 160
"""Characters of a chain of equalities that is shown whole; of a longer one, the outer sides."""
_GOES_ON = ("=", "&=", "& =", r"\approx", r"\implies", r"\Rightarrow")


def _sentence(sentence: str, prose: str) -> str:
    """The prose of the last sentence, continued."""
    ends = [match.end() for match in _SENTENCE_END.finditer(prose)]
    return (prose[ends[-1] :] if ends else sentence + prose)[-_MAX_SENTENCE:]


def is_announced(latex: str, sentence: str) -> bool:
    """Whether a formula is in a box, or a sentence announces it as the answer."""
    return _BOX.search(latex) is not None or _ANSWER.search(sentence) is not None


def _announcement(
    statement: Statement, source: str, sentence: str, *, is_only: bool
) -> Announcement:
    if _BOX.search(source) and (is_only or statement.is_equation):
        return Announcement.BOX
    is_answer = _ANSWER.search(sentence) is not None
    is_remark = _REMARK.search(sentence) is not None and not _RESULT_THAT.search(sentence)
    if not statement.is_equation:
        if statement.has_relation:
            return Announcement.NONE if is_remark else Announcement.RELATION
        form = statement.value.canonical
        is_result = is_answer and (is_number(form) or not is_trivial(form))
        return Announcement.ANSWER if is_result else Announcement.NONE
    if is_answer:
        return Announcement.ANSWER
    if is_remark:
        is_setting = any(map(_is_short, statement.sides))
        return Announcement.NONE if is_setting else Announcement.REMARK
    return Announcement.CONCLUSION if _CONCLUSION.search(sentence) else Announcement.EQUATION


def _is_short(side: Side) -> bool:
    """Whether a side is a symbol, perhaps with a sign, as in x = -1."""
    return len(side.row) <= 2 and not any(node.parts for node in side.row)


def _announced_numbers(prose: str) -> Iterator[StatedResult]:
    """Plain numbers that are announced as an answer, as in "the answer is 42"."""
    if len(prose) > 20_000 or not any(char.isdigit() for char in prose):
        return
    for match in _NUMBER.finditer(prose):
        number = match["number"].replace(",", "")
        for statement in statements(number):
            yield StatedResult(statement, Announcement.ANSWER, match["number"], match[0])
