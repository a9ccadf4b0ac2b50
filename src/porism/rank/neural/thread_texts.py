"""The texts that models read: a topic, and the question and the answer of a document."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from porism import deadlines
from porism.model import DocId, Post, Topic, plain_text
from porism.searchindex.components.vector_index import question_text
from porism.searchindex.index_folder import SearchIndex


class TopicText(StrEnum):
    """What of a topic a model reads, with formulas as LaTeX between dollars."""

    QUESTION = "title and body"
    """The title, and the body on the next line."""

    TAGGED = "title, tags and body"
    """The title, the tags with spaces for hyphens, a full stop, and the body (MIRMU 2022)."""

    def of(self, topic: Topic) -> str:
        r"""Return the text of a topic.

        >>> topic = Topic("A.1", ("Why?",), ("Because.",), ("real-analysis", "sets"))
        >>> TopicText.TAGGED.of(topic), TopicText.QUESTION.of(topic)
        ('Why? real analysis sets. Because.', 'Why?\nBecause.')
        """
        if self is TopicText.QUESTION:
            return question_text(topic.title, topic.body)
        title, body = plain_text(topic.title).strip(), plain_text(topic.body).strip()
        words = (title, *(tag.replace("-", " ") for tag in topic.tags))
        return ". ".join(filter(None, (" ".join(filter(None, words)), body)))


class ThreadText(NamedTuple):
    """The question and the answer of a document, with formulas as LaTeX between dollars."""

    question: str
    answer: str


def thread_texts(search_index: SearchIndex, doc_ids: Sequence[DocId]) -> list[ThreadText]:
    """Return the texts of each document; a note has its title as its question."""
    collection = search_index.collection
    questions: dict[DocId, str] = {}
    texts: list[ThreadText] = []
    for doc_id in doc_ids:
        deadlines.check()
        post = collection.post(doc_id)
        parent = post.parent_id
        if parent is not None and parent not in questions:
            questions[parent] = _question(collection.post(parent))
        question = plain_text(post.title) if parent is None else questions[parent]
        texts.append(ThreadText(question, plain_text(post.body).strip()))
    return texts


def _question(post: Post) -> str:
    return question_text(post.title, post.body)
