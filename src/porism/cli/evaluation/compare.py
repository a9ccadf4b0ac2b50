"""``porism compare``: compare runs, with significance tests."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.evaluation.compare_text import (
    MOST_TOPICS,
    ComparisonOutput,
    comparison_lines,
    comparison_output_record,
    tsv_table,
)
from porism.cli.evaluation.scored_answers import score
from porism.cli.options.inputs import runs_argument
from porism.cli.options.outputs import by_topic_option, json_option, tsv_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.scoring import ScoringOptions, scoring_options
from porism.cli.spool import regular_files
from porism.cli.tables import tsv_lines
from porism.extras import needs_extra

if TYPE_CHECKING:
    from porism.evaluation.comparison import Correlation
    from porism.evaluation.records import Evaluation


@click.command(
    cls=PorismCommand,
    epilog="""
    porism compare --qrels qrel_task1_2021_official.tsv l8.tsv porism.tsv
    porism compare --qrels qrels.tsv --measures "nDCG',P@10" --baseline bm25 bm25.tsv a.tsv b.tsv
    porism compare --qrels qrels.tsv --all-pairs --tsv runs/*.tsv > comparisons.tsv
    porism compare --qrels qrels.tsv --correlation measures --overlap 10 a.tsv b.tsv c.tsv
    """,
)
@scoring_options
@click.option("--baseline", metavar="NAME", help="The run to compare with; the first if not given.")
@click.option("--all-pairs", is_flag=True, help="Compare every pair of runs.")
@by_topic_option(f"Print the differences of all topics, not only the {MOST_TOPICS} largest.")
@click.option(
    "--correlation",
    type=click.Choice(["measures", "systems"]),
    help="Correlate measures over the runs, or runs over the topics.",
)
@click.option(
    "--overlap",
    "depth",
    metavar="DEPTH",
    type=click.IntRange(1, 100_000),
    help="Overlap of the first DEPTH results, and what each run adds to their pool.",
)
@click.option(
    "--rounds",
    metavar="N",
    type=click.IntRange(1, 100_000_000),
    default=100_000,
    show_default=True,
    help="Permutations drawn by the randomization test.",
)
@seed_option("Random seed of that test.", click.IntRange(0))
@tsv_option
@json_option
@runs_argument("RUN...")
def compare(
    runs: tuple[Path, ...],
    scoring: ScoringOptions,
    baseline: str | None,
    all_pairs: bool,
    by_topic: bool,
    correlation: str | None,
    depth: int | None,
    rounds: int,
    seed: int,
    as_tsv: bool,
    as_json: bool,
) -> None:
    """Compare the first RUN with every other, topic by topic.

    Differences are tested by paired randomization and by the paired t test, both with Holm's
    correction for the number of comparisons.
    """
    if len(runs) < 2 and not (scoring.answers and not runs):
        raise click.UsageError("expected two runs or more")
    if as_tsv and as_json:
        raise click.UsageError("--tsv and --json exclude each other")
    if as_tsv and by_topic + (correlation is not None) + (depth is not None) > 1:
        raise click.UsageError(
            "--tsv prints one table: choose one of --by-topic, --correlation and --overlap"
        )
    # Loads the measures and SciPy, which --help does not need.
    with needs_extra("lab"):
        from porism.evaluation.comparison import RandomizationSettings, RunPairs
        from porism.evaluation.comparison import compare as compare_runs
    from porism.evaluation.inputs import as_run
    from porism.evaluation.run_overlap import common_pool, overlap

    with regular_files(runs) as files:
        scored = score(files, scoring, keeps_runs=depth is not None)
    if depth is not None and not scored.runs:
        raise click.UsageError("--overlap needs rankings, not answers")
    if correlation == "measures" and len(scored.evaluation.measures) < 2:
        raise click.UsageError("--correlation measures needs two measures or more")
    pairs = RunPairs.ALL if all_pairs else RunPairs.WITH_BASELINE
    draws = RandomizationSettings(rounds, seed)
    comparisons = compare_runs(scored.evaluation, baseline, pairs, draws)
    output = ComparisonOutput(scored.evaluation, comparisons, draws)
    if correlation is not None:
        output = replace(output, correlations=_correlations(scored.evaluation, correlation))
    if depth is not None:
        rankings = [as_run(each) for each in scored.runs]
        output = replace(
            output,
            overlaps=overlap(rankings, depth, scored.evaluation.topics),
            pool=common_pool(rankings, depth, scored.qrels),
        )
    for note in scored.evaluation.notes:
        click.echo(f"Note: {note}", err=True)
    if as_json:
        click.echo(json.dumps(comparison_output_record(output), ensure_ascii=False))
    else:
        lines = (
            tsv_lines(tsv_table(output, by_topic)) if as_tsv else comparison_lines(output, by_topic)
        )
        click.echo("\n".join(lines))


def _correlations(evaluation: Evaluation, between: str) -> dict[str, tuple[Correlation, ...]]:
    """Of measures under an empty name, of systems under the measure that correlates them."""
    from porism.evaluation.comparison import measure_correlations, system_correlations

    if between == "measures":
        return {"": measure_correlations(evaluation)}
    return {measure: system_correlations(evaluation, measure) for measure in evaluation.measures}
