"""``first-answer``: the first answer of a ranking, cut where a sentence ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter

from porism.answer.answerer import AnswererFactory
from porism.answer.extracts.extract import NOTHING_FOUND
from porism.answer.extracts.sentences import Sentence, prefix_within, sentences
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


TOO_LONG = "the first answer begins with a formula that is too long"


def text_of_first(
    search_index: SearchIndex,
    ranker: Ranker,
    topic: Topic,
    within: Filter | None,
    text_of: Callable[[Sequence[Sentence]], str],
) -> ShortAnswer:
    """Return an extract that ``text_of`` makes of the sentences of the first answer of a ranking.

    Whoever calls it adds the name of the system.
    """
    start = perf_counter()
    ranking = ranker.rank(topic, 1, within)
    ranked = perf_counter()
    for each in read_posts(search_index.collection, ranking):
        text = text_of(sentences(each.post.body))
        return ShortAnswer(
            text,
            AnswerKind.EXTRACT,
            "",
            (each.source(1, text, each.hit.score),),
            score=each.hit.score,
            reason="" if text else TOO_LONG,
            timings=Timings(1000 * (ranked - start), 1000 * (perf_counter() - ranked)),
        )
    return ShortAnswer("", AnswerKind.EXTRACT, "", reason=NOTHING_FOUND)


@dataclass(frozen=True, slots=True)
class FirstAnswer:
    """The beginning of the first answer of a ranking."""

    search_index: SearchIndex = field(repr=False)
    ranker: Ranker
    limit: int = MAX_ANSWER_LENGTH

    def answer(
        self, topic: Topic, within: Filter | None = None, listener: AnswerListener = SILENT
    ) -> ShortAnswer:
        cut = partial(prefix_within, limit=self.limit)
        answer = text_of_first(self.search_index, self.ranker, topic, within, cut)
        return replace(answer, system=NAME)


def first_answer(search_index: SearchIndex) -> AnswererFactory:
    """The first answer of ``porism``."""
    return lambda tools: FirstAnswer(search_index, porism_answers.porism(search_index))


FIRST_ANSWER = Maker(first_answer, porism_answers.ANSWERS.needs, uses_vectors=True)
