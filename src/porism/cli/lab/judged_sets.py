"""Sets of judged topics as the options of ``porism tune`` name them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porism.cli.options.sampling import YEARS
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.lab.topic_sets import TopicSet
    from porism.lab.tuning import Folds


def topic_sets(
    topics: tuple[Path, ...],
    qrels: tuple[Path, ...],
    formulas: tuple[Path, ...],
    leave_out: tuple[Path, ...],
    task: int,
) -> tuple[TopicSet, ...]:
    """The sets of topics that the options of a command name."""
    from porism.lab.topic_sets import TopicSetFiles, read_topic_sets

    if not topics or len(topics) != len(qrels):
        raise click.UsageError("expected one file of --qrels per file of --topics")
    if formulas and len(formulas) != len(topics):
        raise click.UsageError(
            "expected one file of --topic-formulas per file of --topics, or none"
        )
    files = map(TopicSetFiles, topics, qrels, formulas or (None,) * len(topics))
    return read_topic_sets(tuple(files), task, leave_out)


def useful_sets(
    sets: Sequence[TopicSet], judged: Sequence[TopicSet], kind: str, index: Path
) -> list[TopicSet]:
    """The sets with the topics that have a relevant document, or formula, in the index.

    A note says how many topics of each set have none; if all have none, that is an error.
    """
    for given, here in zip(sets, judged, strict=True):
        if left_out := len(given.topics) - len(here.topics):
            click.echo(
                f"Note: {left_out:,} of {len(given.topics):,} topics of {given.name} have no "
                f"relevant {kind} in {index}, and are left out",
                err=True,
            )
    useful = [each for each in judged if each.topics]
    if not useful:
        raise PorismError(
            f"no topic has a relevant {kind} in {index}: expected topics and judgments for "
            "its collection"
        )
    return useful


def chosen_measure(given: str | None, sets: Sequence[TopicSet]) -> str:
    """The measure to maximise, with a note if it cannot tell settings apart on some set."""
    from porism.evaluation.measures import parse_measure

    incomplete = [each.name for each in sets if not each.has_nonrelevant]
    default = "MAP" if incomplete else "nDCG'"
    measure = parse_measure(given or default)
    note = f"no document is judged not relevant in {', '.join(incomplete)}"
    if incomplete and given is None:
        click.echo(
            f"Note: {note}, so the measure is {measure}; --measure selects another", err=True
        )
    elif incomplete and measure.needs_judged_only:
        click.echo(
            f"Note: {note}, so {measure} says nothing about it; choose a measure of whole "
            "rankings, such as --measure MAP",
            err=True,
        )
    return str(measure)


def made_folds(folds: str, seed: int, sets: Sequence[TopicSet]) -> Folds:
    from porism.lab.tuning import random_folds

    if folds == YEARS:
        if len(sets) < 2:
            raise click.UsageError(f"--folds {YEARS} needs several files of --topics")
        return {each.name: each.topic_ids for each in sets}
    if not folds.isdecimal():
        raise click.UsageError(f"found --folds {folds}: expected a number, or {YEARS}")
    return random_folds(*(each.topic_ids for each in sets), count=int(folds), seed=seed)
