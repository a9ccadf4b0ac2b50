"""``porism assess export`` and ``statistics``: what an assessment came to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.assess_stores import (
    PATH,
    batch_option,
    chosen_batch,
    db_option,
    json_option,
    known_store,
)
from porism.cli.assess_text import statistics_lines, statistics_record
from porism.cli.examples import Command
from porism.cli.terminal import harmless

if TYPE_CHECKING:
    from porism.assess.store import Store
    from porism.collection.store import Collection
    from porism.pages.assessment_export import Assessed, ExportForm


def _rules(command: Callable[..., None]) -> Callable[..., None]:
    """The options that say how judgments are counted."""
    rule = click.option(
        "--rule",
        type=click.Choice(["first", "maximum", "majority"]),
        default="first",
        show_default=True,
        help="What counts where assessors differ and nobody decided.",
    )
    fewest = click.option(
        "--fewest",
        metavar="N",
        type=click.IntRange(0),
        default=2,
        show_default=True,
        help="Drop topics with fewer relevant documents (H+M) than this.",
    )
    return rule(fewest(command))


@click.command(
    cls=Command,
    epilog="""
    porism assess export --db judgments.db -o export
    porism assess export --db judgments.db --collection math --numbers --rule majority -o export
    """,
)
@db_option
@batch_option
@click.option(
    "--collection",
    metavar="DIR",
    type=PATH,
    help="The collection, for tasks of Turkle, which show what posts say.",
)
@_rules
@click.option("--numbers", is_flag=True, help="Call assessors by numbers, not by name.")
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=PATH,
    required=True,
    help="The folder for the files, which is made if need be.",
)
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
    from porism.assess.final_grades import Rule
    from porism.pages.assessment_export import (
        TOLD,
        ExportForm,
        export_record,
        why_not,
        write_export,
    )

    form = ExportForm(Rule(rule), fewest, has_names=not numbers)
    with _assessed(known_store(db), batch, form, collection) as assessed:
        names = write_export(output, assessed)
        record = export_record(assessed)
        lacking = {name: why_not(name, assessed) for name in TOLD if name.startswith("turkle")}
    if as_json:
        click.echo(json.dumps({"folder": str(output), **record}, ensure_ascii=False))
    else:
        width = max(map(len, names))
        lines = [
            f"{output / name!s:<{len(str(output)) + 1 + width}}  {TOLD[name]}" for name in names
        ]
        click.echo(harmless("\n".join(lines)))
    for note in _notes(record, lacking):
        _note(note)


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


@click.command(
    cls=Command,
    epilog="""
    porism assess statistics --db judgments.db
    porism assess statistics --db judgments.db --json
    """,
)
@db_option
@batch_option
@_rules
@json_option
def statistics(db: Path, batch: str | None, rule: str, fewest: int, as_json: bool) -> None:
    """Tell what was judged: judged and relevant a topic, times, agreement, annotations.

    The export has the same as HTML and LaTeX.
    """
    from porism.assess.final_grades import Rule
    from porism.assess.statistics_tables import statistics_tables
    from porism.pages.assessment_export import ExportForm

    with _assessed(known_store(db), batch, ExportForm(Rule(rule), fewest), None) as assessed:
        found = assessed.statistics
    if as_json:
        record = {"batch": assessed.batch, **statistics_record(found)}
        click.echo(json.dumps(record, ensure_ascii=False))
        return
    tables = statistics_tables(found)
    lines = statistics_lines(tables) or [f"nothing is judged in {assessed.batch} yet"]
    click.echo(harmless("\n".join(lines)))


@contextmanager
def _assessed(
    store: Store, batch: str | None, form: ExportForm, path: Path | None
) -> Iterator[Assessed]:
    from porism.assess.records import BatchKind
    from porism.collection.store import open_collection
    from porism.lab.pool_enriching import is_changed
    from porism.pages.assessment_export import assessed_batch

    chosen = chosen_batch(store, batch)
    if chosen.kind is BatchKind.TRAINING:
        _note(f"{chosen.name} is a training round, whose judgments are no part of a collection")
    with ExitStack() as stack:
        opened: Collection | None = None
        if path is not None:
            opened = stack.enter_context(open_collection(path))
        found = assessed_batch(store, chosen, form, opened)
        if opened is not None and is_changed(found.pool, opened):
            _note(f"posts in {path} are not as they were when the pool was drawn")
        yield found


def _note(told: str) -> None:
    click.echo(harmless(f"Note: {told}"), err=True)
