"""``approach0-manual``: Approach0's short answers of 2022, from queries written by hand.

A person writes a query of a few words and formulas for each topic. Structure search finds answers
with it, late interaction with the whole topic orders the first hundred, and of the best answer the
text is taken if it is short enough; else the sentences of the first answers that are most similar
to the topic. The papers do not say more, so these steps are our reading of S3 and of the team's
programs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import numpy as np

from porism.answer.answerer import AnswererFactory, AnswerTools
from porism.answer.extracts.extract import NOTHING_FOUND
from porism.answer.extracts.sentences import joined_text, prefix_within, sentences
from porism.answer.short_answer import (
    SILENT,
    AnswerKind,
    AnswerListener,
    ShortAnswer,
    Timings,
)
from porism.answer.sources import SourcePost, read_posts
from porism.errors import FormatError, PorismError
from porism.formats.tab_separated import column_index, read_tabbed
from porism.inverted import Filter
from porism.model import Topic, TopicId
from porism.query.typed_topics import typed_answer_topic
from porism.rank.neural.approach0_neural import APPROACH0_COLBERT_RERANK, token_scorer
from porism.rank.neural.cross_systems import DEPTH
from porism.rank.ranker import Maker, Ranker
from porism.rank.rerank import Scorer
from porism.rank.structure.approach0 import APPROACH0
from porism.rank.vector_ranking import required_vectors
from porism.searchindex.components.vector_index import DocumentVectors, question_text
from porism.searchindex.index_folder import SearchIndex
from porism.searchindex.text_encoders import shared_encoder

NAME = "approach0-manual"

LIMIT = 1195
"""The most characters of the team's answers."""

FIRST = 3
"""Answers from which sentences are taken."""

MAX_SENTENCES = 60
"""Sentences of an answer that are compared with the topic."""


@dataclass(frozen=True, slots=True)
class ManualQueries:
    """Answers that are found by queries written by hand, by topic.

    Without any, a topic is its own query, as when a person types it.
    """

    search_index: SearchIndex = field(repr=False)
    ranker: Ranker
    scorer: Scorer
    vectors: DocumentVectors = field(repr=False)
    queries: Mapping[TopicId, Topic] = field(repr=False)
    limit: int = LIMIT

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        query = self.queries.get(topic.id) if self.queries else topic
        if query is None:
            return self._none(f"there is no query for topic {topic.id}")
        start = perf_counter()
        found = self.ranker.rank(query, DEPTH, within)
        scores = self.scorer.scores(topic, found)
        order = np.argsort(-scores, kind="stable")[:FIRST]
        ranked = perf_counter()
        posts = read_posts(
            self.search_index.collection, tuple(found[place] for place in order.tolist())
        )
        if not posts:
            return self._none(NOTHING_FOUND)
        text, used = self._text(topic, posts)
        times = Timings(1000 * (ranked - start), 1000 * (perf_counter() - ranked))
        sources = tuple(each.source(n, text, each.hit.score) for n, each in enumerate(used, 1))
        return ShortAnswer(
            text,
            AnswerKind.EXTRACT,
            NAME,
            sources,
            self.vectors.model,
            float(scores[order[0]]),
            "" if text else "the answers begin with formulas that are too long",
            timings=times,
        )

    def _text(
        self, topic: Topic, posts: Sequence[SourcePost]
    ) -> tuple[str, tuple[SourcePost, ...]]:
        """Return the text, and the posts that it is of."""
        first = sentences(posts[0].post.body)
        whole = joined_text(first)
        if len(whole) <= self.limit:
            return whole, (posts[0],)
        every = [
            (post, sentence)
            for post in posts
            for sentence in sentences(post.post.body)[:MAX_SENTENCES]
        ]
        encoder = shared_encoder(self.vectors.model)
        rows = encoder.encode([sentence.text for _, sentence in every])
        (query,) = encoder.encode([question_text(topic.title, topic.body, self.vectors.role)])
        chosen: set[int] = set()
        for place in np.argsort(-(rows @ query), kind="stable").tolist():
            text = joined_text([every[each][1] for each in sorted({*chosen, place})])
            if len(text) > self.limit:
                break
            chosen.add(place)
        if not chosen:
            return prefix_within(first, self.limit), (posts[0],)
        kept = [every[place] for place in sorted(chosen)]
        used = {post.post.id: post for post, _ in kept}
        return joined_text([sentence for _, sentence in kept]), tuple(used.values())

    def _none(self, reason: str) -> ShortAnswer:
        return ShortAnswer("", AnswerKind.EXTRACT, NAME, reason=reason)


def read_queries(path: Path) -> dict[TopicId, Topic]:
    """Return the queries of a file by topic: a TSV with columns ``topic`` and ``query``.

    Formulas of a query are between dollars.
    """
    rows = read_tabbed(path)
    header = next(rows).cells
    places = [column_index(header, (name,), path) for name in ("topic", "query")]
    queries: dict[TopicId, Topic] = {}
    for cells, line in rows:
        topic_id, query = (cells[place].strip() for place in places)
        if topic_id in queries or not query:
            what = "an empty query" if not query else "a second query"
            why = f"found {what} for topic {topic_id}: expected one query for each topic"
            raise FormatError(str(path), line, why)
        queries[TopicId(topic_id)] = typed_answer_topic(query).topic
    if not queries:
        raise PorismError(f"{path}: has no queries; each line has a topic, a tab and a query")
    return queries


def approach0_manual(search_index: SearchIndex) -> AnswererFactory:
    """Structure search by hand-written queries, re-ranked by late interaction."""

    def factory(tools: AnswerTools) -> ManualQueries:
        return ManualQueries(
            search_index,
            APPROACH0.make(search_index),
            token_scorer(search_index),
            required_vectors(search_index),
            tools.queries,
        )

    return factory


APPROACH0_MANUAL = Maker(
    approach0_manual, APPROACH0_COLBERT_RERANK.needs, models=APPROACH0_COLBERT_RERANK.models
)
