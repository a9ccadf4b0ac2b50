"""Posts of topics, and runs without excluded posts."""

from pathlib import Path

from porism.lab.pools.topic_posts import NO_POSTS, ExcludedPosts, read_topic_posts
from porism.model import DocId, Hit, Run, TopicId

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
