"""Topics from files, for the commands that rank them: of the right task, with their judgments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from porism.model import Qrels, Topic


def topics_of_task(path: Path, task: int, formulas: Path | None = None) -> list[Topic]:
    """The topics of a file, if they are of that task: those of Task 2 ask for a formula."""
    # Loads the formats, which --help can do without.
    from porism.errors import FormatError
    from porism.formats.topics import read_topics

    listed = list(read_topics(path, formulas))
    for topic in listed:
        other = 1 if topic.focus is None else 2
        if other != task:
            raise FormatError(
                str(path),
                1,
                f"found topics of Task {other} ({topic.id}): expected topics of Task {task}; name "
                f"another file, or say --task {other}",
            )
    return listed


class JudgedTopics(NamedTuple):
    """The topics of a file that have judgments, these, and how many topics have none."""

    topics: list[Topic]
    qrels: Qrels
    unjudged: int


def judged_topics(topics: list[Topic], qrels: Qrels, path: Path) -> JudgedTopics:
    """Topics and judgments as far as they belong together; if they do not at all it is an error."""
    # Loads the formats, which --help can do without.
    from porism.errors import FormatError
    from porism.model import Qrels

    judged = [topic for topic in topics if qrels.grades.get(topic.id)]
    if not judged:
        raise FormatError(
            str(path),
            1,
            f"found no topic ({topics[0].id}, ...) that the judgments ({next(iter(qrels.grades))}, "
            "...) speak of: expected topics and qrels of the same year and task",
        )
    grades = {topic.id: qrels.grades[topic.id] for topic in judged}
    return JudgedTopics(judged, Qrels(grades), len(topics) - len(judged))
