"""What of a formula was asked for, marked in the results of a search."""

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
def test_the_part_asked_for_is_marked_in_results(client: TestClient, text: str, what: str) -> None:
    marks = re.findall(r"<mark>(<a class=\"similar\".*?)</mark>", results(client, text, what))
    parts = [mark for mark in marks if 'class="hit"' in mark]
    assert parts
    assert (len(parts) < len(marks)) == (what == "formulas")  # where it also stands alone
    assert all(re.search(r"<math.*class=\"hit\".*∑", mark) for mark in parts)


def test_formulas_that_did_not_match_have_no_marks(client: TestClient) -> None:
    text = re.sub(r"<mark>.*?</mark>", "", results(client, f"${ZETA}$", "answers"))
    assert "<math" in text
    assert 'class="hit"' not in text


def test_results_of_formulas_lead_to_the_formula_in_its_thread(client: TestClient) -> None:
    links = re.findall(r'<h2><a href="([^"]*)"', results(client, ZETA, "formulas"))
    assert len(links) == 10
    for link in map(unescape, links):
        address = urlsplit(link)
        assert dict(parse_qsl(address.query)) == {"q": ZETA, "what": "formulas"}
        assert re.fullmatch(r"formula-\d+", address.fragment)
        assert client.get(link).text.count(f' id="{address.fragment}"') == 1


@pytest.mark.parametrize(
    ("asked", "is_marked", "has_part"), [("x^2", True, True), ("=", False, False)]
)
def test_a_likeness_is_marked_as_far_as_it_goes(
    sample_index: Path, asked: str, is_marked: bool, has_part: bool
) -> None:
    with open_collection(sample_index.parent) as collection:
        instance = next(
            each for each in collection.instances() if each.formula.latex == r"e^{-x^2}"
        )
        formula = Formula(instance.id, instance.formula.latex)
        passages = Passages(collection, (parse_latex(asked).tree,))
        shown = passages.similarity(formula)
        assert shown.startswith("<mark>") == is_marked
        assert ('class="hit"' in shown) == has_part
        # What a search says is matched is marked in any case.
        assert passages.passage((SnippetFragment(formula, True),)).startswith("<mark>")
        whole = Passages(collection, (parse_latex("e^{-x^2}").tree,)).similarity(formula)
        assert whole.startswith("<mark>")
        assert 'class="hit"' not in whole
