"""Windows of long texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.embed import TextEncoder, WindowSpec, open_encoder, windows
from tests.embed.tiny_models import LETTERS, POSITIONS, write_model


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> TextEncoder:
    folder = tmp_path_factory.mktemp("model")
    write_model(folder, "bert")
    return open_encoder(str(folder), "float32")


SPEC = WindowSpec(tokens=4, overlap=1, most=3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n", []),
        ("a", ["a"]),
        ("a b c d ", ["a b c d"]),
        ("a b c d e", ["a b c", "c d e"]),
        ("a b c d e f g", ["a b c d", "d e f g"]),
        ("a b c d e f g h", ["a b c d", "c d e f", "e f g h"]),
        ("a b c d e f g h a b c d", ["a b c d", "d e f g", "g h a b"]),
    ],
)
def test_windows_overlap_and_cover_the_text(
    encoder: TextEncoder, text: str, expected: list[str]
) -> None:
    assert windows(text, encoder, SPEC) == expected


def test_a_window_is_no_longer_than_the_model_reads(encoder: TextEncoder) -> None:
    assert encoder.max_tokens == POSITIONS - 2
    (only,) = windows("a " * (POSITIONS - 2), encoder)
    assert len(only.split()) == POSITIONS - 2
    made = windows("a " * 1000, encoder)
    assert len(made) == WindowSpec().most
    assert max(len(window.split()) for window in made) == POSITIONS - 2


@given(words=st.lists(st.sampled_from(LETTERS[:-1]), max_size=40), tokens=st.integers(2, 9))
def test_windows_cover_any_text(encoder: TextEncoder, words: list[str], tokens: int) -> None:
    spec = WindowSpec(tokens, tokens // 3, most=100)
    made = [window.split() for window in windows(" ".join(words), encoder, spec)]
    place = 0
    for window in made:
        assert len(window) <= tokens
        starts = [at for at in range(place + 1) if words[at : at + len(window)] == window]
        assert starts
        place = starts[-1] + len(window)
    assert place == len(words)
