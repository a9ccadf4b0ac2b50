"""The page of a thread."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from porism import catalog
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.store import open_collection
from porism.searchindex.builder import IndexOptions, build_index
from porism.web.current_index import CurrentIndex
from porism.web.search import highlights, thread_page
from porism.web.server.problems import add_problem_handlers
from tests.collection.small_site import POSTS, Row, write_site

HOSTILE: Row = {
    "Id": 9,
    "PostTypeId": 1,
    "Title": "<b>&lt;script&gt;alert(1)&lt;/script&gt;</b> $x<y$",
    "Body": '<p onclick="x()">y <a href="https://e.org/">see $a^2+b^2$</a><script>z</script></p>'
    '<img src="x" onerror="alert(1)">',
    "Tags": '<algebra"onclick><sets>',
}

DEFINING: Row = {
    "Id": 10,
    "PostTypeId": 1,
    "Title": "Roots",
    "Body": r"<p>$\def\foo#1{\sqrt{#1}}$ Is it $\foo{z}$?</p>",
}


def served(index: Path) -> TestClient:
    app = FastAPI()
    app.state.current_index = CurrentIndex(index)
    add_problem_handlers(app)
    app.include_router(thread_page.router)
    return TestClient(app, follow_redirects=False, raise_server_exceptions=False)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    folder = tmp_path_factory.mktemp("threads")
    source = write_site(folder / "site", [*POSTS, HOSTILE, DEFINING])
    ingest(source, folder / "collection", IngestOptions(jobs=1))
    with open_collection(folder / "collection") as collection:
        plan = catalog.index_plan(["l8"])
        build_index(collection, folder / "index", plan, IndexOptions(), lambda progress: None)
    with served(folder / "index") as client:
        yield client


def page(client: TestClient, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, response.text
    return response.text


def links(text: str, words: str) -> list[str]:
    """The addresses of links with these words."""
    found = re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>([^<]*)</a>', text)
    return [unescape(address) for address, text in found if text == words]


def test_the_page_has_the_whole_thread(site: TestClient) -> None:
    text = page(site, "/threads/1")
    for piece in ('id="post-1"', 'id="post-2"', 'id="post-3"', "score 7", "2011-03-04"):
        assert piece in text
    assert text.count("Accepted answer") == 1
    assert text.count("<main ") == text.count("</main>") == 1
    assert text.count("<h1>") == 1
    assert (
        '<a class="similar" href="/?q=x%5E2+%5Cge+0&amp;what=formulas"><span class="formula"'
        in (text)
    )


def test_an_answer_redirects_to_its_place_in_the_thread(site: TestClient) -> None:
    response = site.get("/threads/2?q=x+%26+y")
    assert response.status_code == 302
    assert response.headers["location"] == "/threads/1?q=x+%26+y#post-2"


@pytest.mark.parametrize("address", ["/threads", "/threads/"])
def test_an_address_without_a_post_is_an_error(site: TestClient, address: str) -> None:
    response = site.get(address)
    assert response.status_code == 404
    assert "The address of a thread is" in response.text


@pytest.mark.parametrize(
    "search",
    ["q=square", "q=square&what=questions&tag=a&tag=b&since=2011&votes=1&accepted=1&page=3"],
)
def test_the_back_link_leads_to_the_same_results(site: TestClient, search: str) -> None:
    assert links(page(site, f"/threads/1?{search}"), "← Back to the results") == [f"/?{search}"]


def test_links_of_formulas_include_their_macros(site: TestClient) -> None:
    text = page(site, "/threads/10")
    found = re.findall(r'<a class="similar" href="([^"]*)"', text)
    query = [parse_qs(urlsplit(unescape(address)).query)["q"] for address in found]
    assert query == [[r"\def\foo#1{\sqrt{#1}}" "\n" r"\foo{z}"]]


@pytest.mark.parametrize("name", ["77", "no such note", "9" * 40, "%00", "a/b/../c", "<b>"])
def test_an_unknown_id_is_an_error_page(site: TestClient, name: str) -> None:
    response = site.get(f"/threads/{name}")
    assert response.status_code == 404
    assert "There is no post" in response.text
    assert "<b>" not in response.text


def test_tags_link_to_searches_and_linked_questions_to_their_threads(site: TestClient) -> None:
    text = page(site, "/threads/1")
    assert links(text, "real-numbers") == ["/?q=real+numbers&tag=real-numbers"]
    assert links(page(site, "/threads/1?q=square"), "algebra") == ["/?q=square&tag=algebra"]
    assert '<li><a href="/threads/4">What is <span' in text
    assert "/threads/99" not in text  # it is linked, but not here


def test_likely_duplicates_are_searched_by_the_title(site: TestClient) -> None:
    (address,) = links(page(site, "/threads/1"), "Find likely duplicates")
    assert parse_qs(urlsplit(address).query) == {
        "q": ["Is $x^2$ positive?"],
        "what": ["questions"],
        "besides": ["1"],
    }


def test_words_of_the_search_are_marked(site: TestClient) -> None:
    text = page(site, "/threads/1?q=is+it+positively+so")  # by its stem, and no word else
    assert re.findall("<mark>.*?</mark>", text) == ["<mark>positive</mark>"]
    assert re.search(r"<h1>Is .* <mark>positive</mark>\?</h1>", text)
    assert "<mark>" not in page(site, "/threads/1")
    assert "Back to the results" in text


SQUARE = "<msup><mi>x</mi><mn>2</mn></msup>"
WHOLE = f"{SQUARE}<mo>≥</mo><mn>0</mn>"


@pytest.mark.parametrize(
    ("query", "drawn"),
    [
        ("q=$x^2%20\\ge%200$", WHOLE),
        ("q=x^2%20\\ge%200", WHOLE),
        ("q=x^2&what=formulas", f'<mrow class="hit">{SQUARE}</mrow><mo>≥</mo><mn>0</mn>'),
    ],
)
def test_formulas_similar_to_the_query_are_marked(site: TestClient, query: str, drawn: str) -> None:
    text = page(site, f"/threads/1?{query}")
    found = re.search(
        r'<mark class="found"><span class="formula" id="formula-11"[^>]*><math[^>]*>(.*?)</math>',
        text,
    )
    assert found is not None
    assert found[1] == drawn
    assert not re.search(r'<mark class="found"><span class="\w+" id="formula-12"', text)


def test_only_the_first_formulas_of_a_page_are_compared(
    site: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = "/threads/1?q=x^2&what=formulas"
    assert "marked, in the first" not in page(site, address)
    monkeypatch.setattr(highlights, "MOST_FORMULAS", 1)
    text = page(site, address)
    assert "marked, in the first" in text
    assert text.count("<math ") > text.count('<mark class="found">')


def test_only_the_first_similar_formulas_are_marked_in_part(
    site: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(highlights, "MOST_PARTIAL_MATCHES", 0)
    text = page(site, "/threads/1?q=x^2&what=formulas")
    assert '<mark class="found"><span class="formula" id="formula-11"' in text
    assert 'class="hit"' not in text


@pytest.mark.parametrize(
    "query", ["q=%20", "q=$", "q=" + "x" * 5000, "q=$\\frac{$", "what=nonsense"]
)
def test_an_invalid_search_leaves_the_thread_readable(site: TestClient, query: str) -> None:
    assert 'id="post-3"' in page(site, f"/threads/1?{query}")


def test_posts_and_searches_have_no_active_content(site: TestClient) -> None:
    text = page(site, '/threads/9?q="><script>alert(2)</script>')
    assert not re.search(r'<script(?! type="module" src="/static/)|<img|\son\w+=[^&]', text)
    assert "&lt;<mark>script</mark>&gt;" in text
    assert 'href="https://e.org/" rel="noreferrer nofollow">' in text


def test_a_formula_within_a_link_is_not_a_link(site: TestClient) -> None:
    assert "what=formulas" in page(site, "/threads/9")
    link = re.search(r'<a href="https://e.org/"[^>]*>(.*?)</a>', page(site, "/threads/9"))
    assert link is not None
    assert "<math " in link[1]
    assert "<a " not in link[1]


def test_all_threads_of_the_sample_are_shown(sample_index: Path) -> None:
    with served(sample_index) as client, open_collection(sample_index.parent) as collection:
        for post in list(collection.posts())[:40]:
            response = client.get(f"/threads/{post.id}?q=$x^2$ sum", follow_redirects=True)
            assert response.status_code == 200
            ids = re.findall(r' id="([^"]*)"', response.text)
            assert len(ids) == len(set(ids))
