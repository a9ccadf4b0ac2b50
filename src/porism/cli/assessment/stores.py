"""Files of judgments, as the commands of ``porism assess`` name and open them."""

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
    "--db", metavar="FILE", type=PATH, required=True, help="The file of judgments."
)
batch_option = click.option(
    "--batch", metavar="NAME", help="Which batch; needed if there are several official ones."
)
any_batch_option = click.option("--batch", metavar="NAME", help="Which batch; all if not said.")
pool_argument = click.argument("pool", metavar="[POOL]", type=PATH, required=False)


def open_existing_store(path: Path) -> JudgmentStore:
    """The judgments of a file that is there."""
    # Loads the database, which --help can do without.
    from porism.assess.judgments.store import JudgmentStore

    if not path.is_file():
        raise PorismError(
            f"{path}: there is no such file of judgments; porism assess serve POOL --db {path} "
            "makes one"
        )
    return JudgmentStore(path)


def open_or_create_store(path: Path) -> JudgmentStore:
    """The judgments of a file, which is made if it is not there."""
    from porism.assess.judgments.store import JudgmentStore

    if not path.parent.is_dir():
        raise PorismError(f"{path}: there is no folder {path.parent} to write to")
    return JudgmentStore(path)


def chosen_batch(store: JudgmentStore, name: str | None) -> AssessmentBatch:
    """The batch of that name or, if none is given, the only official one, or the only one."""
    from porism.assess.records import BatchKind

    batches = store.batches()
    there = ", ".join(each.name for each in batches) or "none"
    if name is not None:
        for batch in batches:
            if batch.name == name:
                return batch
        raise PorismError(f"{store.path}: there is no batch {name}; there are: {there}")
    official = [each for each in batches if each.kind is BatchKind.OFFICIAL]
    for found in (official, batches):
        if len(found) == 1:
            return found[0]
    raise PorismError(f"{store.path}: say which --batch is meant; there are: {there}")


def judging_assessors(store: JudgmentStore, names: tuple[str, ...] = ()) -> list[Assessor]:
    """Those of these names or, if none is given, all who do not administer."""
    known = {each.name: each for each in store.assessors()}
    for name in names:
        if name not in known:
            there = ", ".join(known) or "nobody"
            raise PorismError(f"{store.path}: there is no assessor {name}; there are: {there}")
    return [known[name] for name in names] or [each for each in known.values() if not each.is_admin]
