"""The results of a page as a template needs them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from porism.collection.profile import CollectionProfile
from porism.model import Location, PostKind
from porism.pages.plurals import count_of
from porism.rank.context.match_context import MatchPlace
from porism.rank.results import SearchResult
from porism.web.search.result_html import (
    ExplanationPart,
    Passages,
    ProblemExcerpt,
    comparison_markup,
    explanation_part,
    post_address,
    problem_excerpt,
    thread_address,
)
from porism.web.search.result_page import PAGE, ResultEntry, ResultPage
from porism.web.search.search_request import (
    MOST_PAGES,
    SearchRequest,
    SearchTarget,
    similar_address,
)

_PLACES = {
    MatchPlace.TITLE: "The title matches",
    MatchPlace.QUESTION: "In the question",
    MatchPlace.COMMENT: "In a comment",
}


@dataclass(frozen=True, slots=True)
class ResultCard:
    """A result for the template. ``question`` are the first lines of the question of an answer,
    ``place`` and ``match`` where it matches if its passage does not.
    """

    result: SearchResult
    facts: tuple[str, ...]
    address: str
    title: Markup
    question: Markup
    passage: Markup
    place: str
    match: Markup
    comparison: Markup
    others: str
    others_address: str
    answer_address: str | None
    similar: str
    explanation: ExplanationPart | None
    reasons: tuple[Markup, ...]


@dataclass(frozen=True, slots=True)
class ResultList:
    """A page of results for the template."""

    page: ResultPage
    cards: tuple[ResultCard, ...]
    problems: tuple[ProblemExcerpt, ...]
    summary: str
    next_page: int | None
    is_cut: bool


def result_list(
    search: SearchRequest, page: ResultPage, passages: Passages, profile: CollectionProfile
) -> ResultList:
    """The results of a page."""
    last = search.page * PAGE
    has_more = page.number > last or not page.is_all
    return ResultList(
        page=page,
        cards=tuple(_card(search, entry, page, passages, profile) for entry in page.entries),
        problems=tuple(map(problem_excerpt, page.results.problems)),
        summary=_summary(search, page, profile),
        next_page=search.page + 1 if has_more and search.page < MOST_PAGES else None,
        is_cut=has_more and search.page == MOST_PAGES,
    )


def _card(
    search: SearchRequest,
    entry: ResultEntry,
    page: ResultPage,
    passages: Passages,
    profile: CollectionProfile,
) -> ResultCard:
    result, answer, context = entry.result, entry.answer_id, entry.context
    formula = result.formula
    is_explained = search.explain == result.rank
    number = len(entry.others)
    return ResultCard(
        result=result,
        facts=tuple(result_facts(result, profile)),
        address=thread_address(result, search),
        title=passages.title(result.title),
        question=passages.passage(context.question),
        passage=passages.passage(result.snippet),
        place=_PLACES[context.place] if context.place else "",
        match=passages.passage(context.match),
        comparison=comparison_markup(result),
        others=count_of(number, "more answer") if number else "",
        others_address=post_address(result.thread_id, result.thread_id, search) if number else "",
        answer_address=post_address(result.thread_id, answer, search) if answer else None,
        similar=similar_address(formula.latex, formula.macros) if formula else "",
        explanation=(
            explanation_part(page.explanation) if page.explanation and is_explained else None
        ),
        reasons=tuple(map(passages.title, page.reasons)) if is_explained else (),
    )


def result_facts(result: SearchResult, profile: CollectionProfile) -> Iterator[str]:
    """What a post is, or where a document is, and its votes, as far as the collection knows any."""
    if result.location is not None:
        yield place_of(result.location)
    elif result.kind is not PostKind.DOCUMENT:
        yield "Accepted answer" if result.is_accepted else result.kind.capitalize()
    elif not profile.is_notes:
        yield "Note"
    if result.votes is not None and profile.has_votes:
        yield count_of(result.votes, "vote")


def place_of(location: Location) -> str:
    """Where a document is, without its own heading, which is its title.

    >>> place_of(Location("notes/sums.tex", ("Series", "Geometric series"), label="Lemma 2"))
    'notes/sums.tex › Series · Lemma 2'
    """
    trail = " › ".join((location.path, *location.headings[:-1]))
    return f"{trail} · {location.label}" if location.label else trail


def _summary(search: SearchRequest, page: ResultPage, profile: CollectionProfile) -> str:
    """What was found, how much of it, and the time taken."""
    milliseconds = f"{1000 * page.seconds:,.0f} ms"
    if not page.entries:
        return f"No results, {milliseconds}"
    if search.target is SearchTarget.FORMULAS:
        name = "formula"
    elif search.target is SearchTarget.QUESTIONS:
        name = "question"
    else:
        name = "note" if profile.is_notes else "thread"
    first, last = page.entries[0].result.rank, page.entries[-1].result.rank
    if not page.is_all and search.target is SearchTarget.FORMULAS:
        return f"Results {first:,}–{last:,}, {milliseconds}"  # no more are looked for
    number = count_of(page.number, name)
    total = number if page.is_all else f"more than {number}"
    return f"Results {first:,}–{last:,} of {total}, {milliseconds}"
