"""The home page of an assessor: topics, progress and wishes, and nothing of others."""

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from porism.assess.records import Assessor, Choice, Judgment, NewJudgment
from porism.model import DocId, TopicId
from porism.web.assessment.campaign import Campaign, pace
from tests.web.assessment.conftest import SignIn
from tests.web.assessment.sample_assessment import ANSWERS, TRAINING, Assessment


def assigned_part(page: str) -> str:
    return page.split('id="wishes"')[0]


def test_only_own_topics_are_listed(client_of: SignIn) -> None:
    ada, bob = (assigned_part(client_of(name).get("/").text) for name in ("Ada", "Bob"))
    assert "/judge/official/A.1" in ada
    assert "/judge/official/A.2" not in ada
    assert "/judge/official/A.2" in bob
    assert "/judge/formulas/B.4" not in bob
    assert "/judge/training%201/A.3" in ada
    assert "/judge/training%201/A.3" in bob
    assert "Bob" not in ada


def test_progress_and_remaining_time_are_shown(ada: TestClient, assessment: Assessment) -> None:
    for number, doc_id in enumerate(("102", "121", "138")):
        new = NewJudgment(f"k{number}", ANSWERS, TopicId("A.1"), DocId(doc_id), Choice.LOW, 60.0)
        assessment.store.record(Assessor("Ada"), new)
    page = ada.get("/").text
    assert "3 of 13 · about 10 minutes" in page
    assert "60 s each" in page


def test_the_pace_is_the_median_of_timed_judgments() -> None:
    judgment = Judgment(1, "b", "a", TopicId("t"), DocId("d"), None, "")
    timed = [replace(judgment, seconds=seconds) for seconds in (0.0, 10.0, 20.0, 900.0)]
    assert pace(timed) == 20.0
    assert pace([judgment]) is None


def test_wishes_are_for_unassigned_topics(ada: TestClient, assessment: Assessment) -> None:
    page = ada.get("/").text
    wishes = page.split('id="wishes"')[1]
    assert 'name="wish-A.4"' in wishes
    assert 'name="wish-A.2"' not in wishes
    assert TRAINING not in wishes
    given = sent(assessment, **{"wish-A.4": "3", "wish-A.5": "0"})
    assert ada.post("/wishes", data=given).headers["location"] == "/?wishes=saved#wishes"
    ada.post("/wishes", data=given)  # the same again adds no wish
    stored = assessment.store.wishes(ANSWERS)
    assert [(each.topic_id, each.wish) for each in stored] == [("A.4", 3), ("A.5", 0)]
    assert {each.assessor for each in stored} == {"Ada"}
    assert 'name="wish-A.4" value="3" checked' in ada.get("/").text


def sent(assessment: Assessment, name: str = "Ada", **fields: str) -> dict[str, str]:
    """The fields of the form of wishes."""
    mark = Campaign(assessment.store).mark
    return {"campaign": mark, "assessor": name, "batch": ANSWERS, **fields}


def test_wishes_of_others_are_not_shown(client_of: SignIn, assessment: Assessment) -> None:
    given = sent(assessment, "Bob", **{"wish-A.4": "3"})
    assert client_of("Bob").post("/wishes", data=given).status_code == 303
    assert 'name="wish-A.4" value="1" checked' in client_of("Ada").get("/").text


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"batch": "none"}, 404),
        ({"wish-A.4": "4", "wish-A.5": "1"}, 422),
        ({"wish-A.5": "1", "wish-A.4": "x"}, 422),
        ({"wish-A.4": "1", "wish-Z.9": "1"}, 403),
        ({"wish-A.4": "1", "assessor": "Bob"}, 401),
        ({"wish-A.4": "1", "campaign": "other"}, 421),
    ],
)
def test_invalid_wishes_are_refused(
    ada: TestClient, assessment: Assessment, given: dict[str, str], status: int
) -> None:
    assert ada.post("/wishes", data=sent(assessment, **given)).status_code == status
    assert assessment.store.wishes(ANSWERS) == ()
