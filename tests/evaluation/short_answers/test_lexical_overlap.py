"""Lexical overlap by worked examples."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.evaluation.short_answers.lexical_overlap import (
    BUILT_IN_TOKENIZER,
    AnswerTokenizer,
    LexicalOverlap,
    built_in_tokens,
    lexical_overlap,
    token_f1,
)
from porism.evaluation.short_answers.references import Reference

BAGS = st.lists(st.sampled_from("abcde"), max_size=8)
TEXTS = st.lists(st.sampled_from(["so", "A", "a", "$x$", "$x^2$", r"\(y\)"]), max_size=6).map(
    " ".join
)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The Sum of Euler's sums.", ["the", "sum", "of", "euler's", "sums"]),
        ("A group, a ring: non-zero", ["A", "group", "a", "ring", "non", "-", "zero"]),
        ("$ABa$", ["A", "B", "a"]),
        (r"$\Gamma\gamma$", [r"\Gamma", r"\gamma"]),
        (r"\Gamma and 12.50", [r"\Gamma", "and", "12.50"]),
        (r"$x^{2}$ $x^2$", ["x", "^", "2", "x", "^", "2"]),
        (r"$\left(a, b\right]$", ["(", "a", ",", "b", "]"]),
        (r"$a \, b\\ c \& d$", ["a", "b", "c", r"\&", "d"]),
        (r"$\|f'\|!$", [r"\|", "f", "'", r"\|", "!"]),
        (
            r"$\begin{cases}1 & \text{if Odd}\end{cases}$",
            [r"\begin{cases}", "1", "if", "odd"],
        ),
        (r"$\operatorname{Spec} R$", ["spec", "R"]),
        (r"$\{\text{all } x\}$", [r"\{", "all", "x", r"\}"]),
        (r"$\text{cut", [r"\text", "cut"]),
        ("é = e\u0301", ["é", "=", "é"]),
        ("cafe\u0301 CAFÉ", ["café", "café"]),
        (r"$$ \$ $$ \(", []),
        ("$x$ and $", ["x", "and"]),
        ("", []),
    ],
)
def test_tokens_of_prose_and_mathematics(text: str, tokens: list[str]) -> None:
    assert built_in_tokens(text) == tokens


def test_all_delimiters_give_the_same_tokens() -> None:
    ways = ["$x+1$", "$$x+1$$", r"\(x+1\)", r"\[x+1\]", r"\begin{align}x+1\end{align}"]
    assert {tuple(built_in_tokens(way)) for way in ways} == {("x", "+", "1")}


def test_f1_of_sets() -> None:
    # {a, b, c} and {b, c, d, e}: 2 shared, precision 2/3, recall 2/4
    answer, reference = "a b b c".split(), "b c d e e".split()
    assert token_f1(answer, reference) == pytest.approx(2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4))
    assert token_f1(answer, reference) == pytest.approx(4 / 7)


def test_f1_of_bags() -> None:
    # a b b c and b b b d: b is shared twice, precision 2/4, recall 2/4
    assert token_f1("a b b c".split(), "b b b d".split(), bags=True) == pytest.approx(0.5)
    assert token_f1("a b b c".split(), "b b b d".split()) == pytest.approx(2 / 5)


@pytest.mark.parametrize("bags", [False, True])
@pytest.mark.parametrize(("answer", "reference"), [([], []), (["a"], []), ([], ["a"])])
def test_texts_without_tokens_score_0(answer: list[str], reference: list[str], bags: bool) -> None:
    assert token_f1(answer, reference, bags=bags) == 0.0


@given(BAGS, BAGS, st.booleans())
def test_f1_is_symmetric_and_bounded(left: list[str], right: list[str], bags: bool) -> None:
    f1 = token_f1(left, right, bags=bags)
    assert f1 == token_f1(right, left, bags=bags)
    assert 0.0 <= f1 <= 1.0
    assert (f1 == 1.0) == (
        bool(left) and (sorted(left) == sorted(right) if bags else set(left) == set(right))
    )


@given(BAGS, BAGS, st.booleans())
def test_f1_is_the_harmonic_mean_of_precision_and_recall(
    left: list[str], right: list[str], bags: bool
) -> None:
    if not bags:
        left, right = sorted(set(left)), sorted(set(right))
    rest, shared = list(right), 0
    for token in left:
        if token in rest:
            rest.remove(token)
            shared += 1
    if not shared:
        assert token_f1(left, right, bags=bags) == 0.0
    else:
        precision, recall = shared / len(left), shared / len(right)
        harmonic = 2 * precision * recall / (precision + recall)
        assert token_f1(left, right, bags=bags) == pytest.approx(harmonic)


def test_the_best_reference_counts() -> None:
    known = [Reference("the sum is $y$"), Reference("the sum is $x$"), Reference("no")]
    assert lexical_overlap("the sum is $x$", known) == 1.0
    assert lexical_overlap("the sum is $x$", known[:1]) == pytest.approx(3 / 4)
    assert lexical_overlap("the sum is $x$", known[2:]) == 0.0


def test_without_references_there_is_no_score() -> None:
    assert lexical_overlap("the sum", []) is None


@given(st.data(), TEXTS, st.lists(TEXTS, min_size=1, max_size=4))
def test_the_order_of_references_makes_no_difference(
    data: st.DataObject, answer: str, known: list[str]
) -> None:
    references = [Reference(text) for text in known]
    mixed = data.draw(st.permutations(references))
    assert lexical_overlap(answer, references) == lexical_overlap(answer, mixed)


def test_bags_and_sets_differ_in_score_and_name() -> None:
    sets, bags = LexicalOverlap(), LexicalOverlap(bags=True)
    assert (sets.name, bags.name) == ("built-in tokenizer, sets", "built-in tokenizer, bags")
    assert sets.score("$x x$", "$x$") == 1.0
    assert bags.score("$x x$", "$x$") == pytest.approx(2 / 3)


def test_a_text_is_tokenized_once() -> None:
    tokenized = []

    def tokens(text: str) -> list[str]:
        tokenized.append(text)
        return text.split()

    overlap = LexicalOverlap(AnswerTokenizer("blanks", tokens))
    known = [Reference("a b"), Reference("c")]
    assert lexical_overlap("a", known, overlap) == lexical_overlap("a", known, overlap)
    assert tokenized == ["a", "a b", "c"]


def test_the_default_is_the_built_in_tokenizer_with_sets() -> None:
    assert LexicalOverlap() == LexicalOverlap(BUILT_IN_TOKENIZER, bags=False)
