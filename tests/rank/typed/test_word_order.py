"""Sequences of words, against the same text by text."""

from itertools import pairwise, permutations, takewhile

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from porism.rank.typed.word_order import STOP_KEYS, WordSequences
from porism.searchindex.components.forward_store import rows_of
from porism.searchindex.components.text_store import BREAK

STOP = int(STOP_KEYS[0])
OTHERS = (7, STOP + 1, STOP ^ (1 << 40))

words = st.sampled_from([BREAK, STOP, int(STOP_KEYS[-1]), *OTHERS])


def by_text(sequences: WordSequences) -> list[list[int]]:
    texts: list[list[int]] = [[] for _ in range(sequences.number)]
    for word, text in zip(sequences.words.tolist(), sequences.texts.tolist(), strict=True):
        texts[text].append(word)
    return texts


@given(st.lists(st.lists(words, max_size=6), max_size=5))
def test_titles_end_at_the_first_break(texts: list[list[int]]) -> None:
    expected = [
        list(takewhile(lambda word: word != BREAK, text)) if BREAK in text else [] for text in texts
    ]
    assert by_text(WordSequences.of(rows_of(texts)).titles()) == expected


@given(st.lists(st.lists(words, max_size=6), max_size=5))
def test_stop_words_may_stand_between_the_words_of_a_pair(texts: list[list[int]]) -> None:
    pairs = [np.array(pair, np.uint64) for pair in permutations(OTHERS, 2)]
    having = WordSequences.of(rows_of(texts)).having_pairs(pairs)
    kept = [[word for word in text if word not in (STOP, STOP_KEYS[-1])] for text in texts]
    assert having.tolist() == [
        [tuple(pair.tolist()) in pairwise(text) for text in kept] for pair in pairs
    ]


@given(st.lists(st.lists(st.integers(1, 3), max_size=6), max_size=5))
def test_a_text_has_a_phrase_if_its_words_follow_each_other(texts: list[list[int]]) -> None:
    having = WordSequences.of(rows_of(texts)).having(np.array([1, 2], np.uint64))
    assert having.tolist() == [[1, 2] in map(list, pairwise(text)) for text in texts]
