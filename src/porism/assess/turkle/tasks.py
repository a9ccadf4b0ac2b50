"""Assessment by Turkle instead of our own pages: the tasks of a pool as CSV.

Turkle (https://github.com/hltcoe/turkle), by which the lab was judged, has an HTML template with
variables such as ``${question}``, and a CSV file whose columns are those variables and whose rows
are tasks. A task is a candidate, or all instances of a formula, each judged apart. The template is
made by ``turkle_template``, what assessors chose is read by ``turkle_results``.
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
    """What is seen of topics and candidates, as HTML that runs nothing."""

    title: Callable[[Topic], str]
    question: Callable[[Topic], str]
    candidate: Callable[[Candidate], str]


@dataclass(frozen=True, slots=True)
class TurkleTask:
    """What is shown at once: the candidates of a topic that look alike, one if they differ."""

    topic: Topic
    candidates: tuple[Candidate, ...]


def turkle_tasks(pool: Pool) -> Iterator[TurkleTask]:
    """The tasks of a pool, in the order in which their first candidates are shown."""
    topics = {topic.id: topic for topic in pool.topics}
    for (topic_id, _), candidates in visual_groups(pool.candidates).items():
        yield TurkleTask(topics[topic_id], tuple(candidates))


def needed_slots(pool: Pool) -> int:
    """How many candidates a task has at most, which the template has to have room for.

    >>> needed_slots(Pool(1, (), ()))
    1
    """
    return max((len(task.candidates) for task in turkle_tasks(pool)), default=1)


def write_tasks(path: Path, pool: Pool, form: TurkleTaskSettings, shown: TurkleRenderer) -> int:
    """Write the tasks of a pool as CSV for the template of the same form, and say how many.

    A task with more candidates than the form has room for is refused.
    """
    names = template_variables(form)
    of_pool = list(turkle_tasks(pool))
    with open_atomic(path) as file:
        writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
        writer.writerow(names)
        for task in of_pool:
            if len(task.candidates) > form.slots:
                raise PorismError(
                    f"{path}: {len(task.candidates)} candidates of topic {task.topic.id} are shown "
                    f"together, and the template has room for {form.slots}: make both with more"
                )
            values = _values(task, form, shown)
            writer.writerow([without_variables(values[name]) for name in names])
    return len(of_pool)


def _values(task: TurkleTask, form: TurkleTaskSettings, shown: TurkleRenderer) -> dict[str, str]:
    values = {
        "topic_id": escape(task.topic.id),
        "title": shown.title(task.topic),
        "question": shown.question(task.topic),
    }
    for place in range(form.slots):
        is_there = place < len(task.candidates)
        candidate = task.candidates[place] if is_there else None
        values[f"candidate_{place + 1}"] = "" if candidate is None else escape(candidate.doc_id)
        values[f"html_{place + 1}"] = "" if candidate is None else shown.candidate(candidate)
        # A disabled fieldset asks for nothing and sends nothing.
        values[f"state_{place + 1}"] = "" if candidate is not None else "disabled hidden"
    return values
