"""The page of a formula."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from porism.collection.formulas.occurrences import (
    count_posts,
    first_formula_id,
    first_posts,
    occurrences,
)
from porism.collection.store import Collection, open_collection
from porism.web.current_index import CurrentIndex
from porism.web.search import formula_page
from porism.web.server.problems import add_problem_handlers
from tests.collection.small_site import ingested_site


@pytest.fixture(scope="module")
def client(sample_index: Path) -> Iterator[TestClient]:
    app = FastAPI()
    app.state.current_index = CurrentIndex(sample_index)
    add_problem_handlers(app)
    app.include_router(formula_page.router)
    with TestClient(app, raise_server_exceptions=False) as opened:
        yield opened


@pytest.fixture(scope="module")
def collection(sample_index: Path) -> Iterator[Collection]:
    with open_collection(sample_index.parent) as opened:
        yield opened


def visual_id_of(collection: Collection, latex: str) -> str:
    return next(
        each.effective_visual_id for each in collection.instances() if each.formula.latex == latex
    )


@pytest.fixture(scope="module")
def page(client: TestClient, collection: Collection) -> str:
    response = client.get(f"/formulas/{visual_id_of(collection, 'n')}")
    assert response.status_code == 200
    return response.text


def test_the_formula_is_shown_with_its_latex_and_trees(page: str) -> None:
    assert re.search(
        r'<div class="large"><span class="display" title="n" data-latex="n"><math ', page
    )
    assert '<code class="source">n</code>' in page
    assert "<title>Layout tree of 1 symbol</title>" in page
    assert "<title>Operator tree of 1 symbol</title>" in page
    assert 'href="/?q=n&amp;what=formulas"' in page


def test_operators_are_described_in_words(client: TestClient, collection: Collection) -> None:
    latex = next(
        each.formula.latex for each in collection.instances() if r"\int_0" in each.formula.latex
    )
    page = client.get(f"/formulas/{visual_id_of(collection, latex)}").text
    words = re.search(r'<p class="in-words">.*?</span> (.*?)</p>', page)
    assert words is not None
    assert "the integral from 0 to" in words[1]
    drawn = page.partition("Operator tree of")[2]
    assert ">the integral</text>" in drawn
    assert ">from</text>" in drawn
    assert ">int</text>" not in drawn


def test_posts_are_counted_and_the_first_ones_listed(page: str, collection: Collection) -> None:
    here = list(occurrences(collection, visual_id_of(collection, "n")))
    posts = list(dict.fromkeys(each.post_id for each in here))
    assert f"{len(posts):,} posts contain this formula" in page
    section = page.split('id="posts"')[1]
    assert section.count("<article ") == min(50, len(posts))
    first = next(each for each in here if each.post_id == min(posts, key=int))
    assert f"/threads/{first.thread_id}?q=n&amp;what=formulas#formula-{first.formula_id}" in section


def test_the_pages_have_all_posts_once(
    client: TestClient, collection: Collection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formula_page, "PAGE", 4)
    visual_id = visual_id_of(collection, "n")
    number = count_posts(collection, visual_id)
    last = -(-number // 4)
    assert last > 2
    places: list[str] = []
    for page in range(1, last + 1):
        text = client.get(f"/formulas/{visual_id}?page={page}").text
        assert f"{number:,} posts contain this formula" in text
        assert f"Page {page} of {last}</span>" in text
        assert f"Posts {4 * page - 3}–{min(4 * page, number)}, ordered by id." in text
        assert ('rel="prev"' in text) == (page > 1)
        assert ('rel="next"' in text) == (page < last)
        assert ('id="similar"' in text) == (page == 1)
        places += re.findall(r"#(formula-\d+)", text.split('id="posts"')[1])
    assert len(places) == len(set(places)) == number


@pytest.mark.parametrize("page", ["0", "-1", "99999", "x", "", "1.5", "9" * 5000, "²"])
def test_an_unknown_page_number_is_an_error(
    client: TestClient, collection: Collection, page: str
) -> None:
    response = client.get(f"/formulas/{visual_id_of(collection, 'n')}", params={"page": page})
    assert response.status_code == 404
    assert "There is no page" in response.text


def test_what_formulas_have_in_common_is_marked(client: TestClient, collection: Collection) -> None:
    visual_id = visual_id_of(collection, r"\sum_{n=1}^{\infty} \frac{1}{n^2}")
    text = client.get(f"/formulas/{visual_id}").text
    similar = text.split('id="similar"')[1].split('id="posts"')[0]
    assert '<mark><a class="similar"' in similar
    assert 'class="hit"' in similar


def test_similar_formulas_do_not_include_the_formula_itself(
    client: TestClient, collection: Collection
) -> None:
    visual_id = next(
        each.effective_visual_id
        for each in collection.instances()
        if r"\frac" in each.formula.latex
    )
    text = client.get(f"/formulas/{visual_id}").text
    similar = text.split('id="similar"')[1].split('id="posts"')[0]
    assert 1 <= similar.count("<article ") <= 10
    assert f'href="/formulas/{visual_id}"' not in similar


@pytest.mark.parametrize("name", ["999999999999", "x", "-1", "9" * 40, "%3Cscript%3E", "1.5", "²"])
def test_an_unknown_id_is_an_error_page(client: TestClient, name: str) -> None:
    response = client.get(f"/formulas/{name}")
    assert response.status_code == 404
    assert "There is no formula" in response.text
    assert "<script>" not in response.text


def test_formulas_from_all_over_the_sample_have_pages(
    client: TestClient, collection: Collection
) -> None:
    visual_ids = list(dict.fromkeys(each.effective_visual_id for each in collection.instances()))
    for visual_id in visual_ids[:: len(visual_ids) // 15]:
        assert client.get(f"/formulas/{visual_id}").status_code == 200


def test_posts_are_those_of_all_occurrences(collection: Collection) -> None:
    for visual_id in list(
        dict.fromkeys(each.effective_visual_id for each in collection.instances())
    )[:60]:
        here = list(occurrences(collection, visual_id))
        posts = {each.post_id for each in here}
        assert count_posts(collection, visual_id) == len(posts)
        assert {each.post_id for each in first_posts(collection, visual_id, 10_000)} == posts
        assert len(first_posts(collection, visual_id, 1)) == min(1, len(posts))
        if here:
            assert first_formula_id(collection, visual_id) == here[0].formula_id


def test_a_formula_of_comments_only_is_in_no_post(tmp_path: Path) -> None:
    with open_collection(ingested_site(tmp_path)) as opened:
        comment = next(each for each in opened.instances() if each.comment_id is not None)
        in_posts = [
            each
            for each in opened.instances(comment.effective_visual_id)
            if each.comment_id is None
        ]
        assert count_posts(opened, comment.effective_visual_id) == len(
            {each.post_id for each in in_posts}
        )
        assert first_formula_id(opened, comment.effective_visual_id) is not None


def test_similar_formulas_show_what_they_share_in_colours(
    client: TestClient, collection: Collection
) -> None:
    visual_id = visual_id_of(collection, r"\sum_{n=1}^{\infty} \frac{1}{n^2}")
    text = client.get(f"/formulas/{visual_id}").text
    similar = text.split('id="similar"')[1].split('id="posts"')[0]
    assert "<summary>What matches</summary>" in similar
    shared = similar.split('<dl class="comparison">')[1].split("</dl>")[0]
    assert shared.count("hit part1") >= 2
