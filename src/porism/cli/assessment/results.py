"""What an assessment came to, as the commands that tell or write it ask for it."""

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


@contextmanager
def open_assessment(
    store: JudgmentStore, batch: str | None, form: AssessmentExportSettings, path: Path | None
) -> Iterator[AssessedBatch]:
    """A batch with all that is known of it; what is to be said of it is noted."""
    from porism.assess.records import BatchKind
    from porism.collection.store import open_collection
    from porism.lab.pools.pool_posts import has_changed_posts
    from porism.pages.assessed_batch import assessed_batch

    chosen = chosen_batch(store, batch)
    if chosen.kind is BatchKind.TRAINING:
        print_note(
            f"{chosen.name} is a training round, whose judgments are no part of a collection"
        )
    with ExitStack() as stack:
        opened: Collection | None = None
        if path is not None:
            opened = stack.enter_context(open_collection(path))
        found = assessed_batch(store, chosen, form, opened)
        if opened is not None and has_changed_posts(found.pool, opened):
            print_note(f"posts in {path} are not as they were when the pool was drawn")
        yield found


def print_note(told: str) -> None:
    """Say something besides what was asked for."""
    click.echo(harmless(f"Note: {told}"), err=True)
