"""Judgment files: options to name them, and functions to open them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options.inputs import PATH
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.assess.judgments.store import JudgmentStore
    from porism.assess.records import AssessmentBatch, Assessor

db_option = click.option(
    "--db", metavar="FILE", type=PATH, required=True, help="The judgment file."
)
batch_option = click.option(
    "--batch", metavar="NAME", help="The batch; required if there are several official ones."
)
any_batch_option = click.option("--batch", metavar="NAME", help="The batch; all if not given.")
pool_argument = click.argument("pool", metavar="[POOL]", type=PATH, required=False)


def open_existing_store(path: Path) -> JudgmentStore:
    """The store of an existing judgment file."""
    # Loads the database, which --help does not need.
    from porism.assess.judgments.store import JudgmentStore

    if not path.is_file():
        raise PorismError(
            f"{path}: there is no such judgment file; porism assess serve POOL --db {path} "
            "creates one"
        )
    return JudgmentStore(path)


def open_or_create_store(path: Path) -> JudgmentStore:
    """The store of a judgment file, which is created if it does not exist."""
    from porism.assess.judgments.store import JudgmentStore

    if not path.parent.is_dir():
        raise PorismError(f"{path}: there is no folder {path.parent} to write to")
    return JudgmentStore(path)


def chosen_batch(store: JudgmentStore, name: str | None) -> AssessmentBatch:
    """The batch with this name; by default the only official one, or the only one."""
    from porism.assess.records import BatchKind

    batches = store.batches()
    available = ", ".join(each.name for each in batches) or "none"
    if name is not None:
        for batch in batches:
            if batch.name == name:
                return batch
        raise PorismError(f"{store.path}: there is no batch {name}; available: {available}")
    official = [each for each in batches if each.kind is BatchKind.OFFICIAL]
    for group in (official, batches):
        if len(group) == 1:
            return group[0]
    raise PorismError(f"{store.path}: choose a batch with --batch; available: {available}")


def judging_assessors(store: JudgmentStore, names: tuple[str, ...] = ()) -> list[Assessor]:
    """The assessors with these names; by default all who are not administrators."""
    known = {each.name: each for each in store.assessors()}
    for name in names:
        if name not in known:
            available = ", ".join(known) or "none"
            raise PorismError(f"{store.path}: there is no assessor {name}; available: {available}")
    return [known[name] for name in names] or [each for each in known.values() if not each.is_admin]
