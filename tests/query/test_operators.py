"""Phrases, exclusions, tags, users, votes and addresses in queries."""

import pytest

from porism.query.interpretation import PartKind, interpret
from porism.query.operators import LONGEST, post_of_address


def operators(text: str) -> list[tuple[str, str, str]]:
    """The parts that are neither words nor formulas: their kind, source and value."""
    return [
        (part.kind.value, part.source, part.value)
        for part in interpret(text).parts
        if part.kind not in (PartKind.WORDS, PartKind.FORMULA)
    ]


@pytest.mark.parametrize(
    ("text", "source", "value"),
    [
        ('a "normal  subgroup" is', '"normal  subgroup"', "normal subgroup"),
        ("a “normal subgroup” is", "“normal subgroup”", "normal subgroup"),
        ("„normal subgroup“", "„normal subgroup“", "normal subgroup"),
        ("«almost surely»?", "«almost surely»", "almost surely"),
        ('("almost surely")', '"almost surely"', "almost surely"),
        ('"Fermat\'s theorem", proof', '"Fermat\'s theorem"', "Fermat's theorem"),
    ],
)
def test_quoted_words_are_a_phrase(text: str, source: str, value: str) -> None:
    assert operators(text) == [("phrase", source, value)]


@pytest.mark.parametrize(
    ("text", "source", "value"),
    [
        ("matrix -determinant", "-determinant", "determinant"),
        ("-determinant matrix", "-determinant", "determinant"),
        ('group -"Sylow theorem" x', '-"Sylow theorem"', "Sylow theorem"),
        ("group -non-abelian", "-non-abelian", "non-abelian"),
        ("sqrt(2) -proof", "-proof", "proof"),
        ("groupe -résoluble", "-résoluble", "résoluble"),
    ],
)
def test_a_dash_before_a_word_excludes_it(text: str, source: str, value: str) -> None:
    assert operators(text) == [("excluded", source, value)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("series [calculus]", [("tag", "[calculus]", "calculus")]),
        (
            "[linear-algebra][c#] x",
            [("tag", "[linear-algebra]", "linear-algebra"), ("tag", "[c#]", "c#")],
        ),
        ("series user:robjohn", [("user", "user:robjohn", "robjohn")]),
        ('user:"Brian M. Scott" sets', [("user", 'user:"Brian M. Scott"', "Brian M. Scott")]),
        ("sets score:3", [("score", "score:3", "3")]),
        ("sets score:>=10", [("score", "score:>=10", "10")]),
        ("id:123", [("post", "id:123", "123")]),
        (
            "see https://math.stackexchange.com/a/456/7",
            [("post", "https://math.stackexchange.com/a/456/7", "456")],
        ),
        ("math.stackexchange.com/q/12", [("post", "math.stackexchange.com/q/12", "12")]),
    ],
)
def test_filters_and_posts(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert operators(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "x -1 and x -y and a - b",
        "sin x -cos x = 0",
        "alpha -beta",
        "non-trivial p-adic well - known",
        "-abc = 0",
        "$K$ -vector space over a field",
        "the t -test of Student",
        "[0,1] and [1] and [x] and [a,b] and [closed] and Z[x]",
        '5" and 6" and "" and "1"',
        "the user: me, my score: 3, id: 4",
        "https://example.org/questions/abc",
        "http://[::1",
        "it's 'quoted' and 12:30",
    ],
)
def test_what_only_resembles_an_operator_stays_as_it_is(text: str) -> None:
    assert operators(text) == []


@pytest.mark.parametrize(
    "text", ['First "line"\nand -second [tag]', 'A "quoted" -word. ' + "x" * LONGEST]
)
def test_pasted_texts_have_no_operators(text: str) -> None:
    assert operators(text) == []


def test_operators_are_not_read_inside_formulas() -> None:
    assert operators(r'$x -abc "a b" [tag]$ and \text{"a b"}') == []


@pytest.mark.parametrize(
    ("address", "post_id"),
    [
        ("https://math.stackexchange.com/questions/123/title", "123"),
        ("https://math.stackexchange.com/questions/123/title?noredirect=1#comment9_123", "123"),
        ("https://math.stackexchange.com/questions/123/title/456#456", "456"),
        ("https://math.stackexchange.com/questions/123/title/456", "456"),
        ("https://mathoverflow.net/q/123/9", "123"),
        ("http://127.0.0.1:8000/threads/123?q=x", "123"),
        ("http://127.0.0.1:8000/threads/123#post-456", "456"),
        ("http://127.0.0.1:8000/threads/a/two%20sums.md", "a/two sums.md"),
        ("https://math.stackexchange.com/tags/sets", ""),
        ("https://math.stackexchange.com/users/123/name", ""),
    ],
)
def test_posts_of_addresses(address: str, post_id: str) -> None:
    assert post_of_address(address) == post_id
