"""Porter's stemmer, by examples of his paper."""

import pytest

from porism.text import stem


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("relational", "relat"),
        ("generalization", "gener"),
        ("oscillators", "oscil"),
        ("sky", "sky"),
        ("is", "is"),
        ("s", "s"),
        ("", ""),
        ("über", "über"),
        ("don't", "don't"),
    ],
)
def test_stems(word: str, expected: str) -> None:
    assert stem(word) == expected
