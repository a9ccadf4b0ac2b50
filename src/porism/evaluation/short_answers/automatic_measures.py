"""The automatic measures of Task 3, LO and CS, by topic."""

from __future__ import annotations

from porism.evaluation.short_answers.lexical_overlap import LexicalOverlap, lexical_overlap
from porism.evaluation.short_answers.references import References, usable_references
from porism.evaluation.short_answers.similarity import ContextualSimilarity, contextual_similarity
from porism.formats.answer_text import within_limit
from porism.model import AnswerRun, TopicId


def automatic_scores(
    run: AnswerRun,
    references: References,
    team: str | None,
    overlap: LexicalOverlap,
    similarity: ContextualSimilarity | None = None,
) -> dict[str, dict[TopicId, float]]:
    """LO, and CS if a model is given, of the answered topics that have references.

    References contributed only by ``team`` are excluded; None is a system outside the lab, for
    which all count. Answers are cut at 1,200 characters. Topics without references have no score:
    the lab had 66 of 78 topics with references before exclusion, and 35 after it, until the
    answers of Task 1 were added (S3 section 6.4.2).
    """
    scores: dict[str, dict[TopicId, float]] = {"LO": {}}
    if similarity is not None:
        scores["CS"] = {}
    for topic_id, answer in run.answers.items():
        text = within_limit(answer.text)
        usable = usable_references(references.get(topic_id, ()), team)
        score = lexical_overlap(text, usable, overlap)
        if score is not None:
            scores["LO"][topic_id] = score
        score = None if similarity is None else contextual_similarity(text, usable, similarity)
        if score is not None:
            scores["CS"][topic_id] = score
    return scores
