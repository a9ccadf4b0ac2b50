"""Topics made of links: what people linked with a question is taken as relevant to it.

Nobody judged these topics. Their judgments are incomplete and name no document that is not
relevant, so only measures of whole rankings say anything about them. In return any site with links
has hundreds of them.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from porism.collection.questions import answer_ids, question_links
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.formats.byte_streams import write_new_folder
from porism.formats.link_pairs import write_links
from porism.formats.qrels import write_qrels
from porism.formats.text_lines import open_atomic
from porism.formats.topic_links import write_topic_links
from porism.formats.topics import write_topics
from porism.lab.topics.topic_files import OWN_POSTS, TOPICS
from porism.model import Content, DocId, Formula, Link, LinkKind, Qrels, Topic, TopicId

QRELS = "qrels_task1.tsv"
LINKS = "links.tsv"
RECORD = "links.json"

GRADES = {LinkKind.DUPLICATE: 3, LinkKind.RELATED: 2}
"""The grade of the answers to a linked question."""


@dataclass(frozen=True, slots=True)
class LinkTopic:
    """A question as a topic: its linked answers with their grades, and its own answers."""

    question_id: DocId
    grades: Mapping[DocId, int]
    own_posts: tuple[DocId, ...]

    @property
    def id(self) -> TopicId:
        """``L.`` and the id of the question."""
        return TopicId(f"L.{self.question_id}")


@dataclass(frozen=True, slots=True)
class LinkTopics:
    """Topics by number of their questions, and every link between these and other questions.

    ``links`` are of all kinds, because a link of any kind puts the title of a topic into documents
    of another question. ``candidates`` is the number of questions of which the topics are a sample.
    """

    topics: tuple[LinkTopic, ...]
    links: tuple[Link, ...]
    candidates: int


def link_topics(
    collection: Collection,
    kinds: frozenset[LinkKind] = frozenset(LinkKind),
    limit: int | None = None,
    seed: int = 0,
) -> LinkTopics:
    """Questions that are linked with answered questions of the collection, as topics.

    The direction of a link does not matter. The answers to a question that is linked in several
    ways have the highest grade. At most ``limit`` topics are drawn at random, the same for the same
    seed. A PorismError says if there are none.
    """
    links = tuple(question_links(collection))
    linked = linked_grades(link for link in links if link.kind in kinds)
    answers = {question: answer_ids(collection, question) for question in linked}
    candidates = [
        question
        for question in sorted(linked, key=int)
        if any(answers[other] for other in linked[question])
    ]
    if not candidates:
        raise PorismError(_no_topics_message(collection, links, kinds))
    drawn = candidates
    if limit is not None and limit < len(candidates):
        drawn = sorted(random.Random(seed).sample(candidates, limit), key=int)
    topics = (
        LinkTopic(question, _grades(linked[question], answers), answers[question])
        for question in drawn
    )
    ends = set(drawn)
    used = (link for link in links if link.post_id in ends or link.related_id in ends)
    return LinkTopics(tuple(topics), tuple(used), len(candidates))


def linked_grades(links: Iterable[Link]) -> dict[DocId, dict[DocId, int]]:
    """The questions linked with each question, in either direction, and the highest grade."""
    linked: dict[DocId, dict[DocId, int]] = defaultdict(dict)
    for link in links:
        grade = GRADES[link.kind]
        for own, other in _directions(link):
            linked[own][other] = max(grade, linked[own].get(other, 0))
    return linked


def _directions(link: Link) -> tuple[tuple[DocId, DocId], tuple[DocId, DocId]]:
    return (link.post_id, link.related_id), (link.related_id, link.post_id)


def _grades(
    linked: Mapping[DocId, int], answers: Mapping[DocId, tuple[DocId, ...]]
) -> dict[DocId, int]:
    """The grades of the answers to linked questions, by number of the answer."""
    graded = {answer: grade for other, grade in linked.items() for answer in answers[other]}
    return {answer: graded[answer] for answer in sorted(graded, key=int)}


def _no_topics_message(
    collection: Collection, links: tuple[Link, ...], kinds: frozenset[LinkKind]
) -> str:
    if not links:
        return (
            f"{collection.path}: no two questions are linked with each other; topics are made of a "
            "collection of questions with links, such as a dump with PostLinks.xml"
        )
    if not any(link.kind in kinds for link in links):
        return (
            f"{collection.path}: none of {len(links):,} links between questions is of the kind "
            f"{' or '.join(sorted(kinds))}; choose another with --kinds"
        )
    return f"{collection.path}: no linked question has answers, so nothing would be relevant"


def topic_records(collection: Collection, drawn: LinkTopics) -> Iterator[Topic]:
    """The topics with title, body and tags of their questions, read one by one."""
    for each in drawn.topics:
        post = collection.post(each.question_id)
        yield Topic(each.id, _plain(post.title), _plain(post.body), post.tags)


def _plain(content: Content) -> Content:
    """The content with formulas as topics have them: id and LaTeX."""
    return tuple(
        Formula(piece.id, piece.latex) if isinstance(piece, Formula) else piece for piece in content
    )


def write_link_topics(
    folder: Path, collection: Collection, drawn: LinkTopics, settings: Mapping[str, object]
) -> tuple[str, ...]:
    """Write topics, qrels, posts to leave out, links and a record to a new folder.

    The folder is created atomically. Returns the names of its files.
    """

    def write(draft: Path) -> None:
        write_topics(draft / TOPICS.format(task=1), topic_records(collection, drawn))
        write_qrels(draft / QRELS, Qrels({each.id: each.grades for each in drawn.topics}))
        own_posts = ((each.id, each.own_posts) for each in drawn.topics)
        write_topic_links(draft / OWN_POSTS, "post", own_posts)
        write_links(draft / LINKS, drawn.links)
        with open_atomic(draft / RECORD) as file:
            json.dump(link_topics_record(drawn, settings), file, ensure_ascii=False, indent=1)
            file.write("\n")

    if not write_new_folder(folder, write):
        raise PorismError(f"{folder} already exists; name a new folder or remove it first")
    return tuple(sorted(path.name for path in folder.iterdir()))


def link_topics_record(drawn: LinkTopics, settings: Mapping[str, object]) -> dict[str, object]:
    """How the topics were made and how many of everything there are, for JSON."""
    grades = [grade for each in drawn.topics for grade in each.grades.values()]
    return {
        "settings": dict(settings),
        "candidates": drawn.candidates,
        "topics": len(drawn.topics),
        "judgments": {str(grade): grades.count(grade) for grade in GRADES.values()},
        "own_posts": sum(len(each.own_posts) for each in drawn.topics),
        "links": {kind: sum(link.kind is kind for link in drawn.links) for kind in GRADES},
    }
