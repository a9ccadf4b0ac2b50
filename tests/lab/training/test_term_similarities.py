"""Sparse similarities of terms: equality with slow references and with gensim."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from porism.lab.training.term_similarities import (
    SparseSimilarities,
    lexical_neighbours,
    rarest_first,
    semantic_neighbours,
    sparse_similarities,
)

quick = settings(max_examples=25, deadline=None)


def dense(matrix: SparseSimilarities) -> NDArray[np.float64]:
    size = len(matrix.starts) - 1
    result = np.eye(size)
    rows = np.repeat(np.arange(size), np.diff(matrix.starts))
    result[rows, matrix.columns] = matrix.values
    return result


def random_vectors(seed: int, size: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(size, 4)).astype(np.float32)


@given(
    seed=st.integers(0, 99),
    size=st.integers(1, 30),
    limit=st.sampled_from([1, 3, 100]),
    is_dominant=st.booleans(),
)
@quick
def test_the_matrix_is_that_of_its_definition(
    seed: int, size: int, limit: int, is_dominant: bool
) -> None:
    vectors = random_vectors(seed, size)
    frequencies = np.random.default_rng(seed).integers(1, 5, size)
    order = rarest_first(frequencies)
    neighbours = semantic_neighbours(vectors, limit)
    matrix = dense(sparse_similarities(neighbours, order, is_dominant, limit))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = (unit @ unit.T).astype(np.float64)
    expected = slow_powers(cosines, order.tolist(), is_dominant, limit)
    assert matrix == pytest.approx(expected, abs=1e-5)
    assert np.array_equal(matrix, matrix.T)
    if is_dominant:
        assert (matrix.sum(axis=1) - 1 < 1).all()


def slow_powers(
    cosines: NDArray[np.float64], order: list[int], is_dominant: bool, limit: int
) -> NDArray[np.float64]:
    """The matrix of fourth powers, whose neighbours are those with the largest cosines."""
    size = len(cosines)
    powers = np.full((size, size), -1.0)
    for term in range(size):
        others = sorted(set(range(size)) - {term}, key=lambda each: (-cosines[term, each], each))
        powers[term, others[:limit]] = cosines[term, others[:limit]] ** 4
    result = np.eye(size)
    for term in order:
        others = [each for each in range(size) if powers[term, each] >= 0]
        others.sort(key=lambda each: (-cosines[term, each], each))
        room = limit - (int(np.count_nonzero(result[term])) - 1)
        for other in sorted(others[: max(0, room)], key=order.index):
            rows = result[[term, other]]
            if (
                result[term, other] == 0
                and (np.count_nonzero(rows, axis=1) <= limit).all()
                and (not is_dominant or (rows.sum(axis=1) - 1 + powers[term, other] < 1).all())
            ):
                result[term, other] = result[other, term] = powers[term, other]
    return result


def slow_distance(one: str, two: str) -> int:
    row = list(range(len(two) + 1))
    for i, first in enumerate(one, start=1):
        before, row = row, [i]
        for j, second in enumerate(two, start=1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (first != second)))
    return row[-1]


@given(words=st.lists(st.text("abcdé𝔸", min_size=1, max_size=8), unique=True, max_size=20))
@quick
def test_similar_spellings_are_those_of_the_distance(words: list[str]) -> None:
    found = lexical_neighbours(words, 100)
    for number, word in enumerate(words):
        expected = {
            other: 1.8 * (1 - distance / max(len(word), len(words[other]))) ** 5
            for other in range(len(words))
            if other != number
            and (distance := slow_distance(word, words[other])) <= 3
            and distance < max(len(word), len(words[other]))
        }
        size = int(found.sizes[number])
        similar = dict(
            zip(found.terms[number, :size].tolist(), found.values[number, :size], strict=True)
        )
        assert similar == pytest.approx(expected, rel=1e-6)


@pytest.mark.train("gensim")
@pytest.mark.parametrize("is_dominant", [True, False])
def test_the_matrix_is_that_of_gensim(is_dominant: bool) -> None:
    from gensim.corpora import Dictionary
    from gensim.models import KeyedVectors, TfidfModel
    from gensim.similarities import SparseTermSimilarityMatrix, WordEmbeddingSimilarityIndex

    words = [f"w{number:02d}" for number in range(40)]
    vectors = random_vectors(5, len(words))
    random = np.random.default_rng(1)
    texts = [random.choice(words, 9).tolist() for _ in range(30)] + [words]
    frequencies = Counter(word for text in texts for word in set(text))
    dictionary = Dictionary(texts)
    keyed = KeyedVectors(4)
    keyed.add_vectors(words, vectors)
    gensim = SparseTermSimilarityMatrix(
        WordEmbeddingSimilarityIndex(keyed, threshold=-1.0, exponent=4.0),
        dictionary,
        TfidfModel(dictionary=dictionary),
        symmetric=True,
        dominant=is_dominant,
        nonzero_limit=6,
    ).matrix.todense()
    # gensim breaks ties of frequency by its numbers of words
    ours = sorted(words, key=dictionary.token2id.__getitem__)
    order = rarest_first(np.array([frequencies[word] for word in ours]))
    rows = [words.index(word) for word in ours]
    matrix = dense(
        sparse_similarities(semantic_neighbours(vectors[rows], 6), order, is_dominant, 6)
    )
    assert matrix == pytest.approx(np.asarray(gensim), abs=1e-5)
