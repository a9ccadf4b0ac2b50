"""``porism stats``: what a collection is like, in figures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.plain_tables import bars, columns

if TYPE_CHECKING:
    from porism.collection.stats import CollectionStats, FormulaSizes, FrequentText

LONGEST_FORMULA = 70
"""Characters of a formula that are shown."""

MANY_ANSWERS = 10
"""Questions with so many answers or more are counted together."""


@click.command(
    cls=PorismCommand,
    epilog="""
    porism stats sample
    porism stats arqmath --json | jq .formulas
    """,
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of text.")
@click.argument("collection", type=click.Path(path_type=Path))
def stats(collection: Path, as_json: bool) -> None:
    """Count what COLLECTION holds: posts by year, tags, formulas by size and frequency."""
    # Loads the store, which --help can do without.
    from porism.cli.terminal import harmless
    from porism.collection.stats import collection_stats
    from porism.collection.store import open_collection
    from porism.formula.jsonl import json_line

    with open_collection(collection) as opened:
        found = collection_stats(opened)
    if as_json:
        click.echo(json_line(dataclasses.asdict(found)))
    else:
        click.echo(harmless("\n".join(_summary_lines(found, collection))))


def _summary_lines(found: CollectionStats, collection: Path) -> Iterator[str]:
    kinds = [
        ("questions", found.questions),
        ("answers", found.answers),
        ("documents", found.documents),
        ("comments", found.comments),
        ("links", found.links),
        ("tags", found.tags),
        ("users", found.users),
        ("votes", found.votes),
        ("formulas in the texts", found.instances),
        ("formulas distinct in LaTeX", found.formulas),
        ("formulas that look different", found.visual_formulas),
    ]
    yield f"{collection}"
    yield from columns([(name, number) for name, number in kinds if number] or [("posts", 0)])
    if found.years:
        yield "\nPosts by year"
        totals = [
            (each.year, each.questions + each.answers + each.documents) for each in found.years
        ]
        yield from bars(totals)
        if found.undated:
            yield f"  and {found.undated:,} without a date"
    if found.questions:
        yield "\nQuestions by number of answers"
        yield from bars(_answered(found.answered))
    yield from _listed("Most frequent tags", found.top_tags)
    if found.formulas:
        yield from _sizes(found.sizes)
        if found.refused:
            yield f"  and {found.refused:,} that the parser refused"
    yield from _listed("Most frequent formulas", found.top_formulas)


def _answered(answered: Mapping[int, int]) -> list[tuple[str, int]]:
    """The numbers of questions by their answers, with one line for all that have many."""
    most = min(max(answered, default=0), MANY_ANSWERS)
    rows = [(str(number), answered.get(number, 0)) for number in range(most + 1)]
    if most == MANY_ANSWERS:
        many = sum(questions for answers, questions in answered.items() if answers >= most)
        rows[-1] = (f"{most} or more", many)
    return rows


def _sizes(sizes: FormulaSizes) -> Iterator[str]:
    yield (
        f"\nDistinct formulas by number of symbols (median {sizes.median:,}, "
        f"nine of ten up to {sizes.ninetieth:,}, largest {sizes.largest:,})"
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
