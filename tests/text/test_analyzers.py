"""Words as tokens: word boundaries, what each analyzer drops, and the time it takes."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.text import CLASSIC, PLAIN, TERRIER, Analyzer, tokens

ANALYZERS = [CLASSIC, PLAIN, TERRIER]
each_analyzer = pytest.mark.parametrize("analyzer", ANALYZERS, ids=lambda each: each.name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("--- '' _ ...", []),
        ("Cauchy-Schwarz", ["cauchy", "schwarz"]),
        ("Euler's and EULER’S", ["euler", "and", "euler"]),
        ("'s theorem", ["theorem"]),  # behind a formula
        ("the students' work", ["the", "students", "work"]),
        ("don't don’t", ["don't", "don't"]),
        ("'quoted'", ["quoted"]),
        ("x_1 y2", ["x", "1", "y2"]),
        ("Poincaré Ὀρθός ряд", ["poincaré", "ὀρθός", "ряд"]),
        ("Poincare\N{COMBINING ACUTE ACCENT}", ["poincaré"]),
        ("a.b,c;d", ["a", "b", "c", "d"]),
    ],
)
def test_words_of_a_text(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_classic_drops_the_short_stop_words_and_stems() -> None:
    text = "The rings are Noetherian if and only if every ideal is finitely generated"
    assert CLASSIC(text) == "ring noetherian onli everi ideal finit gener".split()


def test_plain_keeps_every_word_and_every_non_ascii_symbol() -> None:
    assert PLAIN("The ring isn’t ≤ x_1") == ["the", "ring", "isn’t", "≤", "x", "1"]


def test_terrier_drops_long_repetitive_and_numeric_words() -> None:
    longest = "a" + "bc" * 9 + "d"
    assert len(longest) == 20
    assert TERRIER(f"{longest} {longest}e") == [longest]
    assert TERRIER("aaa aaaa 1234 12345 1a2b3c4d 1a2b3c4d5") == ["aaa", "1234", "1a2b3c4d"]
    assert TERRIER("Gödel") == ["g", "del"]


@pytest.mark.parametrize("analyzer", [CLASSIC, TERRIER], ids=lambda each: each.name)
def test_only_stop_words_give_no_tokens(analyzer: Analyzer) -> None:
    assert analyzer("If it is in the, then no; but: AND?") == []


@each_analyzer
def test_short_words_survive_the_stemmer(analyzer: Analyzer) -> None:
    assert analyzer("s S") == ["s", "s"]


@each_analyzer
def test_inflections_share_one_token(analyzer: Analyzer) -> None:
    assert analyzer("converges") == analyzer("Converging") == analyzer("CONVERGENT") != []


def test_analyzers_are_values() -> None:
    other = Analyzer("classic", stop_words=CLASSIC.stop_words)
    assert other == CLASSIC
    assert hash(other) == hash(CLASSIC)
    assert repr(CLASSIC).startswith("Analyzer(name='classic'")


def test_analyzers_do_not_share_caches() -> None:
    keeps = Analyzer("keeps")
    assert (CLASSIC("the"), keeps("the"), CLASSIC("the")) == ([], ["the"], [])


@each_analyzer
@given(st.text(), st.text())
def test_lines_are_analysed_independently(analyzer: Analyzer, first: str, second: str) -> None:
    assert analyzer(f"{first}\n{second}") == analyzer(first) + analyzer(second)


@each_analyzer
@given(st.text())
def test_tokens_are_never_empty(analyzer: Analyzer, text: str) -> None:
    assert all(analyzer(text))


@each_analyzer
@pytest.mark.parametrize(
    "piece", ["word ", "x", "1", "'", "a'", "’s", "\u0301", "ab1 ", "İ", "\U0001d465"]
)
def test_time_is_bounded_for_long_texts(analyzer: Analyzer, piece: str) -> None:
    text = piece * (100_000 // len(piece))
    started = time.process_time()
    analyzer(text)
    assert time.process_time() - started < 1
