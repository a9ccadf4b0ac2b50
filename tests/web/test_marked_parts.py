"""Matching parts of formulas, marked in the results of a search."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
from fastapi.testclient import TestClient

from porism.collection.store import open_collection
from porism.formula.latex import parse_latex
from porism.model import Formula
from porism.rank.snippets import SnippetFragment
from porism.web.search.result_html import Passages

ZETA = r"\sum_{n=1}^\infty \frac{1}{n^2}"


def results(client: TestClient, text: str, what: str) -> str:
    response = client.get("/", params={"q": text, "what": what})
    assert response.status_code == 200
    return response.text.split('<ol class="cards"')[1]


@pytest.mark.parametrize(("text", "what"), [(f"${ZETA}$", "answers"), (ZETA, "formulas")])
def test_the_matching_part_is_marked_in_results(client: TestClient, text: str, what: str) -> None:
    marks = re.findall(r"<mark>(<a class=\"similar\".*?)</mark>", results(client, text, what))
    parts = [mark for mark in marks if 'class="hit"' in mark]
    assert parts
    if what == "formulas":
        assert len(parts) < len(marks)  # where it stands alone, all of it is marked
    assert all(re.search(r"<math.*class=\"hit\".*∑", mark) for mark in parts)


def test_formulas_that_did_not_match_have_no_marks(client: TestClient) -> None:
    text = re.sub(r"<mark>.*?</mark>", "", results(client, f"${ZETA}$", "answers"))
    assert "<math" in text
    assert 'class="hit"' not in text


def test_formula_results_link_to_the_formula_in_its_thread(client: TestClient) -> None:
    links = re.findall(r'<h2><a href="([^"]*)"', results(client, ZETA, "formulas"))
    assert len(links) == 10
    for link in map(unescape, links):
        address = urlsplit(link)
        assert dict(parse_qsl(address.query)) == {"q": ZETA, "what": "formulas"}
        assert re.fullmatch(r"formula-\d+", address.fragment)
        assert client.get(link).text.count(f' id="{address.fragment}"') == 1


@pytest.mark.parametrize(
    ("query", "is_marked", "has_part"), [("x^2", True, True), ("=", False, False)]
)
def test_the_common_part_of_similar_formulas_is_marked(
    sample_index: Path, query: str, is_marked: bool, has_part: bool
) -> None:
    with open_collection(sample_index.parent) as collection:
        instance = next(
            each for each in collection.instances() if each.formula.latex == r"e^{-x^2}"
        )
        formula = Formula(instance.id, instance.formula.latex)
        passages = Passages(collection, (parse_latex(query).tree,))
        html = passages.similarity(formula)
        assert html.startswith("<mark>") == is_marked
        assert ('class="hit"' in html) == has_part
        # What a search says is matched is marked in any case.
        assert passages.passage((SnippetFragment(formula, True),)).startswith("<mark>")
        whole = Passages(collection, (parse_latex("e^{-x^2}").tree,)).similarity(formula)
        assert whole.startswith("<mark>")
        assert 'class="hit"' not in whole
