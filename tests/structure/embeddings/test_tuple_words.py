"""Tuples as words: which there are, and what their characters are."""

from porism.analysis import query_layout
from porism.formula.operators import operator_tree
from porism.formula.tree import parse_tree
from porism.structure.embeddings.token_sequences import sequence_words, tree_sequence
from porism.structure.embeddings.tuple_words import (
    MAX_NODES,
    layout_type_words,
    layout_words,
    node_characters,
    operator_words,
    token_character,
    type_character,
)


def chars(*labels: str) -> str:
    return "".join(node_characters(label) for label in labels)


def test_layout_tuples_have_two_steps_and_line_ends() -> None:
    words = layout_words(parse_tree("[V!x[+[N!1]],a[N!2]]"))
    assert set(words) == {
        chars("V!x", "N!2") + "a",
        chars("V!x", "+") + "n",
        chars("+", "N!1") + "n",
        chars("V!x", "N!1") + "nn",
        chars("N!2", "!0") + "n",
        chars("N!1", "!0") + "n",
    }
    assert len(words) == 6


def test_operator_tuples_have_places_and_ends_of_branches() -> None:
    words = operator_words(parse_tree("[U!plus,0[O!SUP,0[V!x],1[N!2]],1[V!y]]", "opt"))
    assert set(words) == {
        chars("U!plus", "O!SUP") + "0",
        chars("O!SUP", "V!x") + "0",
        chars("O!SUP", "N!2") + "1",
        chars("U!plus", "V!x") + "00",
        chars("U!plus", "N!2") + "01",
        chars("U!plus", "V!y") + "1",
        *(chars(leaf, "!0") + "0" for leaf in ("V!x", "N!2", "V!y")),
    }


def test_a_node_has_a_type_and_a_value_and_a_number_its_digits() -> None:
    assert node_characters("V!x") == token_character("V!") + token_character("x")
    assert node_characters("N!12") == "".join(map(token_character, ("N!", "1", "2")))
    assert node_characters("+") == token_character("+")
    assert type_character("V!x") == type_character("V!y") == token_character("V!")
    assert type_character("+") != type_character("-")


def test_types_are_equal_where_only_names_differ() -> None:
    one, other = (parse_tree(text) for text in ("[V!x[+[N!1]]]", "[V!y[+[N!22]]]"))
    assert layout_type_words(one) == layout_type_words(other)
    assert layout_words(one) != layout_words(other)


def test_wildcards_make_no_tuples() -> None:
    layout = query_layout("?a+?b").tree
    assert layout_words(layout) == []
    assert operator_words(operator_tree(layout)) == []
    assert layout_words(query_layout("?a+x").tree) == [
        chars("+", "V!x") + "n",
        chars("V!x", "!0") + "n",
    ]


def test_large_formulas_are_cut() -> None:
    layout = parse_tree("[V!x" * 2_000 + "]" * 2_000)
    assert len(layout_words(layout)) <= 3 * MAX_NODES
    assert len(sequence_words(tree_sequence(str(layout)))) < 1_000
