"""The tokens of candidates."""

from collections.abc import Iterator

import pytest

from porism.assess.records import Candidate
from porism.collection.store import Collection, open_collection
from porism.lab.pools.candidate_tokens import candidate_tokens, content_tokens
from porism.model import DocId, Formula
from tests.lab.linked_site import A1, site


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = site(tmp_path_factory.mktemp("texts"), changed="<p>Primes divide.</p>")
    with open_collection(folder) as opened:
        yield opened


def test_words_are_stems_and_formulas_tuples() -> None:
    words = content_tokens(("primes divide",))
    assert words == content_tokens(("Prime dividing",))
    both = content_tokens(("primes divide ", Formula("", "x+1")))
    assert list(both[: len(words)]) == list(words)
    assert both[len(words) :] == content_tokens((Formula("", "x+1"),)) != []


def test_an_answer_has_the_tokens_of_its_post(collection: Collection) -> None:
    tokens = candidate_tokens(Candidate(A1, DocId("5")), 1, collection)
    assert tokens == content_tokens(("Primes divide.",))


def test_a_short_answer_has_the_tokens_of_its_text() -> None:
    candidate = Candidate(A1, DocId("5"), text="Primes divide.")
    assert candidate_tokens(candidate, 3, None) == content_tokens(("Primes divide.",))


def test_a_formula_has_its_tokens_and_those_of_its_post(collection: Collection) -> None:
    own = content_tokens((Formula("52", "x+1"),))
    for post in (None, DocId("2")):  # which the collection knows as well
        assert candidate_tokens(Candidate(A1, DocId("52"), post), 2, collection) == [*own, *own]


def test_missing_candidates_have_no_tokens(collection: Collection) -> None:
    for task in (1, 2):
        assert not candidate_tokens(Candidate(A1, DocId("99")), task, collection)
        assert not candidate_tokens(Candidate(A1, DocId("5")), task, None)
