"""Searching for people: ``search`` ranks, ``describe`` reads titles, passages and highlights.

Only the posts of the hits that are described are read.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from time import perf_counter

from porism import deadlines
from porism.analysis import FormulaTokens, query_layout, query_tokens
from porism.analysis.latex_tokens import long_words
from porism.collection.store import Collection, CollectionError
from porism.errors import PorismError, error_summary
from porism.formula.comparison import FormulaComparison, compare_formulas
from porism.formula.tree import Tree
from porism.model import (
    Content,
    DocId,
    Formula,
    Hit,
    Location,
    Post,
    PostKind,
    Ranking,
    Topic,
    plain_text,
    ranked,
)
from porism.query.parts import Interpretation
from porism.query.typed_topics import NOT_INTERPRETED, QueryProblem, TypedTopic
from porism.rank.explanations import NOT_FOUND, Explanation
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
from porism.rank.typed.typed_search import TypedSearch
from porism.searchindex.formula_table import stored_tokens
from porism.searchindex.index_folder import SearchIndex
from porism.text import CLASSIC

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SearchResult:
    """A post, or a formula in a post, with what a person wants to know of it.

    ``doc_id`` is the id in the ranking. ``title`` and ``tags`` of an answer are those of its
    question. ``formula`` is set if formulas were searched for, with its ``comparison`` with the
    query, ``explanation`` by ``explained``, and ``reasons``, what it has of the query, by
    ``with_reasons``. ``url`` is the post in its source, None if the collection does not know it;
    ``location`` is that of a document in its file.
    """

    rank: int
    score: float
    doc_id: DocId
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
    url: str | None = None
    explanation: Explanation | None = None
    comparison: FormulaComparison | None = None
    reasons: tuple[Content, ...] = ()
    location: Location | None = None

    @property
    def passage(self) -> str:
        """The snippet as plain text, formulas between dollars."""
        return "".join(fragment.text for fragment in self.snippet)


def _not_explained(doc_ids: Sequence[DocId]) -> Sequence[Explanation]:
    return [NOT_FOUND for _ in doc_ids]


@dataclass(frozen=True)
class RankedSearch:
    """The ranking for what a person typed, how it was understood, and the seconds it took.

    ``topic`` is what was searched for, ``tokens`` what the system searched with, and
    ``interpretation`` how the text was read. ``problems`` are what was not understood and why there
    can be no results. ``suggestion`` is the whole query with words corrected that are probably
    misspelled; if it ``is_corrected``, the results are those for the suggestion, because nothing
    has the words as typed. ``explain`` explains scores.
    """

    topic: Topic
    ranking: Ranking
    tokens: tuple[str, ...]
    problems: tuple[QueryProblem, ...]
    seconds: float
    suggestion: str | None = None
    is_corrected: bool = False
    expansions: frozenset[str] = frozenset()
    interpretation: Interpretation = NOT_INTERPRETED
    explain: Callable[[Sequence[DocId]], Sequence[Explanation]] = field(
        default=_not_explained, repr=False, compare=False
    )

    @property
    def words(self) -> tuple[str, ...]:
        """The words that the system searched with beside formulas, as stems."""
        return tuple(token for token in self.tokens if token[:1].isalnum())

    @cached_property
    def highlights(self) -> HighlightTerms:
        """What to highlight in texts."""
        return highlight_terms(self.topic, self.tokens, self.expansions)


@dataclass(frozen=True, slots=True)
class SearchResults:
    """A search and its results, described, and the seconds that reading them took."""

    search: RankedSearch
    problems: tuple[QueryProblem, ...]
    results: tuple[SearchResult, ...]
    read_seconds: float


def search(
    search_index: SearchIndex,
    ranker: Ranker,
    typed: TypedTopic,
    k: int,
    post_filter: PostFilter = NO_FILTER,
) -> RankedSearch:
    """Rank what a person typed, with the filters that were typed or chosen.

    A text that is the id or address of a post finds that post. ``TypedSearch`` uses phrases,
    excluded words and corrections; another system ranks the topic.
    """
    start = perf_counter()
    problems = list(typed.problems)
    try:
        post_filter = post_filter.narrowed(typed.filters)
    except PorismError as error:
        problems.append(QueryProblem(str(error)))
    post = typed.post_id
    if post is not None and search_index.collection.find_number(post) is not None:
        ranking = ranked([Hit(post, 1.0)])
        seconds = perf_counter() - start
        found = RankedSearch(typed.topic, ranking, (), tuple(problems), seconds)
        return replace(found, interpretation=typed.interpretation)
    within = post_filter.index_filter()
    searched: RankedSearch
    if isinstance(ranker, TypedSearch):
        query = ranker.read(typed)
        tokens: tuple[str, ...] | None = ranker.tokens_of(query)
        searched = RankedSearch(
            query.topic,
            ranker.ranking(query, k, within),
            tokens or (),
            (),
            perf_counter() - start,
            query.suggestion,
            query.is_corrected,
            query.other_stems,
            explain=lambda doc_ids: ranker.explanations(query, doc_ids, within),
        )
    else:
        tokens = ranker.tokens(typed.topic)
        searched = RankedSearch(
            typed.topic,
            ranker.rank(typed.topic, k, within),
            tokens or (),
            (),
            perf_counter() - start,
            explain=lambda doc_ids: ranker.explain(typed.topic, doc_ids, within),
        )
    problems += map(QueryProblem, _search_problems(search_index, tokens, post_filter))
    return replace(searched, problems=tuple(problems), interpretation=typed.interpretation)


def read_results(
    search_index: SearchIndex, searched: RankedSearch, ranking: Ranking | None = None
) -> SearchResults:
    """Describe the hits of a search, or those of ``ranking``, such as one page of them."""
    start = perf_counter()
    hits = searched.ranking if ranking is None else ranking
    results = describe(search_index, hits, searched.highlights)
    if any(result.formula is not None for result in results):
        results = _compared(search_index.collection, searched.topic, results)
    problems = searched.problems
    if missing := len(hits) - len(results):
        message = (
            f"{missing:,} of the posts found are no longer in the collection; bring the index up "
            "to date with porism update"
        )
        problems = (*problems, QueryProblem(message))
    return SearchResults(searched, problems, results, perf_counter() - start)


MAX_COMPARED = 100
"""Formulas found that are compared with the query, at up to 5 ms each."""


def _compared(
    collection: Collection, topic: Topic, results: Sequence[SearchResult]
) -> tuple[SearchResult, ...]:
    """Return formulas with what they share with the query formula that they match best."""
    layouts = [query_layout(each.latex, each.macros).tree for each in highlighted_formulas(topic)]
    layouts = [layout for layout in layouts if layout.row]
    compared: list[SearchResult] = []
    for result in results:
        deadlines.check()
        tree = _layout(collection, result.formula) if result.rank <= MAX_COMPARED else None
        if tree is not None and layouts:
            comparisons = [compare_formulas(layout, tree) for layout in layouts]
            best = max(comparisons, key=lambda each: each.matched_symbols)
            result = replace(result, comparison=best)
        compared.append(result)
    return tuple(compared)


def _layout(collection: Collection, formula: Formula | None) -> Tree | None:
    """Return the layout of a formula that was found; None if there is none."""
    if formula is None:
        return None
    try:
        stored = collection.instance(formula.id).formula
    except PorismError:  # it has been deleted since the post was read
        return None
    return None if stored.is_refused else stored.layout()


def search_results(
    search_index: SearchIndex,
    ranker: Ranker,
    typed: TypedTopic,
    k: int,
    post_filter: PostFilter = NO_FILTER,
) -> SearchResults:
    """Rank what a person typed, and describe all results."""
    return read_results(search_index, search(search_index, ranker, typed, k, post_filter))


def describe(
    search_index: SearchIndex, ranking: Ranking, highlights: HighlightTerms
) -> tuple[SearchResult, ...]:
    """Return the hits as results, each with the passage that has most of the highlights.

    Posts that are no longer in the collection, whose index is older, are left out.
    """
    tuples_of = stored_tuples(search_index)
    posts = _Posts(search_index.collection)
    results = (
        _result(posts, rank, hit, highlights, tuples_of)
        for rank, hit in enumerate(ranking, start=1)
    )
    return tuple(result for result in results if result is not None)


def explained(searched: RankedSearch, results: Sequence[SearchResult]) -> tuple[SearchResult, ...]:
    """Return results of a search with explanations of their scores."""
    doc_ids = [result.doc_id for result in results]
    explanations = searched.explain(doc_ids) if doc_ids else ()
    return tuple(
        replace(result, explanation=each)
        for result, each in zip(results, explanations, strict=True)
    )


MAX_HIGHLIGHTED = 20
"""Formulas of a topic that are highlighted in texts."""


def highlighted_formulas(topic: Topic) -> tuple[Formula, ...]:
    """Return the formulas of a topic to highlight: the first ``MAX_HIGHLIGHTED`` distinct ones."""
    content = (*((topic.focus,) if topic.focus else ()), *topic.title, *topic.body)
    by_latex = {(each.latex, each.macros): each for each in content if isinstance(each, Formula)}
    return tuple(by_latex.values())[:MAX_HIGHLIGHTED]


def highlight_terms(
    topic: Topic, tokens: Iterable[str], expansions: Iterable[str] = ()
) -> HighlightTerms:
    """Return what to highlight in a text: the formulas of a topic, and its words but stop words.

    ``tokens`` are what the system searched with: a word that is not among them is not highlighted.
    ``expansions`` are stems of other spellings of the words, which are highlighted, too.
    """
    content = (*topic.title, *topic.body, *topic.tags)
    formulas = highlighted_formulas(topic)
    words = set(CLASSIC("\n".join(piece for piece in content if isinstance(piece, str))))
    for formula in formulas:
        words.update(long_words(formula.latex))
    tuples = (query_tokens(FormulaTokens.L8, each.latex, each.macros).tokens for each in formulas)
    stems = words.intersection(tokens).union(expansions)
    return HighlightTerms(frozenset(stems), tuple(map(Counter, tuples)))


def searched_terms(ranker: Ranker, typed: TypedTopic) -> tuple[Topic, HighlightTerms]:
    """Return what a typed query is searched for, and what to highlight of it."""
    if isinstance(ranker, TypedSearch):
        query = ranker.read(typed)
        tokens = ranker.tokens_of(query)
        return query.topic, highlight_terms(query.topic, tokens, query.other_stems)
    return typed.topic, highlight_terms(typed.topic, ranker.tokens(typed.topic) or ())


def _search_problems(
    search_index: SearchIndex, tokens: Sequence[str] | None, post_filter: PostFilter
) -> Iterator[str]:
    """Yield the reasons why there can be no results."""
    if tokens is not None and not tokens:
        yield (
            "no searchable terms: the query has only stop words, or words that this collection "
            "does not index; use other words, or a formula"
        )
    yield from filter_problems(search_index, post_filter)


CACHED_TUPLES = 20_000
"""Formulas of posts whose tuples stay in memory, because results have many in common."""

_known_tuples: dict[int, Counter[str]] = {}
"""By the number of a formula, which is the same for the same LaTeX in every collection."""


def stored_tuples(search_index: SearchIndex) -> TupleCounter:
    """Return what counts the tuples of formulas of a collection, as snippets need them."""

    def tuples_of(formula: Formula) -> Counter[str]:
        number = formula.number
        if number is None:
            return Counter()
        tuples = _known_tuples.get(number)
        if tuples is None:
            tuples = Counter(stored_tokens(search_index.collection, number, FormulaTokens.L8) or ())
            if len(_known_tuples) >= CACHED_TUPLES:
                _known_tuples.clear()
            _known_tuples[number] = tuples
        return tuples

    return tuples_of


class _Posts:
    """Posts of a collection, each read once: all formulas found may be in one large post."""

    def __init__(self, collection: Collection) -> None:
        self.post = cache(collection.post)
        self.heading = cache(collection.heading)
        self.url = collection.url


def _result(
    posts: _Posts, rank: int, hit: Hit, highlights: HighlightTerms, tuples_of: TupleCounter
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
        doc_id=hit.doc_id,
        post_id=post.id,
        thread_id=head.id,
        kind=post.kind,
        title=head.title or (head.id,),
        votes=post.score,
        tags=head.tags,
        created=post.created,
        snippet=_snippet(post, highlights, tuples_of, formula_id),
        is_accepted=head.accepted_id == post.id,
        formula=_formula(post, formula_id),
        url=posts.url(post),
        location=post.location,
    )


def _snippet(
    post: Post, highlights: HighlightTerms, tuples_of: TupleCounter, formula_id: str | None
) -> Snippet:
    text = _passage_text(post, formula_id)
    try:
        return snippet(text, highlights, tuples_of, formula_id)
    except (PorismError, CollectionError):  # not the fault of this post
        raise
    except Exception as error:  # one post must not hide the others
        log.warning("post %s: no highlights in its snippet (%s)", post.id, error_summary(error))
        return (SnippetFragment(plain_text(text)[:LENGTH]),)


def _passage_text(post: Post, formula_id: str | None) -> Content:
    """Return the text to take a passage from: the body, or the title if it has the formula."""
    in_title = any(isinstance(each, Formula) and each.id == formula_id for each in post.title)
    return post.title if in_title else post.body


def _formula(post: Post, formula_id: str | None) -> Formula | None:
    formulas = (each for each in (*post.title, *post.body) if isinstance(each, Formula))
    return next((each for each in formulas if each.id == formula_id), None)
