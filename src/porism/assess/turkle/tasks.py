"""The tasks of a pool as CSV, to be judged with Turkle instead of our own pages.

Turkle (https://github.com/hltcoe/turkle), which the lab used, has an HTML template with variables
such as ``${question}``, and a CSV file whose columns are these variables and whose rows are tasks.
A task is a candidate, or all instances of a formula, which are judged one by one.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path

from porism.assess.pools.visual_groups import visual_groups
from porism.assess.records import Candidate, Pool
from porism.assess.turkle.template import (
    TurkleTaskSettings,
    template_variables,
    without_variables,
)
from porism.errors import PorismError
from porism.formats.text_lines import open_atomic
from porism.model import Topic


@dataclass(frozen=True, slots=True)
class TurkleRenderer:
    """Renders topics and candidates as HTML without scripts."""

    title: Callable[[Topic], str]
    question: Callable[[Topic], str]
    candidate: Callable[[Candidate], str]


@dataclass(frozen=True, slots=True)
class TurkleTask:
    """A topic and the candidates that are shown together."""

    topic: Topic
    candidates: tuple[Candidate, ...]


def turkle_tasks(pool: Pool) -> Iterator[TurkleTask]:
    """The tasks of a pool, in the display order of their first candidates."""
    topics = {topic.id: topic for topic in pool.topics}
    for (topic_id, _), candidates in visual_groups(pool.candidates).items():
        yield TurkleTask(topics[topic_id], tuple(candidates))


def needed_slots(pool: Pool) -> int:
    """The largest number of candidates in a task, which the template needs room for.

    >>> needed_slots(Pool(1, (), ()))
    1
    """
    return max((len(task.candidates) for task in turkle_tasks(pool)), default=1)


def write_tasks(
    path: Path, pool: Pool, settings: TurkleTaskSettings, renderer: TurkleRenderer
) -> int:
    """Write the tasks of a pool as CSV for the template of the same settings; return how many.

    A task with more candidates than slots is refused.
    """
    names = template_variables(settings)
    of_pool = list(turkle_tasks(pool))
    with open_atomic(path) as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
        writer.writerow(names)
        for task in of_pool:
            if len(task.candidates) > settings.slots:
                raise PorismError(
                    f"{path}: {len(task.candidates)} candidates of topic {task.topic.id} are shown "
                    f"together, but the template has room for {settings.slots}: use more slots"
                )
            values = _values(task, settings, renderer)
            writer.writerow([without_variables(values[name]) for name in names])
    return len(of_pool)


def _values(
    task: TurkleTask, settings: TurkleTaskSettings, renderer: TurkleRenderer
) -> dict[str, str]:
    values = {
        "topic_id": escape(task.topic.id),
        "title": renderer.title(task.topic),
        "question": renderer.question(task.topic),
    }
    for place in range(settings.slots):
        candidate = task.candidates[place] if place < len(task.candidates) else None
        values[f"candidate_{place + 1}"] = "" if candidate is None else escape(candidate.doc_id)
        values[f"html_{place + 1}"] = "" if candidate is None else renderer.candidate(candidate)
        # A disabled fieldset requires nothing and sends nothing.
        values[f"state_{place + 1}"] = "" if candidate is not None else "disabled hidden"
    return values
