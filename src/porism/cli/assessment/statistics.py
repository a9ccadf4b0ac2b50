"""``porism assess statistics``: the statistics of an assessment."""

from __future__ import annotations

import json
from pathlib import Path

import click

from porism.cli.assessment.report_text import statistics_lines, statistics_record
from porism.cli.assessment.results import open_assessment, rule_options
from porism.cli.assessment.stores import batch_option, db_option, open_existing_store
from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option
from porism.cli.terminal import harmless


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess statistics --db judgments.db
    porism assess statistics --db judgments.db --json
    """,
)
@db_option
@batch_option
@rule_options
@json_option
def statistics(db: Path, batch: str | None, rule: str, fewest: int, as_json: bool) -> None:
    """Print statistics: judged and relevant per topic, times, agreement, annotations.

    The export has the same as HTML and LaTeX.
    """
    # Loads the formats and pages, which --help does not need.
    from porism.assess.judgments.final_grades import DisputeRule
    from porism.assess.statistics_tables import statistics_tables
    from porism.pages.assessed_batch import AssessmentExportSettings

    with open_assessment(
        open_existing_store(db), batch, AssessmentExportSettings(DisputeRule(rule), fewest), None
    ) as assessed:
        numbers = assessed.statistics
    if as_json:
        record = {"batch": assessed.batch, **statistics_record(numbers)}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    tables = statistics_tables(numbers)
    lines = statistics_lines(tables) or [f"nothing is judged in {assessed.batch} yet"]
    click.echo(harmless("\n".join(lines)))
