"""Untrusted JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.formats.json_values import MAX_NESTING, json_value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


@given(VALUES, st.booleans())
def test_valid_json_is_read(value: object, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert json_value(text) == json_value(text.encode()) == value


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b'"\xff"', "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (r'["\ud835"]', "half a character"),
        (r'{"\udc00": 1}', "half a character"),
        ("1" * 4301, "too many digits"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * (MAX_NESTING + 1) + "]" * (MAX_NESTING + 1), "nested too deeply"),
        ("{", "Expecting"),
    ],
)
def test_unacceptable_json_is_rejected_with_a_reason(text: str | bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        json_value(text)


def test_surrogate_pairs_are_one_character() -> None:
    assert json_value(r'"\ud835\udc00"') == "𝐀"
