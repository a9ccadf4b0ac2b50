"""Scores of learned weights on topics that they were not learned from, beside a first stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from porism import __version__
from porism.cli.tables import OutputTable, text_lines

if TYPE_CHECKING:
    from porism.evaluation.comparison import Comparison
    from porism.lab.topic_sets import TopicSet
    from porism.model import Qrels, Ranking, TopicId

ALL_SETS = "all"


@dataclass(frozen=True, slots=True)
class TestedRankings:
    """Rankings of topics: of the first stage, which has a name, held out, and by other sets."""

    baseline: str
    first: Mapping[TopicId, Ranking]
    held_out: Mapping[TopicId, Ranking]
    other_sets: Mapping[TopicId, Ranking]


@dataclass(frozen=True, slots=True)
class HeldOutScores:
    """The scores of a set by one measure: of the first stage, held out, and by other sets."""

    name: str
    measure: str
    comparison: Comparison
    other_sets: float | None


def held_out_scores(
    qrels_by_set: Mapping[str, Qrels], rankings: TestedRankings, measure: str, task: int
) -> list[HeldOutScores]:
    """The scores of each set and, if there are several, of all together."""
    from statistics import fmean

    from porism.evaluation.comparison import compare
    from porism.evaluation.records import ByTopic, Evaluation, RunScores
    from porism.lab.tuning import topic_scorer
    from porism.model import Qrels, Run

    grades = {id_: of for each in qrels_by_set.values() for id_, of in each.grades.items()}
    score = topic_scorer(Qrels(grades), measure)

    def scores(of_topics: Mapping[TopicId, Ranking]) -> ByTopic:
        return score(Run("learned", of_topics))

    first, held_out = scores(rankings.first), scores(rankings.held_out)
    others = scores(rankings.other_sets) if rankings.other_sets else {}
    sets = {name: tuple(each.grades) for name, each in qrels_by_set.items()}
    if len(sets) > 1:
        sets[ALL_SETS] = tuple(grades)
    results: list[HeldOutScores] = []
    for name, topics in sets.items():
        pair = tuple(
            RunScores(run, {measure: {topic: values[topic] for topic in topics}})
            for run, values in ((rankings.baseline, first), ("held out", held_out))
        )
        comparison = compare(Evaluation(task, (measure,), topics, pair))[0]
        mean = fmean(others[topic] for topic in topics) if others else None
        results.append(HeldOutScores(name, measure, comparison, mean))
    return results


def score_records(scores: Sequence[HeldOutScores], baseline: str) -> list[dict[str, object]]:
    """The scores for JSON."""
    return [
        {
            "set": each.name,
            "measure": each.measure,
            "topics": each.comparison.topics,
            baseline: each.comparison.baseline_mean,
            "held_out": each.comparison.mean,
            "p": each.comparison.randomization.p,
            "other_sets": each.other_sets,
        }
        for each in scores
    ]


def score_lines(
    system: str,
    task: int,
    baseline: str,
    weights: Mapping[str, float],
    scores: Sequence[HeldOutScores],
) -> list[str]:
    """The report for people."""
    table = OutputTable(
        ("set", "measure", "topics", baseline, "held out", "p", "other sets"),
        tuple(
            (
                each.name,
                each.measure,
                each.comparison.topics,
                each.comparison.baseline_mean,
                each.comparison.mean,
                each.comparison.randomization.p,
                each.other_sets,
            )
            for each in scores
        ),
    )
    values = OutputTable(("feature", "weight"), tuple(weights.items()))
    return [
        f"{system}, Task {task}: {baseline}, weights learned without the topic's fold, and weights "
        "learned on the other sets alone",
        "",
        *text_lines(table),
        "",
        *text_lines(values),
    ]


def training_record(
    index: Path, sets: Sequence[TopicSet], files: Sequence[Path], folds: str, seed: int
) -> dict[str, object]:
    """What weights were learned from, for JSON."""
    return {
        "porism": __version__,
        "index": index.name,
        "sets": [
            {
                "name": each.name,
                "topics": len(each.topics),
                "judgments": sum(map(len, each.qrels.grades.values())),
            }
            for each in sets
        ],
        "files": [
            {"name": path.name, "sha256": sha256(path.read_bytes()).hexdigest()} for path in files
        ],
        "folds": folds,
        "seed": seed,
    }
