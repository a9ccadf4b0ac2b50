"""``porism stats``: statistics of a collection."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_argument
from porism.cli.options.outputs import json_option
from porism.cli.plain_tables import bars, columns

if TYPE_CHECKING:
    from porism.collection.stats import CollectionStats, FormulaSizes, FrequentText

LONGEST_FORMULA = 70
"""Longer formulas are cut."""

MANY_ANSWERS = 10
"""Questions with this many answers or more are counted together."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism stats sample
    porism stats arqmath --json | jq .formulas
    """,
)
@json_option
@collection_argument
def stats(collection: Path, as_json: bool) -> None:
    """Print statistics of COLLECTION: posts by year, tags, formulas by size and frequency."""
    # Loads the store, which --help does not need.
    from porism.cli.terminal import harmless
    from porism.collection.stats import collection_stats
    from porism.collection.store import open_collection
    from porism.formula.jsonl import json_line

    with open_collection(collection) as opened:
        statistics = collection_stats(opened)
    if as_json:
        click.echo(json_line(dataclasses.asdict(statistics)))
    else:
        click.echo(harmless("\n".join(_summary_lines(statistics, collection))))


def _summary_lines(statistics: CollectionStats, collection: Path) -> Iterator[str]:
    kinds = [
        ("questions", statistics.questions),
        ("answers", statistics.answers),
        ("documents", statistics.documents),
        ("comments", statistics.comments),
        ("links", statistics.links),
        ("tags", statistics.tags),
        ("users", statistics.users),
        ("votes", statistics.votes),
        ("formulas in the texts", statistics.instances),
        ("distinct formulas", statistics.formulas),
        ("visually distinct formulas", statistics.visual_formulas),
    ]
    yield f"{collection}"
    yield from columns([(name, number) for name, number in kinds if number] or [("posts", 0)])
    if statistics.years:
        yield "\nPosts by year"
        totals = [
            (each.year, each.questions + each.answers + each.documents) for each in statistics.years
        ]
        yield from bars(totals)
        if statistics.undated:
            yield f"  and {statistics.undated:,} without a date"
    if statistics.questions:
        yield "\nQuestions by number of answers"
        yield from bars(_answered(statistics.answered))
    yield from _listed("Most frequent tags", statistics.top_tags)
    if statistics.formulas:
        yield from _sizes(statistics.sizes)
        if statistics.refused:
            yield f"  and {statistics.refused:,} refused by the parser"
    yield from _listed("Most frequent formulas", statistics.top_formulas)


def _answered(answered: Mapping[int, int]) -> list[tuple[str, int]]:
    """The number of questions by number of answers; many answers are one line."""
    most = min(max(answered, default=0), MANY_ANSWERS)
    rows = [(str(number), answered.get(number, 0)) for number in range(most + 1)]
    if most == MANY_ANSWERS:
        many = sum(questions for answers, questions in answered.items() if answers >= most)
        rows[-1] = (f"{most} or more", many)
    return rows


def _sizes(sizes: FormulaSizes) -> Iterator[str]:
    yield (
        f"\nDistinct formulas by number of symbols (median {sizes.median:,}, "
        f"90th percentile {sizes.ninetieth:,}, largest {sizes.largest:,})"
    )
    yield from bars([(_size_class(each.least, each.most), each.formulas) for each in sizes.classes])


def _size_class(least: int, most: int | None) -> str:
    if most is None:
        return f"{least} or more"
    return str(least) if least == most else f"{least} to {most}"


def _listed(heading: str, frequent: tuple[FrequentText, ...]) -> Iterator[str]:
    if frequent:
        yield f"\n{heading}"
        yield from columns([(_shortened(each.text), each.occurrences) for each in frequent])


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_FORMULA else f"{text[: LONGEST_FORMULA - 1]}…"
