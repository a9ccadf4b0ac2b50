"""Both automatic measures of Task 3 over a run: LO and CS by topic."""

from __future__ import annotations

from porism.evaluate.short_answers.answer_text import within_limit
from porism.evaluate.short_answers.lexical_overlap import LexicalOverlap, lexical_overlap
from porism.evaluate.short_answers.references import References, usable_references
from porism.evaluate.short_answers.similarity import ContextualSimilarity, contextual_similarity
from porism.model import AnswerRun, TopicId


def automatic_scores(
    run: AnswerRun,
    references: References,
    team: str | None,
    overlap: LexicalOverlap,
    similarity: ContextualSimilarity | None = None,
) -> dict[str, dict[TopicId, float]]:
    """LO, and CS where a model is given, of the topics that were answered and have references.

    What only ``team`` contributed is no reference; None is a system of no team of the lab, which
    may be compared with all. Answers are cut at 1,200 characters. Topics without references have
    no score: the mean is over the others, of which the lab had 66 of 78 before leaving out, and 35
    after it, until the answers of Task 1 were added (S3 section 6.4.2).
    """
    scores: dict[str, dict[TopicId, float]] = {"LO": {}}
    if similarity is not None:
        scores["CS"] = {}
    for topic_id, answer in run.answers.items():
        text = within_limit(answer.text)
        known = usable_references(references.get(topic_id, ()), team)
        shared = lexical_overlap(text, known, overlap)
        if shared is not None:
            scores["LO"][topic_id] = shared
        alike = contextual_similarity(text, known, similarity) if similarity is not None else None
        if alike is not None:
            scores["CS"][topic_id] = alike
    return scores
