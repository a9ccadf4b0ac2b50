"""Files that map topics to posts, such as their own questions, and rankings without these."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from porism.assess.pools.pooling import abbreviated_names, formula_topic_id
from porism.errors import PorismError
from porism.formats.topic_links import read_topic_links
from porism.inverted import Filter
from porism.model import DocId, Hit, Ranking, Run, Topic, TopicId
from porism.rank.explanations import Explanation
from porism.rank.ranker import Ranker

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


def check_posts_of_topics(
    path: Path | None, posts: TopicPosts, topics: Collection[TopicId], what: str
) -> None:
    """Raise if a file has posts of other topics only, since it would silently have no effect.

    ``what`` says in the message which topics these are.
    """
    if posts and topics and not posts.keys() & set(topics):
        raise PorismError(
            f"{path} has posts of {abbreviated_names(posts)}, but of no topic of {what} "
            f"({abbreviated_names(topics)}): expected a file for the same topics"
        )


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


@dataclass(frozen=True, slots=True)
class RankerWithoutPosts:
    """A ranker that does not find the excluded posts of a topic, nor formulas in them.

    It ranks deeper instead, so there are still ``k`` results if enough documents match.
    """

    ranker: Ranker
    excluded: ExcludedPosts

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        """Return the best ``k`` documents that are not excluded."""
        depth = k + len(self.excluded.posts.get(topic.id, ()))
        while True:
            ranking = self.ranker.rank(topic, depth, within)
            left = tuple(
                hit for hit in ranking if not self.excluded.has(topic.id, hit.post_id or hit.doc_id)
            )
            # A post has one answer but may have many formulas.
            if len(left) >= k or len(ranking) < depth:
                return left[:k]
            depth *= 2

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        """Explain scores, which do not depend on what is excluded."""
        return self.ranker.explain(topic, doc_ids, within)

    def tokens(self, topic: Topic) -> tuple[str, ...] | None:
        """Return the tokens of the ranker."""
        return self.ranker.tokens(topic)
