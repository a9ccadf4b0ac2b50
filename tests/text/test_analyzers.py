"""Words as tokens: where words end, what each chain drops, and what it costs."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.text import CLASSIC, PLAIN, TERRIER, Analyzer, tokens

CHAINS = [CLASSIC, PLAIN, TERRIER]
each_chain = pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain.name)


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


def test_plain_keeps_every_word_and_every_foreign_sign() -> None:
    assert PLAIN("The ring isn’t ≤ x_1") == ["the", "ring", "isn’t", "≤", "x", "1"]


def test_terrier_drops_what_is_no_word() -> None:
    longest = "a" + "bc" * 9 + "d"
    assert len(longest) == 20
    assert TERRIER(f"{longest} {longest}e") == [longest]
    assert TERRIER("aaa aaaa 1234 12345 1a2b3c4d 1a2b3c4d5") == ["aaa", "1234", "1a2b3c4d"]
    assert TERRIER("Gödel") == ["g", "del"]


@pytest.mark.parametrize("chain", [CLASSIC, TERRIER], ids=lambda chain: chain.name)
def test_only_stop_words_leave_nothing(chain: Analyzer) -> None:
    assert chain("If it is in the, then no; but: AND?") == []


@each_chain
def test_short_words_survive_the_stemmer(chain: Analyzer) -> None:
    assert chain("s S") == ["s", "s"]


@each_chain
def test_spellings_of_a_word_meet(chain: Analyzer) -> None:
    assert chain("converges") == chain("Converging") == chain("CONVERGENT") != []


def test_a_chain_is_a_value() -> None:
    other = Analyzer("classic", stop_words=CLASSIC.stop_words)
    assert other == CLASSIC
    assert hash(other) == hash(CLASSIC)
    assert repr(CLASSIC).startswith("Chain(name='classic'")


def test_chains_do_not_mix_what_they_remember() -> None:
    keeps = Analyzer("keeps")
    assert (CLASSIC("the"), keeps("the"), CLASSIC("the")) == ([], ["the"], [])


@each_chain
@given(st.text(), st.text())
def test_texts_are_analysed_piece_by_piece(chain: Analyzer, first: str, second: str) -> None:
    assert chain(f"{first}\n{second}") == chain(first) + chain(second)


@each_chain
@given(st.text())
def test_tokens_are_never_empty(chain: Analyzer, text: str) -> None:
    assert all(chain(text))


@each_chain
@pytest.mark.parametrize(
    "piece", ["word ", "x", "1", "'", "a'", "’s", "\u0301", "ab1 ", "İ", "\U0001d465"]
)
def test_a_long_text_takes_no_long_time(chain: Analyzer, piece: str) -> None:
    text = piece * (100_000 // len(piece))
    started = time.process_time()
    chain(text)
    assert time.process_time() - started < 1
