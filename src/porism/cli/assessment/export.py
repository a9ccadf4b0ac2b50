"""``porism assess export``: the results of an assessment as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click

from porism.cli.assessment.results import open_assessment, print_note, rule_options
from porism.cli.assessment.stores import batch_option, db_option, open_existing_store
from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_option
from porism.cli.options.outputs import json_option, output_option
from porism.cli.terminal import harmless


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess export --db judgments.db -o export
    porism assess export --db judgments.db --collection math --numbers --rule majority -o export
    """,
)
@db_option
@batch_option
@collection_option("The collection, for Turkle tasks, which contain the texts of posts.")
@rule_options
@click.option("--numbers", is_flag=True, help="Number assessors instead of naming them.")
@output_option("DIR", "Folder for the files, created if it does not exist.", required=True)
@json_option
def export(
    db: Path,
    batch: str | None,
    collection: Path | None,
    rule: str,
    fewest: int,
    numbers: bool,
    output: Path,
    as_json: bool,
) -> None:
    """Write the results of an assessment: qrels, all judgments, statistics, and Turkle tasks.

    qrels.tsv has the grades by answer or formula instance, qrels_visual.tsv by visual id (maximum);
    the complete ones also have choices that are not grades. judgments.jsonl has all judgments ever
    made.
    """
    # Loads the formats and pages, which --help does not need.
    from porism.assess.judgments.final_grades import DisputeRule
    from porism.pages.assessed_batch import AssessmentExportSettings
    from porism.pages.assessment_export import (
        FILE_DESCRIPTIONS,
        export_record,
        unavailable_reason,
        write_export,
    )

    settings = AssessmentExportSettings(DisputeRule(rule), fewest, has_names=not numbers)
    with open_assessment(open_existing_store(db), batch, settings, collection) as assessed:
        names = write_export(output, assessed)
        record = export_record(assessed)
        unavailable = {
            name: unavailable_reason(name, assessed)
            for name in FILE_DESCRIPTIONS
            if name.startswith("turkle")
        }
    if as_json:
        click.echo(json.dumps({"folder": str(output), **record}, ensure_ascii=False))
    else:
        width = max(map(len, names))
        lines = [
            f"{output / name!s:<{len(str(output)) + 1 + width}}  {FILE_DESCRIPTIONS[name]}"
            for name in names
        ]
        click.echo(harmless("\n".join(lines)))
    for line in _notes(record, unavailable):
        print_note(line)


def _notes(record: dict[str, object], unavailable: dict[str, str]) -> Iterator[str]:
    if record["bias"]:
        yield str(record["bias"])
    if record["unjudged"]:
        yield f"{record['unjudged']:,} candidates are not judged"
    disputed, dropped = record["disputed"], record["dropped_topics"]
    if isinstance(disputed, list) and disputed:
        yield (
            f"assessors disagree on {len(disputed):,} candidates, which the rule decided; "
            "porism assess disagreements lists them"
        )
    if isinstance(dropped, list) and dropped:
        few = f"fewer than {record['fewest_relevant']} relevant documents"
        yield f"left out of the qrels, with {few}: {', '.join(map(str, dropped))}"
    if reasons := set(filter(None, unavailable.values())):
        yield f"no files for Turkle: {', '.join(sorted(reasons))}"
