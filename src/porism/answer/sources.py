"""The posts that answers draw from, read from a collection."""

from __future__ import annotations

from dataclasses import dataclass

from porism.answer.extracts.sentences import markdown
from porism.answer.short_answer import AnswerSource
from porism.collection.store import Collection
from porism.errors import PorismError
from porism.model import Content, Hit, Post, Ranking


@dataclass(frozen=True, slots=True)
class SourcePost:
    """A post that was found, and its question; a note has none."""

    hit: Hit
    post: Post
    question: Post | None
    url: str | None

    @property
    def title(self) -> Content:
        """The title of the thread, or its id."""
        head = self.question or self.post
        return head.title or (head.id,)

    @property
    def thread_content(self) -> Content:
        """The title, the question and the answer."""
        question = () if self.question is None else (*self.question.body, "\n")
        return (*self.title, "\n", *question, *self.post.body)

    @property
    def text(self) -> str:
        """The whole post as Markdown."""
        return markdown(self.post.body)

    @property
    def is_accepted(self) -> bool:
        """Whether whoever asked accepted the answer."""
        return self.question is not None and self.question.accepted_id == self.post.id

    def source(self, number: int, passage: str, score: float) -> AnswerSource:
        """Return the post as a source, of which a passage is used."""
        return AnswerSource(
            number=number,
            doc_id=self.post.id,
            thread_id=(self.question or self.post).id,
            kind=self.post.kind,
            title=self.title,
            passage=passage,
            score=score,
            votes=self.post.score,
            is_accepted=self.is_accepted,
            url=self.url,
        )


def read_posts(collection: Collection, hits: Ranking) -> tuple[SourcePost, ...]:
    """Return the posts of hits; those that have been deleted since are left out."""
    posts = []
    for hit in hits:
        try:
            post = collection.post(hit.doc_id)
            question = None if post.parent_id is None else collection.post(post.parent_id)
        except PorismError:
            continue
        posts.append(SourcePost(hit, post, question, collection.url(post)))
    return tuple(posts)
