"""The byte of a posting is close enough to the truth, and recovers its count or is ambiguous."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from porism.inverted.count_codes import ambiguous, code, doubtful, estimate


@given(count=st.integers(1, 5000), norm=st.floats(0, 2000))
@settings(max_examples=800, deadline=None)
def test_a_count_that_is_not_recovered_is_ambiguous(count: int, norm: float) -> None:
    byte = code(count, norm)
    back = estimate(byte, norm)
    assert 1 <= byte <= 255
    assert back == count or (doubtful(byte, back, norm) and ambiguous(byte, back, norm))


@given(count=st.integers(1, 5000), norm=st.floats(0, 2000))
@settings(max_examples=300, deadline=None)
def test_a_byte_is_at_most_half_a_step_below_the_truth(count: int, norm: float) -> None:
    assert code(count, norm) / 255 >= count / (count + norm) - 0.5 / 255 - 1e-12


def test_small_counts_of_typical_documents_are_recovered() -> None:
    for length in (0.1, 1.0, 3.0):
        norm = 1.2 * (0.25 + 0.75 * length)
        for count in range(1, 9):
            assert estimate(code(count, norm), norm) == count
