"""Why a post was found, in words: which words and formulas of the query it has, and where.

Unlike an explanation of its score, which says how much each part counts, this is what a reader
could see in the thread.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from porism import deadlines
from porism.analysis import FormulaTokens, linear_text, query_layout, query_tokens
from porism.formula.comparison import FormulaComparison, compare_formulas
from porism.formula.symbols import BIG
from porism.formula.tree import Edge, Node, Row, Tree
from porism.model import Content, Formula, PostKind, plain_text
from porism.rank.results import RankedSearch, SearchResult, highlighted_formulas, stored_tuples
from porism.rank.snippets import HighlightTerms, TupleCounter
from porism.searchindex.index_folder import SearchIndex
from porism.text import CLASSIC

MOST_FORMULAS = 3
"""Formulas of a query of which something is said."""

MOST_COMPARED = 20
"""Formulas of a thread that are compared with one of the query, those with most in common."""

MOST_DIFFERENCES = 3
MOST_WORDS = 12


@dataclass(frozen=True, slots=True)
class _Text:
    """A part of a thread, and its name in a sentence."""

    place: str
    content: Content


def reasons(
    search_index: SearchIndex, searched: RankedSearch, result: SearchResult
) -> tuple[Content, ...]:
    """Return what a result has of a query, in sentences."""
    texts = list(_texts(search_index, result))
    highlights = searched.highlights
    sentences: list[Content] = []
    if _is_title(searched, result):
        sentences.append(("Its title is your query.",))
    if (words := _words_sentence(searched, highlights, texts)) is not None:
        sentences.append(words)
    tuples_of = stored_tuples(search_index)
    for formula in highlighted_formulas(searched.topic)[:MOST_FORMULAS]:
        deadlines.check()
        sentences.append(_formula_sentence(formula, texts, tuples_of))
    return tuple(sentences)


def with_reasons(
    search_index: SearchIndex, searched: RankedSearch, results: Iterable[SearchResult]
) -> tuple[SearchResult, ...]:
    """Return results with what they have of a query."""
    return tuple(
        replace(result, reasons=reasons(search_index, searched, result)) for result in results
    )


def _texts(search_index: SearchIndex, result: SearchResult) -> Iterator[_Text]:
    collection = search_index.collection
    names = {PostKind.ANSWER: "answer", PostKind.QUESTION: "question", PostKind.DOCUMENT: "text"}
    yield _Text("title", result.title)
    yield _Text(names[result.kind], collection.post(result.post_id).body)
    if result.thread_id != result.post_id:
        yield _Text("question", collection.post(result.thread_id).body)
    for post_id in dict.fromkeys((result.post_id, result.thread_id)):
        for comment in collection.comments(post_id):
            yield _Text("comments", comment.text)


def _is_title(searched: RankedSearch, result: SearchResult) -> bool:
    typed = searched.interpretation.text or plain_text(searched.topic.title)
    return linear_text(typed) == linear_text(plain_text(result.title))


# Words -------------------------------------------------------------------------------------------

_WORD = re.compile(r"[^\W_]+")


def _words_sentence(
    searched: RankedSearch, highlights: HighlightTerms, texts: Sequence[_Text]
) -> Content | None:
    """Return which words of the query the thread has, by the first place of each."""
    typed: dict[str, str] = {}
    for word in _words_of(searched.topic.title):
        for stem in CLASSIC(word)[:1]:  # a stop word has none
            if len(typed) < MOST_WORDS:
                typed.setdefault(stem, word)
    if not typed:
        return None
    places: dict[str, list[str]] = {}
    found: set[str] = set()
    for text in texts:
        stems = {highlights.matches[word] for word in _words_of(text.content)}
        for stem in [stem for stem in typed if stem in stems and stem not in found]:
            found.add(stem)
            places.setdefault(text.place, []).append(typed[stem])
    if not found:
        return (f"It has {_share(0, len(typed))}.",)
    missing = [word for stem, word in typed.items() if stem not in found]
    having = "; ".join(f"{_listed(words)} in the {place}" for place, words in places.items())
    lacking = f"not {_listed(missing)}" if missing else ""
    details = "; ".join(filter(None, (having, lacking)))
    return (f"It has {_share(len(found), len(typed))}: {details}.",)


def _share(number: int, total: int) -> str:
    """Return how many of the words of a query there are.

    >>> _share(3, 4), _share(2, 2), _share(1, 1), _share(0, 5)
    ('3 of your 4 words', 'both of your words', 'your word', 'none of your 5 words')
    """
    if number == 0:
        return f"none of your {total} words" if total > 1 else "not your word"
    if number == total:
        return {1: "your word", 2: "both of your words"}.get(total, f"all {total} of your words")
    return f"{number} of your {total} words"


def _words_of(content: Content) -> Iterator[str]:
    for piece in content:
        if isinstance(piece, str):
            yield from _WORD.findall(piece)


def _listed(words: Sequence[str]) -> str:
    """Return words as a list.

    >>> _listed(["a", "b", "c"]), _listed(["a"])
    ('“a”, “b” and “c”', '“a”')
    """
    quoted = [f"“{word}”" for word in words]
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}" if len(quoted) > 1 else quoted[0]


# Formulas ----------------------------------------------------------------------------------------


def _formula_sentence(formula: Formula, texts: Sequence[_Text], tuples_of: TupleCounter) -> Content:
    """Return how the formula of a thread that is most like one of the query differs from it."""
    tree = query_layout(formula.latex, formula.macros).tree
    nearest = _nearest(formula, tree, texts, tuples_of)
    if nearest is None:
        return ("Nothing like your formula ", formula, " is in the thread.")
    place, found, comparison = nearest
    if not comparison.missing and not comparison.renamed and not comparison.extra:
        return ("Your formula ", formula, f" is in the {place}.")
    if not comparison.missing and comparison.renamed and not comparison.extra:
        names = ", ".join(f"{each.result} for {each.query}" for each in comparison.renamed)
        return ("Your formula ", formula, f" is in the {place} with other names ({names}): ", found)
    if not comparison.missing:
        return ("All of your formula ", formula, " is in ", found, f" in the {place}.")
    pieces: list[str | Formula] = ["Your formula ", formula, " matches ", found]
    pieces.append(f" in the {place}, except for ")
    differing = list(_differences(comparison))
    for number, each in enumerate(differing[:MOST_DIFFERENCES]):
        last = min(len(differing), MOST_DIFFERENCES) - 1
        pieces += [" and " if number == last else ", "] if number else []
        pieces.append(each)
    pieces.append(" and more." if len(differing) > MOST_DIFFERENCES else ".")
    return tuple(pieces)


def _nearest(
    formula: Formula, tree: Tree, texts: Sequence[_Text], tuples_of: TupleCounter
) -> tuple[str, Formula, FormulaComparison] | None:
    """Return the formula that shares most symbols, with its place and what it shares."""
    if not tree.row:
        return None
    wanted = HighlightTerms(formulas=(_tuples(formula),))
    similar: list[tuple[int, str, Formula]] = []
    known: set[str] = set()
    for text in texts:
        for piece in text.content:
            if isinstance(piece, Formula) and piece.latex not in known:
                known.add(piece.latex)
                tuples = tuples_of(piece) or _tuples(piece)
                if wanted.has_formula(tuples):
                    common = (tuples & wanted.formulas[0]).total()
                    similar.append((common, text.place, piece))
    similar.sort(key=lambda each: -each[0])
    best: tuple[tuple[int, int], tuple[str, Formula, FormulaComparison]] | None = None
    for _, place, piece in similar[:MOST_COMPARED]:
        deadlines.check()
        comparison = compare_formulas(tree, query_layout(piece.latex, piece.macros).tree)
        value = (comparison.matched_symbols, -len(comparison.extra))
        if comparison.matched_symbols and (best is None or value > best[0]):
            best = value, (place, piece, comparison)
    return None if best is None else best[1]


def _tuples(formula: Formula) -> Counter[str]:
    return Counter(query_tokens(FormulaTokens.L8, formula.latex, formula.macros).tokens)


_BIG = frozenset(BIG.values())
_LIMITS = {
    Edge.UNDER: "the lower limit",
    Edge.BELOW: "the lower limit",
    Edge.OVER: "the upper limit",
    Edge.ABOVE: "the upper limit",
}
_SCRIPTS = {Edge.ABOVE: "an exponent", Edge.BELOW: "an index", Edge.UNDER: "what is below"}
_FRACTION = {Edge.OVER: "the numerator", Edge.UNDER: "the denominator"}
_ROOT = {Edge.WITHIN: "what is under the root", Edge.PRE_ABOVE: "the degree of the root"}


def _differences(comparison: FormulaComparison) -> Iterator[str | Formula]:
    """Yield what the other formula does not have, by its place if that is all that is there."""
    matched = {place for part in comparison.parts for place in part.query}
    numbers = count()
    names: dict[str, None] = {}

    def visit(row: Row) -> tuple[bool, bool]:
        """Collect names in a row; return whether any and whether all of its nodes match."""
        flags: list[bool] = []
        for node in row:
            is_matched = next(numbers) in matched
            flags.append(is_matched)
            for edge, below in node.parts:
                has_some, has_all = visit(below)
                flags += [has_some, has_all]
                if is_matched and not has_some:
                    name = _edge_name(node, edge)
                    if name:
                        names.setdefault(name)
        return any(flags), all(flags)

    visit(comparison.query.row)
    if names:
        yield from names
        return
    for latex in comparison.missing:
        yield Formula("", latex)


def _edge_name(node: Node, edge: Edge) -> str:
    """Return the name of a row at a node.

    >>> _edge_name(Node("∫"), Edge.UNDER), _edge_name(Node("V!x"), Edge.ABOVE)
    ('the lower limit', 'an exponent')
    """
    if node.label in _BIG:
        return _LIMITS.get(edge, "")
    if node.label == "O!divide":
        return _FRACTION.get(edge, "")
    if node.label == "O!root":
        return _ROOT.get(edge, "")
    return _SCRIPTS.get(edge, "")
