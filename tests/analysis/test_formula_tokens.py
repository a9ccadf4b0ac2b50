"""Every kind of formula tokens, tokens of refused formulas, and queries."""

import time
from collections import Counter

import pytest

from porism.analysis import (
    FROM_LATEX,
    NO_TREE,
    FormulaTokens,
    formula_tokens,
    query_layout,
    query_tokens,
    visual_token,
)
from porism.analysis.latex_tokens import SYMBOL_WORDS, latex_strings, spelled_symbols
from porism.formula.latex import MAX_LENGTH, parse_latex
from porism.formula.tree import Tree, parse_tree
from porism.text import TERRIER

each_kind = pytest.mark.parametrize("kind", list(FormulaTokens))

FIGURE_2 = "x^2 + 3^x + x"


def tokens(kind: FormulaTokens, latex: str) -> list[str]:
    """The tokens of a formula as an index has them."""
    return formula_tokens(kind, latex, parse_latex(latex).tree, visual_id="5")


def test_table_1_of_s4() -> None:
    made = tokens(FormulaTokens.TANGENT_L, FIGURE_2)
    assert Counter(token for token in made if token[0] == "{") == Counter(
        """
        {V!x,nna} {V!x,nnnn} {+,nn} {V!x,a,nn}
        {V!x,nna,-} {V!x,nnnn,-} {+,nn,n} {V!x,a,nn,nn}
        """.split()
    )


def test_commutativity_is_applied_from_2021_on() -> None:
    plain = [token for token in tokens(FormulaTokens.TANGENT_L, "A+B") if token.count(",") == 2]
    turned = [token for token in tokens(FormulaTokens.TANGENT_L, "B+A") if token.count(",") == 2]
    assert "(+,V!A,n)" in plain
    assert "(+,V!A,n)" in turned
    assert "(V!A,+,n)" in tokens(FormulaTokens.TANGENT_L_2020, "A+B")
    assert "(V!A,+,n)" not in tokens(FormulaTokens.TANGENT_L_2020, "B+A")


def test_the_basic_tokens_have_locations_and_no_repetitions() -> None:
    made = tokens(FormulaTokens.TANGENT_L_2020, FIGURE_2)
    assert {"(V!x,+,n)", "(V!x,+,n,-)", "(V!x,[a,n])", "(N!2,!0)", "(N!2,!0,a)"} <= set(made)
    assert all(token[0] == "(" for token in made)


@pytest.mark.parametrize(
    ("kind", "latex", "expected"),
    [
        (FormulaTokens.L8, "x_1", ["(V!x,N!1,b)", "(V!x,N!1,b,-)", "(N!1,!0)", "(N!1,!0,b)"]),
        (FormulaTokens.SYMBOLS, "x,x_1", ["[V!x]", "[&comma;]", "[N!1]"]),
        (FormulaTokens.VISUAL, "x_1", ["@5"]),
        (FormulaTokens.PATHS, "x+1", ["/VAR/ADD", "/V!x/ADD", "/NUM/ADD", "/N!1/ADD"]),
        (FormulaTokens.LATEX, r"\sqrt{x_{12}} \in \mathbb{R}", ["sqrt", "x", "12", "mathbb", "r"]),
        (FormulaTokens.LATEX_SYMBOLS, r"\pi-1", ["backslash", "pi", "minu", "1"]),
        (
            FormulaTokens.LATEX_STRING,
            r"\frac{1.5}\{ x'",
            [r"\frac", "{", "1.5", "}", r"\{", "x", "'"],
        ),
        (FormulaTokens.LATEX_WORDS, r"\sin_ab(\theta)\le\pi x_max", ["sin", "theta", "max"]),
    ],
)
def test_each_kind_of_tokens(kind: FormulaTokens, latex: str, expected: list[str]) -> None:
    assert tokens(kind, latex) == expected


def test_kinds_of_tokens_begin_differently() -> None:
    starts = {
        FormulaTokens.L8: "({",
        FormulaTokens.L8_FOLDED: "({",
        FormulaTokens.OPERATORS: "<",
        FormulaTokens.SHAPE: "(",
        FormulaTokens.SYMBOLS: "[",
        FormulaTokens.SYMBOL_RUNS: ":",
        FormulaTokens.TANGENT_L_2020: "(",
        FormulaTokens.TANGENT_L: "({",
        FormulaTokens.VISUAL: "@",
        FormulaTokens.PATHS: "/",
        FormulaTokens.POSITIONS: "#",
        FormulaTokens.SUBFORMULAS: "~",
    }
    for kind, allowed in starts.items():
        made = tokens(kind, FIGURE_2)
        assert made
        assert {token[0] for token in made} <= set(allowed)
    assert all("!" in token for token in tokens(FormulaTokens.PREFIX, FIGURE_2))
    assert {*starts, *FROM_LATEX, FormulaTokens.PREFIX} == set(FormulaTokens)


def test_every_ascii_sign_has_a_word_that_the_analyzer_keeps() -> None:
    signs = {chr(code) for code in range(33, 127) if not chr(code).isalnum()}
    assert set(SYMBOL_WORDS) == signs
    assert len(set(SYMBOL_WORDS.values())) == len(signs)
    assert len({token for sign in signs for token in spelled_symbols(sign)}) == len(signs)
    assert all(len(TERRIER(name)) == 1 for name in SYMBOL_WORDS.values())


@pytest.mark.parametrize("latex", ["\\", "a\\", "\\\n", "é∑", "\\'e"])
def test_strings_lose_nothing_but_white_space(latex: str) -> None:
    assert "".join("".join(latex_strings(latex)).split()) == "".join(latex.split())


@each_kind
def test_a_refused_formula_has_tokens_of_latex_and_visual_id(kind: FormulaTokens) -> None:
    made = formula_tokens(kind, r"\alpha", NO_TREE, visual_id="5")
    assert bool(made) == (kind in FROM_LATEX or kind is FormulaTokens.VISUAL)


@each_kind
def test_an_empty_formula_has_no_tokens(kind: FormulaTokens) -> None:
    assert formula_tokens(kind, "", NO_TREE) == []
    assert query_tokens(kind, "") == ([], ())


@each_kind
def test_the_operator_tree_is_made_only_if_needed(kind: FormulaTokens) -> None:
    calls = []

    def operators() -> Tree:
        calls.append(True)
        return parse_tree("[U!plus,0[V!x],1[N!1]]", "opt")

    made = formula_tokens(kind, "x+1", parse_tree("[V!x[+[N!1]]]"), operators, "5")
    using = (
        FormulaTokens.PATHS,
        FormulaTokens.OPERATORS,
        FormulaTokens.PREFIX,
        FormulaTokens.SUBFORMULAS,
    )
    assert bool(calls) == (kind in using)
    assert made == tokens(kind, "x+1")


@each_kind
def test_a_query_has_the_tokens_of_the_same_formula(kind: FormulaTokens) -> None:
    made, problems = query_tokens(kind, FIGURE_2)
    assert made == ([] if kind is FormulaTokens.VISUAL else tokens(kind, FIGURE_2))
    assert problems == ()


def test_a_wildcard_matches_any_symbol() -> None:
    made = query_tokens(FormulaTokens.TANGENT_L, "?a+1").tokens
    assert "(+,*,n)" in made
    assert "(+,N!1,n)" in made
    assert query_tokens(FormulaTokens.PATHS, "?a+1").tokens == ["/*/ADD", "/NUM/ADD", "/N!1/ADD"]


def test_a_query_may_use_macros() -> None:
    macros = r"\newcommand{\R}{\mathbb{R}}"
    assert query_tokens(FormulaTokens.L8, r"\R^2", macros) == query_tokens(
        FormulaTokens.L8, r"\mathbb R^2"
    )


@each_kind
def test_parse_problems_are_reported(kind: FormulaTokens) -> None:
    made, problems = query_tokens(kind, r"\frac{1}{x+1")
    assert bool(made) == (kind is not FormulaTokens.VISUAL)
    assert bool(problems) == (kind not in FROM_LATEX)


@pytest.mark.parametrize(
    "latex", ["x" * (MAX_LENGTH + 1), "{" * 50_000, r"\sqrt{" * 200], ids=["long", "{", "deep"]
)
@each_kind
def test_huge_queries_end_quickly(kind: FormulaTokens, latex: str) -> None:
    started = time.process_time()
    query_tokens(kind, latex)
    assert time.process_time() - started < 2


def test_a_refused_query_says_why_and_keeps_its_latex() -> None:
    deep = r"\sqrt{" * 200
    layout, problems = query_layout(deep)
    assert layout == NO_TREE
    assert "deep" in problems[0].message
    assert query_tokens(FormulaTokens.L8, deep) == ([], problems)
    assert query_tokens(FormulaTokens.LATEX_WORDS, deep).tokens == ["sqrt"] * 200


def test_the_token_of_a_visual_id() -> None:
    assert visual_token("123") == "@123"
