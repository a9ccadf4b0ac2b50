r"""Sentences of posts, Markdown of them, and cuts that leave formulas whole."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.answer.extracts.sentences import (
    ELLIPSIS,
    Sentence,
    joined_text,
    markdown,
    prefix_within,
    sentences,
)
from porism.formats.answer_text import math_pieces
from porism.model import Content, Formula


def formula(latex: str) -> Formula:
    return Formula("", latex)


def texts(*content: str | Formula) -> list[str]:
    return [sentence.text for sentence in sentences(content)]


def formulas_of(text: str) -> list[str]:
    """The formulas that readers of a text find, on one line each."""
    return [" ".join(piece.text.split()) for piece in math_pieces(text) if piece.is_math]


# Sentences


@pytest.mark.parametrize(
    "text",
    [
        "It holds, e.g. for primes.",
        "We show it w.l.o.g. for n.",
        "See Thm. 3 in ch. 2 of Rudin.",
        "It was found by L. Euler in 1734.",
        "By i.e. we mean that is.",
        "The value is 3.14 here.",
        "It converges, i. e. it has a limit.",
    ],
)
def test_a_full_stop_of_an_abbreviation_or_number_ends_no_sentence(text: str) -> None:
    assert texts(text) == [text]


def test_a_sentence_ends_with_a_mark_and_what_closes_a_quotation_or_bracket() -> None:
    assert texts("Is it? (Yes, it is.) He said “No!” So it is open.") == [
        "Is it?",
        "(Yes, it is.)",
        "He said “No!”",
        "So it is open.",
    ]


def test_a_display_formula_belongs_to_the_sentence_around_it() -> None:
    assert texts("We have\n", formula("a = b"), "\nfor all a. Next.") == [
        "We have\n$$a = b$$\nfor all a.",
        "Next.",
    ]


def test_a_display_formula_with_a_full_stop_ends_its_sentence() -> None:
    assert texts("We have\n", formula("a = b."), "\nSo it is.") == [
        "We have\n$$a = b.$$",
        "So it is.",
    ]
    assert texts("We have ", formula(r"\text{a = b.}"), " So it is.") == [
        r"We have $\text{a = b.}$",
        "So it is.",
    ]


def test_a_formula_with_a_full_stop_before_a_small_letter_ends_nothing() -> None:
    assert texts("If ", formula("a = b."), " then it is.") == ["If $a = b.$ then it is."]


def test_items_of_a_list_are_sentences_in_blocks_of_their_own() -> None:
    found = sentences(("Two cases:\n\nFirst case\n\nSecond case",))
    assert [(each.text, each.begins_block) for each in found] == [
        ("Two cases:", True),
        ("First case", True),
        ("Second case", True),
    ]


def test_lines_that_go_on_are_one_sentence() -> None:
    assert texts("The sum\nof two squares\nis not negative.") == [
        "The sum\nof two squares\nis not negative."
    ]


def test_only_the_first_sentence_of_a_line_begins_a_block() -> None:
    found = sentences(("One. Two.\nThree. Four.",))
    assert [each.begins_block for each in found] == [True, False, True, False]
    assert joined_text(found) == "One. Two.\n\nThree. Four."


@pytest.mark.parametrize("content", [(), ("",), (" \n\t ",), ("\n", "\n")])
def test_white_space_has_no_sentences(content: Content) -> None:
    assert sentences(content) == ()
    assert markdown(content) == ""
    assert prefix_within(sentences(content), 100) == ""


# Markdown


def test_a_formula_on_a_line_of_its_own_is_a_display_formula() -> None:
    assert markdown(("So\n", formula("a"), ".\nThen ", formula("b"), " holds.")) == (
        "So\n$$a$$.\nThen $b$ holds."
    )


def test_a_formula_alone_is_no_display_formula() -> None:
    assert markdown((formula("x = 1"),)) == "$x = 1$"


def test_dollars_in_prose_are_escaped_once() -> None:
    assert markdown((r"It costs $5, not \$6.",)) == r"It costs \$5, not \$6."


def test_dollars_within_a_formula_become_parentheses() -> None:
    text = markdown((formula(r"x \text{ if $y$ or $z$}"),))
    assert text == r"$x \text{ if \(y\) or \(z\)}$"
    assert formulas_of(text) == [r"x \text{ if \(y\) or \(z\)}"]


@pytest.mark.parametrize(
    ("prose", "escaped"),
    [
        (r"a \$ b", r"a \$ b"),
        (r"a \\$ b", r"a \\\$ b"),
        (r"put \( x \) so", r"put \\( x \) so"),
        (r"a \[ b", r"a \\[ b"),
        (r"\begin{align*} and \begin{tabular}", r"\\begin{align*} and \begin{tabular}"),
    ],
)
def test_delimiters_in_prose_begin_no_formula(prose: str, escaped: str) -> None:
    assert markdown((prose,)) == escaped
    assert formulas_of(markdown((prose, formula("y")))) == ["y"]


def test_a_backslash_before_a_formula_does_not_escape_its_dollar() -> None:
    assert markdown(("the set A\\", formula("B"))) == "the set A\\ $B$"


def test_a_formula_without_latex_is_left_out() -> None:
    assert markdown(("So ", formula(" "), formula("a"), ".")) == "So $a$."
    assert sentences((formula(""),)) == ()


def test_a_formula_is_on_one_line() -> None:
    assert markdown(("So ", formula("a\n\n = b"), ".")) == "So $a = b$."


def test_a_backslash_at_the_end_does_not_escape_the_closing_dollar() -> None:
    text = markdown(("So ", formula("a\\"), " holds."))
    assert formulas_of(text) == ["a\\"]


def test_blank_lines_are_reduced_to_one() -> None:
    assert markdown(("a \n \n\n\n b\t\n c",)) == "a\n\nb\nc"


# Limits


def test_the_whole_text_is_returned_if_it_fits() -> None:
    every = sentences(("One. Two. Three.",))
    assert prefix_within(every, 16) == joined_text(every) == "One. Two. Three."


def test_a_text_is_cut_between_sentences() -> None:
    every = sentences(("One. Two. Three.",))
    assert prefix_within(every, 15) == "One. Two."
    assert prefix_within(every, 4) == "One."


def test_a_long_first_sentence_is_cut_between_words_and_formulas() -> None:
    every = sentences(("We see that ", formula("x + y = z"), " holds for all of them."))
    assert prefix_within(every, 30) == f"We see that $x + y = z$ {ELLIPSIS}"
    assert prefix_within(every, 24) == f"We see that {ELLIPSIS}"


def test_nothing_is_left_if_the_first_formula_is_too_long() -> None:
    assert prefix_within(sentences((formula("x" * 50), " is long.")), 30) == ""


LATEX = st.one_of(
    st.sampled_from(
        [
            "x",
            "a = b.",
            r"\frac12",
            r"x \text{ if $y$}",
            r"\text{costs $5}",
            "a\\",
            "a\\\\",
            r"\$",
            "$",
            "$$",
            r"a\)b\(c",
            r"\begin{align} a &= b \\ c \end{align}",
            "a\n\nb",
            "{{",
            "}",
            "%",
            "",
            " ",
            "\\",
        ]
    ),
    st.text(st.sampled_from("ab{}\\$ \n^_[]()&%."), max_size=12),
)
PROSE = st.one_of(
    st.sampled_from(
        [
            "We have ",
            "\n",
            "\n\n",
            ". ",
            " and so on. Next ",
            " costs $5 and $6. ",
            "a\\",
            "\\$",
            "i.e. ",
            "Is it? ",
            r"\(x\) ",
            r"\[y\] ",
            r"\begin{align}",
        ]
    ),
    st.text(st.sampled_from("abA .?!\n\\$(),;"), max_size=20),
)
CONTENT = st.lists(st.one_of(LATEX.map(formula), PROSE), max_size=12).map(tuple)


def is_prefix(some: list[str], every: list[str]) -> bool:
    return every[: len(some)] == some


@given(CONTENT, st.integers(1, 120))
@example((formula("a\\"), " b $5 ", formula("c")), 60)
def test_a_text_is_within_its_limit_and_its_formulas_are_whole(
    content: Content, limit: int
) -> None:
    every = sentences(content)
    text = prefix_within(every, limit)
    assert len(text) <= limit
    assert is_prefix(formulas_of(text), formulas_of(joined_text(every)))
    if len(joined_text(every)) <= limit:
        assert text == joined_text(every)


@given(CONTENT)
def test_every_formula_is_read_back_from_a_text(content: Content) -> None:
    expected = [piece for piece in content if isinstance(piece, Formula) and piece.latex.strip()]
    assert len(formulas_of(markdown(content))) == len(expected)
    assert len(formulas_of(joined_text(sentences(content)))) == len(expected)


@given(CONTENT)
def test_sentences_have_all_of_the_content_in_its_order(content: Content) -> None:
    def letters(pieces: Content) -> str:
        return "".join(
            re.sub(r"\s", "", piece if isinstance(piece, str) else f"<{piece.latex}>")
            for piece in pieces
            if isinstance(piece, str) or piece.latex.strip()
        )

    assert "".join(letters(each.content) for each in sentences(content)) == letters(content)


@given(st.lists(CONTENT.map(lambda content: Sentence(content or ("a",))), max_size=4))
def test_joined_text_is_the_prefix_without_a_limit(every: list[Sentence]) -> None:
    assert prefix_within(every, 10_000) == joined_text(every)


@given(
    st.lists(
        st.sampled_from(
            [
                "word",
                " two words",
                "\n",
                "\n\n ",
                " $5",
                formula("x"),
                formula(" a  b "),
                formula(""),
            ]
        ),
        min_size=1,
        max_size=25,
    ),
    st.integers(1, 80),
)
def test_a_cut_is_the_longest_that_fits(pieces: list[str | Formula], limit: int) -> None:
    content = tuple(pieces)
    atoms = [
        atom
        for piece in content
        for atom in ((piece,) if isinstance(piece, Formula) else re.findall(r"\s*\S+|\s+\Z", piece))
    ]
    cuts = [f"{markdown(tuple(atoms[:end]))} {ELLIPSIS}" for end in range(1, len(atoms))]
    fitting = [cut for cut in cuts if len(cut) <= limit]
    sentence = Sentence(content)
    assert len(sentence.text) <= limit or prefix_within([sentence], limit) == (
        fitting[-1] if fitting else ""
    )
