"""Files that map topics to posts, such as their own questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from porism.assess.pools.pooling import formula_topic_id
from porism.formats.topic_links import read_topic_links
from porism.model import DocId, Hit, Run, TopicId

TopicPosts = Mapping[TopicId, tuple[DocId, ...]]

PostOf = Callable[[Hit], DocId | None]
"""The post that a hit is or occurs in; None if unknown."""


def read_topic_posts(path: Path | None) -> TopicPosts:
    """The posts of each topic, in the order of the file; empty without a file.

    The posts of ``A.12`` are also those of ``B.12``, a formula of the same question, unless the
    file has other ones.
    """
    links = {} if path is None else read_topic_links(path)
    return {formula_topic_id(topic_id): posts for topic_id, posts in links.items()} | links


@dataclass(frozen=True, slots=True)
class ExcludedPosts:
    """Posts that are not to be judged, such as a topic's own question and answers."""

    posts: TopicPosts = field(default_factory=dict)

    def has(self, topic_id: TopicId, post_id: DocId | None) -> bool:
        """Whether a post is excluded for a topic; an unknown post (None) never is."""
        return post_id is not None and post_id in self.posts.get(topic_id, ())

    def removed_from(self, run: Run, post_of: PostOf) -> Run:
        """A run without these posts; lower hits move up."""
        rankings = {
            topic_id: tuple(hit for hit in ranking if not self.has(topic_id, post_of(hit)))
            if topic_id in self.posts
            else ranking
            for topic_id, ranking in run.rankings.items()
        }
        return Run(run.name, rankings)


NO_POSTS = ExcludedPosts()
