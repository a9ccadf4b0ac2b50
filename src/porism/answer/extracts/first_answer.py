"""``first-answer``: the first answer of a ranking, cut where a sentence ends."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter

from porism.answer.answerer import AnswererFactory
from porism.answer.extracts.extract import NOTHING_FOUND
from porism.answer.extracts.sentences import prefix_within, sentences
from porism.answer.short_answer import (
    MAX_ANSWER_LENGTH,
    SILENT,
    AnswerKind,
    AnswerListener,
    ShortAnswer,
    Timings,
)
from porism.answer.sources import read_posts
from porism.inverted import Filter
from porism.model import Topic
from porism.rank.ranker import Maker, Ranker
from porism.rank.systems import porism_answers
from porism.searchindex.index_folder import SearchIndex

NAME = "first-answer"


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The beginning of the first answer of a ranking."""

    search_index: SearchIndex = field(repr=False)
    ranker: Ranker
    limit: int = MAX_ANSWER_LENGTH

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        start = perf_counter()
        ranking = self.ranker.rank(topic, 1, within)
        ranked = perf_counter()
        posts = read_posts(self.search_index.collection, ranking)
        for each in posts:
            text = prefix_within(sentences(each.post.body), self.limit)
            source = each.source(1, text, each.hit.score)
            times = Timings(1000 * (ranked - start), 1000 * (perf_counter() - ranked))
            reason = "" if text else "the first answer begins with a formula that is too long"
            return ShortAnswer(
                text,
                AnswerKind.EXTRACT,
                NAME,
                (source,),
                score=each.hit.score,
                reason=reason,
                timings=times,
            )
        return ShortAnswer("", AnswerKind.EXTRACT, NAME, reason=NOTHING_FOUND)


def first_answer(search_index: SearchIndex) -> AnswererFactory:
    """The first answer of ``porism``."""
    return lambda tools: FirstAnswer(search_index, porism_answers.porism(search_index))


FIRST_ANSWER = Maker(first_answer, porism_answers.ANSWERS.needs, uses_vectors=True)
