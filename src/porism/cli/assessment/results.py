"""Options and results shared by the commands that print or export an assessment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.assessment.stores import chosen_batch
from porism.cli.terminal import harmless

if TYPE_CHECKING:
    from porism.assess.judgments.store import JudgmentStore
    from porism.collection.store import Collection
    from porism.pages.assessed_batch import AssessedBatch, AssessmentExportSettings


def rule_options(command: Callable[..., None]) -> Callable[..., None]:
    """Options for how judgments count."""
    rule = click.option(
        "--rule",
        type=click.Choice(["first", "maximum", "majority"]),
        default="first",
        show_default=True,
        help="The grade that counts where assessors differ and nobody adjudicated.",
    )
    fewest = click.option(
        "--fewest",
        metavar="N",
        type=click.IntRange(0),
        default=2,
        show_default=True,
        help="Drop topics with fewer relevant documents (H+M).",
    )
    return rule(fewest(command))


@contextmanager
def open_assessment(
    store: JudgmentStore, batch: str | None, settings: AssessmentExportSettings, path: Path | None
) -> Iterator[AssessedBatch]:
    """A batch with its results; prints notes about it."""
    from porism.assess.records import BatchKind
    from porism.collection.store import open_collection
    from porism.lab.pools.pool_posts import has_changed_posts
    from porism.pages.assessed_batch import assessed_batch

    chosen = chosen_batch(store, batch)
    if chosen.kind is BatchKind.TRAINING:
        print_note(
            f"{chosen.name} is a training round: its judgments are not part of the collection"
        )
    with ExitStack() as stack:
        opened: Collection | None = None
        if path is not None:
            opened = stack.enter_context(open_collection(path))
        assessed = assessed_batch(store, chosen, settings, opened)
        if opened is not None and has_changed_posts(assessed.pool, opened):
            print_note(f"posts in {path} have changed since the pool was drawn")
        yield assessed


def print_note(note: str) -> None:
    """Print a note to standard error."""
    click.echo(harmless(f"Note: {note}"), err=True)
