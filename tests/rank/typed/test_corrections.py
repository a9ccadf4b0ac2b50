"""Misspelled words are corrected to words that the collection has."""

from collections import Counter
from pathlib import Path

import pytest

from porism.analysis import Unit
from porism.rank.typed.corrections import best_correction, more_frequent
from porism.searchindex.components.word_counts import Vocabulary, WordCountIndex

COUNTS = {
    "convergence": 300,
    "convergent": 200,
    "matirx": 1,
    "divergence": 90,
    "matrix": 500,
    "matrices": 300,
    "function": 900,
    "functions": 800,
    "ring": 80,
    "rings": 60,
    "king": 5,
    "set": 400,
    "theory": 200,
    "homeomorphism": 40,
    "homomorphism": 150,
    "sylow": 1,
    "möbius": 30,
}


@pytest.fixture
def vocabulary(tmp_path: Path) -> Vocabulary:
    writer = WordCountIndex(Unit.ANSWERS).writer(tmp_path / "words", 0)
    writer.add((), Counter(COUNTS))
    return Vocabulary([writer.flush().open(tmp_path / "words")])


@pytest.mark.parametrize(
    ("typed", "correction"),
    [
        ("marix", "matrix"),
        ("funtcion", "function"),  # two letters swapped
        ("matrx", "matrix"),
        ("matrixx", "matrix"),
        ("konvergence", "convergence"),
        ("convergense", "convergence"),  # more frequent than another word with one error
        ("convrgenec", "convergence"),
        ("fnction", "function"),
        ("settheory", "set theory"),
        ("homomorfism", "homomorphism"),
        ("sylwo", "sylow"),  # occurs once, and is close
        ("sywol", None),  # two errors in a short word
        ("xyzzyplugh", None),
        ("sst", None),  # too short
        ("möbuis", "möbius"),
        ("r" * 40, None),
    ],
)
def test_the_most_likely_word_is_the_correction(
    vocabulary: Vocabulary, typed: str, correction: str | None
) -> None:
    assert best_correction(typed, vocabulary) == correction


@pytest.mark.parametrize(
    ("typed", "frequent"),
    [
        ("matirx", "matrix"),
        ("convergent", None),
        ("homeomorphism", None),  # two letters from a more frequent word
        ("functions", None),  # frequent itself
        ("king", None),  # too short to be judged
    ],
)
def test_a_rare_word_may_be_a_misspelled_frequent_one(
    vocabulary: Vocabulary, typed: str, frequent: str | None
) -> None:
    assert more_frequent(typed, vocabulary) == frequent
