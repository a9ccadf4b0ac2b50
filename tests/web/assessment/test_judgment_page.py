"""Recording judgments, and the page of a topic."""

import json
import re
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from html import unescape
from typing import Protocol

import pytest
from fastapi.testclient import TestClient
from markupsafe import escape

from porism.assess.judgments.database import JudgmentDatabase
from porism.assess.judgments.store import MAX_COMMENT_LENGTH
from porism.assess.records import BatchKind, Candidate, Choice, Judgment, Pool, VisualMatchRule
from porism.collection.store import open_collection
from porism.lab.pools.pool_posts import pool_fingerprint
from porism.model import DocId, Formula, Topic, TopicId
from porism.web.assessment.authentication import COOKIE
from porism.web.assessment.campaign import Campaign
from porism.web.assessment.collection_fit import CollectionFits
from porism.web.assessment.settings import AssessmentSettings
from tests.web.assessment.conftest import SignIn
from tests.web.assessment.sample_assessment import ANSWERS, FORMULAS, MISSING, TRAINING, Assessment

HARMFUL = "</script><script>alert('x')</script>"
ANSWER = DocId("138")


def fits_in(client: TestClient) -> CollectionFits:
    fits: CollectionFits = client.app.state.fits  # type: ignore[attr-defined]  # it is our app
    return fits


def sent(assessment: Assessment, **other: object) -> dict[str, object]:
    """A judgment as Ada's script sends it."""
    return {
        "campaign": Campaign(assessment.store).mark,
        "assessor": "Ada",
        "key": "k1",
        "batch": ANSWERS,
        "topic": "A.1",
        "document": ANSWER,
        "choice": "high",
        "seconds": 12.34,
        "comment": "",
        **other,
    }


def rows(assessment: Assessment, batch: str = ANSWERS) -> tuple[Judgment, ...]:
    return assessment.store.judgments(batch)


class Answer(Protocol):
    """The parts of a response that both clients have."""

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def text(self) -> str: ...


def detail_of(answer: Answer) -> str:
    assert answer.headers["content-type"] == "application/problem+json"
    return str(json.loads(answer.text)["detail"])


def test_a_judgment_is_acknowledged_and_stored_once(
    ada: TestClient, assessment: Assessment
) -> None:
    first = ada.post("/judgments", json=sent(assessment))
    again = ada.post("/judgments", json=sent(assessment))
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    (row,) = rows(assessment)
    assert (row.assessor, row.topic_id, row.doc_id) == ("Ada", "A.1", ANSWER)
    assert (row.choice, row.seconds, row.number) == (Choice.HIGH, 12.3, first.json()["number"])


def test_another_judgment_with_the_same_key_is_a_conflict(
    ada: TestClient, assessment: Assessment
) -> None:
    ada.post("/judgments", json=sent(assessment))
    answer = ada.post("/judgments", json=sent(assessment, choice="low"))
    assert answer.status_code == 409
    assert "same key" in detail_of(answer)
    assert len(rows(assessment)) == 1


@pytest.mark.parametrize(
    ("other", "status"),
    [
        ({"topic": "A.2"}, 403),  # assigned to Bob
        ({"document": "107"}, 403),  # a candidate for A.2
        ({"batch": TRAINING}, 403),
        ({"batch": "none"}, 404),
        ({"choice": "excellent"}, 422),
        ({"choice": 3}, 422),
        ({"comment": "x" * (MAX_COMMENT_LENGTH + 1)}, 422),
        ({"key": ""}, 422),
        ({"key": "k" * 101}, 422),
        ({"seconds": -1}, 422),
        ({"seconds": 1e9}, 422),
        ({"is_adjudication": True}, 422),
        ({"assessor": "Bob"}, 401),
        ({"campaign": "another"}, 421),
    ],
)
def test_foreign_or_malformed_judgments_are_refused(
    ada: TestClient, assessment: Assessment, other: dict[str, object], status: int
) -> None:
    answer = ada.post("/judgments", json=sent(assessment, **other))
    assert answer.status_code == status
    assert detail_of(answer)
    assert rows(assessment) == ()


def test_an_unassigned_topic_cannot_be_judged(ada: TestClient, assessment: Assessment) -> None:
    ada.post("/judgments", json=sent(assessment))
    assessment.store.unassign(ANSWERS, ["A.1"], "Ada")
    assert ada.post("/judgments", json=sent(assessment)).status_code == 200  # sent before
    answer = ada.post("/judgments", json=sent(assessment, key="k2"))
    assert answer.status_code == 403
    assert "not assigned" in detail_of(answer)
    assert ada.get("/judge/official/A.1").status_code == 403


def test_assessors_of_one_topic_do_not_see_each_other(
    client_of: SignIn, assessment: Assessment
) -> None:
    for name, choice, key in (("Ada", "high", "a"), ("Bob", "low", "b")):
        given = sent(
            assessment,
            assessor=name,
            batch=TRAINING,
            topic="A.3",
            document="112",
            choice=choice,
            key=key,
            comment=f"by {name}",
        )
        assert client_of(name).post("/judgments", json=given).status_code == 200
    assert [row.assessor for row in rows(assessment, TRAINING)] == ["Ada", "Bob"]
    page = client_of("Ada").get("/judge/training 1/A.3?at=1").text
    assert "by Ada" in page
    assert "by Bob" not in page


def test_a_full_disk_is_an_error_and_nothing_is_recorded(
    ada: TestClient, assessment: Assessment, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect = JudgmentDatabase._connection

    def full(self: JudgmentDatabase) -> sqlite3.Connection:
        connection = connect(self)
        connection.execute("PRAGMA max_page_count = 1")  # no more than there are
        return connection

    given = sent(assessment, comment="x" * MAX_COMMENT_LENGTH)
    with monkeypatch.context() as patched:
        patched.setattr(JudgmentDatabase, "_connection", full)
        for key in "abcdefgh":
            answer = ada.post("/judgments", json={**given, "key": key})
            if answer.status_code != 200:
                break
    assert answer.status_code == 507
    assert "full" in detail_of(answer)
    assert str(assessment.path.parent) not in detail_of(answer)
    assert int(answer.headers["retry-after"]) > 0
    recorded = len(rows(assessment))
    assert recorded == "abcdefgh".index(key)


# Without script


def test_an_unchanged_judgment_adds_nothing(ada: TestClient, assessment: Assessment) -> None:
    for _ in range(2):
        form = fields(ada.get("/judge/official/A.1?at=3").text, ANSWER)
        ada.post("/judge/official/A.1", data={**form, "choice": "low", "comment": "hm"})
    assert len(rows(assessment)) == 1
    form = fields(ada.get("/judge/official/A.1?at=3").text, ANSWER)
    ada.post("/judge/official/A.1", data={**form, "choice": "low", "comment": "sure"})
    assert [row.comment for row in rows(assessment)] == ["hm", "sure"]


def fields(page: str, doc_id: str) -> dict[str, str]:
    """The fields of a candidate's form without the choice."""
    form = next(part for part in page.split("<form")[1:] if f'value="{doc_id}"' in part)
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', form))


def test_a_form_records_a_judgment_and_moves_on(ada: TestClient, assessment: Assessment) -> None:
    page = ada.get("/judge/official/A.1?at=3").text
    form = {**fields(page, ANSWER), "choice": "medium", "comment": " so\r\nso "}
    answer = ada.post("/judge/official/A.1", data=form)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/judge/official/A.1?at=4&")
    assert "Saved: Medium for candidate 3." in ada.get(answer.headers["location"]).text
    ada.post("/judge/official/A.1", data=form)  # as by reloading the page
    (row,) = rows(assessment)
    assert (row.choice, row.comment) == (Choice.MEDIUM, "so\nso")
    page = ada.get("/judge/official/A.1?at=3").text
    assert 'value="medium" title' in page
    assert len(re.findall(r'aria-pressed="true"', page)) == 1


def test_a_form_withdraws_a_judgment(ada: TestClient, assessment: Assessment) -> None:
    ada.post("/judgments", json=sent(assessment))
    page = ada.get("/judge/official/A.1?at=3").text
    ada.post("/judge/official/A.1", data={**fields(page, ANSWER), "choice": ""})
    assert [row.choice for row in rows(assessment)] == [Choice.HIGH, None]
    assert 'aria-pressed="true"' not in ada.get("/judge/official/A.1?at=3").text


def test_do_not_know_requests_but_does_not_require_a_comment(
    ada: TestClient, assessment: Assessment
) -> None:
    page = ada.get("/judge/official/A.1?at=3").text
    form = {**fields(page, ANSWER), "choice": "do_not_know"}
    answer = ada.post("/judge/official/A.1", data=form)
    assert "at=3" in answer.headers["location"]
    assert "Please explain in the comment of 138" in ada.get(answer.headers["location"]).text
    assert [row.choice for row in rows(assessment)] == [Choice.DO_NOT_KNOW]


def test_foreign_forms_are_refused(ada: TestClient, assessment: Assessment) -> None:
    form = fields(ada.get("/judge/official/A.1?at=3").text, ANSWER)
    for other, status in (
        ({"choice": "excellent"}, 422),
        ({"choice": "high", "key": ""}, 400),
        ({"choice": "high", "document": "107"}, 403),
        ({"choice": "high", "assessor": "Bob"}, 401),
        ({"choice": "high", "comment": "x" * (MAX_COMMENT_LENGTH + 1)}, 400),
        ({"choice": "high", "at": "99"}, 404),
    ):
        assert ada.post("/judge/official/A.1", data={**form, **other}).status_code == status
    assert ada.post("/judge/official/A.1", content=b"x").status_code == 415
    assert rows(assessment) == ()


# The page


def test_the_page_has_question_candidate_and_links_to_threads(ada: TestClient) -> None:
    page = ada.get("/judge/official/A.1?at=3").text
    question, candidate = page.split('id="candidate"')
    assert "How do I find the exact value of" in question
    assert "sequences-and-series" in question
    assert "Inside the interval of convergence" in candidate
    assert 'href="/threads/137#post-138" target="_blank"' in candidate


def test_a_part_is_only_the_candidate(ada: TestClient) -> None:
    part = ada.get("/judge/official/A.1?at=3&part=candidate").text
    assert "Inside the interval" in part
    assert "<html" not in part


def test_a_formula_is_marked_in_the_question_and_in_each_occurrence(ada: TestClient) -> None:
    page = ada.get("/judge/formulas/B.4?at=1").text
    question, candidate = page.split('id="candidate"')
    assert question.count('<mark class="found">') == 1
    assert candidate.count('<mark class="found">') == 3
    assert candidate.count('<form class="verdict"') == 3
    assert len(set(re.findall(r'name="key" value="([^"]+)"', candidate))) == 3
    assert len(re.findall(r'href="/threads/\d+#formula-\d+"', candidate)) == 3


def test_a_group_is_done_when_all_its_candidates_are_judged(
    ada: TestClient, assessment: Assessment
) -> None:
    page = ada.get("/judge/formulas/B.4?at=1").text
    names = re.findall(r'data-document="(\d+)"', page)
    places = []
    for name in names:
        form = {**fields(page, name), "choice": "high"}
        location = ada.post("/judge/formulas/B.4", data=form).headers["location"]
        places.append(re.findall(r"at=(\d+)", location)[0])
    assert places == ["1", "1", "2"]
    assert [row.doc_id for row in rows(assessment, FORMULAS)] == names


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (VisualMatchRule.ALWAYS_HIGH, "is always High"),
        (VisualMatchRule.BY_CONTEXT, "means something else"),
    ],
)
def test_the_rule_for_visually_identical_formulas_is_shown(
    client_of: SignIn, assessment: Assessment, rule: VisualMatchRule, words: str
) -> None:
    assessment.store.set_instructions(rule, None)
    client = client_of("Ada")
    assert words in client.get("/judge/formulas/B.4").text
    assert words in client.get("/").text
    assert words not in client.get("/judge/official/A.1").text


def test_annotations_are_requested_only_if_enabled(ada: TestClient, assessment: Assessment) -> None:
    plain = ada.get("/judge/official/A.1?at=3").text
    assert "is_machine_made" not in plain.split('id="candidate"')[1].split("</section>")[0]
    assessment.store.set_instructions(None, asks_annotations=True)
    form = fields(ada.get("/judge/official/A.1?at=3").text, ANSWER)
    given = {**form, "choice": "low", "is_unrelated": "1"}
    ada.post("/judge/official/A.1", data=given)
    (row,) = rows(assessment)
    assert (row.is_machine_made, row.is_unrelated) == (False, True)
    ada.post("/judgments", json=sent(assessment))
    assert rows(assessment)[1].is_machine_made is None


def test_the_text_of_a_short_answer_is_sanitised(ada: TestClient) -> None:
    page = ada.get("/judge/official/A.1?at=12&part=candidate").text
    assert "by <b>differentiation</b>" in page
    assert "<mfrac>" in page
    assert "<script" not in page
    assert "/threads/" not in page


def test_missing_candidates_are_reported_and_can_be_judged(
    client_of: SignIn, assessment: Assessment
) -> None:
    client = client_of("Ada")
    fits = fits_in(client)
    assert {each.doc_id for each in fits.of(ANSWERS).missing} == {MISSING}
    assert fits.of(FORMULAS).missing == ()
    official, training = fits.lines()
    assert official.startswith(f"{ANSWERS}: 12 candidates are not in the collection")
    assert f"A.1 {MISSING}, A.2 {MISSING}" in official
    assert training.startswith(TRAINING)
    page = client.get("/judge/official/A.1?at=13").text
    assert f"{MISSING} is not in the collection" in page
    form = {**fields(page, MISSING), "choice": "system_failure", "comment": "gone"}
    assert client.post("/judge/official/A.1", data=form).status_code == 303
    assert rows(assessment)[0].choice is Choice.SYSTEM_FAILURE


def test_changed_posts_are_reported(client_of: SignIn, assessment: Assessment) -> None:
    pool = assessment.store.pool(FORMULAS)
    assert assessment.collection is not None
    with open_collection(assessment.collection) as collection:
        known = replace(pool, collection=pool_fingerprint(pool, collection))
    assessment.store.add_batch("same", BatchKind.OFFICIAL, known)
    assessment.store.add_batch("changed", BatchKind.OFFICIAL, replace(pool, collection="0" * 16))
    client = client_of("Eve")
    (line,) = (line for line in fits_in(client).lines() if "texts have changed" in line)
    assert line.startswith("changed: ")
    assert client.get("/admin").text.count("have changed since the pool was drawn") == 1


@pytest.mark.parametrize("place", ["0", "99", "0000000010", "9" * 5000, "-1", "x", "²"])
def test_an_unknown_place_is_an_error(ada: TestClient, place: str) -> None:
    assert ada.get("/judge/official/A.1", params={"at": place}).status_code == 404


def test_a_page_sends_the_number_of_its_instructions(
    ada: TestClient, assessment: Assessment
) -> None:
    page = ada.get("/judge/official/A.1?at=3").text
    assessment.store.set_instructions(VisualMatchRule.ALWAYS_HIGH, None)
    ada.post("/judge/official/A.1", data={**fields(page, ANSWER), "choice": "low"})
    response = ada.post("/judgments", json=sent(assessment, key="k 2", instructions=0)).json()
    assert response["instructions"] == 1  # so that the page can report that it is outdated
    assert [row.instructions for row in rows(assessment)] == [0, 0]


def test_without_a_collection_only_short_answers_are_shown(
    client_of: SignIn, settings: AssessmentSettings
) -> None:
    client = client_of("Ada", replace(settings, collection=None))
    assert "138 is not in the collection" in client.get("/judge/official/A.1?at=3").text
    assert "differentiation" in client.get("/judge/official/A.1?at=12").text
    assert client.get("/threads/138").status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/judge/official/A.2", 403),
        ("/judge/official/Z.9", 403),
        ("/judge/none/A.1", 404),
        ("/judge/official/A.1?at=0", 404),
        ("/judge/official/A.1?at=14", 404),
        ("/judge/official/A.1?at=x", 404),
        (f"/judge/official/A.1?at={'9' * 5000}", 404),
        ("/threads/none", 404),
        ("/nowhere", 404),
    ],
)
def test_unknown_and_unassigned_topics_are_refused(ada: TestClient, path: str, status: int) -> None:
    answer = ada.get(path)
    assert answer.status_code == status
    assert "Back to your topics" in answer.text


def test_a_post_redirects_to_its_place_in_the_thread(ada: TestClient) -> None:
    assert ada.get("/threads/138").headers["location"] == "/threads/137#post-138"
    page = ada.get("/threads/137").text
    assert 'id="post-138"' in page
    assert "It is not judged itself" in page


def test_the_first_unjudged_candidate_is_shown_first(
    ada: TestClient, assessment: Assessment
) -> None:
    first, second = (each.doc_id for each in assessment.store.pool(ANSWERS).candidates[:2])
    ada.post("/judgments", json=sent(assessment, document=first))
    assert f'data-document="{second}"' in ada.get("/judge/official/A.1").text


def test_names_topics_and_comments_are_escaped(
    client_of: SignIn, assessment: Assessment, settings: AssessmentSettings
) -> None:
    store = assessment.store
    topic = Topic(
        TopicId(f"T{HARMFUL}"), (HARMFUL,), (HARMFUL, Formula("f", HARMFUL)), tags=(HARMFUL,)
    )
    candidate = Candidate(topic.id, DocId(HARMFUL), text=f"text {HARMFUL}")
    batch = f"b {HARMFUL.replace('/', '')}"
    store.add_batch(batch, BatchKind.OFFICIAL, Pool(3, (topic,), (candidate,)))
    name = f"N {HARMFUL}"
    token = store.add_assessor(name)
    store.assign(batch, topic.id, name)
    client = client_of("", settings)
    client.cookies.set(COOKIE, token)
    home = client.get("/").text
    address = re.findall(r'class="go" href="([^"]+)"', home)[0]
    page = client.get(address).text
    form = {
        **{field: unescape(value) for field, value in fields(page, str(escape(HARMFUL))).items()},
        "choice": "high",
        "comment": HARMFUL,
    }
    answer = client.post(address, data=form)
    assert answer.status_code == 303
    page = client.get(address).text
    assert str(escape(HARMFUL)) in page
    for html in (home, page):
        assert HARMFUL not in html
        assert HARMFUL.replace("/", "") not in html
        assert "<script>alert" not in html


def test_a_judgment_is_not_acknowledged_while_the_file_is_missing(
    ada: TestClient, assessment: Assessment
) -> None:
    assert ada.post("/judgments", json=sent(assessment)).status_code == 200
    late = sent(assessment, key="late", comment="late")
    aside = assessment.path.with_suffix(".aside")
    assessment.path.rename(aside)
    refused = ada.post("/judgments", json=late)
    assert refused.status_code == 503
    assert "judgments.db: the judgment file was deleted or replaced" in detail_of(refused)
    assert str(assessment.path.parent) not in refused.text
    aside.rename(assessment.path)
    assert ada.post("/judgments", json=late).status_code == 200
    assert [each.comment for each in rows(assessment)] == ["", "late"]
