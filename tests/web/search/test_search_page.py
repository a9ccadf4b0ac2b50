"""The search page, without script and as fragments for the script."""

import re
from collections.abc import Mapping
from html import unescape
from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import pytest
from fastapi.testclient import TestClient
from hypothesis import assume, given
from hypothesis import strategies as st
from starlette.datastructures import QueryParams

from porism.query.typed_topics import QueryProblem
from porism.web.search.result_html import ProblemExcerpt, problem_excerpt
from porism.web.search.search_request import (
    LONGEST_TEXT,
    ParsedSearchRequest,
    SearchRequest,
    SearchTarget,
    parse_search_request,
)

HARMONIC = r"harmonic series $\sum_{n=1}^\infty \frac1n$"
BASEL = r"\sum_{n=1}^\infty \frac{1}{n^2}"


def result_page(client: TestClient, text: str, **parameters: object) -> str:
    """The page of a valid search."""
    status, page = response_to(client, text, **parameters)
    assert status == 200, page
    return page


def response_to(client: TestClient, text: str, **parameters: object) -> tuple[int, str]:
    """The status of a search and its page."""
    response = client.get(f"/?{urlencode({'q': text, **parameters}, doseq=True)}")
    return response.status_code, response.text


class _Page(HTMLParser):
    """The elements of a page, and those that are open where a parser ends."""

    VOID = frozenset(("meta", "link", "input", "br", "hr", "img", "mspace"))

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def links(self, css_class: str | None = None) -> list[str]:
        return [
            attributes["href"] or ""
            for tag, attributes in self.elements
            if tag == "a" and attributes.get("class") == css_class
        ]


def cards(html: str) -> list[str]:
    return re.findall(r'<article class="card".*?</article>', html, re.DOTALL)


def tags_of(card: str) -> list[str]:
    (listed,) = re.findall(r'<ul class="tags".*?</ul>', card, re.DOTALL)
    return re.findall(r">([^<>\s]+)</(?:a|span)>", listed)


# Results.


def test_without_a_search_there_are_examples_that_find_something(client: TestClient) -> None:
    page = client.get("/").text
    assert "Try one of these" in page
    assert not cards(page)
    (listed,) = re.findall(r'<section class="examples".*?</section>', page, re.DOTALL)
    examples = _Page(listed).links()
    assert len(examples) >= 4
    for example in examples:
        assert cards(client.get(example).text), example


def test_words_and_formulas_find_answers_with_marks(client: TestClient) -> None:
    page = result_page(client, HARMONIC)
    assert len(cards(page)) == 10
    assert re.search(r"Results 1–10 of \d+ threads, \d+ ms", page)
    first = cards(page)[0]
    assert "<mark>harmonic</mark>" in first
    assert re.search(r"<mark><a class=\"similar\"[^>]*><span class=\"formula\"[^>]*><math", page)
    assert "Answer" in first
    assert "votes" in first
    assert "score" not in first
    assert re.search(r'<time datetime="20[^"]*">20\d\d-\d\d-\d\d</time>', first)


def test_a_formula_without_dollars_finds_formulas(client: TestClient) -> None:
    page = result_page(client, BASEL, what="formulas")
    assert len(cards(page)) == 10
    assert "Find similar" in cards(page)[0]
    assert 'href="/formulas/' in cards(page)[0]
    assert page.count("<article") == 10
    with_dollars = result_page(client, f"${BASEL}$", what="formulas")
    assert _posts(with_dollars) == _posts(page)


def test_questions_are_ranked_by_their_best_answers(client: TestClient) -> None:
    questions = result_page(client, HARMONIC, what="questions")
    threads = [_thread(link) for link in _heads(questions)]
    assert len(set(threads)) == len(threads) == 10
    assert threads == [_thread(link) for link in _heads(result_page(client, HARMONIC))]
    assert any("Best answer" in card for card in cards(questions))


def test_a_thread_is_one_result_with_its_other_answers_on_request(client: TestClient) -> None:
    page = result_page(client, HARMONIC)
    threads = [_thread(link) for link in _heads(page)]
    assert len(set(threads)) == len(threads) == 10
    (number, thread), *_ = [
        (int(card_number[1]), thread)
        for card, thread in zip(cards(page), threads, strict=True)
        if (card_number := re.search(r">(\d+) more answers?</a>", card))
    ]
    others = result_page(client, HARMONIC, fragment="others", thread=thread.split("/")[-1])
    assert others.count("<li>") == number
    links = [
        urlsplit(unescape(link))
        for link in re.findall(r'<p class="meta facts"><a href="([^"]+)"', others)
    ]
    assert {link.path for link in links} == {thread}
    assert len({link.fragment for link in links}) == number


def test_the_first_lines_of_the_question_are_above_its_answer(client: TestClient) -> None:
    page = result_page(client, HARMONIC)
    assert page.count('class="question-lines"') == len(
        [c for c in cards(page) if "nswer</span>" in c]
    )


@pytest.mark.parametrize(
    "text", ["id:{}", "{}", "https://math.stackexchange.com/questions/{}/title"]
)
def test_the_address_or_id_of_a_post_opens_it(client: TestClient, text: str) -> None:
    thread = _thread(_heads(result_page(client, HARMONIC))[0])
    typed = text.format(thread.split("/")[-1])
    opened = client.get(f"/?{urlencode({'q': typed})}", follow_redirects=False)
    assert opened.status_code == 303
    address = urlsplit(opened.headers["location"])
    assert address.path == thread
    # The way back from there searches for what was typed as words.
    assert (
        cards(client.get(f"/?{address.query}").text)
        or "Nothing was found" in client.get(f"/?{address.query}").text
    )
    fragment = result_page(client, typed, fragment="results")
    assert f'id="opened" href="{opened.headers["location"].replace("&", "&amp;")}"' in fragment


def test_a_misspelled_word_is_corrected_and_the_page_says_so(client: TestClient) -> None:
    page = result_page(client, "harmonnic series")
    assert cards(page)
    assert re.search(
        r'class="suggestion">.*<a href="/\?q=harmonic\+series">harmonic series</a>', page
    )


def _heads(page: str) -> list[str]:
    return re.findall(r'<h2><a href="([^"]+)"', page)


def _posts(page: str) -> list[str]:
    return [urlsplit(link).fragment for link in _heads(page)]


def _thread(link: str) -> str:
    return urlsplit(link).path


@pytest.mark.parametrize("what", list(SearchTarget))
def test_every_result_links_to_its_thread(client: TestClient, what: SearchTarget) -> None:
    links = _heads(result_page(client, HARMONIC, what=what))
    assert len(links) == 10
    for link in links:
        address = urlsplit(link.replace("&amp;", "&"))
        assert re.fullmatch(r"/threads/\d+", address.path)
        target = {} if what is SearchTarget.ANSWERS else {"what": what}
        assert dict(parse_qsl(address.query)) == {"q": HARMONIC, **target}
        place = r"formula-\d+" if what is SearchTarget.FORMULAS else r"post-\d+"
        assert re.fullmatch(place, address.fragment)


def test_formulas_link_to_similar_ones(client: TestClient) -> None:
    links = _Page(result_page(client, HARMONIC)).links("similar")
    assert links
    for link in links[:3]:
        assert dict(parse_qsl(urlsplit(link).query))["what"] == "formulas"
        assert cards(client.get(link).text)


def test_problems_of_a_query_are_shown_with_their_place(client: TestClient) -> None:
    page = result_page(client, r"series $\frac{1}{n^2 + \nosuch$")
    assert cards(page)
    assert r"Unknown command \nosuch, read as a symbol." in page
    assert r"<code>\frac{1}<mark>{</mark>n^2 + \nosuch</code>" in page


def test_the_place_of_a_problem_is_shown_with_its_surroundings() -> None:
    assert problem_excerpt(QueryProblem("no x", "a" * 40 + "x" + "b" * 40, 40)) == ProblemExcerpt(
        "No x.", "…" + "a" * 30, "x", "b" * 30 + "…"
    )
    assert problem_excerpt(QueryProblem("too short", "ab", 2)).at == "␣"
    assert problem_excerpt(QueryProblem("it is empty")) == ProblemExcerpt("It is empty.")


def test_a_search_without_results_gives_advice(client: TestClient) -> None:
    page = result_page(client, "xyzzyplugh")
    assert "Nothing was found." in page
    assert "No results, " in page


# Filters, pages, explanations.


def test_tags_and_years_filter_results(client: TestClient) -> None:
    page = result_page(client, "matrix", tag=["linear-algebra", "determinant"], since=2014)
    assert cards(page)
    for card in cards(page):
        assert {"linear-algebra", "determinant"} <= set(tags_of(card))
        assert max(re.findall(r'<time datetime="(\d{4})', card)) >= "2014"
    assert page.count('name="tag" value="linear-algebra" checked') == 1
    assert 'value="2014"' in page


def test_votes_and_years_and_acceptance_filter_results(client: TestClient) -> None:
    page = result_page(client, "matrix", since=2011, until=2013, votes=10, accepted=1)
    assert cards(page)
    for card in cards(page):
        (year,) = re.findall(r'<time datetime="(\d{4})', card)
        assert "2011" <= year <= "2013"
        (votes,) = re.findall(r"<span>([\d,]+) votes?</span>", card)
        assert int(votes) >= 10
    fewer = int(re.findall(r"Results 1–\d+ of (\d+)", page)[0])
    assert fewer < int(re.findall(r"Results 1–\d+ of (\d+)", result_page(client, "matrix"))[0])


@pytest.mark.parametrize("what", list(SearchTarget))
def test_filters_apply_to_every_target(client: TestClient, what: SearchTarget) -> None:
    page = result_page(
        client, "matrix $x^2$", what=what, since=2011, until=2016, votes=5, accepted=1
    )
    assert len(cards(page)) == 10


FILTERS: dict[str, object] = {
    "tag": ["calculus", "integration"],
    "since": 2011,
    "until": 2017,
    "votes": 0,
    "accepted": 1,
}


def test_the_form_keeps_the_filters(client: TestClient) -> None:
    page = result_page(client, "integral", **FILTERS)
    fields = [each for tag, each in _Page(page).elements if tag == "input"]
    kept = [
        (each["name"], each["value"])
        for each in fields
        if each.get("value") and each["type"] != "radio"
        if each["type"] == "number" or "checked" in each
    ]
    assert kept == [
        ("tag", "calculus"),
        ("tag", "integration"),
        ("since", "2011"),
        ("until", "2017"),
        ("votes", "0"),
        ("accepted", "1"),
    ]
    assert '<details class="filters" open>' in page
    plain = result_page(client, "integral")
    assert '<details class="filters">' in plain
    assert not any("checked" in each for each in _inputs(plain, "accepted"))


def _inputs(page: str, name: str) -> list[dict[str, str | None]]:
    found_here = [each for tag, each in _Page(page).elements if tag == "input"]
    return [each for each in found_here if each["name"] == name]


def _filters_of(address: str) -> dict[str, list[str]]:
    """The filters and target of an address."""
    parameters = parse_qs(urlsplit(address.replace("&amp;", "&")).query)
    return {
        name: values for name, values in parameters.items() if name not in {"page", "explain", "q"}
    }


def test_links_of_the_page_keep_the_filters(client: TestClient) -> None:
    filters = {**FILTERS, "tag": "calculus"}
    page = result_page(client, "x^2", what="formulas", **filters, page=2)
    parameters = _filters_of(SearchRequest("x", SearchTarget.FORMULAS, _values(filters)).address)
    links = re.findall(r'<a (?:rel="\w+"|class="why" rel="nofollow") href="([^"]+)"', page)
    assert len(links) > 10  # to another page, and to each explanation
    for link in links:
        assert _filters_of(link) == parameters
    tags = re.findall(r'<a href="([^"]+)" title="Only results with this tag"', page)
    assert tags
    for link in tags:
        first, second = _filters_of(link)["tag"]
        assert (first, _filters_of(link)) == ("calculus", {**parameters, "tag": [first, second]})


def test_each_filter_in_use_can_be_removed(client: TestClient) -> None:
    page = result_page(client, "integral", **FILTERS, page=1)
    (listed,) = re.findall(r'<ul class="active-filters".*?</ul>', page, re.DOTALL)
    filters = re.findall(r'<a href="([^"]+)"[^>]*>(.*?) <span', listed)
    assert [words for _, words in filters] == [
        "tag calculus",
        "tag integration",
        "since 2011",
        "until 2017",
        "at least 0 votes",
        "accepted",
    ]
    everything = _filters_of(SearchRequest("integral", filters=_values(FILTERS)).address)
    removed = [("tag", "calculus"), ("tag", "integration")]
    removed += [(name, str(FILTERS[name])) for name in ("since", "until", "votes", "accepted")]
    for (link, _), (name, value) in zip(filters, removed, strict=True):
        expected = {key: list(values) for key, values in everything.items()}
        expected[name].remove(value)
        assert _filters_of(link) == {key: values for key, values in expected.items() if values}
    assert "active-filters" not in result_page(client, "integral")


def test_a_filtered_search_without_results_suggests_removing_filters(client: TestClient) -> None:
    page = result_page(client, "xyzzyplugh", votes=3)
    assert "search without filters" in page
    assert "search without filters" not in result_page(client, "xyzzyplugh")
    assert "No post has 99 votes or more." in result_page(client, "matrix", votes=99)


def _values(filters: dict[str, Any]) -> dict[str, Any]:  # Any: values of several types
    """Parameters of an address as values of filters."""
    tags = filters["tag"] if isinstance(filters["tag"], list) else [filters["tag"]]
    return {**filters, "tag": tuple(tags), "accepted": bool(filters["accepted"])}


YEARS = st.integers(1000, 9999)
TAGS = st.lists(
    st.text("abc -&=%é", min_size=1).map(str.strip).filter(bool), unique=True, min_size=1
)
SEARCHES = st.builds(
    SearchRequest,
    text=st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20),
    target=st.sampled_from(SearchTarget),
    filters=st.fixed_dictionaries(
        {},
        optional={
            "tag": TAGS.map(lambda tags: tuple(tags[:10])),
            "since": YEARS,
            "until": YEARS,
            "votes": st.integers(0, 100),
            "accepted": st.just(True),
        },
    ),
    page=st.integers(1, 50),
)


@given(SEARCHES)
def test_the_address_of_a_search_parses_back(search: SearchRequest) -> None:
    values: Mapping[str, Any] = search.filters
    assume(values.get("since", 0) <= values.get("until", 9999))
    query = QueryParams(urlsplit(search.address).query)
    assert parse_search_request(query) == ParsedSearchRequest(search, ())


def test_a_tag_of_a_result_adds_to_the_filter(client: TestClient) -> None:
    page = result_page(client, "matrix", what="questions", since=2010)
    tag = tags_of(cards(page)[0])[0]
    address = SearchRequest(
        "matrix", SearchTarget.QUESTIONS, {"tag": (tag,), "since": 2010}
    ).address
    assert address.replace("&", "&amp;") in page
    filtered = client.get(address).text
    assert all(tag in tags_of(card) for card in cards(filtered))


def test_an_unknown_tag_is_reported(client: TestClient) -> None:
    assert "No post has the tag cooking." in result_page(client, "matrix", tag="cooking")


@pytest.mark.parametrize("what", list(SearchTarget))
def test_pages_follow_each_other(client: TestClient, what: SearchTarget) -> None:
    first = result_page(client, "sum $x^2$", what=what)
    second = result_page(client, "sum $x^2$", what=what, page=2)
    assert "Page 2 →" in first
    assert "← Page 1" in second
    assert "Results 11–20" in second
    assert 'id="result-11"' in second
    assert len(cards(second)) == 10
    if what is not SearchTarget.FORMULAS:
        assert not set(_posts(first)) & set(_posts(second))


def test_a_page_after_the_last_one_says_so(client: TestClient) -> None:
    page = result_page(client, "harmonic", page=50)
    assert "The results end before page 50." in page
    assert not cards(page)


def test_a_result_is_explained_on_request(client: TestClient) -> None:
    page = result_page(client, HARMONIC)
    assert '<details class="explanation"' not in page
    (address, *_others) = _Page(page).links("why")
    assert address.endswith("explain=1#result-1")
    explained = client.get(address).text
    assert explained.count('<details class="explanation"') == 1
    (why,) = re.findall(r'<ul class="reasons">.*?</ul>', explained, re.DOTALL)
    assert "of your words" in why or "of your 3 words" in why
    assert "our formula <span" in why
    (score,) = re.findall(r"The score ([\d.]+) is the sum of these parts", explained)
    (tree,) = re.findall(r'<details class="explanation".*?</article>', explained, re.DOTALL)
    assert re.search(r'<span class="number">([\d.]+)</span>', tree)[1] == score  # type: ignore[index]
    assert "harmon (×" in tree
    terms = [float(part) for part in re.findall(r">([\d.]+)</span> [^<]+ \(×", tree)]
    assert terms[:10] == sorted(terms[:10], reverse=True)
    assert "formula similarity" in tree


@pytest.mark.parametrize("what", list(SearchTarget))
def test_an_explanation_is_available_as_a_fragment(client: TestClient, what: SearchTarget) -> None:
    part = result_page(client, HARMONIC, what=what, page=2, explain=12, fragment="why")
    assert part.startswith("<details")
    assert '<span class="number">' in part
    _Page(part)


def test_explaining_a_missing_result_is_an_error(client: TestClient) -> None:
    assert response_to(client, HARMONIC, explain=12, fragment="why")[0] == 404


def test_results_are_available_as_a_fragment(client: TestClient) -> None:
    part = result_page(client, HARMONIC, fragment="results")
    assert "<html" not in part
    assert cards(part)[0] == cards(result_page(client, HARMONIC))[0]


def preview_of(client: TestClient, text: str, what: str = "answers") -> str:
    """How the page says that a text is read."""
    return client.get("/preview", params={"q": text, "what": what}).text


def test_the_preview_has_a_chip_for_each_formula(client: TestClient) -> None:
    preview = preview_of(client, r"is $\frac{?x}{2}$ < 1/n?")
    assert preview.startswith('<span class="plain">is </span><span class="chip formula"')
    assert "<mfrac><mi>?x</mi><mn>2</mn></mfrac>" in preview
    assert preview.count('class="chip formula"') == 2
    alone = preview_of(client, "x^2", what="formulas")
    assert "<msup>" in alone
    assert preview_of(client, "") == ""
    assert preview_of(client, "only words here") == ""


@pytest.mark.parametrize(
    ("text", "kind", "meaning"),
    [
        ('"normal subgroup"', "phrase", "exactly “normal subgroup”"),
        ("matrix -determinant", "excluded", "without determinant"),
        ("compactness [topology]", "tag", "tag topology"),
        ("series user:Euler", "user", "by Euler"),
        ("series score:3", "score", "at least 3 votes"),
    ],
)
def test_the_preview_says_operators_in_words(
    client: TestClient, text: str, kind: str, meaning: str
) -> None:
    assert re.search(
        rf'<span class="chip {kind}"[^>]*><span class="chip-text">{meaning}</span>',
        preview_of(client, text),
    )


def test_a_chip_can_be_switched_to_words_and_back(client: TestClient) -> None:
    page = result_page(client, "order of x^2 and more")
    (switch,) = _Page(page).links("switch")
    assert dict(parse_qsl(urlsplit(switch).query)) == {"q": "order of x^2 and more", "words": "x^2"}
    as_words = client.get(switch).text
    assert 'class="chip literal"' in as_words
    assert '<input type="hidden" name="words" value="x^2">' in as_words
    (back,) = _Page(as_words).links("switch")
    assert dict(parse_qsl(urlsplit(back).query)) == {"q": "order of x^2 and more"}


def test_parts_that_the_text_no_longer_has_are_forgotten() -> None:
    query = QueryParams([("q", "a x^2"), ("words", "x^2"), ("words", "y^2"), ("words", " ")])
    assert parse_search_request(query).search.literal == ("x^2",)


# Bad input.

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</textarea><script>alert(1)</script>",
    "$</math><script>alert(1)</script>$",
    r"$\text{<script>alert(1)</script>}$",
    "{{ 7 * 7 }} {% raise %}",
    "javascript:alert(1)",
    "\x00\x1b\ufffe\u202e sum",
)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("what", list(SearchTarget))
def test_hostile_queries_are_shown_as_text(
    client: TestClient, text: str, what: SearchTarget
) -> None:
    for page in (
        result_page(client, text, what=what),
        result_page(client, f"sum {text}", what=what, tag=text, explain=1),
        client.get("/preview", params={"q": text, "what": what}).text,
    ):
        parsed = _Page(page)
        assert not parsed.open
        scripts = [attributes for tag, attributes in parsed.elements if tag == "script"]
        assert all(set(each) == {"type", "src"} for each in scripts)
        assert not any(tag in {"img", "iframe"} for tag, _ in parsed.elements)
        assert not any(name.startswith("on") for _, each in parsed.elements for name in each)
        links = [each["href"] or "" for tag, each in parsed.elements if tag == "a"]
        assert all(link.startswith(("/", "#")) for link in links)


def test_the_box_keeps_the_query_unchanged(client: TestClient) -> None:
    text = "\n  a </textarea> & $x$\nb"
    page = result_page(client, text)
    (held,) = re.findall(r"<textarea[^>]*>\n(.*?)</textarea>", page, re.DOTALL)
    assert held == text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@pytest.mark.parametrize("fragment", ["", "results"])
def test_a_query_that_is_too_long_is_an_error(client: TestClient, fragment: str) -> None:
    status, page = response_to(client, "x" * (LONGEST_TEXT + 1), fragment=fragment)
    assert status == 400
    assert "The text has 30,001 characters, but a search takes at most 30,000" in page
    assert client.get("/preview", params={"q": "x" * 30_001}).status_code == 400


def test_a_long_paste_is_searched_whole(client: TestClient) -> None:
    filler = "it is well known that the sum of the series has no closed form "
    text = (filler * (LONGEST_TEXT // len(filler)))[: LONGEST_TEXT - 30] + " x compactness of [0,1]"
    record = client.get("/api/search", params={"q": text}).json()
    assert "compact" in record["words"]
    assert "".join(part["source"] for part in record["interpretation"]) == text
    assert cards(result_page(client, text))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"page": "0"}, "a number from 1 to 50"),
        ({"page": "51"}, "a number from 1 to 50"),
        ({"page": "-1"}, "a number from 1 to 50"),
        ({"page": "9" * 5000}, "a number from 1 to 50"),
        ({"page": "٣"}, "a number from 1 to 50"),
        ({"since": "yesterday"}, "a number from 1000 to 9999"),
        ({"since": "15"}, "“since” takes a number from 1000 to 9999, such as 2012."),
        ({"until": "15"}, "“until” takes a number from 1000 to 9999"),
        ({"votes": "-1"}, "“votes” takes a number from 0 to 100"),
        ({"votes": "101"}, "“votes” takes a number from 0 to 100"),
        ({"votes": "many"}, "“votes” takes a number from 0 to 100"),
        ({"accepted": "yes"}, "“accepted” takes 1"),
        ({"since": "2016", "until": "2015"}, "The year range from 2016 to 2015 is empty."),
        ({"what": "cooking"}, "answers, questions, formulas"),
        ({"explain": "first"}, "the rank of a result"),
        ({"tag": "t" * 101}, "at most 100 characters"),
        ({"tag": [str(each) for each in range(11)]}, "“tag” can be given 10 times"),
    ],
)
def test_invalid_parameters_are_reported(
    client: TestClient, parameters: dict[str, str], message: str
) -> None:
    status, page = response_to(client, "sum", **parameters)
    assert status == 400
    assert message in page
    assert not cards(page)


def test_empty_parameters_are_ignored(client: TestClient) -> None:
    plain = cards(result_page(client, "sum"))
    assert cards(result_page(client, "sum", tag=["", " "], since="", page="", what="")) == plain
    assert cards(result_page(client, "sum", until="", votes=" ", accepted="")) == plain
    assert cards(result_page(client, "sum", accepted="0")) == plain
    assert "Try one of these" in result_page(client, " \n ", since="2014")


def test_queries_without_searchable_terms_are_reported(client: TestClient) -> None:
    assert "No searchable terms" in result_page(client, "what is the of and")
    assert result_page(client, "$")
    assert result_page(client, "$$$", what="formulas")


def test_the_search_for_duplicates_excludes_the_question_itself(client: TestClient) -> None:
    thread = client.get("/threads/101").text
    address = unescape(re.search(r'href="([^"]+)">Find likely duplicates', thread)[1])  # type: ignore[index]
    assert "besides=101" in address
    page = client.get(address).text
    assert "/threads/101?" not in page
    assert 'href="/threads/' in page
    assert "/threads/101?" in client.get(address.replace("&besides=101", "")).text
