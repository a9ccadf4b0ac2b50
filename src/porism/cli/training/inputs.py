"""What trainings of models of texts leave out, and how an interrupted one continues."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.collection.store import Collection
    from porism.model import DocId


def excluded_questions(path: Path | None, collection: Collection) -> frozenset[DocId]:
    """The questions of the links in a file; it is an error if the collection has none of them."""
    from porism.formats.link_pairs import read_link_pairs

    if path is None:
        return frozenset()
    questions = frozenset(question for pair in read_link_pairs(path) for question in pair)
    if not any(collection.find_number(each) is not None for each in questions):
        raise PorismError(
            f"{path}: none of its {len(questions):,} questions is in {collection.path}: expected "
            "links of this collection, as porism topics links writes them"
        )
    return questions


@contextmanager
def named_continuation(output: Path) -> Iterator[None]:
    """Say how a training continues that is interrupted in the block."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(
            "Interrupted: the same command with --resume continues from the last checkpoint in "
            f"{output}.partial",
            err=True,
        )
        raise
