"""Vectors of known and unknown words, without gensim."""

import numpy as np

from porism.embed.words.subword_vectors import SubwordVectors, ngram_buckets

NGRAMS = np.arange(20, dtype=np.float32).reshape(10, 2)
VECTORS = SubwordVectors(["one"], np.array([[7, 8]], np.float32), NGRAMS, 3, 6)


def test_an_unknown_word_has_the_mean_of_its_ngrams() -> None:
    assert VECTORS.vector("one").tolist() == [7, 8]
    expected = NGRAMS[ngram_buckets("two", 3, 6, 10)].mean(axis=0)
    assert VECTORS.vector("two").tolist() == expected.tolist()
    assert VECTORS.vector("").tolist() == [0, 0]


def test_a_text_has_the_mean_of_its_words() -> None:
    means = VECTORS.means([["one", "one", "two"], [], ["one"]])
    expected = (2 * VECTORS.vector("one") + VECTORS.vector("two")) / 3
    np.testing.assert_allclose(means, np.array([expected, [0, 0], [7, 8]]), rtol=1e-6)
