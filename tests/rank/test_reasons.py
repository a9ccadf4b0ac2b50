"""Why a post was found, in words."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from porism import catalog
from porism.model import Task, plain_text
from porism.query.typed_topics import typed_answer_topic
from porism.rank.context.reasons import with_reasons
from porism.rank.results import search_results
from porism.searchindex.index_folder import SearchIndex, open_index


@pytest.fixture(scope="module")
def index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


def reasons_of(index: SearchIndex, text: str, title: str) -> list[str]:
    """The reasons for the first answer in a thread whose title has these words."""
    _, ranker = catalog.typed_search(Task.ANSWERS, index)
    found = search_results(index, ranker, typed_answer_topic(text), 20)
    results = [each for each in found.results if title in plain_text(each.title)][:1]
    (result,) = with_reasons(index, found.search, results)
    return [plain_text(reason) for reason in result.reasons]


def test_the_limit_that_differs_is_named(index: SearchIndex) -> None:
    (words, formula) = reasons_of(
        index, r"gaussian integral $\int_0^\infty e^{-x^2} dx$", "without an antiderivative"
    )
    assert "of your" in words
    assert "“integral”" in words
    assert formula.endswith(("except for the lower limit.", "in the answer."))


@pytest.mark.parametrize(
    ("query", "title", "reason"),
    [
        (r"$\det(AB)=\det(A)\det(B)$", "same eigenvalues", "All of your formula"),
        (r"harmonic $\sum_{n=1}^\infty \frac1n$", "be infinite", "is in the title."),
        (
            r"eigenvalues $\gamma_q^7 \otimes \zeta$",
            "same eigenvalues",
            "Nothing like your formula",
        ),
        ("eigenvalues of pizza dough", "same eigenvalues", "1 of your 3 words"),
    ],
)
def test_words_and_formulas_are_said_with_their_places(
    index: SearchIndex, query: str, title: str, reason: str
) -> None:
    assert any(reason in each for each in reasons_of(index, query, title))


def test_an_exact_title_is_the_first_reason(index: SearchIndex) -> None:
    title = "Why is an infinite intersection of open sets not always open?"
    assert reasons_of(index, title, title)[0] == "Its title is your query."
