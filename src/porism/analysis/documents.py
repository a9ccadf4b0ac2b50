"""What is searched: a document as its parts, and the labels by which a search is narrowed.

S4 (MathDowsers 2021) section 3.2, with the parts that their system of 2022 added: an answer is
searched together with the question it answers, the comments on both, and the titles of the
questions that are linked with its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from porism.filters import fact_labels
from porism.model import Comment, Content, DocId, Post


class DocumentPart(StrEnum):
    """A part of a document. The order of the members is the order of reading."""

    TITLE = "title"
    PAGE_TITLE = "page-title"
    """The title once more as the head of a page has it, with its LaTeX as text."""
    QUESTION = "question"
    TAGS = "tags"
    QUESTION_COMMENTS = "question-comments"
    ANSWER = "answer"
    ANSWER_COMMENTS = "answer-comments"
    DUPLICATE_TITLES = "duplicate-titles"
    RELATED_TITLES = "related-titles"


ALL_PARTS = frozenset(DocumentPart)


@dataclass(frozen=True, slots=True)
class Document:
    """An answer with its surroundings, or a note. Parts without content are left out.

    ``parts`` are in the order of ``DocumentPart``; ``labels`` are like ``tag:calculus``, each once.
    """

    id: DocId
    parts: Mapping[DocumentPart, Content]
    labels: tuple[str, ...] = ()


def answer_document(
    question: Post | None,
    answer: Post,
    question_comments: Sequence[Comment] = (),
    answer_comments: Sequence[Comment] = (),
    duplicate_titles: Sequence[Content] = (),
    related_titles: Sequence[Content] = (),
) -> Document:
    """The document of an answer. The question is None where the collection does not have it."""
    asked = question_parts(question, question_comments, duplicate_titles, related_titles)
    answered = {
        DocumentPart.ANSWER: answer.body,
        DocumentPart.ANSWER_COMMENTS: _joined(answer_comments),
    }
    return Document(answer.id, _in_order({**asked, **answered}), post_labels(answer, question))


def question_parts(
    question: Post | None,
    comments: Sequence[Comment] = (),
    duplicate_titles: Sequence[Content] = (),
    related_titles: Sequence[Content] = (),
) -> dict[DocumentPart, Content]:
    """The parts that all answers to a question share, so that they need be analysed only once."""
    parts = {
        DocumentPart.QUESTION_COMMENTS: _joined(comments),
        DocumentPart.DUPLICATE_TITLES: tuple(
            piece for title in duplicate_titles for piece in title
        ),
        DocumentPart.RELATED_TITLES: tuple(piece for title in related_titles for piece in title),
    }
    if question is not None:
        parts |= {
            DocumentPart.TITLE: question.title,
            DocumentPart.PAGE_TITLE: _page_title(question.title),
            DocumentPart.QUESTION: question.body,
            DocumentPart.TAGS: question.tags,
        }
    return _in_order(parts)


def note_document(post: Post) -> Document:
    """The document of a post that stands alone: its body is what answers.

    >>> from porism.model import Kind
    >>> note = Post(DocId("sums.md"), Kind.DOCUMENT, ("Sums",), ("Add up.",), tags=("series",))
    >>> note_document(note).labels
    ('kind:document', 'tag:series')
    """
    parts = {
        DocumentPart.TITLE: post.title,
        DocumentPart.PAGE_TITLE: _page_title(post.title),
        DocumentPart.TAGS: post.tags,
        DocumentPart.ANSWER: post.body,
    }
    return Document(post.id, _in_order(parts), post_labels(post, None))


class _Facts(NamedTuple):
    """What filters use of one post."""

    tags: tuple[str, ...]
    years: tuple[str, ...]
    votes: int | None
    is_accepted: bool


def post_labels(post: Post, question: Post | None) -> tuple[str, ...]:
    """The labels by which a search can be filtered: the kind of the post, and ``filters``.

    An answer has the tags of its question, which also says whether it is accepted.
    """
    facts = _Facts(
        tags=post.tags if question is None else question.tags,
        years=(post.created[:4],) if post.created else (),
        votes=post.score,
        is_accepted=question is not None and question.accepted_id == post.id,
    )
    return (f"kind:{post.kind}", *fact_labels(facts))


def _page_title(title: Content) -> Content:
    """The title as one text; MathDowsers indexed pages, in whose heads titles stand so."""
    texts = (piece if isinstance(piece, str) else piece.latex for piece in title)
    return (" ".join(texts),) if title else ()


def _joined(comments: Iterable[Comment]) -> Content:
    return tuple(piece for comment in comments for piece in comment.text)


def _in_order(parts: Mapping[DocumentPart, Content]) -> dict[DocumentPart, Content]:
    return {part: parts[part] for part in DocumentPart if parts.get(part)}
