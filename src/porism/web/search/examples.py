"""Searches to try, made from titles and formulas of the collection: each finds something."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from markupsafe import Markup

from porism.analysis import query_layout
from porism.analysis.query_formulas import count_nodes
from porism.model import Content, Formula, plain_text
from porism.searchindex.index_folder import SearchIndex
from porism.web.search.result_html import typed_formula_html, typed_html
from porism.web.search.search_request import SearchRequest, SearchTarget

READ = 2_000
"""Titles that are looked at, from the first."""

MOST_TITLES, MOST_FORMULAS = 3, 2
SHORTEST, LONGEST = 20, 90
"""Characters of a title that makes a good example."""

LEAST_SYMBOLS, MOST_SYMBOLS = 5, 16
"""Symbols of a formula that makes a good example."""


@dataclass(frozen=True, slots=True)
class ExampleSearch:
    """A search to try, as HTML."""

    search: SearchRequest
    html: Markup


_known: dict[str, tuple[ExampleSearch, ...]] = {}
"""By the fingerprint of an index, because the titles are read from the collection."""


def example_searches(search_index: SearchIndex) -> tuple[ExampleSearch, ...]:
    """Some titles, with formulas where there are any, and some of their formulas."""
    fingerprint = search_index.fingerprint
    examples = _known.get(fingerprint)
    if examples is None:
        titles = [title for title in search_index.collection.first_titles(READ) if _is_good(title)]
        _known.clear()
        formulas = islice(search_index.collection.formulas(), READ)
        latex = [each.latex for each in formulas if _is_apt(each.latex)]
        _known[fingerprint] = examples = (*_title_examples(titles), *_formula_examples(latex))
    return examples


def _is_good(title: Content) -> bool:
    return SHORTEST <= len(plain_text(title)) <= LONGEST


def _title_examples(titles: Sequence[Content]) -> Iterator[ExampleSearch]:
    """Make examples of titles from all over the collection, with and without formulas."""
    with_formulas = [title for title in titles if _has_formula(title)]
    in_words = [title for title in titles if not _has_formula(title)]
    chosen = _spread(with_formulas, MOST_TITLES - bool(in_words))
    for title in (*chosen, *_spread(in_words, MOST_TITLES - len(chosen))):
        yield ExampleSearch(SearchRequest(plain_text(title)), typed_html(title))


def _formula_examples(latex: Sequence[str]) -> Iterator[ExampleSearch]:
    for each in _spread(latex, MOST_FORMULAS):
        yield ExampleSearch(SearchRequest(each, SearchTarget.FORMULAS), typed_formula_html(each))


def _has_formula(title: Content) -> bool:
    return any(isinstance(piece, Formula) for piece in title)


def _is_apt(latex: str) -> bool:
    if len(latex) > LONGEST:
        return False
    layout = query_layout(latex)
    return not layout.problems and LEAST_SYMBOLS <= count_nodes(layout.tree.row) <= MOST_SYMBOLS


_Item = TypeVar("_Item")


def _spread(items: Sequence[_Item], number: int) -> Sequence[_Item]:
    """At most so many items, at even distances.

    >>> _spread("abcdefg", 3)
    ['b', 'd', 'f']
    """
    number = min(number, len(items))
    return [items[(2 * at + 1) * len(items) // (2 * number)] for at in range(number)]
