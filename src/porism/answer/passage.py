"""The simplest answerer: the passage of the best answer that matches the question best."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.answer.answerer import Answerer
from porism.model import ShortAnswer, Topic
from porism.rank.ranker import Maker, Ranker
from porism.rank.results import describe, highlight_terms
from porism.rank.systems import porism_answers
from porism.searchindex.index_folder import SearchIndex


@dataclass(frozen=True, slots=True)
class BestPassage:
    """The passage of the first answer of a ranking; its source is that answer."""

    search_index: SearchIndex = field(repr=False)
    ranker: Ranker

    def answer(self, topic: Topic) -> ShortAnswer | None:
        highlights = highlight_terms(topic, self.ranker.tokens(topic) or ())
        results = describe(self.search_index, self.ranker.rank(topic, 1), highlights)
        if not results:
            return None
        text = "".join(piece.text for piece in results[0].snippet)
        return ShortAnswer(text, results[0].score, sources=results[0].post_id)


def best_passage(search_index: SearchIndex) -> Answerer:
    """The passage of the best answer of ``porism``."""
    return BestPassage(search_index, porism_answers.porism(search_index))


BEST_PASSAGE = Maker(best_passage, porism_answers.ANSWERS.needs, uses_vectors=True)
