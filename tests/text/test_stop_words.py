"""The lists are well-formed, and have no mathematical words."""

import pytest

from porism.text.stop_words import LONG_STOP_WORDS, SHORT_STOP_WORDS

LISTS = {"SHORT": SHORT_STOP_WORDS, "LONG": LONG_STOP_WORDS}


@pytest.mark.parametrize("name", LISTS)
def test_words_are_in_the_form_of_the_tokenizer(name: str) -> None:
    assert all(
        word == word.lower() and word.replace("'", "").isalpha() and not word.endswith("'s")
        for word in LISTS[name]
    )


def test_sizes() -> None:
    assert len(SHORT_STOP_WORDS) == 33
    assert len(LONG_STOP_WORDS) > 500


def test_long_list_contains_the_short_one() -> None:
    assert SHORT_STOP_WORDS < LONG_STOP_WORDS


def test_mathematical_words_are_not_stop_words() -> None:
    subjects = """
        group ring field order number limit sum product set function series sequence root power
        plus minus mean class simple trivial part step type error right left normal almost
        everywhere nowhere least greatest opposite similar proof solution x y z n s t d m
    """
    assert not LONG_STOP_WORDS.intersection(subjects.split())
