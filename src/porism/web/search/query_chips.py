"""How a query was read: its words as they are, and a chip for each formula and operator.

A chip can be switched to words, and back; the address of the search keeps the choice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from markupsafe import Markup, escape

from porism.query.parts import FormulaSyntax, PartKind, QueryPart
from porism.web.search.result_html import typed_formula_html
from porism.web.search.search_request import SearchRequest

_IN_WORDS = {
    PartKind.PHRASE: "exactly “{}”",
    PartKind.EXCLUDED: "without {}",
    PartKind.TAG: "tag {}",
    PartKind.USER: "by {}",
    PartKind.SCORE: "at least {} votes",
    PartKind.POST: "post {}",
}

_SYNTAXES = {
    FormulaSyntax.DELIMITED: "a formula",
    FormulaSyntax.LATEX: "LaTeX",
    FormulaSyntax.UNICODE: "Unicode",
    FormulaSyntax.PLAIN: "a typed formula",
    FormulaSyntax.SPOKEN: "a formula in words",
}


@dataclass(frozen=True, slots=True)
class QueryPiece:
    """A part of a query for the template: words, or a chip that can be switched.

    ``start`` and ``end`` are its place in the text in UTF-16 units, as browsers count. ``switch``
    is the address of the search in which the part is read the other way; words have none.
    """

    html: Markup
    source: str
    start: int
    end: int
    kind: str = "words"
    meaning: str = ""
    switch: str = ""

    @property
    def is_literal(self) -> bool:
        """Whether it is a part that is read as words because somebody chose so."""
        return self.kind == "literal"


def query_pieces(search: SearchRequest) -> tuple[QueryPiece, ...]:
    """The parts of a query in order; none if nothing in it needs a chip."""
    if search.is_empty:
        return ()
    parts = replace(search, literal=()).topic.interpretation.parts
    if all(part.kind is PartKind.WORDS for part in parts):
        return ()
    pieces: list[QueryPiece] = []
    at = 0
    for part in parts:
        end = at + len(part.source.encode("utf-16-le", "surrogatepass")) // 2
        pieces.append(_piece(search, part, at, end))
        at = end
    return tuple(pieces)


def _piece(search: SearchRequest, part: QueryPart, start: int, end: int) -> QueryPiece:
    source = part.source
    if part.kind is PartKind.WORDS:
        return QueryPiece(escape(source), source, start, end)
    is_literal = source in search.literal
    address = search.reading(source, as_words=not is_literal)
    if is_literal:
        meaning = f"read as words, not as {_name(part)}"
        return QueryPiece(escape(source), source, start, end, "literal", meaning, address)
    html = typed_formula_html(part.value) if part.kind is PartKind.FORMULA else escape(_name(part))
    return QueryPiece(html, source, start, end, part.kind.value, _name(part), address)


def _name(part: QueryPart) -> str:
    """What a part was read as, in words."""
    if part.syntax is not None:
        return _SYNTAXES[part.syntax]
    return _IN_WORDS[part.kind].format(part.value)
