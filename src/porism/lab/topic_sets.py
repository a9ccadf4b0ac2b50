"""Topics read from files together with their judgments, and with the posts to leave out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from porism.errors import FormatError, PorismError
from porism.evaluation.scoring import has_nonrelevant
from porism.formats.qrels import read_qrels
from porism.formats.topics import read_topics
from porism.lab.pools.topic_posts import (
    NO_POSTS,
    ExcludedPosts,
    check_posts_of_topics,
    read_topic_posts,
)
from porism.model import Qrels, Topic, TopicId


@dataclass(frozen=True, slots=True)
class TopicSet:
    """The judged topics of a file with their judgments.

    ``leave_out`` are posts that must not be in the rankings of their topics. ``unjudged`` is the
    number of topics without judgments, which are not among ``topics``.
    """

    name: str
    topics: tuple[Topic, ...]
    qrels: Qrels
    leave_out: ExcludedPosts = NO_POSTS
    unjudged: int = 0

    @property
    def topic_ids(self) -> tuple[TopicId, ...]:
        """The ids of the topics, in the order of the file."""
        return tuple(topic.id for topic in self.topics)

    @property
    def has_nonrelevant(self) -> bool:
        """Whether any document was judged not relevant; without, primed measures say nothing."""
        return has_nonrelevant(self.qrels.grades)


@dataclass(frozen=True, slots=True)
class TopicSetFiles:
    """The files of a set: topics, judgments, and optionally the LaTeX of the topics' formulas."""

    topics: Path
    qrels: Path
    formulas: Path | None = None


def read_topics_of_task(path: Path, task: int, formulas: Path | None = None) -> list[Topic]:
    """The topics of a file, which must be of that task; those of Task 2 have a query formula.

    Task 3 has the topics of Task 1.
    """
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


def read_topic_set(files: TopicSetFiles, task: int) -> TopicSet:
    """The topics of a file that have judgments; it is an error if none has."""
    topics = read_topics_of_task(files.topics, task, files.formulas)
    qrels = read_qrels(files.qrels)
    judged = tuple(topic for topic in topics if qrels.grades.get(topic.id))
    if not judged:
        raise FormatError(
            str(files.topics),
            1,
            f"no topic ({topics[0].id}, ...) has judgments ({next(iter(qrels.grades))}, ...): "
            "expected topics and qrels of the same year and task",
        )
    grades = {topic.id: qrels.grades[topic.id] for topic in judged}
    return TopicSet(files.topics.name, judged, Qrels(grades), unjudged=len(topics) - len(judged))


def read_topic_sets(
    files: Sequence[TopicSetFiles], task: int, leave_out: Sequence[Path] = ()
) -> tuple[TopicSet, ...]:
    """The sets of several files, which have no topic in common.

    They are named after the files of topics, with folders where names repeat. Each file of posts to
    leave out may be for any of the topics.
    """
    sets: list[TopicSet] = []
    seen: list[TopicId] = []
    names: set[str] = set()
    for each in files:
        read = read_topic_set(each, task)
        if twice := set(seen).intersection(read.topic_ids):
            raise PorismError(
                f"{each.topics}: topic {min(twice)} is in another file too: expected each topic "
                "once"
            )
        seen.extend(read.topic_ids)
        name = str(each.topics) if read.name in names else read.name
        names.add(name)
        sets.append(replace(read, name=name))
    excluded = [(path, read_topic_posts(path)) for path in leave_out]
    for path, posts in excluded:
        check_posts_of_topics(path, posts, seen, "the sets")
    return tuple(
        replace(
            each,
            leave_out=ExcludedPosts(
                {
                    topic_id: tuple(
                        post for _, posts in excluded for post in posts.get(topic_id, ())
                    )
                    for topic_id in each.topic_ids
                    if any(topic_id in posts for _, posts in excluded)
                }
            ),
        )
        for each in sets
    )
