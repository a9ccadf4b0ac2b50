"""Short answers as safe HTML: prose is escaped, and formulas are MathML.

The texts are those of posts and of language models. Nothing in them becomes markup, except that
``[2]`` in a generated text is a link to source 2 if there is one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from html import escape

from markupsafe import Markup

from porism.answer.extracts.sentences import Sentence, sentences
from porism.answer.generated.generated_text import content_of
from porism.answer.short_answer import AnswerKind, AnswerSource, ShortAnswer
from porism.errors import PorismError
from porism.model import Content, Formula, PostKind
from porism.pages.formula_html import paragraphs
from porism.web.search.result_html import Passages, post_address
from porism.web.search.search_request import SearchRequest

LINES = 10
"""Lines of an extract that are visible at first, about."""

FEW_LINES = 4
"""Lines that are not worth hiding."""

CHARACTERS = 85
"""Of a line, about."""

LATEX_PER_CHARACTER = 3
"""Characters of LaTeX for a character that is seen, about."""

END_LINES = 1
"""Lines that a line end adds; there is one before a display formula and one after it."""


@dataclass(frozen=True, slots=True)
class SourceView:
    """A source for a template."""

    source: AnswerSource
    kind: str
    title: Markup
    address: str
    passage: Markup

    @property
    def facts(self) -> str:
        """What the source is, and its votes, in words."""
        votes = self.source.votes
        if votes is None:
            return self.kind
        return f"{self.kind}, {votes:,} {'vote' if votes == 1 else 'votes'}"


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer for a template. ``rest`` is what is hidden at first, ``findings`` what a comparison
    of formulas showed; ``others`` are sources that have the final formula of an extract too.
    """

    answer: ShortAnswer
    text: Markup
    rest: Markup
    sources: tuple[SourceView, ...]
    findings: tuple[Markup, ...]

    @property
    def others(self) -> tuple[SourceView, ...]:
        """The sources besides the first that have the final formula."""
        check = self.answer.verification.check
        agreeing = () if check is None else check.agreeing
        return tuple(each for each in self.sources[1:] if each.source.number in agreeing)


@dataclass(frozen=True, slots=True)
class AnswerRenderer:
    """Renders answers with the passages of one collection; links lead back to ``search``.

    A formula of a source is rendered as its collection stores it, with the macros of its post.
    """

    passages: Passages
    search: SearchRequest
    _formulas: dict[str, Formula] = field(default_factory=dict)

    def view(self, answer: ShortAnswer) -> AnswerView:
        """An answer, or the nearest results if there is none."""
        self._read_formulas(answer.sources)
        sources = tuple(map(self.source, answer.sources))
        is_extract = answer.kind is AnswerKind.EXTRACT
        if is_extract:
            first, rest = _folded(sentences(content_of(answer.text)))
        else:
            first, rest = content_of(answer.text), ()
        prose = _prose if is_extract else self._generated_prose(answer.sources)
        return AnswerView(
            answer,
            self._text(first, prose),
            self._text(rest, prose),
            sources,
            tuple(self._findings(answer, {each.source.number: each for each in sources})),
        )

    def source(self, source: AnswerSource) -> SourceView:
        """A source with its passage."""
        self._read_formulas([source])
        return SourceView(
            source,
            _kind(source),
            self.passages.title(source.title),
            post_address(source.thread_id, source.doc_id, self.search),
            self._text(content_of(source.passage), _prose),
        )

    def _read_formulas(self, sources: Iterable[AnswerSource]) -> None:
        for source in sources:
            try:
                post = self.passages.collection.post(source.doc_id)
            except PorismError:  # it has been deleted since it was found
                continue
            for piece in post.body:
                if isinstance(piece, Formula):
                    self._formulas.setdefault(" ".join(piece.latex.split()), piece)

    def _text(self, content: Content, prose: Callable[[str], str]) -> Markup:
        return Markup("".join(paragraphs(content, self._formula, prose)))

    def _formula(self, formula: Formula, is_alone: bool = False) -> str:
        stored = self._formulas.get(formula.latex, formula)
        return self.passages.linked_formula(stored, is_alone)

    def _generated_prose(self, sources: Iterable[AnswerSource]) -> Callable[[str], str]:
        numbers = frozenset(str(each.number) for each in sources)

        def prose(text: str) -> str:
            plain = _prose(_MARKDOWN.sub("", text))
            return _CITATION.sub(lambda match: _citation(match[1], match[0], numbers), plain)

        return prose

    def _findings(self, answer: ShortAnswer, sources: dict[int, SourceView]) -> Iterable[Markup]:
        """What a reader should know of the formulas, but not where else an extract's own occurs."""
        check = answer.verification.check
        is_extract = answer.kind is AnswerKind.EXTRACT

        def cited(number: int) -> Markup:
            if not is_extract:
                return Markup(_citation(str(number), f"[{number}]", frozenset([str(number)])))
            return Markup('<a href="{}">{}</a>').format(
                sources[number].address, sources[number].title
            )

        def formula(latex: str) -> Markup:
            (content,) = content_of(f"${latex}$")[:1] or ("",)
            return Markup(self._formula(content) if isinstance(content, Formula) else "")

        if check is not None and check.holds is False:
            message = Markup("The two sides of its final formula {} are different numbers.")
            yield message.format(formula(check.latex))
        if check is not None and not is_extract and answer.sources:
            numbers = [number for number in check.agreeing if number in sources]
            if numbers:
                places = Markup("").join(map(cited, numbers))
                yield Markup("Its final formula {} occurs in {}.").format(
                    formula(check.latex), places
                )
            else:
                yield Markup("Its final formula {} does not occur in the sources.").format(
                    formula(check.latex)
                )
        contrary = () if check is None else check.contradicting
        if check is not None and sources.keys() >= set(contrary) and contrary:
            yield Markup("Its final formula {} has another value in {}.").format(
                formula(check.latex), Markup(", ").join(map(cited, contrary))
            )
        for each in answer.verification.contradictions:
            if {each.first_source, each.second_source} <= sources.keys():
                yield Markup("Sources disagree on {}: it is {} in {}, but {} in {}.").format(
                    formula(each.expression),
                    formula(each.first_value),
                    cited(each.first_source),
                    formula(each.second_value),
                    cited(each.second_source),
                )


def _prose(text: str) -> str:
    return escape(text.replace(r"\$", "$"))


_CITATION = re.compile(r"\[(\d{1,3})\]")

_MARKDOWN = re.compile(r"\*\*|^#{1,6} ", re.MULTILINE)
"""Marks of Markdown that models write, and that would only be in the way."""


def _citation(number: str, text: str, numbers: frozenset[str]) -> str:
    if number not in numbers:
        return text
    return f'<a class="citation" href="#source-{number}" aria-label="Source {number}">{text}</a>'


def _kind(source: AnswerSource) -> str:
    if source.is_accepted:
        return "accepted answer"
    return "answer" if source.kind is PostKind.ANSWER else "note"


def _folded(every: tuple[Sentence, ...]) -> tuple[Content, Content]:
    """The text that is visible at first, and the rest; it is folded between sentences."""
    lines = [_lines(sentence) for sentence in every]
    visible, used = 0, 0.0
    while visible < len(every) and (not visible or used + lines[visible] <= LINES):
        used += lines[visible]
        visible += 1
    if sum(lines[visible:]) <= FEW_LINES:
        visible = len(every)
    return _joined(every[:visible]), _joined(every[visible:])


def _lines(sentence: Sentence) -> float:
    """The lines that a sentence takes, about. Line ends in it are those around display formulas."""
    ends = sum(piece.count("\n") for piece in sentence.content if isinstance(piece, str))
    width = sum(
        len(piece) if isinstance(piece, str) else len(piece.latex) / LATEX_PER_CHARACTER
        for piece in sentence.content
    )
    return width / CHARACTERS + ends * END_LINES + sentence.begins_block / 2


def _joined(every: tuple[Sentence, ...]) -> Content:
    joined: list[str | Formula] = []
    for sentence in every:
        if joined:
            joined.append("\n" if sentence.begins_block else " ")
        joined += sentence.content
    return tuple(joined)
