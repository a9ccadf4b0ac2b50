"""Documents: the parts of an answer, a note or a question, and the labels that filters use.

S4 (MathDowsers 2021) section 3.2, with the parts that their system of 2022 added: an answer is
searched together with the question it answers, the comments on both, and the titles of the
questions that are linked with its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import NamedTuple

from porism.analysis.linear_text import linear_text, text_characters
from porism.filters import fact_labels
from porism.hashing import text_key
from porism.model import Comment, Content, DocId, Post, plain_text


class DocumentPart(StrEnum):
    """A part of a document. The members are in reading order."""

    TITLE = "title"
    PAGE_TITLE = "page-title"
    """The title again, as in the head of an HTML page, with its LaTeX as text."""
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
    """An answer with its context, a note, or a question. Parts without content are left out.

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
    author: str | None = None,
) -> Document:
    """Return the document of an answer; the question is None if the collection lacks it.

    ``author`` is the name of the user who wrote the answer.
    """
    shared = question_parts(question, question_comments, duplicate_titles, related_titles)
    own = {
        DocumentPart.ANSWER: answer.body,
        DocumentPart.ANSWER_COMMENTS: _joined(answer_comments),
    }
    labels = post_labels(answer, question, author)
    return Document(answer.id, _in_order({**shared, **own}), labels)


def question_document(
    question: Post,
    comments: Sequence[Comment] = (),
    duplicate_titles: Sequence[Content] = (),
    related_titles: Sequence[Content] = (),
    author: str | None = None,
) -> Document:
    """Return the document of a question, which is searched without its answers.

    >>> from porism.model import PostKind
    >>> question = Post(DocId("1"), PostKind.QUESTION, ("Is $x^2=1$?",), tags=("roots",))
    >>> question_document(question, author="Ada").labels
    ('kind:question', 'tag:roots', 'user:ada', 'title:isx21')
    """
    parts = question_parts(question, comments, duplicate_titles, related_titles)
    labels = (*post_labels(question, None, author), *title_labels(question.title))
    return Document(question.id, parts, labels)


def question_parts(
    question: Post | None,
    comments: Sequence[Comment] = (),
    duplicate_titles: Sequence[Content] = (),
    related_titles: Sequence[Content] = (),
) -> dict[DocumentPart, Content]:
    """Return the parts that all answers to a question share, so they are analyzed only once."""
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
    """Return the document of a note; its body is the answer part.

    A section of a file is searched with the headings above it and the name of the file, as an
    answer is with its question.

    >>> from porism.model import PostKind
    >>> note = Post(DocId("sums.md"), PostKind.DOCUMENT, ("Sums",), ("Add up.",), tags=("series",))
    >>> note_document(note).labels
    ('kind:document', 'tag:series', 'title:sums')
    """
    parts = {
        DocumentPart.TITLE: post.title,
        DocumentPart.PAGE_TITLE: _page_title(post.title),
        DocumentPart.QUESTION: _context(post),
        DocumentPart.TAGS: post.tags,
        DocumentPart.ANSWER: post.body,
    }
    labels = (*post_labels(post, None), *title_labels(post.title))
    return Document(post.id, _in_order(parts), labels)


class _Facts(NamedTuple):
    """What filters use of one post."""

    tags: tuple[str, ...]
    years: tuple[str, ...]
    votes: int | None
    is_accepted: bool
    users: tuple[str, ...]


def post_labels(post: Post, question: Post | None, author: str | None = None) -> tuple[str, ...]:
    """Return the labels that filters use: the kind of the post, and those of ``filters``.

    An answer has the tags of its question, which also knows whether it was accepted.
    """
    facts = _Facts(
        tags=post.tags if question is None else question.tags,
        years=(post.created[:4],) if post.created else (),
        votes=post.score,
        is_accepted=question is not None and question.accepted_id == post.id,
        users=tuple(filter(None, (post.owner_id, author))),
    )
    return (f"kind:{post.kind}", *fact_labels(facts))


def title_labels(*titles: Content) -> tuple[str, ...]:
    r"""Return the labels by which exact titles are looked up, however they were typed.

    >>> from porism.model import Formula
    >>> title_labels(("Is ", Formula("", r"\frac{1}{2}"), " prime?"), ("Is 1/2 prime",), ("?",))
    ('title:is12prime',)
    """
    texts = (text_characters(linear_text(plain_text(title))) for title in titles)
    labels = (
        f"title:{text if len(text) <= LONGEST_TITLE else f'{text_key(text):016x}'}"
        for text in texts
        if text
    )
    return tuple(dict.fromkeys(labels))


LONGEST_TITLE = 16
"""Characters of a title in its label; a longer one is hashed to as many."""


def _page_title(title: Content) -> Content:
    """Return the title as one text, as in the heads of the pages that MathDowsers indexed."""
    texts = (piece if isinstance(piece, str) else piece.latex for piece in title)
    return (" ".join(texts),) if title else ()


def _context(post: Post) -> Content:
    """Return the file's name and the headings above a section, without its own title."""
    if post.location is None:
        return ()
    title = plain_text(post.title)
    texts = (PurePosixPath(post.location.path).stem, *post.location.headings)
    context = "\n".join(text for text in dict.fromkeys(texts) if text != title)
    return (context,) if context else ()


def _joined(comments: Iterable[Comment]) -> Content:
    return tuple(piece for comment in comments for piece in comment.text)


def _in_order(parts: Mapping[DocumentPart, Content]) -> dict[DocumentPart, Content]:
    return {part: parts[part] for part in DocumentPart if parts.get(part)}
