"""Ranking and timing topics."""

from collections.abc import Iterable, Iterator, Sequence

from porism.inverted import Filter
from porism.model import DocId, Ranking, Topic, TopicId
from porism.rank.explanations import Explanation
from porism.rank.runs import run_topics

TOPICS = [Topic(TopicId("A.1")), Topic(TopicId("A.2"))]


class Recording:
    """A system that notes what it ranks."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def rank(self, topic: Topic, k: int, within: Filter | None = None) -> Ranking:
        self.calls.append((topic.id, k))
        return ()

    def explain(
        self, topic: Topic, doc_ids: Sequence[DocId], within: Filter | None = None
    ) -> Sequence[Explanation]:
        return ()

    def tokens(self, topic: Topic) -> None:
        return None


def test_every_topic_is_timed_once_after_a_warm_up_with_the_first() -> None:
    system = Recording()
    done = run_topics(system, TOPICS, 7)
    assert system.calls == [("A.1", 1), ("A.1", 7), ("A.2", 7)]
    assert done.rankings == {"A.1": (), "A.2": ()}
    assert list(done.milliseconds) == ["A.1", "A.2"]
    assert all(value >= 0 for value in done.milliseconds.values())


def test_topics_pass_through_the_progress_and_need_no_warm_up() -> None:
    system, passed = Recording(), []

    def progress(topics: Iterable[Topic]) -> Iterator[Topic]:
        for topic in topics:
            yield topic
            passed.append(topic.id)

    run_topics(system, TOPICS, 7, progress, warm_up=False)
    assert passed == ["A.1", "A.2"]
    assert system.calls == [("A.1", 7), ("A.2", 7)]
    assert run_topics(system, [], 7).rankings == {}
