"""Texts that language models write: their formulas, sentences and citations.

A generated text is data like any other: it is read as prose and formulas, and nothing in it is
obeyed. Citations are numbers of sources in brackets; those of sources that do not exist are
removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from porism.answer.extracts.sentences import (
    Sentence,
    markdown,
    prefix_within,
    sentences,
    whole_within,
)
from porism.answer.short_answer import MAX_ANSWER_LENGTH, AnswerSource, CitedSentence
from porism.formats.answer_text import math_pieces
from porism.model import Content, Formula
from porism.text import CLASSIC


def content_of(text: str) -> Content:
    r"""The prose and formulas of a text, whatever delimiters its formulas have.

    >>> content_of(r"So \(x = 1\) holds.")
    ('So ', Formula(id='', latex='x = 1', visual_id='', macros='', number=None), ' holds.')
    """
    return tuple(
        Formula("", " ".join(piece.text.split())) if piece.is_math else piece.text
        for piece in math_pieces(without_hidden_characters(text))
    )


def written_content(text: str) -> Content:
    r"""The content of what a model wrote, without marks of headings and bold type.

    Most models use them, and they say nothing in a short answer.

    >>> written_content("## Result\n**So $x$ is** 2**3, not 3**2.")[0]
    'Result\nSo '
    >>> written_content("## Result\n**So $x$ is** 2**3, not 3**2.")[2]
    ' is 2**3, not 3**2.'
    """
    return content_of(_BOLD.sub(r"\1", _HEADING.sub("", text.strip())))


_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_BOLD = re.compile(r"(?<![\w*])\*\*(?=\S)([^\n]+?)(?<=\S)\*\*(?![\w*])")


def without_hidden_characters(text: str) -> str:
    """A text without characters that hide others, or change their direction."""
    return _CONTROL.sub("", text)


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
"""Control characters, and marks that hide text or change its direction."""


def within_limit(text: str, limit: int = MAX_ANSWER_LENGTH) -> str:
    """A generated text with dollars around its formulas, cut between sentences if it is too long.

    Its lines and lists are kept.
    """
    content = written_content(text)
    whole = markdown(content)
    return whole if len(whole) <= limit else prefix_within(sentences(content), limit)


_CITATION = re.compile(
    r"\s*[\[【]\s*(?:source\s*)?(0|[1-9]\d{0,2}(?:\s*[,;]\s*[1-9]\d{0,2})*)\s*[\]】]", re.I
)


def cited_numbers(prose: str) -> tuple[int, ...]:
    """The numbers that a text cites, in order, each once.

    >>> cited_numbers("It converges [2], [1, 3] by comparison [2].")
    (2, 1, 3)
    """
    return tuple(
        dict.fromkeys(
            int(number)
            for match in _CITATION.finditer(prose)
            for number in re.findall(r"\d+", match[1])
        )
    )


@dataclass(frozen=True, slots=True)
class CheckedText:
    """A generated text whose citations all exist, and its sentences, but those that were cut off.

    ``removed`` are the numbers of citations that were removed, and ``repeated`` is the number of
    sentences that were, because they had been written before.
    """

    text: str
    sentences: tuple[CitedSentence, ...]
    removed: tuple[int, ...]
    repeated: int


MIN_SUPPORT = 0.6
"""The share of the words and formulas of a sentence that a source must have to support it."""

MIN_FEATURES = 4
"""Words and formulas of a sentence at least; fewer are in texts about anything."""


def with_checked_citations(
    text: str, sources: Sequence[AnswerSource], limit: int = MAX_ANSWER_LENGTH
) -> CheckedText:
    """Return a text with citations of existing sources only, and how each sentence is supported.

    A sentence without a citation that one source supports by its words and formulas is given that
    citation. Sentences that are repeated, as small models do without end, are left out.
    """
    numbers = {source.number for source in sources}
    texts = {source.number: features(content_of(source.passage)) for source in sources}
    removed: dict[int, None] = {}
    checked: list[Sentence] = []
    cited: list[CitedSentence] = []
    written: set[str] = set()
    repeated = 0
    for sentence in _with_citations_before_full_stops(sentences(written_content(text))):
        prose = "\n".join(piece for piece in sentence.content if isinstance(piece, str))
        found = cited_numbers(prose)
        removed.update(dict.fromkeys(number for number in found if number not in numbers))
        plain = _without_citations(sentence.content)
        if found and not _says_something(plain):
            continue
        own = features(plain)
        text_alone = markdown(plain)
        if text_alone in written:
            repeated += 1
            continue
        written.add(text_alone)
        support = {number: _support(own, texts[number]) for number in numbers}
        given = tuple(number for number in found if number in numbers)
        if not given and (best := max(support, key=lambda each: (support[each], -each), default=0)):
            given = (best,) if support[best] >= MIN_SUPPORT else ()
        is_by_model = any(number in numbers for number in found)
        kept = _cited(plain, given)
        checked.append(Sentence(kept, sentence.begins_block))
        cited.append(
            CitedSentence(
                text_alone,
                given,
                is_by_model,
                any(support[number] >= MIN_SUPPORT for number in given)
                if given and own.number >= MIN_FEATURES
                else None,
            )
        )
    # Of a first sentence that is too long, the text has the beginning.
    text = prefix_within(checked, limit)
    within = cited[: max(1, whole_within(checked, limit))] if text else []
    return CheckedText(text, tuple(within), tuple(removed), repeated)


def _without_citations(content: Content) -> Content:
    pieces = (_CITATION.sub("", piece) if isinstance(piece, str) else piece for piece in content)
    return tuple(piece for piece in pieces if piece != "")


def _says_something(content: Content) -> bool:
    return any(isinstance(piece, Formula) or re.search(r"\w", piece) for piece in content)


def _with_citations_before_full_stops(every: Iterable[Sentence]) -> list[Sentence]:
    """Return sentences with citations that follow a full stop joined to the sentence before."""
    joined: list[Sentence] = []
    for sentence in every:
        first = sentence.content[0]
        match = _LEADING_CITATIONS.match(first) if isinstance(first, str) else None
        if match is None or not joined:
            joined.append(sentence)
            continue
        before = joined[-1]
        citations = match[0].strip().rstrip(".,;")
        joined[-1] = Sentence((*before.content, f" {citations}"), before.begins_block)
        assert isinstance(first, str)
        rest = (first[match.end() :].lstrip(), *sentence.content[1:])
        if any(isinstance(piece, Formula) or piece.strip() for piece in rest):
            joined.append(Sentence(rest, sentence.begins_block))
    return joined


_LEADING_CITATIONS = re.compile(rf"(?:{_CITATION.pattern})+[.,;]?", re.I)


def _cited(plain: Content, numbers: Sequence[int]) -> Content:
    """Return a sentence with citations before its full stop."""
    if not numbers:
        return plain
    mark = " " + "".join(f"[{number}]" for number in numbers)
    last = plain[-1] if plain else ""
    if not isinstance(last, str):
        return (*plain, mark)
    match = _LAST_MARK.search(last)
    assert match is not None
    return (*plain[:-1], f"{last[: match.start()]}{mark}{match[0]}")


_LAST_MARK = re.compile(r"[.!?:;]*\s*\Z")


@dataclass(frozen=True, slots=True)
class TextFeatures:
    """The stems of a text but stop words, and its formulas as LaTeX without white space."""

    words: frozenset[str]
    formulas: frozenset[str]

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.words) + len(self.formulas)


def features(content: Content) -> TextFeatures:
    """Return what texts are compared by."""
    prose = "\n".join(piece for piece in content if isinstance(piece, str))
    return TextFeatures(
        frozenset(CLASSIC(prose)),
        frozenset("".join(piece.latex.split()) for piece in content if isinstance(piece, Formula)),
    )


def _support(sentence: TextFeatures, source: TextFeatures) -> float:
    """Return the share of a sentence's words and formulas that a source has."""
    shared = len(sentence.words & source.words) + len(sentence.formulas & source.formulas)
    return shared / sentence.number if sentence.number >= MIN_FEATURES else 0.0
