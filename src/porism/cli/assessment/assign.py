"""``porism assess assign``: assign topics to assessors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.assessment.stores import (
    batch_option,
    chosen_batch,
    db_option,
    judging_assessors,
    open_existing_store,
)
from porism.cli.command import PorismCommand
from porism.cli.options.outputs import json_option
from porism.cli.options.sampling import seed_option
from porism.cli.tables import OutputTable, text_lines
from porism.cli.terminal import harmless

if TYPE_CHECKING:
    from porism.assess.judgments.store import JudgmentStore


@click.command(
    cls=PorismCommand,
    epilog="""
    porism assess assign --db judgments.db
    porism assess assign --db judgments.db --topic A.301 --to Ann
    porism assess assign --db judgments.db --by-wishes
    porism assess assign --db judgments.db --double 2
    porism assess assign --db judgments.db --topic A.301 --take-from Ann
    """,
)
@db_option
@batch_option
@click.option("--topic", "topics", metavar="TOPIC", multiple=True, help="A topic; repeatable.")
@click.option(
    "--to",
    "names",
    metavar="NAME",
    multiple=True,
    help="Assessor to assign topics to; repeatable. All except administrators if not given.",
)
@click.option("--second", is_flag=True, help="Assign topics that others already have.")
@click.option("--take-from", metavar="NAME", help="Withdraw the topics from this assessor.")
@click.option("--by-wishes", is_flag=True, help="Assign all unassigned topics by wishes.")
@click.option(
    "--double",
    metavar="N",
    type=click.IntRange(1, 1000),
    help="Assign each assessor N topics that others have completed.",
)
@seed_option("Random seed for ties between wishes.", click.IntRange(0))
@json_option
def assign(
    db: Path,
    batch: str | None,
    topics: tuple[str, ...],
    names: tuple[str, ...],
    second: bool,
    take_from: str | None,
    by_wishes: bool,
    double: int | None,
    seed: int,
    as_json: bool,
) -> None:
    """Assign topics to assessors, or unassign them; without options, print all assignments.

    By wishes, the strongest wish wins a topic, and everybody gets about the same number of
    candidates. Judgments stay when a topic is unassigned.
    """
    ways = [bool(topics), by_wishes, double is not None]
    if sum(ways) > 1:
        raise click.UsageError("use only one of --topic, --by-wishes and --double")
    if topics and bool(names) == bool(take_from):
        raise click.UsageError("--topic needs either --to NAME or --take-from NAME")
    if (second or take_from) and not topics:
        raise click.UsageError("--second and --take-from need a --topic")
    store = open_existing_store(db)
    chosen = chosen_batch(store, batch).name
    if take_from:
        judging_assessors(store, (take_from,))
        store.unassign(chosen, topics, take_from)
    else:
        pairs = ((topic, name) for topic in topics for name in names)
        store.assign_all(chosen, pairs, is_second=second)
    assessors = [each.name for each in judging_assessors(store, names)]
    if by_wishes:
        _assign_by_wishes(store, chosen, assessors, seed)
    if double is not None:
        _assign_second(store, chosen, assessors, double, seed)
    _print_assignments(store, chosen, as_json)


def _assign_by_wishes(store: JudgmentStore, batch: str, names: list[str], seed: int) -> None:
    from porism.assess.assignment import AssessorRoster, assignments_by_wish
    from porism.assess.judgments.progress import (
        assessor_loads,
        stored_progress,
        unassigned_topics,
    )

    progress = stored_progress(store, batch)
    roster = AssessorRoster(names, store.wishes(batch), assessor_loads(progress))
    assigned = assignments_by_wish(unassigned_topics(progress), roster, seed)
    store.assign_all(batch, assigned.items())


def _assign_second(
    store: JudgmentStore, batch: str, names: list[str], count: int, seed: int
) -> None:
    from porism.assess.assignment import second_assignments
    from porism.assess.judgments.progress import completed_topics, stored_progress

    completed = completed_topics(stored_progress(store, batch))
    if not completed:
        click.echo("Note: no topic is completed yet, so none is assigned again", err=True)
    store.assign_all(batch, second_assignments(completed, names, count, seed), is_second=True)


def _print_assignments(store: JudgmentStore, batch: str, as_json: bool) -> None:
    assessors: dict[str, list[str]] = {topic.id: [] for topic in store.pool(batch).topics}
    for each in store.assignments(batch):
        assessors[each.topic_id].append(each.assessor)
    if as_json:
        click.echo(json.dumps({"batch": batch, "topics": assessors}, ensure_ascii=False))
        return
    rows = tuple((topic_id, ", ".join(names) or "-") for topic_id, names in assessors.items())
    click.echo(harmless("\n".join(text_lines(OutputTable(("topic", "assessors"), rows, batch)))))
