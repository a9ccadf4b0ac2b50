"""``porism evaluate``: score runs by judgments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.evaluation.evaluation_report import ReportSources, write_report
from porism.cli.evaluation.evaluation_tables import (
    evaluation_json,
    group_table,
    score_table,
    topic_table,
)
from porism.cli.evaluation.scored_answers import score
from porism.cli.options.inputs import PATH, runs_argument, topics_option
from porism.cli.options.outputs import FILE, by_topic_option, json_option, output_option, tsv_option
from porism.cli.options.scoring import ScoringOptions, scoring_options
from porism.cli.spool import regular_files
from porism.cli.tables import latex_lines, text_lines, tsv_lines

if TYPE_CHECKING:
    from porism.evaluation.categories import Groups
    from porism.evaluation.records import Evaluation

CATEGORIES = ("dependency", "type", "difficulty", "multi-part")
"""The values of ``porism.evaluation.Category``, which --help need not load."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism evaluate --qrels qrel_task1_2021.tsv l8.tsv porism.tsv
    porism evaluate --qrels qrel_task1_2021.tsv run.tsv --measures "nDCG',P@10,RR(rel=2)" --by-topic
    porism evaluate --qrels qrel_task2_2021_visual_id.tsv formulas.tsv --formulas COLLECTION
    porism evaluate --qrels qrel_task1_2022.tsv run.tsv --by difficulty --topic-info information.csv
    porism evaluate --task 3 --qrels qrel_task3.tsv --answers teams_answer_id.tsv
    porism evaluate --qrels qrel.tsv a.tsv b.tsv --topics topics.xml --collection C -o report.html
    """,
)
@scoring_options
@by_topic_option("Print the value of every topic, not only means.")
@click.option(
    "--by",
    type=click.Choice(CATEGORIES),
    multiple=True,
    help="Break down by a category of topics; needs --topic-info.",
)
@click.option("--topic-info", metavar="FILE", type=PATH, help="The lab's topic information (CSV).")
@topics_option("The topics that the report shows.")
@tsv_option
@json_option
@click.option("--latex", "as_latex", is_flag=True, help="Print LaTeX tables, for booktabs.")
@output_option("REPORT", "Write a report: one HTML file that needs no network.", FILE)
@runs_argument("[RUN]...")
def evaluate(
    runs: tuple[Path, ...],
    scoring: ScoringOptions,
    by_topic: bool,
    by: tuple[str, ...],
    topic_info: Path | None,
    topics: Path | None,
    as_tsv: bool,
    as_json: bool,
    as_latex: bool,
    output: Path | None,
) -> None:
    """Score each RUN by the judgments of --qrels, as the ARQMath lab does.

    Means are over all judged topics; a topic that a run lacks counts 0. In Task 3 a RUN is a file
    of answers or the name of a run in --answers (all of these if none is given). Without --answers
    no answer is judged: a RUN of answers is only compared with --references and --task1-qrels, and
    of a run of Task 1 the first result counts.
    """
    if as_tsv + as_json + as_latex > 1:
        raise click.UsageError("choose one of --tsv, --json and --latex")
    if bool(by) != (topic_info is not None):
        raise click.UsageError("--by and --topic-info need each other")
    if not runs and not scoring.is_task3:
        raise click.UsageError("Missing argument '[RUN]...': expected at least one run")
    with regular_files(runs) as files:
        scored = score(files, scoring, keeps_runs=output is not None)
        evaluation = scored.evaluation
        groups = _groups(by, topic_info, evaluation)
        if as_json:
            click.echo(json.dumps(evaluation_json(evaluation, groups), ensure_ascii=False))
        else:
            tables = [score_table(evaluation)]
            tables += [group_table(evaluation, name, of) for name, of in groups.items()]
            if by_topic:
                tables.append(topic_table(evaluation))
            lines = tsv_lines if as_tsv else latex_lines if as_latex else text_lines
            click.echo("\n\n".join("\n".join(lines(table)) for table in tables))
            for note in evaluation.notes:
                click.echo(f"Note: {note}", err=True)
        if output is not None:
            write_report(output, scored, groups, ReportSources(files, topics, scoring.collection))
            click.echo(f"report written to {output}", err=True)


def _groups(
    categories: tuple[str, ...], information: Path | None, evaluation: Evaluation
) -> dict[str, Groups]:
    """The topics of each group, by category."""
    if information is None or not categories:
        return {}
    from porism.evaluation.categories import Category, groups
    from porism.formats.qrels import read_topic_information

    topics = list(read_topic_information(information))
    return {name: groups(topics, Category(name), evaluation.topics) for name in categories}
