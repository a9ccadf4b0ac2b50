"""The texts of documents that models read: the question of a thread, and the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from porism import deadlines
from porism.model import DocId, Post, plain_text
from porism.searchindex.components.vector_index import question_text
from porism.searchindex.index_folder import SearchIndex


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
