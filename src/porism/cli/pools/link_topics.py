"""``porism topics links``: make topics of the links between questions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.command import PorismCommand
from porism.cli.options.inputs import collection_argument
from porism.cli.options.outputs import json_option, output_option
from porism.cli.options.sampling import seed_option
from porism.cli.options.systems import comma_separated
from porism.cli.plain_tables import columns

if TYPE_CHECKING:
    from porism.lab.topics.link_topics import LinkTopics

KINDS = ("duplicate", "related")


def _known_kinds(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    kinds = comma_separated(context, parameter, values) or KINDS
    for kind in kinds:
        if kind not in KINDS:
            raise click.BadParameter(f"found {kind}: expected {' or '.join(KINDS)}, or both")
    return kinds


@click.command(
    name="links",
    cls=PorismCommand,
    epilog="""
    porism topics links sample -o link-topics
    porism topics links math --kinds duplicate --limit 1000 --seed 1 -o duplicates
    """,
)
@click.option(
    "--kinds",
    metavar="KINDS",
    multiple=True,
    callback=_known_kinds,
    help=f"The links that count: {', '.join(KINDS)}; both if not given.",
)
@click.option(
    "--limit",
    metavar="N",
    type=click.IntRange(1),
    help="At most that many topics, drawn at random; all if not given.",
)
@seed_option("Random seed of --limit.")
@output_option("FOLDER", "A new folder for the topics and their judgments.", required=True)
@json_option
@collection_argument
def link_topics(
    collection: Path,
    kinds: tuple[str, ...],
    limit: int | None,
    seed: int,
    output: Path,
    as_json: bool,
) -> None:
    """Write questions of COLLECTION that are linked with others as topics with judgments.

    The answers to a duplicate have grade 3, those to a related question grade 2. Nothing else is
    judged, so these topics are for measures of whole rankings, such as MAP.
    """
    # Loads the store and the formats, which --help does not need.
    from porism.collection.store import open_collection
    from porism.lab.topics.link_topics import link_topics as made_topics
    from porism.lab.topics.link_topics import (
        link_topics_record,
        write_link_topics,
    )
    from porism.model import LinkKind

    if output.exists():
        raise click.UsageError(f"{output} exists already; choose a new folder")
    settings = {"collection": str(collection), "kinds": list(kinds), "limit": limit, "seed": seed}
    with open_collection(collection) as opened:
        made = made_topics(opened, frozenset(map(LinkKind, kinds)), limit, seed)
        written = write_link_topics(output, opened, made, settings)
    if as_json:
        click.echo(json.dumps(link_topics_record(made, settings), ensure_ascii=False))
    else:
        click.echo("\n".join(_summary_lines(output, made)))
    click.echo(f"{output}: {', '.join(written)}", err=True)
    click.echo(
        f"index without these links, and leave the topics' own posts out of rankings: "
        f"porism index {collection} --without-links {output / 'links.tsv'} -o INDEX, "
        f"porism run INDEX --leave-out {output / 'own_posts.tsv'}",
        err=True,
    )


def _summary_lines(output: Path, made: LinkTopics) -> list[str]:
    grades = [grade for each in made.topics for grade in each.grades.values()]
    sampled = len(made.topics) < made.candidates
    return [
        f"{output} has",
        *columns(
            [
                ("topics", len(made.topics)),
                *([("of linked questions", made.candidates)] if sampled else []),
                ("answers to duplicates, grade 3", grades.count(3)),
                ("answers to related questions, grade 2", grades.count(2)),
                ("own answers to leave out", sum(len(each.own_posts) for each in made.topics)),
                ("links to leave out of an index", len(made.links)),
            ]
        ),
    ]
