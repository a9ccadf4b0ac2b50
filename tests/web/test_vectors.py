"""The server with an index that has vectors: their model is opened once, or not at all."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from porism.embed import TextEncoder, open_encoder
from porism.rank import vector_ranking
from porism.searchindex import text_encoders
from porism.web.app import create_app
from porism.web.settings import SearchAppSettings

QUERY = "Why does the harmonic series diverge?"


@pytest.fixture
def opened_models(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The models that were opened during the test, as if it began in a new process."""
    opened: list[str] = []

    def open_and_count(model: str) -> TextEncoder:
        opened.append(model)
        return open_encoder(model)

    monkeypatch.setattr(text_encoders, "open_encoder", open_and_count)
    text_encoders._opened.cache_clear()
    yield opened
    text_encoders._opened.cache_clear()


def served(index: Path) -> TestClient:
    return TestClient(create_app(SearchAppSettings(index, requests_a_second=0)))


def explained_parts(client: TestClient) -> str:
    """What the score of the best result is made of."""
    body = client.get("/api/search", params={"q": QUERY, "k": 1, "explain": True}).json()
    (result,) = body["results"]
    return str(result["explanation"])


def test_requests_share_the_model_that_is_opened_at_the_start(
    sample_index: Path, opened_models: list[str]
) -> None:
    with served(sample_index) as client:
        assert opened_models == ["minilm"]

        def titles(number: int) -> list[str]:
            body = client.get("/api/search", params={"q": f"{QUERY} {number % 4}"}).json()
            return [result["title"] for result in body["results"]]

        with ThreadPoolExecutor(8) as threads:
            found = list(threads.map(titles, range(24)))
        assert found == [titles(number) for number in range(24)]
        assert "cosine with the question" in explained_parts(client)
    assert opened_models == ["minilm"]


def test_an_index_is_served_without_its_model(
    sample_index: Path,
    opened_models: list[str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    with served(sample_index) as client:
        assert "cosine" not in explained_parts(client)
    assert opened_models == []
    (note,) = caplog.messages
    assert note.startswith("porism ranks without vectors: ")
    assert "has vectors by minilm, which is not installed here" in note
