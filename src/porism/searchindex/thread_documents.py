"""The documents of a thread: its answers, or the question alone."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from porism.analysis import Document, answer_document, note_document, question_document
from porism.collection.store import Thread
from porism.model import Content, LinkKind, PostKind


def thread_documents(
    thread: Thread, excluded: AbstractSet[str] = frozenset()
) -> Iterator[Document]:
    """Yield the documents of a thread: each answer with its context, or the note.

    ``excluded`` are linked questions whose titles are left out.
    """
    question = thread.question
    if question.kind is PostKind.DOCUMENT:
        yield note_document(question)
        return
    titles = _linked_titles(thread, excluded)
    for answer in thread.answers:
        yield answer_document(
            question,
            answer,
            question_comments=thread.comments[question.id],
            answer_comments=thread.comments[answer.id],
            duplicate_titles=titles[LinkKind.DUPLICATE],
            related_titles=titles[LinkKind.RELATED],
            author=thread.author(answer),
        )


def thread_question(thread: Thread, excluded: AbstractSet[str] = frozenset()) -> Document:
    """Return the question of a thread as a document of its own."""
    titles = _linked_titles(thread, excluded)
    return question_document(
        thread.question,
        thread.comments[thread.question.id],
        duplicate_titles=titles[LinkKind.DUPLICATE],
        related_titles=titles[LinkKind.RELATED],
        author=thread.author(thread.question),
    )


def _linked_titles(thread: Thread, excluded: AbstractSet[str]) -> dict[LinkKind, list[Content]]:
    titles: dict[LinkKind, list[Content]] = {kind: [] for kind in LinkKind}
    for related in thread.related:
        if related.id not in excluded:
            titles[related.kind].append(related.title)
    return titles
