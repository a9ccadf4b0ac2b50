"""``porism reproduce``: the papers' numbers beside ours from the same runs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import PATH, visual_ids_option
from porism.cli.options.outputs import json_option, tsv_option
from porism.cli.tables import Cell, OutputTable, markdown_lines, text_lines, tsv_lines
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.lab.reproduction import ReproducedScore


@click.command(
    cls=PorismCommand,
    epilog="""
    porism reproduce arqmath
    porism reproduce arqmath --paper S3 --all
    porism reproduce runs qrels --formulas arqmath/latex_representation_v3 --tsv
    """,
)
@click.option(
    "--paper",
    type=click.Choice(["S1", "S3", "S4"]),
    multiple=True,
    help="S1 the overview of 2020, S3 that of 2022, S4 MathDowsers 2021; all if not given.",
)
@click.option("--all", "is_all", is_flag=True, help="Include numbers that cannot be computed.")
@visual_ids_option("Visual ids, for Task 2 runs of formula ids, as in porism evaluate.")
@tsv_option
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown table.")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...", type=PATH)
def reproduce(
    folders: tuple[Path, ...],
    paper: tuple[str, ...],
    is_all: bool,
    formulas: Path | None,
    as_tsv: bool,
    as_json: bool,
    as_markdown: bool,
) -> None:
    """Score all published runs below FOLDER, and print the papers' numbers beside ours.

    Runs and judgments are recognised by their file names. The exit status is 1 if a number differs
    for no known reason.
    """
    # Loads the measures, which --help does not need.
    from porism.cli.evaluation.scored_runs import formula_ids
    from porism.lab.reproduction import AvailableFiles, Verdict, files_in
    from porism.lab.reproduction import reproduce as reproduced

    visual_ids = (lambda: formula_ids(formulas)) if formulas is not None else None
    scores = [
        each
        for each in reproduced(AvailableFiles(files_in(folders), visual_ids))
        if not paper or each.published.paper in paper
    ]
    rows = [each for each in scores if is_all or each.ours is not None]
    if not rows:
        raise PorismError(
            f"found no run with published numbers and judgments in {', '.join(map(str, folders))}"
        )
    if as_json:
        click.echo(json.dumps([_record(each) for each in rows], ensure_ascii=False))
    elif as_tsv:
        click.echo("\n".join(tsv_lines(_full_table(rows))))
    else:
        lines = markdown_lines if as_markdown else text_lines
        notes = [f"{number}. {note}" for number, note in enumerate(_notes(rows), start=1)]
        counts = [
            f"{sum(each.verdict is verdict for each in scores)} {verdict}" for verdict in Verdict
        ]
        click.echo("\n".join([*lines(_table(rows)), "", *notes, "", ", ".join(counts)]))
    if any(each.verdict is Verdict.DIFFERENT for each in scores):
        sys.exit(1)


def _notes(rows: list[ReproducedScore]) -> list[str]:
    return list(dict.fromkeys(each.note for each in rows if each.note))


def _table(rows: list[ReproducedScore]) -> OutputTable:
    """A row for each number; notes are below the table."""
    notes = _notes(rows)
    columns = "paper table year team run measure printed ours difference verdict note".split()
    return OutputTable(tuple(columns), tuple(_row(each, notes) for each in rows))


def _row(each: ReproducedScore, notes: list[str]) -> tuple[Cell, ...]:
    printed, difference = each.published, each.difference
    return (
        *(printed.paper, printed.table, str(printed.year), printed.team, printed.run),
        *(printed.measure, printed.value, each.ours),
        None if difference is None else f"{difference:+.{printed.digits}f}",
        str(each.verdict),
        f"{notes.index(each.note) + 1}." if each.note else "",
    )


def _full_table(rows: list[ReproducedScore]) -> OutputTable:
    records = [_record(each) for each in rows]
    columns = tuple(records[0])
    return OutputTable(columns, tuple(tuple(record.values()) for record in records))


def _record(each: ReproducedScore) -> dict[str, Cell]:
    published = each.published
    return {
        "paper": published.paper,
        "table": published.table,
        "task": published.task,
        "year": published.year,
        "topics": published.topics,
        "team": published.team,
        "run": published.run,
        "group": published.group,
        "measure": published.measure,
        "printed": published.value,
        "ours": each.ours,
        "difference": each.difference,
        "verdict": str(each.verdict),
        "note": each.note,
    }
