"""Complexity of formulas, and the choice of query formulas."""

from collections import Counter

import pytest

from porism.collection.schema import InstancePlace
from porism.formula.latex import parse_latex
from porism.lab.topics.query_formulas import Complexity, QueryFormula, chosen_formulas, complexity
from porism.model import DocId

LOW, MEDIUM, HIGH = Complexity


@pytest.mark.parametrize(
    ("latex", "label"),
    [
        (r"\frac{df}{dx} = f(x+1)", LOW),
        (r"[x,y] = x", LOW),
        (r"\sum_{k=0}^n \binom{n}{k} k", MEDIUM),
        (r"\int\frac{1}{(x^2+1)^n}dx", MEDIUM),
        (r"\frac{\sqrt{1-p^2}}{2\pi(1-2p\sin(\phi)\cos(\phi))}", HIGH),
        (
            r"x - \frac{x^3}{3 \times 3!} + \frac{x^5}{5 \times 5!} + \dots = "
            r"\sum_{n=0}^{\infty} (-1)^n \frac{x^{(2n+1)}}{(2n+1) \times (2n+1)!}",
            HIGH,
        ),
    ],
)
def test_the_labs_examples_get_the_labs_labels(latex: str, label: Complexity) -> None:
    assert complexity(str(parse_latex(latex).tree)) is label


def formula(name: str, label: Complexity) -> QueryFormula:
    return QueryFormula(name, name, InstancePlace.BODY, 5, label)


def test_complexities_are_balanced() -> None:
    any_of = [formula("l", LOW), formula("m", MEDIUM), formula("h", HIGH)]
    questions = {DocId(str(number)): any_of for number in range(8)}
    questions[DocId("only low")] = any_of[:1]
    taken = chosen_formulas(questions, seed=1)
    assert Counter(each.complexity for each in taken.values()) == {LOW: 3, MEDIUM: 3, HIGH: 3}
    assert list(taken) == list(questions)
    assert chosen_formulas(questions, seed=1) == taken


def test_a_question_without_a_suitable_formula_has_none() -> None:
    choices = {DocId("1"): [], DocId("2"): [formula("m", MEDIUM)]}
    assert list(chosen_formulas(choices, seed=0)) == ["2"]
