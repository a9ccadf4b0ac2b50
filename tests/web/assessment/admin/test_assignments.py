"""Administration: access, changes, and pages."""

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from fastapi.testclient import TestClient

from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import (
    Assessor,
    BatchKind,
    Candidate,
    Choice,
    NewJudgment,
    Pool,
    PoolContribution,
    PooledRun,
    RunKind,
    VisualMatchRule,
)
from porism.formats.qrels import read_qrels
from porism.model import DocId, Formula, Topic, TopicId
from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.authentication import COOKIE
from porism.web.assessment.settings import AssessmentSettings

A1, A2, A3 = TopicId("A.1"), TopicId("A.2"), TopicId("A.3")
NAMES = ("Ann", "Ben")
RUNS = (PooledRun("run", "team", RunKind.PRIMARY, False, 1, 10),)
POOL = Pool(
    1,
    (
        Topic(A1, ("What is ", Formula("q1", "x^2"), "?")),
        Topic(A2, ("Two",)),
        Topic(A3, ("Three",)),
    ),
    tuple(
        Candidate(topic, DocId(f"{topic}-{number}"), text=text)
        for topic, text in ((A1, ""), (A2, ""), (A3, "An <b>answer</b>"))
        for number in range(1, 5)
    ),
    RUNS,
)
FORMULAS = Pool(
    2,
    (Topic(TopicId("B.1"), ("x",), focus=Formula("q1", "x")),),
    tuple(
        Candidate(
            TopicId("B.1"),
            DocId(doc),
            DocId("7"),
            visual_id,
            contributions=(PoolContribution("r", 1),),
        )
        for doc, visual_id in (("f1", "L1"), ("f2", "L1"), ("f3", "L2"))
    ),
)
BATCH = "pool & <co>"
"""A name that has to be escaped in addresses and on pages."""


class Answer(NamedTuple):
    """The response to a form: its status and location."""

    status_code: int
    location: str


class Campaign:
    """An application with its store and clients."""

    def __init__(self, folder: Path) -> None:
        self.store = JudgmentStore(folder / "judgments.sqlite")
        self.store.add_batch(BATCH, BatchKind.OFFICIAL, POOL)
        self.store.add_batch("round 1", BatchKind.TRAINING, POOL)
        self.store.add_batch("formulas", BatchKind.OFFICIAL, FORMULAS)
        self.tokens = {name: self.store.add_assessor(name) for name in NAMES}
        self.tokens["Eve"] = self.store.add_assessor("Eve", is_admin=True)
        self.app = create_assessment_app(AssessmentSettings(self.store.path, requests_a_second=0))
        self.client = TestClient(self.app, raise_server_exceptions=False, follow_redirects=False)

    def sign_in(self, name: str) -> TestClient:
        self.client.cookies.set(COOKIE, self.tokens[name])
        return self.client

    def post(self, page: str, batch: str = BATCH, **fields: str) -> Answer:
        """Send a form of a page as Eve."""
        sent = {"campaign": self.app.state.campaign.mark, "assessor": "Eve", "batch": batch}
        answer = self.sign_in("Eve").post(f"/admin/{page}", data={**sent, **fields})
        return Answer(answer.status_code, answer.headers.get("location", ""))

    def get(self, page: str, batch: str = BATCH, **values: str) -> str:
        answer = self.sign_in("Eve").get(f"/admin/{page}", params={"batch": batch, **values})
        assert answer.status_code == 200, answer.text
        return answer.text

    def judge(
        self, name: str, doc: str, choice: Choice, batch: str = BATCH, comment: str = ""
    ) -> None:
        topic_id = TopicId(doc.partition("-")[0] if "-" in doc else "B.1")
        self.store.assign(batch, topic_id, name, is_second=True)
        judgment = NewJudgment(
            f"{name} {batch} {doc}", batch, topic_id, DocId(doc), choice, 12.0, comment
        )
        self.store.record(Assessor(name), judgment)


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    created = Campaign(tmp_path)
    with created.client:
        yield created


PAGES = ("topics", "agreement", "disagreements", "annotations", "missing", "results")


@pytest.mark.parametrize("page", ["", *(f"/{page}" for page in PAGES), "/files/qrels.tsv"])
def test_only_administrators_see_the_pages(campaign: Campaign, page: str) -> None:
    address = f"/admin{page}"
    stranger = campaign.client.get(address, params={"batch": BATCH})
    assert stranger.status_code == 303
    assert stranger.headers["location"].startswith("/sign-in?")
    assert campaign.sign_in("Ann").get(address, params={"batch": BATCH}).status_code == 403
    campaign.client.cookies.set(COOKIE, "forged")
    assert campaign.client.get(address, params={"batch": BATCH}).status_code == 303
    assert campaign.sign_in("Eve").get(address, params={"batch": BATCH}).status_code == 200


CHANGING = (
    "assign",
    "take-away",
    "by-wishes",
    "double",
    "candidate",
    "annotate",
    "instructions",
)


@pytest.mark.parametrize("page", CHANGING)
def test_only_administrators_can_change_anything(campaign: Campaign, page: str) -> None:
    fields = {
        "campaign": campaign.app.state.campaign.mark,
        "assessor": "Ann",
        "batch": BATCH,
        "topic": A1,
        "to": "Ann",
        "document": "A.1-1",
        "choice": "high",
        "key": "k",
        "with-Ann": "1",
        "same_look": "always-high",
    }
    assert campaign.client.post(f"/admin/{page}", data=fields).status_code == 401
    assert campaign.sign_in("Ann").post(f"/admin/{page}", data=fields).status_code == 403
    assert campaign.store.assignments(BATCH) == ()
    assert campaign.store.judgments(BATCH) == ()
    assert campaign.store.annotations(BATCH) == ()
    assert len(campaign.store.instructions()) == 1


def test_forms_of_another_site_or_campaign_change_nothing(campaign: Campaign) -> None:
    cross_site = {"sec-fetch-site": "cross-site"}
    fields = {"campaign": campaign.app.state.campaign.mark, "assessor": "Eve", "batch": BATCH}
    fields |= {"topic": A1, "to": "Ann"}
    client = campaign.sign_in("Eve")
    assert client.post("/admin/assign", data=fields, headers=cross_site).status_code == 403
    assert campaign.post("assign", topic=A1, to="Ann", campaign="other").status_code == 409
    assert campaign.post("assign", topic=A1, to="Ann", assessor="Ann").status_code == 401
    assert campaign.post("assign", batch="none", topic=A1, to="Ann").status_code == 404
    assert campaign.store.assignments(BATCH) == ()


def test_all_batches_are_shown_with_their_progress(campaign: Campaign) -> None:
    campaign.judge("Ann", "A.1-1", Choice.HIGH)
    page = campaign.sign_in("Eve").get("/admin").text
    assert "pool &amp; &lt;co&gt;" in page
    assert "1 of 4 assigned judgments" in page
    assert "3 candidates cannot be shown" in page  # formulas without a collection
    assert all(name in page for name in NAMES)


def test_a_topic_is_assigned_and_unassigned(campaign: Campaign) -> None:
    done = campaign.post("assign", topic=A1, to="Ann")
    assert done.status_code == 303
    assert "A.1 was assigned to Ann" in campaign.client.get(done.location).text
    assert [each.assessor for each in campaign.store.assignments(BATCH)] == ["Ann"]
    assert campaign.post("assign", topic=A1, to="Ben").status_code == 409
    assert campaign.post("assign", topic=A1, to="Ben", second="1").status_code == 303
    assert campaign.post("assign", topic=A1, to="Nobody", second="1").status_code == 403
    assert campaign.post("assign", topic="A.9", to="Ben").status_code == 403
    campaign.judge("Ann", "A.1-1", Choice.HIGH)
    campaign.post("take-away", topic=A1, **{"from": "Ann"})
    assert [each.assessor for each in campaign.store.assignments(BATCH)] == ["Ben"]
    assert " · unassigned" in campaign.get("topics")
    assert len(campaign.store.judgments(BATCH)) == 1


def test_topics_are_assigned_by_wishes(campaign: Campaign) -> None:
    for name, topic_id in (("Ann", A2), ("Ben", A1)):
        campaign.store.record_wishes(BATCH, name, {topic_id: 3})
    everybody = {"with-Ann": "1", "with-Ben": "1", "assigned": "0"}
    assert campaign.post("by-wishes", **everybody).status_code == 303
    assigned = {each.topic_id: each.assessor for each in campaign.store.assignments(BATCH)}
    assert assigned.keys() == {A1, A2, A3}
    assert (assigned[A1], assigned[A2]) == ("Ben", "Ann")
    assert "wishes: Ann 3" in campaign.get("topics")
    everybody["assigned"] = "3"
    assert campaign.post("by-wishes", assigned="3").status_code == 422
    assert campaign.post("by-wishes", **everybody, seed="x").status_code == 422


def test_completed_topics_are_assigned_to_second_assessors(campaign: Campaign) -> None:
    for number in range(1, 5):
        campaign.judge("Ann", f"A.1-{number}", Choice.LOW)
    campaign.judge("Ann", "A.2-1", Choice.LOW)
    assert 'name="assigned" value="2"' in campaign.get("topics")
    sent = {"with-Ann": "1", "with-Ben": "1", "each": "2", "assigned": "2"}
    campaign.post("double", **sent)
    assigned = [(each.topic_id, each.assessor) for each in campaign.store.assignments(BATCH)]
    assert assigned == [(A1, "Ann"), (A2, "Ann"), (A1, "Ben")]
    again = campaign.post("double", **sent)  # as with a second click
    assert "Nothing was done" in campaign.client.get(again.location).text
    assert len(campaign.store.assignments(BATCH)) == 3


def disputed(campaign: Campaign) -> None:
    """Two assessors agree on one answer and differ on two others."""
    for name, choices in (("Ann", "high low low"), ("Ben", "high medium not_relevant")):
        for number, choice in enumerate(choices.split(), 1):
            campaign.judge(name, f"A.1-{number}", Choice(choice), comment=f"so says {name} <i>")


def test_agreement_is_shown_for_the_batch_and_for_training(campaign: Campaign) -> None:
    disputed(campaign)
    for name in NAMES:
        for number in range(1, 5):
            choice = Choice.HIGH if number > 2 else Choice.LOW
            campaign.judge(name, f"A.1-{number}", choice, "round 1")
    page = campaign.get("agreement")
    assert "By pair" in page
    assert "round 1" in page
    assert "1.00" in page


def test_disagreements_are_listed_with_all_opinions(campaign: Campaign) -> None:
    disputed(campaign)
    page = campaign.get("disagreements")
    assert "2 candidates, of which 2 are open" in page
    assert "so says Ann &lt;i&gt;" in page
    assert "so says Ben" in page
    assert "A.1-1:" not in page
    assert page.index("Adjudicate A.1-2") < page.index(
        "Adjudicate A.1-3"
    )  # binary disagreements come first


def test_an_adjudication_counts_and_leads_to_the_next(campaign: Campaign) -> None:
    disputed(campaign)
    page = campaign.get("candidate", topic=A1, document="A.1-2")
    assert "A.1-2 is not in the collection" in page
    assert "An <b>answer</b>" in campaign.get("candidate", topic=A3, document="A.3-1")
    assert "by the rule for disputed candidates" in page
    done = campaign.post(
        "candidate", topic=A1, document="A.1-2", choice="medium", key="k1", comment="clear\r\nnow"
    )
    assert "document=A.1-3" in done.location
    again = campaign.post(
        "candidate", topic=A1, document="A.1-2", choice="medium", key="k1", comment="clear\r\nnow"
    )
    assert again.status_code == 303
    (judgment,) = [each for each in campaign.store.judgments(BATCH) if each.is_adjudication]
    assert (judgment.assessor, judgment.choice, judgment.comment) == (
        "Eve",
        Choice.MEDIUM,
        "clear\nnow",
    )
    done = campaign.post("candidate", topic=A1, document="A.1-3", choice="low", key="k2")
    assert done.location.startswith("/admin/disagreements?")
    assert "of which 0 are open" in campaign.get("disagreements")
    assert "adjudicated:" in campaign.get("disagreements", show="all")


def test_an_adjudication_can_be_withdrawn(campaign: Campaign) -> None:
    disputed(campaign)
    fields = {"topic": A1, "document": "A.1-2"}
    campaign.post("candidate", **fields, choice="medium", key="k1")
    assert "Withdraw my adjudication" in campaign.get("candidate", **fields)
    campaign.post("candidate", **fields, choice="take-back", key="k2")
    assert "2 candidates, of which 2 are open" in campaign.get("disagreements")


def test_unknown_choices_and_candidates_are_refused(campaign: Campaign) -> None:
    fields = {"topic": A1, "key": "k"}
    assert campaign.post("candidate", **fields, document="A.1-1", choice="").status_code == 422
    assert campaign.post("candidate", **fields, document="none", choice="high").status_code == 403
    query = {"batch": BATCH, "topic": A1, "document": "none"}
    assert campaign.sign_in("Eve").get("/admin/candidate", params=query).status_code == 404


def test_a_sample_of_answers_is_annotated(campaign: Campaign) -> None:
    disputed(campaign)
    page = campaign.get("annotations", size="2", seed="1")
    assert "2 answers, 2 not annotated yet" in page
    assert "size=2" in page
    form = campaign.get("candidate", topic=A1, document="A.1-1", size="2", seed="1")
    assert form.index("<h2>Annotate</h2>") < form.index("<h2>Adjudicate</h2>")
    sample = {"size": "3", "seed": "1"}
    values = {"is_machine_made": "yes", "is_unrelated": "no"}
    done = campaign.post("annotate", topic=A1, document="A.1-1", key="k", **values, **sample)
    page = campaign.client.get(done.location).text
    assert "A.1-1 of A.1 is annotated" in page
    assert "<h2>Annotate</h2>" in page  # for the next answer
    assert "3 answers, 2 not annotated yet" in campaign.get("annotations", **sample)
    (annotation,) = campaign.store.annotations(BATCH)
    assert (annotation.is_machine_made, annotation.is_unrelated, annotation.assessor) == (
        True,
        False,
        "Eve",
    )
    assert "machine-generated: yes" in campaign.get("candidate", topic=A1, document="A.1-1")


def test_an_annotation_does_not_change_the_grade(campaign: Campaign) -> None:
    disputed(campaign)
    before = campaign.store.judgments(BATCH)
    values = {"is_machine_made": "yes", "is_unrelated": "yes"}
    campaign.post("annotate", topic=A1, document="A.1-2", key="k", **values)
    assert campaign.store.judgments(BATCH) == before
    campaign.post("annotate", topic=A1, document="A.1-2", key="k", **values)  # sent again
    assert len(campaign.store.annotations(BATCH)) == 1
    assert "A.1-2" in campaign.get("disagreements")


def test_formulas_are_not_annotated(campaign: Campaign) -> None:
    assert "Only answers are annotated" in campaign.get("annotations", "formulas")
    sent = {"topic": "B.1", "document": "f1", "key": "k", "is_machine_made": "yes"}
    assert campaign.post("annotate", "formulas", **sent).status_code == 422


def test_changed_instructions_apply_from_then_on(campaign: Campaign) -> None:
    page = campaign.sign_in("Eve").get("/admin").text
    assert 'value="by-context" checked' in page
    campaign.judge("Ann", "A.1-1", Choice.HIGH)
    done = campaign.post("instructions", same_look="always-high", annotations="1")
    assert done.status_code == 303
    page = campaign.client.get(done.location).text
    assert 'value="always-high" checked' in page
    assert "by-context, answers not annotated: until 20" in page
    instructions = campaign.store.instructions()
    assert [(each.number, each.same_look, each.asks_annotations) for each in instructions] == [
        (0, VisualMatchRule.BY_CONTEXT, False),
        (1, VisualMatchRule.ALWAYS_HIGH, True),
    ]
    campaign.judge("Ann", "A.1-2", Choice.HIGH)
    assert [each.instructions for each in campaign.store.judgments(BATCH)] == [0, 1]
    assert campaign.post("instructions", same_look="never").status_code == 422


def test_missing_candidates_are_listed(campaign: Campaign) -> None:
    assert "f1" in campaign.get("missing", "formulas")
    assert "No collection is served" in campaign.get("missing", "formulas")


def judged_whole(campaign: Campaign) -> None:
    """Two topics judged, one of which has too few relevant answers."""
    for doc, choice in (
        ("A.1-1", "high"),
        ("A.1-2", "medium"),
        ("A.1-3", "not_relevant"),
        ("A.1-4", "system_failure"),
        ("A.2-1", "high"),
        ("A.2-2", "low"),
    ):
        campaign.judge("Ann", doc, Choice(choice))


def file(campaign: Campaign, name: str, folder: Path, batch: str = BATCH, **more: str) -> Path:
    answer = campaign.sign_in("Eve").get(f"/admin/files/{name}", params={"batch": batch, **more})
    assert answer.status_code == 200, answer.text
    path = folder / name
    path.write_bytes(answer.content)
    return path


def test_qrels_leave_out_topics_with_few_relevant(campaign: Campaign, tmp_path: Path) -> None:
    judged_whole(campaign)
    assert "are left out of the qrels: A.2" in campaign.get("results")
    plain = read_qrels(file(campaign, "qrels.tsv", tmp_path))
    assert plain.grades == {A1: {"A.1-1": 3, "A.1-2": 2, "A.1-3": 0}}
    assert A2 in read_qrels(file(campaign, "qrels.tsv", tmp_path, fewest="0")).grades
    complete = file(campaign, "qrels_complete.tsv", tmp_path).read_text()
    assert "A.1\t0\tA.1-4\t5\n" in complete
    assert "A.2\t0\tA.2-1\t3\n" in complete


def test_formulas_have_qrels_by_visual_id(campaign: Campaign, tmp_path: Path) -> None:
    for doc, choice in (("f1", "low"), ("f2", "high"), ("f3", "medium")):
        campaign.judge("Ann", doc, Choice(choice), "formulas")
    qrels = read_qrels(file(campaign, "qrels_visual.tsv", tmp_path, "formulas"))
    assert qrels.grades == {"B.1": {"L1": 3, "L2": 2}}
    instances = read_qrels(file(campaign, "qrels.tsv", tmp_path, "formulas"))
    assert instances.grades == {"B.1": {"f1": 1, "f2": 3, "f3": 2}}


def test_all_files_are_in_one_archive(campaign: Campaign, tmp_path: Path) -> None:
    judged_whole(campaign)
    with zipfile.ZipFile(io.BytesIO(file(campaign, "all.zip", tmp_path).read_bytes())) as archive:
        names = set(archive.namelist())
        exported = json.loads(archive.read("export.json"))
        rows = archive.read("judgments.jsonl").decode().splitlines()
    assert names == {
        "qrels.tsv",
        "qrels_complete.tsv",
        "qrels_short_answers.tsv",
        "judgments.jsonl",
        "statistics.html",
        "statistics.tex",
        "export.json",
    }
    assert exported["dropped_topics"] == ["A.2"]
    assert (exported["batch"], exported["unjudged"], exported["disputed"]) == (BATCH, 6, [])
    assert len(rows) == 6
    assert "Ann" in rows[0]


def test_assessors_can_be_numbers(campaign: Campaign, tmp_path: Path) -> None:
    judged_whole(campaign)
    for name in ("judgments.jsonl", "statistics.html", "statistics.tex"):
        assert "Ann" in file(campaign, name, tmp_path).read_text()
        assert "Ann" not in file(campaign, name, tmp_path, names="numbers").read_text()


def test_unknown_files_are_refused(campaign: Campaign) -> None:
    client = campaign.sign_in("Eve")
    for name in ("qrels_visual.tsv", "judgments.sqlite", "..%2Fjudgments.sqlite"):
        answer = client.get(f"/admin/files/{name}", params={"batch": BATCH})
        assert answer.status_code == 404, name
    query = {"batch": BATCH, "rule": "chance"}
    assert client.get("/admin/results", params=query).status_code == 422


def test_training_is_marked_as_not_part_of_the_collection(campaign: Campaign) -> None:
    assert "training round: its judgments" in campaign.get("results", "round 1")
