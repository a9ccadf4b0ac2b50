"""Help, About, the REST interface tried out, and what browsers and programs read."""

import json
from xml.etree import ElementTree

from fastapi.testclient import TestClient
from playwright.sync_api import Page, expect

from porism.query.help_table import EXAMPLES
from tests.web.browsing import needs_browser


def test_the_help_has_each_example_as_a_search(client: TestClient) -> None:
    page = client.get("/help").text
    for example in EXAMPLES:
        assert f">{example.meaning}<" in page
    assert page.count("<math") >= 10


def test_about_says_what_is_searched(client: TestClient) -> None:
    page = client.get("/about").text
    questions = client.get("/api/health").json()
    assert f"{questions['answers']:,} answers" in page
    assert questions["fingerprint"] in page
    assert "Posts from" in page


def test_the_browser_gets_a_search_and_suggestions(client: TestClient) -> None:
    assert 'rel="search"' in client.get("/").text
    response = client.get("/opensearch.xml")
    assert response.headers["content-type"].startswith("application/opensearchdescription+xml")
    root = ElementTree.fromstring(response.text)
    space = "{http://a9.com/-/spec/opensearch/1.1/}"
    name = root.findtext(f"{space}ShortName")
    assert name is not None
    assert len(name) <= 16
    templates = {each.get("type"): each.get("template") for each in root.iter(f"{space}Url")}
    assert templates["text/html"] == "http://testserver/?q={searchTerms}"
    suggestions = templates["application/x-suggestions+json"]
    assert suggestions is not None
    response = client.get(suggestions.replace("{searchTerms}", "harmonic"))
    assert response.headers["content-type"] == "application/x-suggestions+json"
    text, titles, descriptions, addresses = response.json()
    assert text == "harmonic"
    assert 1 <= len(titles) == len(descriptions) == len(addresses)
    assert client.get(addresses[0]).status_code == 200


def test_without_a_text_there_are_no_suggestions(client: TestClient) -> None:
    assert client.get("/api/suggest").json() == ["", [], [], []]


def test_programs_find_their_way(client: TestClient) -> None:
    text = client.get("/llms.txt").text
    assert text.startswith("# Porism\n")
    assert "http://testserver/api/openapi.json" in text
    assert "Disallow: /api/" in client.get("/robots.txt").text


def test_a_missing_page_offers_a_search(client: TestClient) -> None:
    response = client.get("/no-such-page")
    assert response.status_code == 404
    assert 'role="search"' in response.text
    assert client.get("/threads/99999999").text.count("There is no post 99999999") == 1


def test_every_operation_is_in_the_docs(client: TestClient) -> None:
    page = client.get("/docs").text
    for path, methods in client.get("/api/openapi.json").json()["paths"].items():
        for method in methods:
            assert f"<b>{method.upper()}</b> {path}</code>" in page


@needs_browser
def test_a_request_is_tried_out(page: Page) -> None:
    page.goto("/docs#get-api-search")
    operation = page.locator("#get-api-search")
    operation.get_by_label("q required").fill("harmonic series")
    operation.get_by_label("k", exact=True).fill("1")
    operation.get_by_role("button", name="Send").click()
    response = operation.locator(".response")
    expect(response).to_contain_text('"results"')
    status, _, body = (response.text_content() or "").partition("\n\n")
    assert status.startswith("200")
    assert len(json.loads(body)["results"]) == 1
    page.locator("#post-api-convert summary").click()
    page.locator("#post-api-convert").get_by_role("button", name="Send").click()
    expect(page.locator("#post-api-convert .response")).to_contain_text("<math")
