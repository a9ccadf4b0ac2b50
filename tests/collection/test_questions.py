"""Statistics of questions."""

from pathlib import Path

from porism.collection.questions import QuestionStats, answer_ids, has_question, question_stats
from porism.collection.store import open_collection
from porism.model import DocId
from tests.collection.small_site import ingested_site


def test_counts_of_the_site_are_preferred_to_those_of_the_collection(tmp_path: Path) -> None:
    with open_collection(ingested_site(tmp_path)) as site:
        first, second = question_stats(site)
        assert first == QuestionStats(
            DocId("1"), 2011, 7, 1234, 2, 0, 10, ("algebra", "real-numbers")
        )
        # The site gives no score, views or answers for the other.
        assert second == QuestionStats(DocId("4"), 2012, None, None, 0, 0, None, ("algebra",))


def test_questions_and_their_answers_by_id(tmp_path: Path) -> None:
    with open_collection(ingested_site(tmp_path)) as site:
        assert [post for post in ("1", "2", "4", "99", "x") if has_question(site, post)] == [
            "1",
            "4",
        ]
        assert answer_ids(site, "1") == ("2", "3")
        assert answer_ids(site, "4") == ()
