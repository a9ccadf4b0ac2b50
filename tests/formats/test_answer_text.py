"""Mathematics in the text of answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.formats.answer_text import (
    DOLLARS,
    MAX_ANSWER_LENGTH,
    AnswerPiece,
    math_marked,
    math_pieces,
    plain_text,
    within_limit,
)
from porism.model import Formula


def prose(text: str) -> AnswerPiece:
    return AnswerPiece(text, is_math=False)


def math(text: str) -> AnswerPiece:
    return AnswerPiece(text, is_math=True)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("only words", [prose("only words")]),
        ("a $x$ b", [prose("a "), math("x"), prose(" b")]),
        ("$$x$$", [math("x")]),
        ("$x$$y$", [math("x"), math("y")]),
        ("$$x$y$$", [math("x$y")]),
        (r"\(x\) and \[y\]", [math("x"), prose(" and "), math("y")]),
        (r"\begin{align*}x\end{align*}.", [math("x"), prose(".")]),
        (r"$\begin{align}x\end{align}$", [math(r"\begin{align}x\end{align}")]),
        (r"\begin{proof}x\end{proof}", [prose(r"\begin{proof}x\end{proof}")]),
        (r"$a\$b$", [math(r"a\$b")]),
        (r"costs \$5 or \$6", [prose(r"costs \$5 or \$6")]),
        (r"$$a \\$$ b", [math(r"a \\"), prose(" b")]),
        ("$x$ costs $5", [math("x"), prose(" costs $5")]),
        ("$$x$ y", [prose("$$x$ y")]),
        (r"\(x and $y$", [prose(r"\(x and "), math("y")]),
        (r"\(x $y\) z$", [math("x $y"), prose(" z$")]),
        ("ends with \\", [prose("ends with \\")]),
    ],
)
def test_mathematics_is_found_between_delimiters(text: str, pieces: list[AnswerPiece]) -> None:
    assert math_pieces(text) == pieces


def test_with_dollars_only_other_delimiters_are_prose() -> None:
    assert math_pieces(r"\(x\) $y$", DOLLARS) == [prose(r"\(x\) "), math("y")]


@given(st.text(r"$\()[]x ", max_size=30))
def test_pieces_lose_nothing_but_delimiters(text: str) -> None:
    at = 0
    for piece in math_pieces(text):
        at = text.index(piece.text, at) + len(piece.text)
    joined = "".join(piece.text for piece in math_pieces(text))
    assert joined.count("x") == text.count("x")
    assert joined.count(" ") == text.count(" ")


def test_single_and_double_dollars_are_marked_without_loss() -> None:
    assert math_marked(r"If $$x_1$$ then $y$") == (
        "If  [MATH] x_1 [/MATH]  then  [MATH] y [/MATH] "
    )


def test_an_odd_dollar_stays() -> None:
    assert math_marked("$x$ for $5") == " [MATH] x [/MATH]  for $5"


def test_formulas_of_a_post_are_between_dollars() -> None:
    body = ("Let ", Formula("1", r"\alpha"), Formula("2", "b"), ".")
    assert plain_text(body) == r"Let $\alpha$$b$."
    assert plain_text(()) == ""


def test_the_limit_counts_characters_not_bytes() -> None:
    assert MAX_ANSWER_LENGTH == 1200
    assert within_limit("é" * 1200) == "é" * 1200
    assert within_limit("é" * 1200 + "x") == "é" * 1200
