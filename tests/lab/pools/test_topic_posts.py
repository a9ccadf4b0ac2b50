"""Posts of topics, and runs without excluded posts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.inverted import Filter
from porism.lab.pools.topic_posts import (
    NO_POSTS,
    ExcludedPosts,
    RankerWithoutPosts,
    check_posts_of_topics,
    read_topic_posts,
)
from porism.model import DocId, Hit, Ranking, Run, Topic, TopicId
from porism.rank.explanations import Explanation

A1, A2 = TopicId("A.1"), TopicId("A.2")
RUN = Run(
    "one",
    {
        A1: (Hit(DocId("5"), 3.0, DocId("1")), Hit(DocId("6"), 2.0), Hit(DocId("7"), 1.0)),
        A2: (Hit(DocId("5"), 1.0, DocId("1")),),
    },
)


def left(excluded: ExcludedPosts) -> dict[str, list[str]]:
    run = excluded.removed_from(RUN, lambda hit: hit.post_id)
    return {topic: [hit.doc_id for hit in ranking] for topic, ranking in run.rankings.items()}


def test_posts_of_a_question_are_those_of_its_formula(tmp_path: Path) -> None:
    path = tmp_path / "own_posts.tsv"
    path.write_text("topic\tpost\nA.1\t1\nA.1\t2\nA.2\t3\nB.2\t4\n", encoding="utf-8")
    assert read_topic_posts(path) == {
        "A.1": ("1", "2"),
        "B.1": ("1", "2"),
        "A.2": ("3",),
        "B.2": ("4",),
    }
    assert read_topic_posts(None) == {}


def test_hits_are_excluded_by_post_and_topic() -> None:
    assert left(ExcludedPosts({A1: (DocId("1"),)})) == {"A.1": ["6", "7"], "A.2": ["5"]}
    assert left(NO_POSTS) == {"A.1": ["5", "6", "7"], "A.2": ["5"]}


def test_a_hit_with_an_unknown_post_is_never_excluded() -> None:
    assert left(ExcludedPosts({A1: (DocId("6"), DocId("7"))}))["A.1"] == ["5", "6", "7"]


@dataclass(frozen=True)
class TenHits:
    """A ranker that returns documents 0 to 9, of which the even ones are in post 77."""

    depths: list[int] = field(default_factory=list)

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        self.depths.append(k)
        hits = (
            Hit(DocId(str(number)), 10.0 - number, None if number % 2 else DocId("77"))
            for number in range(10)
        )
        return tuple(hits)[:k]

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return ()

    def tokens(self, topic: Topic) -> tuple[str, ...]:
        return ("token",)


def ranked_ids(posts: tuple[str, ...], k: int) -> tuple[list[str], list[int]]:
    """The documents without some posts, and how deep they were ranked."""
    ranker = TenHits()
    without = RankerWithoutPosts(ranker, ExcludedPosts({A1: tuple(map(DocId, posts))}))
    assert without.tokens(Topic(A1)) == ("token",)
    assert without.explain(Topic(A1), ()) == ()
    return [hit.doc_id for hit in without.rank(Topic(A1), k)], ranker.depths


def test_other_results_take_the_place_of_excluded_posts() -> None:
    assert ranked_ids((), 3) == (["0", "1", "2"], [3])
    assert ranked_ids(("1", "3"), 3) == (["0", "2", "4"], [5])
    assert ranked_ids(("9",), 3) == (["0", "1", "2"], [4])
    assert ranked_ids(("1",), 20) == (["0", "2", "3", "4", "5", "6", "7", "8", "9"], [21])


def test_all_formulas_of_an_excluded_post_are_left_out() -> None:
    assert ranked_ids(("77",), 3) == (["1", "3", "5"], [4, 8])


def test_other_topics_are_ranked_as_before() -> None:
    without = RankerWithoutPosts(TenHits(), ExcludedPosts({A2: (DocId("0"),)}))
    assert [hit.doc_id for hit in without.rank(Topic(A1), 2)] == ["0", "1"]


def test_posts_of_other_topics_only_are_refused() -> None:
    posts = {A1: (DocId("1"),)}
    check_posts_of_topics(Path("own.tsv"), posts, [A1, A2], "the run")
    check_posts_of_topics(None, {}, [A2], "the run")
    with pytest.raises(PorismError, match=r"own.tsv has posts of A.1, but of no topic of the run"):
        check_posts_of_topics(Path("own.tsv"), posts, [A2], "the run")
