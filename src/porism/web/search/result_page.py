"""One page of the results of a search; only the posts on it are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter

from porism import catalog
from porism.model import DocId, Hit, Ranking, Task
from porism.rank.explanations import Explanation
from porism.rank.results import SearchResult, SearchResults, read_results, search
from porism.rank.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.searchindex.index_folder import SearchIndex
from porism.web.search.search_request import MOST_PAGES, SearchRequest, SearchTarget

PAGE = 10
MOST = MOST_PAGES * PAGE
"""How many results a person can look at; whoever has not found it by then asks otherwise."""


@dataclass(frozen=True, slots=True)
class ResultEntry:
    """A result on a page; ``answer_id`` is the answer for which a question was found."""

    result: SearchResult
    answer_id: DocId | None = None


@dataclass(frozen=True, slots=True)
class ResultPage:
    """What a page shows. There are ``number`` results, and more if these are not ``is_all``."""

    found: SearchResults
    entries: tuple[ResultEntry, ...]
    number: int
    is_all: bool
    seconds: float
    explanation: Explanation | None = None


def typed_topic(asked: SearchRequest) -> TypedTopic:
    """The topic that was typed, which must not be empty."""
    is_formulas = asked.what is SearchTarget.FORMULAS
    return typed_formula_topic(asked.text) if is_formulas else typed_answer_topic(asked.text)


def result_page(library: SearchIndex, asked: SearchRequest) -> ResultPage:
    """Do the search, by the best system that the index has, and read the posts of one page.

    Questions are found by their answers, which is what an index has: each stands where the best of
    its answers stands, and one without answers is not found. So filters are for answers here too.
    """
    task = Task.FORMULAS if asked.what is SearchTarget.FORMULAS else Task.ANSWERS
    _, ranker = catalog.default_ranker(task, library)
    topic = typed_topic(asked)
    begun = perf_counter()
    start, end = PAGE * (asked.page - 1), PAGE * asked.page
    # Systems look at a thousand answers in any case; of formulas each more has to be located.
    depth = end if asked.what is SearchTarget.FORMULAS else MOST
    searched = search(library, ranker, topic, depth + 1, asked.post_filter)
    is_all = len(searched.ranking) <= depth
    ranking = _besides(library, asked, searched.ranking[:depth])
    answer_of: dict[DocId, DocId] = {}
    if asked.what is SearchTarget.QUESTIONS:
        answer_of, questions = _questions(library, ranking, end + 1)
        is_all = is_all and len(questions) <= end
        ranking = questions[:end]
    found = read_results(library, searched, ranking[start:end])
    entries = tuple(
        ResultEntry(replace(result, rank=start + result.rank), answer_of.get(result.post_id))
        for result in found.results
    )
    explained = next((each for each in entries if each.result.rank == asked.explain), None)
    explanation = None
    if explained is not None:
        doc_id = explained.answer_id or explained.result.doc_id
        within = asked.post_filter.index_filter()
        (explanation,) = ranker.explain(topic.topic, [doc_id], within)
    return ResultPage(
        found=found,
        entries=entries,
        number=len(ranking),
        is_all=is_all,
        seconds=perf_counter() - begun,
        explanation=explanation,
    )


def _besides(library: SearchIndex, asked: SearchRequest, ranking: Ranking) -> Ranking:
    """The ranking without the answers of the question that is asked with."""
    if not asked.besides or library.collection.find_number(asked.besides) is None:
        return ranking
    own = {asked.besides, *(each.id for each in library.collection.answers(asked.besides))}
    return tuple(hit for hit in ranking if (hit.post_id or hit.doc_id) not in own)


def _questions(
    library: SearchIndex, ranking: Ranking, most: int
) -> tuple[dict[DocId, DocId], tuple[Hit, ...]]:
    """Of each question its best answer, and the questions as hits: the first ``most`` of them."""
    answer_of: dict[DocId, DocId] = {}
    hits: list[Hit] = []
    for question, hit in _with_questions(library, ranking):
        if len(hits) == most:
            break
        if question not in answer_of:
            answer_of[question] = hit.doc_id
            hits.append(Hit(question, hit.score))
    return answer_of, tuple(hits)


def _with_questions(library: SearchIndex, ranking: Ranking) -> Iterator[tuple[DocId, Hit]]:
    """Answers with what they answer, looked up one by one; notes answer nothing."""
    for hit in ranking:
        question = library.collection.parent(hit.doc_id)
        if question is not None:
            yield question, hit
