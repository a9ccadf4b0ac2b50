"""``porism tune --learn``: learn the weights of porism's features for answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism import __version__
from porism.cli.lab.judged_sets import chosen_measure, made_folds, useful_sets
from porism.cli.progress import progress_reporter
from porism.cli.tables import OutputTable, text_lines
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.evaluation.comparison import Comparison
    from porism.evaluation.records import ByTopic
    from porism.lab.answer_learning import LearnedWeights
    from porism.lab.topic_sets import TopicSet
    from porism.model import Ranking, TopicId


@dataclass(frozen=True, slots=True)
class LearnOptions:
    """The options of ``porism tune`` that count with ``--learn``."""

    measure: str | None
    folds: str
    seed: int
    output: Path | None
    as_json: bool
    files: tuple[Path, ...]
    """All files of the sets of topics."""


@dataclass(frozen=True, slots=True)
class _SetScores:
    """The mean of each ranking of a set, and the comparison of the first two."""

    name: str
    comparison: Comparison
    other_sets: float | None


def learn_weights(
    index: Path, collection: Path | None, sets: Sequence[TopicSet], options: LearnOptions
) -> None:
    """Learn weights from sets of topics, print what they gain, and write them to a file."""
    if options.output is None:
        raise click.UsageError("--learn writes the weights to a file: name it with -o")
    with needs_extra("lab"):
        from porism.lab.answer_learning import judged_here, learn_answer_weights, training_topics
    from porism.formats.byte_streams import replaced_file
    from porism.rank.systems.answer_weights import answer_weights
    from porism.rank.vector_ranking import vector_obstacle
    from porism.searchindex.index_folder import open_index

    with open_index(index, collection) as search_index:
        here = [judged_here(each, search_index) for each in sets]
        here = useful_sets(sets, here, "document", index)
        folds = made_folds(options.folds, options.seed, here)
        obstacle = vector_obstacle(search_index)
        if obstacle is not None:
            click.echo(f"Note: learning without vectors: {obstacle}", err=True)
        measure = chosen_measure(options.measure, here)
        with progress_reporter() as report_progress:
            topics = training_topics(here, search_index, report_progress)
        own = answer_weights(search_index)
        learned = learn_answer_weights(topics, own, folds)
        model = search_index.vectors.identity if search_index.vectors and not obstacle else None
    scores = [_set_scores(each, learned, measure) for each in here]
    training = {
        "porism": __version__,
        "index": index.name,
        "model": None if model is None else asdict(model),
        "sets": [
            {"name": each.name, "topics": len(each.topics), "judgments": _judgments(each)}
            for each in here
        ],
        "files": [{"name": path.name, "sha256": _file_digest(path)} for path in options.files],
        "folds": options.folds,
        "seed": options.seed,
        "measure": measure,
        "scores": {each.name: _record(each) for each in scores},
    }
    weights = replace(learned.weights, training=training)
    with replaced_file(options.output) as out:
        out.write(json.dumps(weights.record(), indent=1, ensure_ascii=False).encode() + b"\n")
    if options.as_json:
        click.echo(json.dumps(weights.record(), ensure_ascii=False))
    else:
        click.echo("\n".join(_lines(learned, scores, measure, with_vectors=model is not None)))
        click.echo(
            f"{options.output}: porism index COLLECTION -o {index} --weights {options.output} "
            "makes an index use them",
            err=True,
        )


def _set_scores(topic_set: TopicSet, learned: LearnedWeights, measure: str) -> _SetScores:
    from statistics import fmean

    from porism.evaluation.comparison import compare
    from porism.evaluation.records import Evaluation, RunScores
    from porism.lab.tuning import topic_scorer
    from porism.model import Run

    score = topic_scorer(topic_set.qrels, measure)

    def scores(rankings: Mapping[TopicId, Ranking]) -> ByTopic:
        known = {topic_id: rankings[topic_id] for topic_id in topic_set.topic_ids}
        return score(Run("learned", known))

    pair = (
        RunScores("unchanged", {measure: scores(learned.unchanged)}),
        RunScores("held out", {measure: scores(learned.held_out)}),
    )
    comparison = compare(Evaluation(1, (measure,), topic_set.topic_ids, pair))[0]
    others = fmean(scores(learned.other_sets).values()) if learned.other_sets else None
    return _SetScores(topic_set.name, comparison, others)


def _record(scores: _SetScores) -> dict[str, float | None]:
    return {
        "unchanged": scores.comparison.baseline_mean,
        "held_out": scores.comparison.mean,
        "p": scores.comparison.randomization.p,
        "other_sets": scores.other_sets,
    }


def _lines(
    learned: LearnedWeights, scores: Sequence[_SetScores], measure: str, with_vectors: bool
) -> list[str]:
    """The report for people."""
    table = OutputTable(
        ("set", "topics", "unchanged", "held out", "p", "other sets"),
        tuple(
            (
                each.name,
                each.comparison.topics,
                each.comparison.baseline_mean,
                each.comparison.mean,
                each.comparison.randomization.p,
                each.other_sets,
            )
            for each in scores
        ),
    )
    weights = learned.weights
    listed = {"without vectors": weights.without_vectors}
    if with_vectors:
        listed = {"with vectors": weights.with_vectors, **listed}
    names = tuple(asdict(weights.without_vectors))
    values = OutputTable(
        ("weights", *(name.replace("_", " ") for name in names)),
        tuple((label, *asdict(each).values()) for label, each in listed.items()),
    )
    return [
        f"porism, Task 1, {measure}: the weights of the index, weights learned without the topic's "
        "fold, and weights learned on the other sets alone",
        "",
        *text_lines(table),
        "",
        *text_lines(values),
    ]


def _judgments(topic_set: TopicSet) -> int:
    return sum(map(len, topic_set.qrels.grades.values()))


def _file_digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
