r"""Texts that language models write: citations, delimiters, limits, characters that deceive."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from porism.answer.generated.generated_text import (
    cited_numbers,
    content_of,
    with_checked_citations,
    within_limit,
)
from porism.answer.short_answer import AnswerSource
from porism.formats.answer_text import math_pieces
from porism.model import DocId, Formula, PostKind


def source(number: int, passage: str) -> AnswerSource:
    return AnswerSource(
        number, DocId(f"{number}00"), DocId("1"), PostKind.ANSWER, ("Series",), passage, 1.0
    )


SOURCES = (
    source(
        1, r"The harmonic series diverges by the condensation test of Cauchy: $\sum 2^k / 2^k$."
    ),
    source(2, r"Partial sums of $\sum \frac1n$ grow like the natural logarithm."),
)


def checked(text: str) -> str:
    return with_checked_citations(text, SOURCES).text


# Delimiters and characters


@pytest.mark.parametrize(
    "text",
    [
        r"So \(x = 1\) holds.",
        r"So \[x = 1\] holds.",
        r"So $x = 1$ holds.",
        r"So $$x = 1$$ holds.",
        "So \\(x\n= 1\\) holds.",
        r"So \begin{equation}x = 1\end{equation} holds.",
    ],
)
def test_formulas_are_written_between_dollars(text: str) -> None:
    assert within_limit(text) == "So $x = 1$ holds."


def test_a_formula_on_its_own_line_is_a_display_formula() -> None:
    assert within_limit("So\n\\[\nx = 1\n\\]\nholds.") == "So\n$$x = 1$$\nholds."


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\x07",
        "\x1b",
        "\x7f",
        "\x9b",
        "\u200b",
        "\u200e",
        "\u202a",
        "\u202e",
        "\u2066",
        "\ufeff",
    ],
)
def test_hidden_characters_are_removed(character: str) -> None:
    assert within_limit(f"a{character}b $c{character}d$") == "ab $cd$"


def test_lines_and_lists_are_kept() -> None:
    text = "Two cases:\n\n1. The first.\n2. The second.\n\nDone."
    assert within_limit(text) == text


def test_a_long_text_is_cut_between_sentences_and_a_formula_is_whole() -> None:
    long = "$" + " + ".join("x" * 20) + "$"
    text = f"It holds. We see that {long} is it."
    assert within_limit(text, 60) == "It holds."
    assert within_limit(f"We see that {long} is it.", 60) == "We see that …"
    assert within_limit(long, 60) == ""
    assert within_limit(text, len(text)) == text


def test_an_unclosed_delimiter_is_prose() -> None:
    assert content_of(r"It costs $5 and \(x is") == (r"It costs $5 and \(x is",)
    assert within_limit(r"It costs $5.") == r"It costs \$5."


# Citations


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("a [1].", (1,)),
        ("a [1][2].", (1, 2)),
        ("a [2, 1].", (2, 1)),
        ("a [1; 2].", (1, 2)),
        ("a 【1】.", (1,)),
        ("a [Source 2].", (2,)),
        ("a [ 1 ].", (1,)),
        ("a [1] b [1].", (1,)),
        ("a [x], [0.5], [1-2], (1).", ()),
        ("the interval [0, 1]", ()),
    ],
)
def test_numbers_in_brackets_are_citations(text: str, numbers: tuple[int, ...]) -> None:
    assert cited_numbers(text) == numbers


@pytest.mark.parametrize(
    "text",
    [
        "It diverges [1][2].",
        "It diverges [1, 2].",
        "It diverges [1] [2].",
        "It diverges 【1】【2】.",
        "It diverges [source 1; 2].",
        "It diverges. [1][2]",
        "It diverges. [1] [2].",
    ],
)
def test_every_form_of_citations_becomes_one(text: str) -> None:
    assert checked(text) == "It diverges [1][2]."


def test_citations_after_a_full_stop_belong_to_the_sentence_before() -> None:
    assert checked("It diverges. [1] It is slow. [2]") == "It diverges [1]. It is slow [2]."


def test_citations_within_a_sentence_move_to_its_end() -> None:
    assert checked("By [2] and [1] it diverges!") == "By and it diverges [2][1]!"


def test_citations_of_sources_that_do_not_exist_are_removed_and_listed() -> None:
    found = with_checked_citations("It diverges [99][1]. Always [3, 9].", SOURCES)
    assert found.text == "It diverges [1]. Always."
    assert found.removed == (99, 3, 9)
    assert [each.sources for each in found.sentences] == [(1,), ()]


def test_brackets_in_a_formula_are_no_citations() -> None:
    found = with_checked_citations("For $x \\in [1]$ it is $[99]$.", SOURCES)
    assert found.text == "For $x \\in [1]$ it is $[99]$."
    assert (found.removed, found.sentences[0].sources) == ((), ())


def test_a_copied_sentence_gets_the_citation_of_its_source() -> None:
    text = "The partial sums grow like the natural logarithm."
    found = with_checked_citations(text, SOURCES)
    (sentence,) = found.sentences
    assert sentence.sources == (2,)
    assert not sentence.is_by_model
    assert sentence.is_supported
    assert found.text == "The partial sums grow like the natural logarithm [2]."


def test_a_sentence_of_its_own_gets_no_citation() -> None:
    found = with_checked_citations("Bread is baked in hot ovens at noon.", SOURCES)
    assert found.text == "Bread is baked in hot ovens at noon."
    assert found.sentences[0].sources == ()


def test_a_short_sentence_is_supported_by_nothing() -> None:
    found = with_checked_citations("The series diverges.", SOURCES)
    assert found.sentences[0].sources == ()
    found = with_checked_citations("The series diverges [1].", SOURCES)
    assert found.sentences[0].sources == (1,)
    assert not found.sentences[0].is_supported


def test_a_citation_of_the_model_may_lack_support() -> None:
    found = with_checked_citations("Bread is baked in hot ovens at noon [1].", SOURCES)
    (sentence,) = found.sentences
    assert sentence.text == "Bread is baked in hot ovens at noon."
    assert sentence.sources == (1,)
    assert sentence.is_by_model
    assert not sentence.is_supported


def test_formulas_count_as_support() -> None:
    found = with_checked_citations(r"Natural partial sums: \(\sum\frac1n\).", SOURCES)
    assert found.sentences[0].sources == (2,)
    assert found.text == r"Natural partial sums: $\sum\frac1n$ [2]."


def test_without_sources_every_citation_is_removed() -> None:
    found = with_checked_citations("It diverges [1].", ())
    assert (found.text, found.removed) == ("It diverges.", (1,))


@pytest.mark.parametrize("text", ["", " \n", "\u200b", "[1]", "[1]. [2]", "- [99].", "\\(\\)"])
def test_a_text_that_says_nothing_has_no_sentences(text: str) -> None:
    found = with_checked_citations(text, SOURCES)
    assert (found.text, found.sentences) == ("", ())


def test_a_long_text_is_cut_before_the_limit_with_its_citations() -> None:
    text = " ".join(f"Sentence number {number} is here [1]." for number in range(100))
    found = with_checked_citations(text, SOURCES, 100)
    assert found.text == " ".join(f"Sentence number {number} is here [1]." for number in range(3))


def test_sentences_beyond_the_limit_are_not_listed() -> None:
    text = "Bread is baked at noon. Milk is white. It diverges [1]."
    found = with_checked_citations(text, SOURCES, 40)
    assert found.text == "Bread is baked at noon. Milk is white."
    assert [each.sources for each in found.sentences] == [(), ()]
    found = with_checked_citations(text, SOURCES, 20)
    assert found.text == "Bread is baked at …"
    assert len(found.sentences) == 1
    assert with_checked_citations(text, SOURCES, 3).sentences == ()


def test_repeated_sentences_are_left_out_and_counted() -> None:
    text = "It diverges [1]. It is slow. It diverges. It diverges [2]. It is  slow."
    found = with_checked_citations(text, SOURCES)
    assert found.text.startswith("It diverges [1]. It is slow.")
    assert found.text.count("It diverges") == 1
    assert found.repeated >= 2
    assert [each.text for each in found.sentences][:2] == ["It diverges.", "It is slow."]


PIECES = st.one_of(
    st.sampled_from(
        [
            "[1]",
            "[2, 1]",
            "[99]",
            "【1】",
            "[source 1]",
            ". ",
            "\n",
            "\n\n",
            "$x$",
            r"\(y\)",
            r"\[ z \]",
            r"\(",
            "$",
            "$$",
            "\\",
            "The partial sums grow like the natural logarithm. ",
            "NO ANSWER",
            "\u202e",
            "- item ",
        ]
    ),
    st.text(max_size=15),
)


@given(st.lists(PIECES, max_size=15).map("".join), st.integers(1, 100))
@example(".[1]", 50)
@example("[1][1]. [2] $[99]$ [99]", 10)
def test_any_text_is_within_its_limit_and_cites_only_sources(text: str, limit: int) -> None:
    found = with_checked_citations(text, SOURCES, limit)
    assert len(found.text) <= limit
    prose = "\n".join(piece.text for piece in math_pieces(found.text) if not piece.is_math)
    assert set(cited_numbers(prose)) <= {1, 2}
    for sentence in found.sentences:
        assert set(sentence.sources) <= {1, 2}
    assert not set(found.removed) & {1, 2}
    assert len(within_limit(text, limit)) <= limit


@given(st.lists(PIECES, max_size=15).map("".join))
def test_formulas_of_a_text_are_kept(text: str) -> None:
    formulas = [piece.latex for piece in content_of(text) if isinstance(piece, Formula)]
    again = [piece.latex for piece in content_of(within_limit(text)) if isinstance(piece, Formula)]
    assert len(again) == sum(bool(latex.strip()) for latex in formulas)


def test_stars_of_powers_in_a_source_are_no_bold_type() -> None:
    assert content_of("2**3 is 8, and 3**2 is 9.") == ("2**3 is 8, and 3**2 is 9.",)


def test_marks_of_headings_and_bold_type_are_removed_from_what_a_model_wrote() -> None:
    assert (
        within_limit("# Result\n\n**So** $a$ **and $b$** hold.") == "Result\n\nSo $a$ and $b$ hold."
    )
