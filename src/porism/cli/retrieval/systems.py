"""``porism systems``: list the retrieval systems, or describe one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option
from porism.cli.tables import Cell, OutputTable, text_lines

if TYPE_CHECKING:
    from porism.catalog import System
    from porism.lab.system_scores import PublishedRun, SystemScore

MARKS = {
    "v": "vectors (porism index --vectors)",
    "t": "a model trained on the collection (porism train)",
    "m": "a model of yours (porism index --model)",
    "g": "a language model (porism ask --model, --endpoint)",
    "q": "queries written by hand (porism run --queries)",
    "o": "an oracle: what no searcher knows",
}
"""The values of ``porism.catalog.RequirementKind``, and what they mean."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism systems
    porism systems tangent-l
    porism systems --json | jq -r '.systems[].name'
    """,
)
@json_option
@click.argument("name", required=False, metavar="[NAME]")
def systems(name: str | None, as_json: bool) -> None:
    """List the systems by family, with tasks (1 answers, 2 formulas, 3 short answers).

    With NAME, print what that system is, where it comes from, and the scores that papers and this
    project report for it.
    """
    # Loads the systems, which --help does not need.
    from porism.catalog import SYSTEMS, system
    from porism.formula.jsonl import json_line

    if name is not None:
        chosen = system(name)
        published, ours = _published(chosen), _ours(name)
        if as_json:
            scores = {
                "published": [_published_record(each) for each in published],
                "ours": [_our_record(each) for each in ours],
            }
            click.echo(json_line({**_record(name, chosen), **scores}))
        else:
            click.echo("\n".join(_description(name, chosen, published, ours)))
    elif as_json:
        records = [_record(name, each) for name, each in SYSTEMS.items()]
        click.echo(json_line({"systems": records}))
    else:
        click.echo("\n".join(_list_lines()))


def _record(name: str, each: System) -> dict[str, object]:
    from porism.catalog import DEFAULT

    return {
        "name": name,
        "tasks": each.tasks,
        "what": each.description,
        "is_default": name == DEFAULT,
        "family": str(each.family),
        "needs": [str(need) for need in each.requirements],
        "source": None if each.source is None else each.source.text,
    }


def _list_lines() -> Iterator[str]:
    from porism.catalog import DEFAULT, SYSTEMS

    width = max(map(len, SYSTEMS))
    yield f"{'name':<{width}}  tasks  needs    what"
    for family, members in groupby(SYSTEMS.items(), lambda item: item[1].family):
        yield ""
        yield f"{family}:"
        for name, each in members:
            tasks = " ".join(map(str, each.tasks))
            marks = " ".join(dict.fromkeys(need.mark for need in each.requirements))
            default = "(the default) " if name == DEFAULT else ""
            yield f"{name:<{width}}  {tasks:<5}  {marks:<7}  {default}{each.description}"
    yield ""
    yield "needs: " + "; ".join(f"{mark} {meaning}" for mark, meaning in MARKS.items())
    yield "in brackets: used if the index has it"


def _description(
    name: str, each: System, published: Sequence[PublishedRun], ours: Sequence[SystemScore]
) -> Iterator[str]:
    yield f"{name}: {each.description}"
    yield ""
    yield f"family   {each.family}"
    yield f"tasks    {', '.join(map(str, each.tasks))}"
    yield f"needs    {', '.join(map(str, each.requirements)) or 'its fields of an index alone'}"
    if each.source is not None:
        yield f"source   {each.source.text}"
        if each.source.model:
            yield f"model    {each.source.model} (that of the papers)"
        if each.source.note:
            yield f"note     the papers' runs had {each.source.note}"
    if each.learned_on:
        yield f"learned  its weights, from the judgments of {', '.join(each.learned_on)}"
    yield ""
    if published:
        yield "Published, over the lab's collection of 1.4 million answers:"
        yield from text_lines(_published_table(published))
    else:
        yield "No paper of the lab has figures for it."
    yield ""
    if ours:
        documents = max(score.documents for score in ours)
        yield (
            f"Ours, over the mini collection of {documents:,} answers, which is not comparable "
            "with the lab's:"
        )
        yield from text_lines(_our_table(ours), digits=3)
        yield from dict.fromkeys(score.notes for score in ours if score.notes)
    elif each.makers:
        yield "Ours have not been measured; porism reproduce systems does."
    else:
        yield "docs/answers.md has what was measured of short answers."


def _published(each: System) -> tuple[PublishedRun, ...]:
    from porism.lab.system_scores import published_runs

    if each.source is None:
        return ()
    return tuple(run for run in published_runs(each.source.runs) if run.task in each.tasks)


def _ours(name: str) -> tuple[SystemScore, ...]:
    from porism.lab.system_scores import our_scores

    return tuple(score for score in our_scores() if score.system == name)


def _published_table(runs: Sequence[PublishedRun]) -> OutputTable:
    measures = tuple(dict.fromkeys(measure for run in runs for measure in run.values))
    columns = ("paper", "table", "task", "year", "topics", "team", "run", *measures)
    rows: list[tuple[Cell, ...]] = [
        (
            *(run.paper, run.table, run.task, run.year, run.topics, run.team, run.run),
            *(run.values.get(measure) for measure in measures),
        )
        for run in runs
    ]
    return OutputTable(columns, tuple(rows))


def _our_table(scores: Sequence[SystemScore]) -> OutputTable:
    measures = tuple(dict.fromkeys(measure for score in scores for measure in score.measures))
    columns = ("task", "topics", "number", "model", "trained", *measures, "ms per topic")
    rows: list[tuple[Cell, ...]] = [
        (
            *(score.task, score.topics, score.count, score.model or "-", score.trained or "-"),
            *(score.measures.get(measure) for measure in measures),
            f"{score.milliseconds:.0f}",
        )
        for score in scores
    ]
    return OutputTable(columns, tuple(rows))


def _published_record(run: PublishedRun) -> dict[str, object]:
    return {
        "paper": run.paper,
        "table": run.table,
        "task": run.task,
        "year": run.year,
        "topics": run.topics,
        "team": run.team,
        "run": run.run,
        "scores": dict(run.values),
    }


def _our_record(score: SystemScore) -> dict[str, object]:
    return {
        "task": score.task,
        "topics": score.topics,
        "number": score.count,
        "documents": score.documents,
        "model": score.model,
        "trained": score.trained,
        "scores": dict(score.measures),
        "p": dict(score.p),
        "milliseconds": score.milliseconds,
        "notes": score.notes,
    }
