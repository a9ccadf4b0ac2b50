"""Topics from files, checked for their task and matched with judgments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from porism.model import Qrels, Topic


def topics_of_task(path: Path, task: int, formulas: Path | None = None) -> list[Topic]:
    """The topics of a file, which must be of that task; those of Task 2 have a query formula.

    Task 3 has the topics of Task 1.
    """
    # Loads the formats, which --help does not need.
    from porism.errors import FormatError
    from porism.formats.topics import read_topics

    listed = list(read_topics(path, formulas))
    for topic in listed:
        other = 1 if topic.focus is None else 2
        if (other == 2) != (task == 2):
            raise FormatError(
                str(path),
                1,
                f"found topics of Task {other} ({topic.id}): expected topics of Task {task}; use "
                f"another file, or --task {other}",
            )
    return listed


class JudgedTopics(NamedTuple):
    """The topics of a file that have judgments, these, and the number of topics without any."""

    topics: list[Topic]
    qrels: Qrels
    unjudged: int


def judged_topics(topics: list[Topic], qrels: Qrels, path: Path) -> JudgedTopics:
    """The topics that have judgments; it is an error if none has."""
    # Loads the formats, which --help does not need.
    from porism.errors import FormatError
    from porism.model import Qrels

    judged = [topic for topic in topics if qrels.grades.get(topic.id)]
    if not judged:
        raise FormatError(
            str(path),
            1,
            f"no topic ({topics[0].id}, ...) has judgments ({next(iter(qrels.grades))}, ...): "
            "expected topics and qrels of the same year and task",
        )
    grades = {topic.id: qrels.grades[topic.id] for topic in judged}
    return JudgedTopics(judged, Qrels(grades), len(topics) - len(judged))
