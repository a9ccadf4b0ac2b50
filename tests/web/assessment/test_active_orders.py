"""A pool judged by active learning: the order of pages, and the estimate."""

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.active_order import ActiveOrderSettings, with_active_order
from porism.assess.records import Assessor, BatchKind, Candidate, Pool
from porism.model import DocId, Topic, TopicId
from porism.web.assessment import active_orders
from porism.web.assessment.active_orders import ActiveOrders
from porism.web.assessment.app import create_assessment_app
from porism.web.assessment.authentication import COOKIE
from porism.web.assessment.campaign import Campaign
from porism.web.assessment.settings import AssessmentSettings
from porism.web.server.problems import RequestRefused
from tests.web.serving import SAFETY_NET

TOPIC = TopicId("A.1")
ABOUT_PRIMES = {3, 8, 13, 17}
FIRST, OTHER = 3, 5


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """Twenty short answers, four of them similar to the first relevant one."""
    texts = [
        f"Prime numbers divide products, lemma {number}."
        if number in ABOUT_PRIMES
        else f"The determinant of matrix {number} vanishes."
        for number in range(20)
    ]
    candidates = tuple(
        Candidate(TOPIC, DocId(f"d{number}"), text=text) for number, text in enumerate(texts)
    )
    pool = Pool(3, (Topic(TOPIC, ("What is meant?",)),), candidates)
    store = JudgmentStore(tmp_path / "judgments.db")
    store.add_batch("b", BatchKind.OFFICIAL, with_active_order(pool, ActiveOrderSettings()))
    token = store.add_assessor("Ada")
    store.assign("b", TOPIC, "Ada")
    client = TestClient(create_assessment_app(AssessmentSettings(store.path)))
    client.cookies.set(COOKIE, token)
    return client


def judge(client: TestClient, number: int, choice: str) -> list[int]:
    """The next places that the server sends after a judgment."""
    store: JudgmentStore = client.app.state.store  # type: ignore[attr-defined]
    answer = client.post(
        "/judgments",
        json={
            "campaign": Campaign(store).mark,
            "assessor": "Ada",
            "key": f"key {number}",
            "batch": "b",
            "topic": TOPIC,
            "document": f"d{number}",
            "choice": choice,
        },
    )
    assert answer.status_code == 200, answer.text
    return [place - 1 for place in answer.json()["learned"]]


def test_candidates_similar_to_relevant_ones_come_next(client: TestClient) -> None:
    judge(client, OTHER, "not_relevant")
    learned = judge(client, FIRST, "high")
    assert FIRST not in learned
    # One of the first few is drawn at random.
    assert len(ABOUT_PRIMES.intersection(learned[:4])) == 3


def test_the_page_starts_there_and_shows_the_estimate(client: TestClient) -> None:
    learned = [FIRST]
    for _ in range(6):  # the fifth is drawn at random
        learned = judge(
            client, learned[0], "high" if learned[0] in ABOUT_PRIMES else "not_relevant"
        )
    page = client.get(f"/judge/b/{TOPIC}").text
    state = json.loads(re.search(r'id="state"[^>]*>(.*?)</script>', page, re.S)[1])  # type: ignore[index]
    assert state["at"] - 1 == learned[0]
    assert [place - 1 for place in state["learned"]] == learned
    assert "Likely relevant candidates come first" in page
    assert "candidates left may be relevant" in page


def test_a_judgment_is_acknowledged_even_if_learning_fails(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise RequestRefused(503, "The collection cannot be read now.")

    with monkeypatch.context() as patched:
        patched.setattr(ActiveOrders, "places", away)
        with pytest.raises(KeyError, match="learned"):
            judge(client, OTHER, "not_relevant")  # the status is 200 anyway
    store: JudgmentStore = client.app.state.store  # type: ignore[attr-defined]
    assert len(store.judgments("b")) == 1
    assert judge(client, FIRST, "high")


def test_without_script_the_next_page_is_the_learned_one(client: TestClient) -> None:
    judge(client, OTHER, "not_relevant")
    page = client.get(f"/judge/b/{TOPIC}?at={FIRST + 1}").text
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', page))
    form = {**fields, "document": f"d{FIRST}", "choice": "high", "at": str(FIRST + 1)}
    answer = client.post(f"/judge/b/{TOPIC}", data=form, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    place = int(re.search(r"at=(\d+)", answer.headers["location"])[1])  # type: ignore[index]
    assert place - 1 in ABOUT_PRIMES


def test_topics_are_read_in_parallel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    topics = [TopicId("A.1"), TopicId("A.2")]
    candidates = tuple(Candidate(topic, DocId(f"d{topic}"), text="x") for topic in topics)
    pool = Pool(3, tuple(map(Topic, topics)), candidates)
    store = JudgmentStore(tmp_path / "judgments.db")
    store.add_batch("b", BatchKind.OFFICIAL, with_active_order(pool, ActiveOrderSettings()))
    store.add_assessor("Ada")
    for topic in topics:
        store.assign("b", topic, "Ada")
    ada, campaign, orders = Assessor("Ada"), Campaign(store), ActiveOrders(store)
    slow, quick = (campaign.assigned_topic(ada, "b", topic) for topic in topics)
    is_reading, may_go_on = threading.Event(), threading.Event()

    def tokens(candidate: Candidate, *_: object) -> list[str]:
        if candidate.topic_id == slow.topic.id:
            is_reading.set()
            may_go_on.wait(timeout=SAFETY_NET)
        return []

    monkeypatch.setattr(active_orders, "candidate_tokens", tokens)
    with ThreadPoolExecutor(2) as pool_of_threads:
        first = pool_of_threads.submit(orders.places, slow, ada, None)
        assert is_reading.wait(timeout=SAFETY_NET)
        try:
            second = pool_of_threads.submit(orders.places, quick, ada, None)
            assert second.result(timeout=SAFETY_NET) == (1,)
            assert not first.done()
        finally:
            may_go_on.set()
        assert first.result(timeout=SAFETY_NET) == (1,)
