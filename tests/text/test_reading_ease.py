"""Flesch's reading ease, and the rule by which syllables are counted."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.text.reading_ease import TextSize, reading_ease, syllables, text_size


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (1, "proof the be why prove proved primes called one tried queue groups whole year 2019"),
        (2, "table handled classes function action matrix unique question finite doing values"),
        (2, "trying implies edges complex real-valued beyond"),
        (3, "theorem example limited trivial ratio radius linear equation triangle theory"),
        (4, "derivative criterion continuous variable evaluate topology eigenvalue"),
        (5, "polynomial continuity isomorphism associated evaluated"),
    ],
)
def test_syllables_of_words_that_mathematicians_use(number: int, words: str) -> None:
    counts = {word: syllables(word) for word in words.split() if "-" not in word}
    assert counts == dict.fromkeys(counts, number)


def test_accents_and_case_are_ignored() -> None:
    assert syllables("Cesàro") == syllables("cesaro") == 3
    assert syllables("POISSON") == 2


@given(st.text())
def test_every_word_has_a_syllable(word: str) -> None:
    assert syllables(word) >= 1


def test_worked_example() -> None:
    text = "Let the series converge. Does its derivative converge?"
    # let the se-ries con-verge / does its de-riv-a-tive con-verge
    assert text_size(text) == TextSize(sentences=2, words=8, syllables=14)
    assert reading_ease(text) == pytest.approx(206.835 - 1.015 * 8 / 2 - 84.6 * 14 / 8, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It holds for primes, e.g. for two.", 1),
        ("It holds. □ is a prime.", 2),
        ("What is it? (I mean it.) So!", 3),
        ("A title without an end\n\nA text", 2),
        ("Wait... what?!", 1),
        ("The value is 3.14 here", 1),
        ("□ . □ ! ok", 1),
    ],
)
def test_sentence_boundaries(text: str, sentences: int) -> None:
    assert text_size(text).sentences == sentences


@pytest.mark.parametrize("text", ["", " \n\n ", "□ = □.", "..."])
def test_text_without_words_has_no_reading_ease(text: str) -> None:
    assert reading_ease(text) is None


def test_short_words_are_easier_than_long_ones() -> None:
    easy, hard = reading_ease("We add two and two."), reading_ease("Differentiability generalises.")
    assert easy is not None
    assert hard is not None
    assert easy > 90 > 0 > hard
