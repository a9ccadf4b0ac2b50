"""Results for a person: what was found, with its title, its votes, and the passage that matched.

A ranking says which documents are best; here their posts are read, and no others.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from time import perf_counter

from porism import deadlines
from porism.analysis import FormulaTokens, query_tokens
from porism.analysis.latex_tokens import long_words
from porism.collection.store import Collection, CollectionError
from porism.errors import PorismError, error_summary
from porism.index import TermScore
from porism.model import Content, DocId, Formula, Hit, Post, PostKind, Ranking, Topic, plain_text
from porism.rank.explanations import explanations, index_rankers, search_tokens
from porism.rank.filters import NO_FILTER, PostFilter, filter_problems
from porism.rank.ranker import Ranker
from porism.rank.snippets import (
    LENGTH,
    HighlightTerms,
    Snippet,
    SnippetFragment,
    TupleCounter,
    snippet,
)
from porism.rank.typed_topics import QueryProblem, TypedTopic
from porism.searchindex.formula_table import stored_tokens
from porism.searchindex.index_folder import SearchIndex
from porism.text import CLASSIC

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A post found, or a formula in a post, with what a person wants to know of it.

    ``title`` and ``tags`` of an answer are those of its question. ``formula`` is the formula
    found, if formulas were looked for.
    """

    rank: int
    score: float
    post_id: DocId
    thread_id: DocId
    kind: PostKind
    title: Content
    votes: int | None
    tags: tuple[str, ...]
    created: str | None
    snippet: Snippet
    is_accepted: bool = False
    formula: Formula | None = None


@dataclass(frozen=True, slots=True)
class SearchResults:
    """What a search understood and found, and the seconds that ranking and reading took.

    ``words`` are what the system searched with beside formulas, as stems. ``problems`` tells what
    was not understood, and what can have no results.
    """

    topic: Topic
    words: tuple[str, ...]
    problems: tuple[QueryProblem, ...]
    results: tuple[SearchResult, ...]
    rank_seconds: float
    read_seconds: float


def search_results(
    library: SearchIndex,
    ranker: Ranker,
    typed: TypedTopic,
    k: int,
    narrowing: PostFilter = NO_FILTER,
) -> SearchResults:
    """Search for what a person typed."""
    topic = typed.topic
    tokens = search_tokens(ranker, topic)
    begun = perf_counter()
    ranking = ranker.rank(topic, k, narrowing.index_filter())
    ranked = perf_counter()
    found = described_hits(library, ranking, highlight_terms(topic, tokens))
    read = perf_counter()
    problems = [*_in_vain(library, ranker, tokens, narrowing)]
    if len(found) < len(ranking):
        gone = len(ranking) - len(found)
        problems.append(
            f"{gone:,} of the posts found are no longer in the collection; bring the index up to "
            "date with porism update"
        )
    return SearchResults(
        topic=topic,
        words=tuple(token for token in tokens if token[:1].isalnum()),
        problems=(*typed.problems, *map(QueryProblem, problems)),
        results=found,
        rank_seconds=ranked - begun,
        read_seconds=read - ranked,
    )


def described_hits(
    library: SearchIndex, ranking: Ranking, wanted: HighlightTerms
) -> tuple[SearchResult, ...]:
    """The hits of a ranking as results, each with the passage that has most of what is wanted.

    Posts that are no longer in the collection, whose index is older, are left out.
    """
    tuples_of = _stored_tuples(library)
    posts = _Posts(library.collection)
    described = (
        _result(posts, rank, hit, wanted, tuples_of) for rank, hit in enumerate(ranking, start=1)
    )
    return tuple(result for result in described if result is not None)


MAX_HIGHLIGHTED = 20
"""Of so many formulas it is looked in every text whether they are there."""


def highlighted_formulas(topic: Topic) -> tuple[Formula, ...]:
    """The formulas of a topic that are marked in texts: the first so many distinct ones."""
    said = (*((topic.focus,) if topic.focus else ()), *topic.title, *topic.body)
    by_latex = {(each.latex, each.macros): each for each in said if isinstance(each, Formula)}
    return tuple(by_latex.values())[:MAX_HIGHLIGHTED]


def highlight_terms(topic: Topic, tokens: Iterable[str]) -> HighlightTerms:
    """What to mark in a text: the formulas of a topic, and the words that say something.

    ``tokens`` are what the system asked for: a word that it did not ask for is not marked.
    """
    said = (*topic.title, *topic.body, *topic.tags)
    formulas = highlighted_formulas(topic)
    telling = set(CLASSIC("\n".join(piece for piece in said if isinstance(piece, str))))
    for formula in formulas:
        telling.update(long_words(formula.latex))
    tuples = (query_tokens(FormulaTokens.L8, each.latex, each.macros).tokens for each in formulas)
    return HighlightTerms(frozenset(telling.intersection(tokens)), tuple(map(Counter, tuples)))


def score_explanations(
    library: SearchIndex, ranker: Ranker, topic: Topic, found: Sequence[SearchResult]
) -> tuple[tuple[TermScore, ...], ...]:
    """What each term gave to the score of each result, the largest part first.

    All results are formulas, or none is.
    """
    looks = [each.formula.visual_id for each in found if each.formula is not None]
    if looks:
        return tuple(explanations(ranker, topic, library.formulas, looks))
    posts = [each.post_id for each in found]
    return tuple(explanations(ranker, topic, library.answers, posts))


def _in_vain(
    library: SearchIndex, ranker: Ranker, tokens: Sequence[str], narrowing: PostFilter
) -> Iterator[str]:
    """Why there can be no results, if so."""
    if not tokens and any(index_rankers(ranker)):
        yield (
            "nothing is left to search for: these are words that say too little, or that this "
            "collection does not file its posts by; say it in other words, or as a formula"
        )
    yield from filter_problems(library, narrowing)


CACHED_TUPLES = 20_000
"""Of so many formulas of posts the tuples stay in memory, because results have many in common."""

_known_tuples: dict[int, Counter[str]] = {}
"""By the number of a formula, which is the same for the same LaTeX in every collection."""


def _stored_tuples(library: SearchIndex) -> TupleCounter:
    def tuples_of(formula: Formula) -> Counter[str]:
        number = formula.number
        if number is None:
            return Counter()
        tuples = _known_tuples.get(number)
        if tuples is None:
            tuples = Counter(stored_tokens(library.collection, number, FormulaTokens.L8) or ())
            if len(_known_tuples) >= CACHED_TUPLES:
                _known_tuples.clear()
            _known_tuples[number] = tuples
        return tuples

    return tuples_of


class _Posts:
    """Posts of a collection, each read once: all formulas found may be in one, and that large."""

    def __init__(self, collection: Collection) -> None:
        self.post = cache(collection.post)
        self.heading = cache(collection.heading)


def _result(
    posts: _Posts, rank: int, hit: Hit, wanted: HighlightTerms, tuples_of: TupleCounter
) -> SearchResult | None:
    deadlines.check()
    try:
        post = posts.post(hit.post_id or hit.doc_id)
    except PorismError:  # it has been deleted since
        return None
    head = post if post.parent_id is None else posts.heading(post.parent_id)
    formula_id = hit.doc_id if hit.post_id is not None else None
    return SearchResult(
        rank=rank,
        score=hit.score,
        post_id=post.id,
        thread_id=head.id,
        kind=post.kind,
        title=head.title or (head.id,),
        votes=post.score,
        tags=head.tags,
        created=post.created,
        snippet=_snippet(post, wanted, tuples_of, formula_id),
        is_accepted=head.accepted_id == post.id,
        formula=_formula(post, formula_id),
    )


def _snippet(
    post: Post, wanted: HighlightTerms, tuples_of: TupleCounter, formula_id: str | None
) -> Snippet:
    said = _told(post, formula_id)
    try:
        return snippet(said, wanted, tuples_of, formula_id)
    except (PorismError, CollectionError):  # not the fault of this post
        raise
    except Exception as error:  # one post must not keep the others from being shown
        log.warning("post %s: nothing is marked in its snippet (%s)", post.id, error_summary(error))
        return (SnippetFragment(plain_text(said)[:LENGTH]),)


def _told(post: Post, formula_id: str | None) -> Content:
    """The text a passage is taken of: the body, or the title where the formula found is there."""
    in_title = any(isinstance(each, Formula) and each.id == formula_id for each in post.title)
    return post.title if in_title else post.body


def _formula(post: Post, formula_id: str | None) -> Formula | None:
    formulas = (each for each in (*post.title, *post.body) if isinstance(each, Formula))
    return next((each for each in formulas if each.id == formula_id), None)
