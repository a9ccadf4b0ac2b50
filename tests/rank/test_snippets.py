"""Snippets: the passage of a text, and the matches marked in it."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from porism.model import Content, Formula
from porism.rank.snippets import ELLIPSIS, HighlightTerms, SnippetFragment, beginning, snippet


def letters(formula: Formula) -> Counter[str]:
    """As if each letter of a formula were a tuple."""
    return Counter(formula.latex)


def wanted(*stems: str, formulas: tuple[str, ...] = ()) -> HighlightTerms:
    return HighlightTerms(frozenset(stems), tuple(map(Counter, formulas)))


def marked_text(pieces: tuple[SnippetFragment, ...]) -> str:
    return "".join(f"[{each.text}]" if each.is_matched else each.text for each in pieces)


def test_words_are_matched_by_their_stems_and_keep_their_spelling() -> None:
    found = snippet(
        (
            "All Groups of order ",
            Formula("1", "p"),
            " commute.",
        ),
        wanted("group", "commut"),
        letters,
    )
    assert marked_text(found) == "All [Groups] of order $p$ [commute]."


def test_the_passage_has_the_most_different_matches() -> None:
    text = "group group group " + "and so on " * 50 + "a group of matrices " + "and so on " * 50
    found = snippet((text,), wanted("group", "matric"), letters, length=60)
    assert "a [group] of [matrices] and so" in marked_text(found)
    assert marked_text(found).startswith(ELLIPSIS)
    assert marked_text(found).endswith(ELLIPSIS)


def test_a_passage_without_matches_is_the_beginning() -> None:
    found = snippet(("One two three four five",), wanted("none"), letters, length=9)
    assert marked_text(found) == f"One two {ELLIPSIS}"


def test_an_empty_text_has_no_passage() -> None:
    assert snippet((), wanted("x"), letters) == ()


def test_a_formula_is_never_cut() -> None:
    long = Formula("1", "a+b" * 100)
    assert snippet((long, " follows"), wanted(), letters)[0] == SnippetFragment(long)
    found = snippet(("Before ", long, " after"), wanted(formulas=(long.latex,)), letters)
    assert SnippetFragment(long, is_matched=True) in found


def test_a_passage_contains_the_formula_that_was_found() -> None:
    same = (
        Formula("1", "xyz"),
        " group theory " + "word " * 100,
        Formula("2", "xyz"),
        " at the end",
    )
    found = snippet(
        same, wanted("group", "theori", formulas=("xyz",)), letters, around="2", length=40
    )
    assert SnippetFragment(same[2], is_matched=True) in found
    assert SnippetFragment(same[0], is_matched=True) not in found


def test_a_display_that_matches_is_shown_beside_the_words_that_match_more() -> None:
    display = Formula("1", "xyz" * 5)
    text = "a group of matrices " + "and so on " * 30
    found = snippet(
        (text, display, " which ends the proof"),
        wanted("group", "matric", formulas=("xyz" * 5,)),
        letters,
        length=60,
    )
    assert SnippetFragment(display, is_matched=True) in found
    assert "[group]" in marked_text(found)
    assert f" {ELLIPSIS} " in marked_text(found)


def test_the_beginning_of_a_text_has_its_matches_marked() -> None:
    found = beginning(("One two three four five",), wanted("two"), letters, length=9)
    assert marked_text(found) == f"One [two] {ELLIPSIS}"


def test_formulas_similar_to_one_of_the_query_are_marked() -> None:
    content: Content = (Formula("1", "abcdef"), Formula("2", "abxxxx"), Formula("3", "a"))
    found = snippet(content, wanted(formulas=("abcd",)), letters)
    assert [piece.is_matched for piece in found] == [True, True, False]


def test_one_symbol_is_similar_to_itself_alone() -> None:
    assert wanted(formulas=("ab",)).has_formula(Counter("ab"))
    assert not wanted(formulas=("ab",)).has_formula(Counter("abcd"))
    assert not wanted(formulas=("abcd",)).has_formula(Counter("ab"))
    assert not wanted(formulas=("",)).has_formula(Counter(""))


PIECES = st.one_of(
    st.text(st.sampled_from("ab \n."), min_size=1, max_size=30),
    st.builds(Formula, st.just("f"), st.text(st.sampled_from("xyz"), min_size=1, max_size=9)),
)


@given(st.lists(PIECES, max_size=12), st.integers(1, 60))
def test_a_passage_has_spans_of_the_text_within_the_length(
    pieces: list[str | Formula], length: int
) -> None:
    def joined(content: Content) -> str:
        text = "".join(SnippetFragment(piece).text for piece in content)
        return " ".join(text.split())

    found = snippet(tuple(pieces), wanted("a", formulas=("xyz",)), letters, length=length)
    text = "".join(piece.text for piece in found)
    spans = text.removeprefix(ELLIPSIS).removesuffix(ELLIPSIS).split(f" {ELLIPSIS} ")
    assert len(spans) <= 2
    longest = max((len(SnippetFragment(piece).text) for piece in pieces), default=0)
    for span in spans:
        assert " ".join(span.split()) in joined(tuple(pieces))
        assert len(span) <= length + longest
    matches = wanted(formulas=("xyz",))
    formulas = [piece for piece in pieces if isinstance(piece, Formula)]
    if any(matches.has_formula(letters(formula)) for formula in formulas):
        assert any(isinstance(each.content, Formula) and each.is_matched for each in found)
    if "a" in joined(tuple(pieces)).split():
        assert any(piece.is_matched for piece in found)
