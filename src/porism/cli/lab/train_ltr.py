"""``porism train ltr``: learn the weights of the structural features of formulas."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism import __version__
from porism.cli.command import PorismCommand
from porism.cli.extras import needs_extra
from porism.cli.lab.judged_sets import made_folds, topic_sets, useful_sets
from porism.cli.options.inputs import (
    index_argument,
    index_collection_option,
    qrels_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import FILE, json_option, output_option
from porism.cli.options.sampling import folds_option, seed_option
from porism.cli.progress import progress_reporter
from porism.cli.tables import OutputTable, text_lines

if TYPE_CHECKING:
    from porism.evaluation.comparison import Comparison
    from porism.lab.formula_learning import LearnedFormulaWeights
    from porism.lab.topic_sets import TopicSet
    from porism.model import Qrels, Ranking, TopicId

MEASURES = ("nDCG'", "MAP")
ALL_SETS = "all"


@dataclass(frozen=True, slots=True)
class _SetScores:
    """The scores of a set by one measure: of the first stage, held out, and by other sets."""

    name: str
    measure: str
    comparison: Comparison
    other_sets: float | None


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train ltr arqmath/index -o ltr.json --topics Topics_2020.xml --qrels qrel_2020.tsv \\
        --topics Topics_2021.xml --qrels qrel_2021.tsv
    porism index arqmath -o arqmath/index --systems ltr --weights ltr.json
    """,
)
@topics_option("The lab's topics of Task 2; repeat for several years.", multiple=True)
@qrels_option("Judgments, one file per file of topics, in the same order.", multiple=True)
@topic_formulas_option(
    "The lab's LaTeX of the topics' formulas (TSV), one file per file of topics.", multiple=True
)
@folds_option
@seed_option("Random seed of the folds.")
@output_option("FILE", "File for the weights, as JSON.", FILE, required=True)
@index_collection_option
@json_option
@index_argument
def ltr(
    index: Path,
    topics: tuple[Path, ...],
    qrels: tuple[Path, ...],
    topic_formulas: tuple[Path, ...],
    folds: str,
    seed: int,
    output: Path,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Learn the weights of ltr on INDEX, and report held-out scores beside tangent-s.

    The weights are learned from all topics. To measure them, each topic is also ranked by weights
    that were learned without its fold, and by weights learned on the other files alone.
    """
    with needs_extra("lab"):
        from porism.lab.formula_learning import (
            formula_topics,
            judged_formulas_here,
            learn_formula_weights,
            ltr_stage,
        )
    from porism.errors import PorismError
    from porism.formats.byte_streams import replaced_file
    from porism.lab.visual_ids import CollectionVisualIds
    from porism.rank.structure.ltr import ALL_FEATURES, LTR, formula_weights
    from porism.searchindex.index_folder import open_index
    from porism.structure.embeddings.tangent_cft import EMBEDDING

    sets = topic_sets(topics, qrels, topic_formulas, (), 2)
    with open_index(index, collection) as search_index:
        if missing := search_index.missing(LTR.needs):
            raise PorismError(
                f"{index} lacks what ltr needs ({', '.join(missing)}); make it again with porism "
                f"index {search_index.collection_path} -o {index} --systems ltr"
            )
        here = [judged_formulas_here(each, search_index.collection) for each in sets]
        here = useful_sets(sets, here, "formula", index)
        made = made_folds(folds, seed, here)
        with progress_reporter() as report_progress:
            stage = ltr_stage(search_index)
            candidates = formula_topics(here, search_index, stage, report_progress)
        has_vectors = candidates[0].names == ALL_FEATURES
        if not has_vectors:
            click.echo(
                f"Note: learning without vectors: {index} has no {EMBEDDING} vectors; porism train "
                f"{EMBEDDING} {index} adds them",
                err=True,
            )
        learned = learn_formula_weights(candidates, formula_weights(search_index), made)
        by_visual_id = {
            each.name: CollectionVisualIds(search_index.collection, each.qrels).qrels
            for each in here
        }
    scores = [scored for measure in MEASURES for scored in _scores(by_visual_id, learned, measure)]
    training = {
        "porism": __version__,
        "index": index.name,
        "vectors": has_vectors,
        "sets": [
            {"name": each.name, "topics": len(each.topics), "judgments": _judgments(each)}
            for each in here
        ],
        "files": [
            {"name": path.name, "sha256": sha256(path.read_bytes()).hexdigest()}
            for path in (*topics, *qrels, *topic_formulas)
        ],
        "folds": folds,
        "seed": seed,
        "scores": [_record(each) for each in scores],
    }
    weights = replace(learned.weights, training=training)
    listed = weights.with_vectors if has_vectors else weights.without_vectors
    with replaced_file(output) as out:
        out.write(json.dumps(weights.record(), indent=1, ensure_ascii=False).encode() + b"\n")
    if as_json:
        click.echo(json.dumps(weights.record(), ensure_ascii=False))
        return
    click.echo("\n".join(_lines(listed, scores)))
    click.echo(
        f"{output}: porism index COLLECTION -o {index} --systems ltr --weights {output} makes an "
        "index use them",
        err=True,
    )


def _scores(
    by_visual_id: Mapping[str, Qrels], learned: LearnedFormulaWeights, measure: str
) -> list[_SetScores]:
    """The scores of each set and, if there are several, of all together."""
    from statistics import fmean

    from porism.evaluation.comparison import compare
    from porism.evaluation.records import ByTopic, Evaluation, RunScores
    from porism.lab.tuning import topic_scorer
    from porism.model import Qrels, Run

    grades = {id_: of for each in by_visual_id.values() for id_, of in each.grades.items()}
    score = topic_scorer(Qrels(grades), measure)

    def scores(rankings: Mapping[TopicId, Ranking]) -> ByTopic:
        return score(Run("learned", rankings))

    first, held_out = scores(learned.first), scores(learned.held_out)
    others = scores(learned.other_sets) if learned.other_sets else {}
    sets = {name: tuple(each.grades) for name, each in by_visual_id.items()}
    if len(sets) > 1:
        sets[ALL_SETS] = tuple(grades)
    found: list[_SetScores] = []
    for name, topics in sets.items():
        pair = tuple(
            RunScores(run, {measure: {topic: values[topic] for topic in topics}})
            for run, values in (("tangent-s", first), ("held out", held_out))
        )
        comparison = compare(Evaluation(2, (measure,), topics, pair))[0]
        mean = fmean(others[topic] for topic in topics) if others else None
        found.append(_SetScores(name, measure, comparison, mean))
    return found


def _record(scores: _SetScores) -> dict[str, object]:
    return {
        "set": scores.name,
        "measure": scores.measure,
        "topics": scores.comparison.topics,
        "tangent-s": scores.comparison.baseline_mean,
        "held_out": scores.comparison.mean,
        "p": scores.comparison.randomization.p,
        "other_sets": scores.other_sets,
    }


def _lines(weights: Mapping[str, float], scores: Sequence[_SetScores]) -> list[str]:
    """The report for people."""
    table = OutputTable(
        ("set", "measure", "topics", "tangent-s", "held out", "p", "other sets"),
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
        "ltr, Task 2: tangent-s, weights learned without the topic's fold, and weights learned on "
        "the other sets alone",
        "",
        *text_lines(table),
        "",
        *text_lines(values),
    ]


def _judgments(topic_set: TopicSet) -> int:
    return sum(map(len, topic_set.qrels.grades.values()))
