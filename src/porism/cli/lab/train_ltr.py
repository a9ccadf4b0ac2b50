"""``porism train ltr``: learn the weights of the structural features of formulas."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import click

from porism.cli.command import PorismCommand
from porism.cli.lab.held_out_scores import (
    TestedRankings,
    held_out_scores,
    score_lines,
    score_records,
    training_record,
)
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
from porism.extras import needs_extra

MEASURES = ("nDCG'", "MAP")
BASELINE = "tangent-s"


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
    rankings = TestedRankings(BASELINE, learned.first, learned.held_out, learned.other_sets)
    scores = [
        scored
        for measure in MEASURES
        for scored in held_out_scores(by_visual_id, rankings, measure, 2)
    ]
    training = {
        **training_record(index, here, (*topics, *qrels, *topic_formulas), folds, seed),
        "vectors": has_vectors,
        "scores": score_records(scores, BASELINE),
    }
    weights = replace(learned.weights, training=training)
    listed = weights.with_vectors if has_vectors else weights.without_vectors
    with replaced_file(output) as out:
        out.write(json.dumps(weights.record(), indent=1, ensure_ascii=False).encode() + b"\n")
    if as_json:
        click.echo(json.dumps(weights.record(), ensure_ascii=False))
        return
    click.echo("\n".join(score_lines("ltr", 2, BASELINE, listed, scores)))
    click.echo(
        f"{output}: porism index COLLECTION -o {index} --systems ltr --weights {output} makes an "
        "index use them",
        err=True,
    )
