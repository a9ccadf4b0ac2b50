"""The simplest answerer: the snippet of the best answer, as a list of results shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.answer.answerer import AnswererFactory
from porism.answer.short_answer import SILENT, AnswerKind, AnswerListener, ShortAnswer
from porism.answer.sources import read_posts
from porism.inverted import Filter
from porism.model import Topic
from porism.rank.ranker import Maker, Ranker
from porism.rank.results import describe, highlight_terms
from porism.rank.systems import porism_answers
from porism.searchindex.index_folder import SearchIndex

NAME = "passage"


@dataclass(frozen=True, slots=True)
class BestSnippet:
    """The snippet of the first answer of a ranking."""

    search_index: SearchIndex = field(repr=False)
    ranker: Ranker

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        ranking = self.ranker.rank(topic, 1, within)
        highlights = highlight_terms(topic, self.ranker.tokens(topic) or ())
        results = describe(self.search_index, ranking, highlights)
        text = results[0].passage if results else ""
        posts = read_posts(self.search_index.collection, ranking)
        sources = tuple(each.source(1, text, each.hit.score) for each in posts)
        reason = "" if text else "nothing was found"
        score = results[0].score if results else 0.0
        return ShortAnswer(text, AnswerKind.EXTRACT, NAME, sources, score=score, reason=reason)


def best_snippet(search_index: SearchIndex) -> AnswererFactory:
    """The snippet of the best answer of ``porism``."""
    return lambda tools: BestSnippet(search_index, porism_answers.porism(search_index))


BEST_SNIPPET = Maker(best_snippet, porism_answers.ANSWERS.needs, uses_vectors=True)
