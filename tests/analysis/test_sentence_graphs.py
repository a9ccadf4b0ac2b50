"""Sentences with formulas as graphs: where sentences end, what hangs on what, and the line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.analysis.sentence_graphs import (
    MAX_WORDS,
    GraphNode,
    RuleParser,
    formula_node,
    linearised,
    multi_sentence,
    sentences,
    sentences_around,
)
from porism.model import Content, Formula, plain_text

X = Formula("1", "x^2")
Y = Formula("2", "y")


def line(*content: str | Formula) -> str:
    return linearised(multi_sentence(RuleParser().graphs(sentences(content))))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (("Prove ", X), "prove :arg math sup x 2"),
        (("roots of ", X), "be :arg roots :of math sup x 2"),
        (("The sequence ", Y, " converges"), "converges :arg sequence :math math y"),
        (("Find the real roots",), "find :arg roots :mod real"),
        (("Show that ", X, " exists"), "show :arg math sup x 2 :and exists"),
        (("Why? Because of ", Y, "."), "multi-sentence :snt1 be :snt2 be :of math y"),
        ((Formula("3", r"\frac{"), " is it"), "be :arg math divide"),
        ((), ""),
    ],
)
def test_graphs_by_rules(content: Content, expected: str) -> None:
    result = line(*content)
    assert result == expected or (not content and result == "multi-sentence")


def test_a_formula_that_has_no_tree_stays_latex() -> None:
    assert linearised(formula_node(Formula("1", "{" * 500))).startswith("math :latex {{")


def test_operators_of_a_formula_are_in_the_place_of_the_formula() -> None:
    node = formula_node(Formula("1", "a+b"))
    plus = GraphNode("plus", ((":op", GraphNode("a")), (":op", GraphNode("b"))))
    assert node == GraphNode("math", ((":op", plus),))


def test_sentences_around_a_formula_are_the_one_before_and_the_one_after() -> None:
    content: Content = ("One. Two. Three ", X, ". Four! Five ", Y, "? Six")
    around = [plain_text(each) for each in sentences_around(content, "1")]
    assert around == ["Two.", "Three $x^2$.", "Four!"]
    assert [plain_text(each) for each in sentences_around(content, "2")][-1] == "Six"
    assert sentences_around(content, "9") == []


def test_long_sentences_are_cut() -> None:
    graph = linearised(RuleParser().graphs([("word " * 1000,)])[0])
    assert graph.count("word") == MAX_WORDS


pieces = st.lists(
    st.one_of(st.text("ab of the. ?\n", max_size=20), st.sampled_from([X, Y])), max_size=6
)


@given(pieces)
@settings(max_examples=50)
def test_sentences_keep_all_words_and_formulas_in_order(content: list[str | Formula]) -> None:
    parts = [piece for each in sentences(tuple(content)) for piece in each]
    formulas = [piece for piece in parts if isinstance(piece, Formula)]
    assert formulas == [piece for piece in content if isinstance(piece, Formula)]
    joined = "".join(piece for piece in parts if isinstance(piece, str))
    expected = "".join(piece for piece in content if isinstance(piece, str))
    assert "".join(joined.split()) == "".join(expected.split())
    assert isinstance(line(*content), str)
