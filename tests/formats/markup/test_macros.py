"""Definitions of macros in text, and which of them a formula needs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.formats.markup.macros import macro_definitions, used_definitions


@pytest.mark.parametrize(
    ("name", "source"),
    [
        (r"\R", r"\newcommand{\R}{\mathbb{R}}"),
        (r"\R", r"\newcommand*\R{\mathbb{R}}"),
        (r"\R", r"\newcommand{\R}\mathbb"),
        (r"\n", r"\renewcommand{\n}[2][x_{1}]{\|#1\|_{#2}}"),
        (r"\p", r"\providecommand \p [1] {\left\{#1\right\}}"),
        (r"\tr", r"\DeclareMathOperator*{\tr}{tr}"),
        (r"\x", r"\def\x#1.#2{{#1}^{#2}}"),
        (r"\x", r"\gdef\x{}"),
        (r"\,", r"\def\,{x}"),
        (r"\e", r"\let\e\varepsilon"),
        (r"\e", r"\let\e = \varepsilon"),
        (r"\e", r"\let\e=x"),
        (r"\set", r"\NewDocumentCommand{\set}{m o}{\{#1\}}"),
    ],
)
def test_full_definition_is_returned_by_name(name: str, source: str) -> None:
    assert macro_definitions(f"Let x.{source} {{Then}} \\foo") == {name: source}


@pytest.mark.parametrize(
    "source",
    [
        r"\newcommand",
        r"\newcommand{\R",
        r"\newcommand{R}{x}",
        r"\newcommand{\R}{\mathbb{R}",
        r"\newcommand{\R}[1]",
        r"\def\x#1",
        r"\def x{y}",
        r"\let\e",
        r"\letter\e\x",
        r"\\def\x{y}",
        r"\define\x{y}",
        r"\NewDocumentCommand\x{m}",
        r"\newcommand{\R}{" + "{" * 60 + "}" * 61,
    ],
)
def test_malformed_definition_is_skipped(source: str) -> None:
    assert macro_definitions(source) == {}
    assert macro_definitions(source + r" \def\good{1}").get(r"\good") in (None, r"\def\good{1}")


def test_definition_after_a_malformed_one_is_read() -> None:
    assert list(macro_definitions(r"\newcommand{\a \def\b{1}")) == [r"\b"]


def test_later_definition_counts_and_comes_last() -> None:
    definitions = macro_definitions(r"\def\a{1}\def\b{2}\def\a{3}")
    assert list(definitions.items()) == [(r"\b", r"\def\b{2}"), (r"\a", r"\def\a{3}")]


KNOWN = macro_definitions(r"\def\a{\b+\c}\def\b{\d}\def\c{1}\def\d{\a}\def\e{5}\def\aa{6}")


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("x + 1", ""),
        (r"\alpha \ab \\a", ""),
        (r"\e", r"\def\e{5}"),
        (r"\e_\aa\e", "\\def\\e{5}\n\\def\\aa{6}"),
        (r"\b", "\\def\\a{\\b+\\c}\n\\def\\b{\\d}\n\\def\\c{1}\n\\def\\d{\\a}"),
    ],
)
def test_needed_definitions_are_in_order(latex: str, expected: str) -> None:
    assert used_definitions(latex, KNOWN) == expected


def test_no_definitions_are_needed_if_none_are_known() -> None:
    assert used_definitions(r"\a\b", {}) == ""


PIECES = r"\def \newcommand \let \a \b {\c} { } [1] #1 x \\ = \DeclareMathOperator * \{".split()


@given(st.lists(st.sampled_from([*PIECES, " "]), max_size=20).map("".join))
def test_each_definition_is_part_of_the_text_and_defines_its_name(latex: str) -> None:
    for name, source in macro_definitions(latex).items():
        assert source in latex
        assert macro_definitions(source) == {name: source}


def test_many_unclosed_definitions_give_none() -> None:
    assert macro_definitions(r"\newcommand{\a}{\def\b{" * 5_000) == {}
