"""``porism train ranker``: learn the weights of a ranker of answers."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

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
    leave_out_option,
    qrels_option,
    topic_formulas_option,
    topics_option,
)
from porism.cli.options.outputs import FILE, json_option, output_option
from porism.cli.options.sampling import folds_option, seed_option
from porism.cli.options.systems import system_option
from porism.cli.progress import progress_reporter
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.lab.ranker_learning import LearnedRanker
    from porism.lab.topic_sets import TopicSet
    from porism.searchindex.index_folder import SearchIndex

RANKERS = ("dprl-svm", "linear-regression")


@click.command(
    cls=PorismCommand,
    epilog="""
    porism train ranker arqmath/index -o svm.json --topics Topics_2020.xml --qrels qrel_2020.tsv \\
        --topics Topics_2021.xml --qrels qrel_2021.tsv
    porism train ranker arqmath -o regression.json --system linear-regression
    porism index arqmath --systems dprl-svm --weights svm.json
    """,
)
@system_option(
    f"The ranker: {' or '.join(RANKERS)}.",
    type=click.Choice(RANKERS),
    default=RANKERS[0],
    show_default=True,
)
@topics_option(
    "The lab's topics of Task 1; repeat for several years. If not given, the collection's links "
    "are learned from.",
    multiple=True,
)
@qrels_option("Judgments, one file per file of topics, in the same order.", multiple=True)
@topic_formulas_option(
    "The lab's LaTeX of the topics' formulas (TSV), one file per file of topics.", multiple=True
)
@leave_out_option("Posts that are not learned from (TSV: topic, post); repeatable.", multiple=True)
@folds_option
@seed_option("Random seed of the folds.")
@output_option("FILE", "File for the weights, as JSON.", FILE, required=True)
@index_collection_option
@json_option
@index_argument
def ranker(
    index: Path,
    system: str,
    topics: tuple[Path, ...],
    qrels: tuple[Path, ...],
    topic_formulas: tuple[Path, ...],
    leave_out: tuple[Path, ...],
    folds: str,
    seed: int,
    output: Path,
    collection: Path | None,
    as_json: bool,
) -> None:
    """Learn the weights of a ranker on INDEX, and report held-out scores beside its first stage.

    INDEX may be a collection with an index in it. The weights are learned from all topics. To
    measure them, each topic is also ranked by weights that were learned without its fold, and by
    weights learned on the other files alone. Without topics the answers to linked questions are
    taken as relevant, and the topics are the questions that link to them.
    """
    with needs_extra("lab"):
        from porism.lab.answer_learning import judged_here
        from porism.lab.ranker_learning import (
            RANKERS as LEARNED,
        )
        from porism.lab.ranker_learning import (
            candidate_topics,
            learn_ranker,
            link_topic_set,
        )
    from porism import catalog
    from porism.formats.byte_streams import replaced_file
    from porism.model import Task
    from porism.rank.question_matching.ranker_weights import FEATURES, RankerWeights
    from porism.searchindex.index_folder import open_index

    given = topic_sets(topics, qrels, topic_formulas, leave_out, 1) if topics or qrels else ()
    learned_ranker = LEARNED[system]
    with open_index(index, collection) as search_index:
        catalog.ranker(system, Task.ANSWERS, search_index)  # refuses what lacks anything
        sets = given or (link_topic_set(search_index),)
        here = [judged_here(each, search_index) for each in sets]
        here = useful_sets(sets, here, "answer", index)
        made = made_folds(folds, seed, here)
        _note_links(search_index, learned_ranker, is_by_links=not given)
        for note in learned_ranker.maker.notes(search_index):
            click.echo(f"Note: {note}", err=True)
        with progress_reporter() as report_progress:
            candidates = candidate_topics(here, search_index, learned_ranker, report_progress)
        learned = learn_ranker(candidates, learned_ranker, FEATURES[system], made)
        model = catalog.vector_model(system, Task.ANSWERS, search_index)
    baseline = learned_ranker.baseline
    rankings = TestedRankings(baseline, learned.first, learned.held_out, learned.other_sets)
    by_set = {each.name: each.qrels for each in here}
    scores = [
        scored
        for measure in _measures(here)
        for scored in held_out_scores(by_set, rankings, measure, 1)
    ]
    training = {
        **training_record(index, here, (*topics, *qrels, *topic_formulas, *leave_out), folds, seed),
        "model": None if model is None else asdict(model),
        "scores": score_records(scores, baseline),
    }
    weights = RankerWeights(system, learned.weights, training)
    with replaced_file(output) as out:
        out.write(json.dumps(weights.record(), indent=1, ensure_ascii=False).encode() + b"\n")
    if as_json:
        click.echo(json.dumps(weights.record(), ensure_ascii=False))
        return
    click.echo("\n".join(score_lines(system, 1, baseline, weights.weights, scores)))
    click.echo(
        f"{output}: porism index COLLECTION -o {index} --systems {system} --weights {output} "
        "makes an index use them",
        err=True,
    )


def _note_links(
    search_index: SearchIndex, learned_ranker: LearnedRanker, is_by_links: bool
) -> None:
    """Say that an index shows the links that are learned from, if it does."""
    is_hidden = search_index.manifest.excluded_links is not None
    if is_by_links and learned_ranker.adds_to_first and not is_hidden:
        click.echo(
            "Note: the documents of this index have the titles of linked questions, so the first "
            "stage finds these too well; porism topics links and porism index --without-links make "
            "an index to learn on",
            err=True,
        )


def _measures(sets: list[TopicSet]) -> tuple[str, ...]:
    """The measures that say something about all sets."""
    return ("nDCG'", "MAP") if all(each.has_nonrelevant for each in sets) else ("MAP",)
