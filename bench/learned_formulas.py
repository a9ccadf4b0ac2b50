"""``ltr`` on topics that its weights were not learned from, beside ``tangent-s``.

Weights are learned from 2020 and 2021 together, and a topic is ranked by weights that were learned
without its fold of five, or without its whole year.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bench.mini_scores import YEARS, Scores, chance, judged, read_year, scores
from porism.lab.formula_learning import formula_topics, held_out_formulas, ltr_stage
from porism.lab.topic_sets import TopicSet
from porism.lab.tuning import random_folds
from porism.model import DocId, Hit, Qrels, Ranking, TopicId, ranked
from porism.searchindex.index_folder import SearchIndex

FOLDS, SEED = 5, 0


def learned_formula_table(shared: Path, search_index: SearchIndex) -> Iterator[str]:
    """Yield the table of ``tangent-s`` and of ``ltr`` on held-out topics, on the mini collection.

    The features with vectors count only if the index has Tangent-CFT vectors.
    """
    sets = [_judged_set(shared, year) for year in YEARS]
    stage = ltr_stage(search_index)
    topics = formula_topics(sets, search_index, stage, lambda progress: None)
    folds = random_folds(*(each.topic_ids for each in sets), count=FOLDS, seed=SEED)
    years = {each.name: each.topic_ids for each in sets}
    rankings = {
        "`tangent-s`": {
            topic.topic_id: ranked(map(Hit, topic.doc_ids, topic.first_scores.tolist()))
            for topic in topics
        },
        "`ltr`, learned without the fold": held_out_formulas(topics, folds),
        "`ltr`, learned without the year": held_out_formulas(topics, years),
    }
    yield "| Task 2 | nDCG' | MAP | P@10 | p of nDCG' | p of MAP | p of both years |"
    yield "|---|---|---|---|---|---|---|"
    first = _scored(shared, rankings["`tangent-s`"])
    for name, own in rankings.items():
        scored = _scored(shared, own)
        means = zip(*(each.means() for each in scored.values()), strict=True)
        cells = [" / ".join(f"{value:.3f}" for value in values) for values in means]
        chances = _chances(scored, first) if scored != first else ["", "", ""]
        yield f"| {name} | {' | '.join((*cells, *chances))} |"


def _judged_set(shared: Path, year: int) -> TopicSet:
    grades = judged(shared, 2, year)
    topics = tuple(topic for topic in read_year(shared, 2, year) if topic.id in grades)
    by_topic = {
        TopicId(topic): {DocId(doc_id): grade for doc_id, grade in of_topic.items()}
        for topic, of_topic in grades.items()
    }
    return TopicSet(str(year), topics, Qrels(by_topic))


def _scored(shared: Path, rankings: Mapping[TopicId, Ranking]) -> dict[int, Scores]:
    by_topic = {str(topic): ranking for topic, ranking in rankings.items()}
    return {year: scores(judged(shared, 2, year), by_topic, {}) for year in YEARS}


def _chances(ours: Mapping[int, Scores], theirs: Mapping[int, Scores]) -> Sequence[str]:
    """The p values of nDCG' and MAP by year, and of both measures over both years."""
    ndcg = [(ours[year].ndcg_primed, theirs[year].ndcg_primed) for year in YEARS]
    precision = [(ours[year].average_precision, theirs[year].average_precision) for year in YEARS]
    both = [
        ({**first[0], **second[0]}, {**first[1], **second[1]})
        for first, second in (ndcg, precision)
    ]
    return [
        " / ".join(f"{chance(one, other):.4f}" for one, other in pairs)
        for pairs in (ndcg, precision, both)
    ]
