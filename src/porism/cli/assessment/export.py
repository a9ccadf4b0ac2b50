"""``porism assess export``: what an assessment came to, as files."""

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
@collection_option("The collection, for tasks of Turkle, which show what posts say.")
@rule_options
@click.option("--numbers", is_flag=True, help="Call assessors by numbers, not by name.")
@output_option("DIR", "The folder for the files, which is made if need be.", required=True)
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
    """Write what was judged: qrels, all judgments, statistics, and tasks for Turkle.

    qrels.tsv has the grades by answer or formula instance, qrels_visual.tsv by visual id (maximum),
    the complete ones also what is no grade. judgments.jsonl has everything that was ever said.
    """
    # Loads the formats and pages, which --help can do without.
    from porism.assess.judgments.final_grades import DisputeRule
    from porism.pages.assessed_batch import AssessmentExportSettings
    from porism.pages.assessment_export import (
        FILE_DESCRIPTIONS,
        export_record,
        unavailable_reason,
        write_export,
    )

    form = AssessmentExportSettings(DisputeRule(rule), fewest, has_names=not numbers)
    with open_assessment(open_existing_store(db), batch, form, collection) as found:
        names = write_export(output, found)
        record = export_record(found)
        lacking = {
            name: unavailable_reason(name, found)
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
    for line in _notes(record, lacking):
        print_note(line)


def _notes(record: dict[str, object], lacking: dict[str, str]) -> Iterator[str]:
    if record["bias"]:
        yield str(record["bias"])
    if record["unjudged"]:
        yield f"{record['unjudged']:,} candidates are not judged"
    disputed, dropped = record["disputed"], record["dropped_topics"]
    if isinstance(disputed, list) and disputed:
        yield (
            f"assessors differ on {len(disputed):,} candidates, for which the rule decided; "
            "porism assess disagreements lists them"
        )
    if isinstance(dropped, list) and dropped:
        few = f"fewer than {record['fewest_relevant']} relevant"
        yield f"left out of the qrels for {few}: {', '.join(map(str, dropped))}"
    if whys := set(filter(None, lacking.values())):
        yield f"no files for Turkle: {', '.join(sorted(whys))}"
