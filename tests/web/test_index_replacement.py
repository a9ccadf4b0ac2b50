"""An index that is replaced, removed and restored while it is served."""

import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest

from porism.web.settings import SearchAppSettings
from tests.collection.dumps import Row, answer, question, write_table
from tests.web.serving import (
    SAFETY_NET,
    command,
    served_by_command,
    served_by_thread,
    small_index,
    until,
)

ASKED = {"q": r"a sum $\sum_k \frac{1}{k^2}$"}
CLIENTS = 4


def posts(word: str) -> list[Row]:
    """Questions with answers that all contain ``word``; a few have other ids each time."""
    rows: list[Row] = []
    for number in range(1, 60, 2):
        body = rf"<p>The {word} sum is $\sum_k \frac{{1}}{{k^{number}}}$.</p>"
        rows += question(number, body, Tags="<sums>"), answer(number + 1, number, body)
    return rows


@contextmanager
def load(address: str) -> Iterator[list[str]]:
    """Clients that send requests without pause; the failed responses."""
    failures: list[str] = []
    is_over = threading.Event()
    paths = ("/api/search", "/api/formulas", "/", "/threads/1", "/api/threads/2")

    def ask() -> None:
        with httpx.Client(base_url=address, timeout=SAFETY_NET) as client:
            while not is_over.is_set():
                for path in paths:
                    try:
                        answered = client.get(path, params=ASKED)
                    except httpx.HTTPError as error:
                        failures.append(f"{path}: {error!r}")
                        continue
                    if answered.status_code != 200:
                        failures.append(f"{path}: {answered.status_code} {answered.text[:200]}")

    threads = [threading.Thread(target=ask) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    try:
        yield failures
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def passages(address: str) -> str:
    """The passages of the results for the sum."""
    found = (
        httpx.get(f"{address}/api/search", params={**ASKED, "k": 5}, timeout=SAFETY_NET)
        .raise_for_status()
        .json()
    )
    return " ".join(piece["text"] for each in found["results"] for piece in each["snippet"])


def is_found(address: str, word: str) -> bool:
    return word in passages(address)


def test_no_request_fails_while_an_index_is_replaced(tmp_path: Path) -> None:
    index = small_index(tmp_path, posts("first"))
    with served_by_command(index, "--rate", "0") as address, load(address) as failures:
        assert "first" in passages(address)
        for word in ("second", "third", "fourth"):
            small_index(tmp_path, posts(word))
            until(partial(is_found, address, word))
            assert "first" not in passages(address)
    assert failures == []


def test_an_updated_index_is_opened(tmp_path: Path) -> None:
    index = small_index(tmp_path, posts("first"))
    with served_by_thread(SearchAppSettings(index)) as address:
        assert "second" not in passages(address)
        write_table(tmp_path / "dump", "Posts", posts("second"))
        command("ingest", str(tmp_path / "dump"), "-o", str(tmp_path / "collection"))
        command("update", str(index))
        assert "second" in passages(address)


def test_a_missing_index_is_reported_and_served_again_when_it_is_back(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    index = small_index(tmp_path, posts("first"))
    away = tmp_path / "away"
    with served_by_thread(SearchAppSettings(index)) as address:
        assert httpx.get(f"{address}/api/health", timeout=SAFETY_NET).status_code == 200
        shutil.move(index, away)
        for path in ("/api/health", "/api/search?q=sum", "/api/posts/1", "/?q=sum", "/threads/1"):
            response = httpx.get(f"{address}{path}", timeout=SAFETY_NET)
            assert response.status_code == 503, path
            assert "no index" in response.text
            assert response.headers["content-type"].startswith(
                "application/problem+json" if path.startswith("/api") else "text/html"
            )
        # What needs no index goes on.
        assert httpx.get(f"{address}/help", timeout=SAFETY_NET).status_code == 200
        shutil.move(away, index)
        assert "first" in passages(address)
        assert httpx.get(f"{address}/api/health", timeout=SAFETY_NET).json()["status"] == "ok"
    assert "failed" not in caplog.text
