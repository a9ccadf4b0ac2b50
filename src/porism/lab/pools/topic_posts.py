"""Posts that belong to topics, such as their own questions and what answers these, from files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from porism.assess.pools.pooling import formula_topic_id
from porism.formats.topic_links import read_topic_links
from porism.model import DocId, Hit, Run, TopicId

TopicPosts = Mapping[TopicId, tuple[DocId, ...]]

PostOf = Callable[[Hit], DocId | None]
"""Tells the post that a hit is, or stands in; None where that is not known."""


def read_topic_posts(path: Path | None) -> TopicPosts:
    """The posts of each topic, in the order of the file; nothing where there is no file.

    What is said of ``A.12`` holds for ``B.12`` too, which is a formula of that question, unless the
    file says something else of it.
    """
    told = {} if path is None else read_topic_links(path)
    return {formula_topic_id(topic_id): posts for topic_id, posts in told.items()} | told


@dataclass(frozen=True, slots=True)
class ExcludedPosts:
    """Posts that nobody shall judge, since they are no answers to find: a topic's own, say."""

    posts: TopicPosts = field(default_factory=dict)

    def has(self, topic_id: TopicId, post_id: DocId | None) -> bool:
        """Whether a post is not to be judged for a topic; one that is not known never is so."""
        return post_id is not None and post_id in self.posts.get(topic_id, ())

    def left_of(self, run: Run, post_of: PostOf) -> Run:
        """A run as if it had never found these posts: others take their ranks."""
        rankings = {
            topic_id: tuple(hit for hit in ranking if not self.has(topic_id, post_of(hit)))
            if topic_id in self.posts
            else ranking
            for topic_id, ranking in run.rankings.items()
        }
        return Run(run.name, rankings)


NO_POSTS = ExcludedPosts()
