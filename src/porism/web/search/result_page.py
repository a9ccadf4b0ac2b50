"""One page of search results. Only the posts on that page are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from time import perf_counter

from porism import catalog
from porism.collection.schema import is_number
from porism.model import Content, DocId, Hit, Ranking
from porism.rank.context.match_context import NO_CONTEXT, MatchContext, match_context
from porism.rank.context.reasons import reasons
from porism.rank.explanations import Explanation
from porism.rank.results import SearchResult, SearchResults, read_results, stored_tuples
from porism.rank.results import search as rank_topic
from porism.searchindex.index_folder import SearchIndex
from porism.web.search.search_request import MOST_PAGES, SearchRequest, SearchTarget

PAGE = 10
MOST = MOST_PAGES * PAGE
"""The number of results that can be paged through."""

MOST_OTHERS = 20
"""Further posts of one thread that unfold below its best."""


@dataclass(frozen=True, slots=True)
class ResultEntry:
    """A thread on a page with its best post, or a formula, or a question.

    ``others`` are the further posts of the thread that were found, best first. ``answer_id`` is
    the best answer of a question that was searched for.
    """

    result: SearchResult
    others: tuple[Hit, ...] = ()
    answer_id: DocId | None = None
    context: MatchContext = NO_CONTEXT


@dataclass(frozen=True, slots=True)
class ResultPage:
    """A page. There are ``number`` results in all, or more if not ``is_all``.

    ``system`` is the one that ranked, and ``first`` are the best answers and documents of its
    ranking, whatever the number of the page. ``explanation`` and ``reasons`` are those of the
    result to be explained.
    """

    results: SearchResults
    entries: tuple[ResultEntry, ...]
    number: int
    is_all: bool
    seconds: float
    system: str
    first: Ranking
    explanation: Explanation | None = None
    reasons: tuple[Content, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """The hit that stands for a result, the other hits in its thread, and the hit explained."""

    hit: Hit
    others: tuple[Hit, ...] = ()
    best: Hit | None = None


def result_page(search_index: SearchIndex, search: SearchRequest) -> ResultPage:
    """Search with the best system of the index, and read the posts of one page.

    Answers are grouped by their threads. A question is ranked by its best answer and filtered by
    its answers, unless it has none.
    """
    system, ranker = catalog.typed_search(search.task, search_index)
    started = perf_counter()
    start, end = PAGE * (search.page - 1), PAGE * search.page
    # Systems rank a thousand answers in any case, but each further formula must be located.
    depth = end if search.target is SearchTarget.FORMULAS else MOST
    ranked = rank_topic(search_index, ranker, search.topic, depth + 1, search.post_filter)
    is_all = len(ranked.ranking) <= depth
    ranking = _without_thread(search_index, search, ranked.ranking[:depth])
    groups = _groups(search_index, search.target, ranking)
    shown = groups[start:end]
    results = read_results(search_index, ranked, tuple(group.hit for group in shown))
    entries = _entries(search_index, search.target, shown, results, start)
    explained = next((each for each in entries if each.result.rank == search.explain), None)
    explanation: Explanation | None = None
    why: tuple[Content, ...] = ()
    if explained is not None:
        doc_id = explained.answer_id or explained.result.doc_id
        (explanation,) = ranked.explain([doc_id])
        why = reasons(search_index, ranked, explained.result)
    return ResultPage(
        results=results,
        entries=entries,
        number=len(groups),
        is_all=is_all,
        seconds=perf_counter() - started,
        system=system,
        first=tuple(islice(_texts(search_index, ranking), PAGE)),
        explanation=explanation,
        reasons=why,
    )


def other_results(
    search_index: SearchIndex, search: SearchRequest, thread_id: str
) -> tuple[SearchResult, ...]:
    """The further posts of a thread that a search finds, best first, after the best one."""
    _, ranker = catalog.typed_search(search.task, search_index)
    ranked = rank_topic(search_index, ranker, search.topic, MOST, search.post_filter)
    for group in _groups(search_index, search.target, ranked.ranking):
        thread = search_index.collection.parent(group.hit.doc_id) or group.hit.doc_id
        if thread == thread_id:
            return read_results(search_index, ranked, group.others[:MOST_OTHERS]).results
    return ()


def _without_thread(search_index: SearchIndex, search: SearchRequest, ranking: Ranking) -> Ranking:
    """The ranking without the posts of the excluded thread."""
    thread = search.excluded_thread
    if not thread or search_index.collection.find_number(thread) is None:
        return ranking
    excluded = {thread, *(each.id for each in search_index.collection.answers(thread))}
    return tuple(hit for hit in ranking if (hit.post_id or hit.doc_id) not in excluded)


def _texts(search_index: SearchIndex, ranking: Ranking) -> Iterator[Hit]:
    """The answers and documents of a ranking; questions do not answer anything."""
    for hit in ranking:
        if not is_number(hit.doc_id) or search_index.collection.parent(hit.doc_id) is not None:
            yield hit


def _groups(search_index: SearchIndex, target: SearchTarget, ranking: Ranking) -> Sequence[_Group]:
    """The results of a ranking, in its order. Documents, whose ids are names, are no questions."""
    if target is SearchTarget.FORMULAS:
        return [_Group(hit) for hit in ranking]
    parents = search_index.collection.parents(hit.doc_id for hit in ranking)
    threads: dict[DocId, list[Hit]] = {}
    for hit in ranking:
        threads.setdefault(parents.get(hit.doc_id, hit.doc_id), []).append(hit)
    if target is SearchTarget.ANSWERS:
        return [_Group(best, tuple(others), best) for best, *others in threads.values()]
    return [
        _Group(Hit(thread, hits[0].score), best=hits[0])
        for thread, hits in threads.items()
        if thread != hits[0].doc_id or is_number(thread)
    ]


def _entries(
    search_index: SearchIndex,
    target: SearchTarget,
    groups: Sequence[_Group],
    results: SearchResults,
    start: int,
) -> tuple[ResultEntry, ...]:
    """The results of a page with what surrounds them; posts that are gone have none."""
    group_of = {group.hit.doc_id: group for group in groups}
    tuples_of = stored_tuples(search_index)
    entries: list[ResultEntry] = []
    for result in results.results:
        group = group_of[result.doc_id]
        is_found_by_answer = group.best is not None and group.best.doc_id != result.doc_id
        entries.append(
            ResultEntry(
                replace(result, rank=start + result.rank),
                group.others,
                group.best.doc_id if group.best is not None and is_found_by_answer else None,
                NO_CONTEXT
                if target is SearchTarget.FORMULAS
                else match_context(
                    search_index.collection, result, results.search.highlights, tuples_of
                ),
            )
        )
    return tuple(entries)
