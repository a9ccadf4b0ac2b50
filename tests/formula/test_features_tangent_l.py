"""Tangent-L tokens: Table 1 of S4, the five flags of its section 2.3, wildcards, and bounds."""

import time
from collections import Counter
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.formula.features import Normalisation, tangent_l, tangent_l_synonyms
from porism.formula.features.tangent_l_tokens import MAX_REPEATS
from porism.formula.tree import Node, Tree, parse_tree
from tests.formula.layout_trees import LABELS, layouts, relabelled

FLAGS = [field.name for field in fields(Normalisation)]

normalisations = st.fixed_dictionaries({name: st.booleans() for name in FLAGS}).map(
    lambda chosen: Normalisation(**chosen)
)

MORE_LABELS = [*LABELS, "×", "≤", "≥", ">", "≺", "⊀", "≱", "⪰", "⟺"]


def row(text: str) -> Tree:
    """A tree of one row of bare symbols, letters as variables."""
    words = text.split()
    return Tree("slt", tuple(Node(f"V!{word}" if word.isalpha() else word) for word in words))


def pairs(tree: Tree, flags: Normalisation) -> Counter[str]:
    """The tokens that the flags adjust: those of two symbols."""
    tokens = tangent_l(tree, flags)
    return Counter(
        token for token in tokens if token[0] == "(" and ",!0" not in token and "[" not in token
    )


def only(flag: str) -> Normalisation:
    """The normalisation with one flag set."""
    return replace(Normalisation(), **{flag: True})


def test_table_1_of_s4() -> None:
    tokens = tangent_l(parse_tree("[V!x[+[N!3[+[V!x]],a[V!x]]],a[N!2]]"))
    assert Counter(token for token in tokens if token[0] == "{") == Counter(
        """
        {V!x,nna} {V!x,nnnn} {+,nn} {V!x,a,nn}
        {V!x,nna,-} {V!x,nnnn,-} {+,nn,n} {V!x,a,nn,nn}
        """.split()
    )


EXAMPLES = {
    "": "",
    "[V!x]": "(V!x,!0) (V!x,!0,-)",
    "[V!x[+[V!y]],a[N!2]]": """
        (V!x,N!2,a) (V!x,N!2,a,-) (V!x,+,n) (V!x,+,n,-) (+,V!y,n) (+,V!y,n,n)
        (V!x,[a,n]) (V!x,[a,n],-) (N!2,!0) (N!2,!0,a) (V!y,!0) (V!y,!0,nn)
    """,
    "[M!()1x2,w[N!0[&comma;],e[N!1]]]": """
        (M!()1x2,N!0,w) (M!()1x2,N!0,w,-) (N!0,N!1,e) (N!0,N!1,e,w) (N!1,!0) (N!1,!0,we)
    """,
    "[?a[+[?a[?b]]]]": "(*,+,n) (*,+,n,-) (+,*,n) (+,*,n,n) {*,nn} {*,nn,-}",
}


@pytest.mark.parametrize("text", EXAMPLES)
def test_worked_example(text: str) -> None:
    assert Counter(tangent_l(parse_tree(text))) == Counter(EXAMPLES[text].split())


def test_locations_are_run_length_encoded_from_six_steps() -> None:
    tokens = tangent_l(row("a b c d e f g"))
    assert "(V!f,V!g,n,nnnnn)" in tokens
    assert "(V!g,!0,6n)" in tokens


@pytest.mark.parametrize(
    ("flag", "one", "other"),
    [
        ("commutativity", "A + B", "B + A"),
        ("commutativity", "A × B", "B × A"),
        ("commutativity", "A ∪ B", "B ∪ A"),
        ("symmetry", "A = B", "B = A"),
        ("symmetry", "A ≈ B", "B ≈ A"),
        ("alternative_notation", "A × B", "A B"),
        ("alternative_notation", "A ≱ B", "A < B"),
        ("alternative_notation", "A ≯ B", "A ≤ B"),
        ("operator_unification", "A ≺ B", "A < B"),
        ("operator_unification", "A ≻ B", "A > B"),
        ("inequality_equivalence", "A ≥ B", "B ≤ A"),
        ("inequality_equivalence", "A > B", "B < A"),
    ],
)
def test_flag_makes_pairs_equal_and_no_other_flag_does(flag: str, one: str, other: str) -> None:
    for name in FLAGS:
        equal = pairs(row(one), only(name)) == pairs(row(other), only(name))
        assert equal == (name == flag)


def test_unordered_pair_has_its_operator_first_and_its_location() -> None:
    assert pairs(row("A + B"), only("commutativity")) == Counter(
        "(+,V!A,n) (+,V!A,n,n) (+,V!B,n) (+,V!B,n,n)".split()
    )


def test_flags_combine() -> None:
    every = Normalisation(True, True, True, True, True)
    assert pairs(row("A ⊀ B"), every) == pairs(row("B ≤ A"), every)
    assert pairs(row("A × B = C"), every) == pairs(row("A B = C"), every)


def test_only_neighbours_in_a_row_are_reversed() -> None:
    tree = parse_tree("[+,a[V!x]]")
    assert tangent_l(tree, only("commutativity")) == tangent_l(tree)


@given(st.lists(st.sampled_from("abcxy"), min_size=2, max_size=2, unique=True))
def test_sum_and_its_mirror_share_all_pairs(letters: list[str]) -> None:
    first, second = letters
    flags = only("commutativity")
    assert pairs(row(f"{first} + {second}"), flags) == pairs(row(f"{second} + {first}"), flags)


@given(layouts(MORE_LABELS), normalisations)
def test_flags_never_change_the_number_of_symbols_of_a_token(
    tree: Tree, flags: Normalisation
) -> None:
    sure = replace(flags, alternative_notation=False)  # which leaves symbols out
    plain = [token.count(",") for token in tangent_l(tree) if token[0] == "("]
    assert [token.count(",") for token in tangent_l(tree, sure) if token[0] == "("] == plain


@given(layouts())
def test_renaming_a_letter_changes_only_tokens_that_name_it(tree: Tree) -> None:
    renamed = tangent_l(relabelled(tree, {"V!x": "V!new"}))
    assert [token.replace("V!new", "V!x") for token in renamed] == tangent_l(tree)


@given(layouts([*MORE_LABELS, "?a", "?b"]), normalisations)
def test_formula_matches_its_wildcard_query(query: Tree, flags: Normalisation) -> None:
    formula = relabelled(query, {"?a": "V!u", "?b": "V!v"})
    indexed = Counter([*tangent_l(formula, flags), *tangent_l_synonyms(formula, flags)])
    assert not Counter(tangent_l(query, flags)) - indexed


def test_synonyms_of_a_pair() -> None:
    assert tangent_l_synonyms(row("A + B"))[:4] == "(*,+,n) (*,+,n,-) (V!A,*,n) (V!A,*,n,-)".split()


def test_repetitions_are_capped() -> None:
    tokens = tangent_l(row("x " * 1000))
    count = sum(token[0] == "{" for token in tokens)
    assert count == MAX_REPEATS * (MAX_REPEATS - 1)


def test_long_rows_are_bounded() -> None:
    start = time.process_time()
    same = tangent_l(Tree("slt", (Node("V!x"),) * 50_000))
    twice = tangent_l(Tree("slt", tuple(Node(f"N!{place % 25_000}") for place in range(50_000))))
    assert time.process_time() - start < 20
    assert "(V!x,!0,49999n)" in same
    assert "{N!0,25000n,-}" in twice
    assert max(map(len, twice)) < 50
