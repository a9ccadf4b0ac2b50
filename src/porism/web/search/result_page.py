"""One page of search results. Only the posts on that page are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter

from porism import catalog
from porism.model import DocId, Hit, Ranking, Task
from porism.query.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.rank.explanations import Explanation
from porism.rank.results import SearchResult, SearchResults, read_results
from porism.rank.results import search as rank_topic
from porism.searchindex.index_folder import SearchIndex
from porism.web.search.search_request import MOST_PAGES, SearchRequest, SearchTarget

PAGE = 10
MOST = MOST_PAGES * PAGE
"""The number of results that can be paged through."""


@dataclass(frozen=True, slots=True)
class ResultEntry:
    """A result on a page; ``answer_id`` is the best answer of a question."""

    result: SearchResult
    answer_id: DocId | None = None


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page. There are ``number`` results in all, or more if not ``is_all``.

    ``system`` is the one that ranked, and ``first`` are the best hits of its ranking, whatever the
    number of the page.
    """

    results: SearchResults
    entries: tuple[ResultEntry, ...]
    number: int
    is_all: bool
    seconds: float
    system: str
    first: Ranking
    explanation: Explanation | None = None


def typed_topic(search: SearchRequest) -> TypedTopic:
    """The topic of a search that is not empty."""
    is_formulas = search.target is SearchTarget.FORMULAS
    return typed_formula_topic(search.text) if is_formulas else typed_answer_topic(search.text)


def result_page(search_index: SearchIndex, search: SearchRequest) -> ResultPage:
    """Search with the best system of the index, and read the posts of one page.

    The index has answers, so a question is ranked by its best answer and filtered by its answers;
    a question without answers is never returned.
    """
    task = Task.FORMULAS if search.target is SearchTarget.FORMULAS else Task.ANSWERS
    system, ranker = catalog.typed_search(task, search_index)
    topic = typed_topic(search)
    started = perf_counter()
    start, end = PAGE * (search.page - 1), PAGE * search.page
    # Systems rank a thousand answers in any case, but each further formula must be located.
    depth = end if search.target is SearchTarget.FORMULAS else MOST
    ranked = rank_topic(search_index, ranker, topic, depth + 1, search.post_filter)
    is_all = len(ranked.ranking) <= depth
    ranking = _without_thread(search_index, search, ranked.ranking[:depth])
    answer_of: dict[DocId, DocId] = {}
    if search.target is SearchTarget.QUESTIONS:
        answer_of, questions = _questions(search_index, ranking, end + 1)
        is_all = is_all and len(questions) <= end
        ranking = questions[:end]
    results = read_results(search_index, ranked, ranking[start:end])
    entries = tuple(
        ResultEntry(replace(result, rank=start + result.rank), answer_of.get(result.post_id))
        for result in results.results
    )
    explained = next((each for each in entries if each.result.rank == search.explain), None)
    explanation = None
    if explained is not None:
        doc_id = explained.answer_id or explained.result.doc_id
        (explanation,) = ranked.explain([doc_id])
    return ResultPage(
        results=results,
        entries=entries,
        number=len(ranking),
        is_all=is_all,
        seconds=perf_counter() - started,
        system=system,
        first=ranking[:PAGE],
        explanation=explanation,
    )


def _without_thread(search_index: SearchIndex, search: SearchRequest, ranking: Ranking) -> Ranking:
    """The ranking without the posts of the excluded thread."""
    thread = search.excluded_thread
    if not thread or search_index.collection.find_number(thread) is None:
        return ranking
    excluded = {thread, *(each.id for each in search_index.collection.answers(thread))}
    return tuple(hit for hit in ranking if (hit.post_id or hit.doc_id) not in excluded)


def _questions(
    search_index: SearchIndex, ranking: Ranking, most: int
) -> tuple[dict[DocId, DocId], tuple[Hit, ...]]:
    """The best answer of each question, and the first ``most`` questions as hits."""
    answer_of: dict[DocId, DocId] = {}
    hits: list[Hit] = []
    for question, hit in _with_questions(search_index, ranking):
        if len(hits) == most:
            break
        if question not in answer_of:
            answer_of[question] = hit.doc_id
            hits.append(Hit(question, hit.score))
    return answer_of, tuple(hits)


def _with_questions(search_index: SearchIndex, ranking: Ranking) -> Iterator[tuple[DocId, Hit]]:
    """Answers with their questions, looked up one by one; notes have none."""
    for hit in ranking:
        question = search_index.collection.parent(hit.doc_id)
        if question is not None:
            yield question, hit
