"""The order of hits and of ids."""

import struct

from hypothesis import given
from hypothesis import strategies as st

from porism.model import DocId, Hit, Ranking, natural_key, ranked

HITS = st.lists(
    st.builds(
        Hit,
        st.text("abc0159", min_size=1, max_size=3).map(DocId),
        st.floats(width=32, allow_nan=False, allow_infinity=False),
        st.none() | st.just(DocId("7")),
    ),
    max_size=8,
    unique_by=lambda hit: hit.doc_id,
)


def hit(doc_id: str, score: float) -> Hit:
    return Hit(DocId(doc_id), score)


def doc_ids(ranking: Ranking) -> list[str]:
    return [hit.doc_id for hit in ranking]


def test_higher_score_comes_first() -> None:
    assert doc_ids(ranked([hit("a", -1.0), hit("b", 3.0), hit("c", 2.0)])) == ["b", "c", "a"]


def test_tie_goes_to_larger_doc_id() -> None:
    assert doc_ids(ranked([hit("a", 1.0), hit("c", 1.0), hit("b", 1.0)])) == ["c", "b", "a"]


def test_doc_ids_are_compared_as_text() -> None:
    assert doc_ids(ranked([hit("10", 1.0), hit("9", 1.0)])) == ["9", "10"]


def test_scores_that_differ_only_beyond_32_bits_tie() -> None:
    # By the 64-bit numbers a would be first.
    assert doc_ids(ranked([hit("a", 0.1 + 1e-12), hit("b", 0.1)])) == ["b", "a"]


def test_scores_are_kept_as_32_bit_numbers() -> None:
    (rounded,) = ranked([Hit(DocId("a"), 0.1, DocId("5"))])
    assert rounded == Hit(DocId("a"), 0.10000000149011612, DocId("5"))


def test_zeros_of_either_sign_tie() -> None:
    assert doc_ids(ranked([hit("a", 0.0), hit("b", -0.0)])) == ["b", "a"]


def test_no_hits_are_an_empty_ranking() -> None:
    assert ranked([]) == ()


def test_score_beyond_32_bits_is_infinite_as_trec_eval_reads_it() -> None:
    assert ranked([hit("a", 1e39)]) == (hit("a", float("inf")),)


@given(HITS.flatmap(lambda hits: st.tuples(st.just(hits), st.permutations(hits))))
def test_order_of_hits_changes_nothing(orders: tuple[list[Hit], list[Hit]]) -> None:
    hits, permuted = orders
    assert ranked(permuted) == ranked(hits)


@given(HITS)
def test_ranking_twice_changes_nothing(hits: list[Hit]) -> None:
    assert ranked(ranked(hits)) == ranked(hits)


@given(st.floats(width=64, min_value=-1e30, max_value=1e30))
def test_rounding_is_that_of_a_32_bit_number(score: float) -> None:
    (rounded,) = ranked([hit("a", score)])
    assert struct.pack("f", rounded.score) == struct.pack("f", score)


def test_numbers_of_any_length_are_ordered_as_numbers() -> None:
    long = "9" * 5000  # more digits than Python would make a number of
    names = [f"A.{long}1", f"A.{long}", "A.10", "A.9", "A", "7", "07", ""]
    assert sorted(names, key=natural_key) == ["", "07", "7", "A", *names[3::-1]]


@given(st.lists(st.integers(0)))
def test_numbers_are_ordered_as_numbers(numbers: list[int]) -> None:
    assert sorted(map(str, numbers), key=natural_key) == list(map(str, sorted(numbers)))


@given(st.text("aA.019"), st.text("aA.019"))
def test_only_equal_ids_have_equal_keys(first: str, second: str) -> None:
    assert (natural_key(first) == natural_key(second)) == (first == second)
