"""An assessor's own page: topics, progress, wishes, and nothing of anybody else."""

from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from porism.assess.records import Assessor, Choice, Judgment, NewJudgment
from porism.errors import PorismError
from porism.model import DocId, TopicId
from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.settings import AssessmentSettings
from porism.web.assessment.work import pace
from tests.web.assessment.assessing import ANSWERS, TRAINING, Assessment
from tests.web.assessment.conftest import SignIn


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


def test_progress_and_the_time_that_is_left_are_told(
    ada: TestClient, assessment: Assessment
) -> None:
    for number, doc_id in enumerate(("102", "121", "138")):
        new = NewJudgment(f"k{number}", ANSWERS, TopicId("A.1"), DocId(doc_id), Choice.LOW, 60.0)
        assessment.store.record(Assessor("Ada"), new)
    page = ada.get("/").text
    assert "3 of 13 · about 10 minutes" in page
    assert "60 s each" in page


def test_the_pace_is_the_median_of_what_was_timed() -> None:
    made = Judgment(1, "b", "a", TopicId("t"), DocId("d"), None, "")
    timed = [replace(made, seconds=seconds) for seconds in (0.0, 10.0, 20.0, 900.0)]
    assert pace(timed) == 20.0
    assert pace([made]) is None


def test_wishes_are_for_topics_that_nobody_has(ada: TestClient, assessment: Assessment) -> None:
    page = ada.get("/").text
    wishes = page.split('id="wishes"')[1]
    assert 'name="wish-A.4"' in wishes
    assert 'name="wish-A.2"' not in wishes
    assert TRAINING not in wishes
    given = {"batch": ANSWERS, "wish-A.4": "3", "wish-A.5": "0"}
    assert ada.post("/wishes", data=given).headers["location"] == "/?wishes=saved#wishes"
    ada.post("/wishes", data=given)  # the same again is no new wish
    (wish,) = assessment.store.wishes(ANSWERS)
    assert (wish.assessor, wish.topic_id, wish.wish) == ("Ada", "A.4", 3)
    assert 'name="wish-A.4" value="3" checked' in ada.get("/").text


def test_wishes_of_others_are_not_shown(client_of: SignIn) -> None:
    client_of("Bob").post("/wishes", data={"batch": ANSWERS, "wish-A.4": "3"})
    assert 'name="wish-A.4" value="0" checked' in client_of("Ada").get("/").text


@pytest.mark.parametrize(
    ("given", "status"),
    [
        ({"batch": "none"}, 404),
        ({"batch": ANSWERS, "wish-A.4": "4"}, 422),
        ({"batch": ANSWERS, "wish-A.4": "x"}, 422),
        ({"batch": ANSWERS, "wish-Z.9": "1"}, 403),
    ],
)
def test_wishes_that_make_no_sense_are_refused(
    ada: TestClient, assessment: Assessment, given: dict[str, str], status: int
) -> None:
    assert ada.post("/wishes", data=given).status_code == status
    assert assessment.store.wishes(ANSWERS) == ()


def test_batches_can_be_left_out(client_of: SignIn, settings: AssessmentSettings) -> None:
    client = client_of("Ada", replace(settings, batches=(TRAINING,)))
    page = client.get("/").text
    assert "/judge/training%201/A.3" in page
    assert "/judge/official/A.1" not in page
    assert client.get("/judge/official/A.1").status_code == 404


def test_a_batch_that_is_not_there_is_told_at_the_start(settings: AssessmentSettings) -> None:
    with pytest.raises(PorismError, match="no batch none; there are: formulas, official"):
        create_assessment_app(replace(settings, batches=("none",)))
