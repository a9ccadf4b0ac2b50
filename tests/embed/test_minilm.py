"""MiniLM against published values, and the promises that every encoder makes."""

from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from porism.collection.store import open_collection
from porism.embed import TextEncoder, WindowSpec, windows
from porism.model import plain_text

SENTENCES = (
    "The weather is lovely today.",
    "It's so sunny outside!",
    "He drove to the stadium.",
)
MATHEMATICS = (
    r"Let $f\colon \mathbb{R}\to\mathbb{R}$ be continuous. Show that $f$ is bounded on $[0,1]$.",
    "What is the intuition behind the determinant of a matrix?",
    r"$\int_0^1 \frac{\ln(1+x)}{x}\,dx$ can be computed by expanding the logarithm as a series.",
    "By the fundamental theorem of algebra, every polynomial of positive degree has a root.",
    r"The group $\mathbb{Z}/p\mathbb{Z}$ is cyclic, since its order is prime.",
    "I do not understand the last step of this proof by induction.",
    "Use Lagrange multipliers with the constraint that the variables sum to one.",
    r"Hint: $\sum_{n\ge1} 1/n^2 = \pi^2/6$.",
)


def test_similarities_are_those_of_the_documentation(minilm: TextEncoder) -> None:
    """The example of sbert.net/docs/sentence_transformer/usage/usage.html."""
    vectors = minilm.encode(SENTENCES)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] == pytest.approx(0.6660, abs=5e-5)
    assert cosines[0, 2] == pytest.approx(0.1046, abs=5e-5)
    assert cosines[1, 2] == pytest.approx(0.1411, abs=5e-5)


def test_integers_are_close_to_floats(minilm: TextEncoder, minilm_int8: TextEncoder) -> None:
    texts = [*SENTENCES, *MATHEMATICS, " ".join(MATHEMATICS)]
    cosines = (minilm.encode(texts) * minilm_int8.encode(texts)).sum(axis=1)
    assert cosines.min() > 0.99
    assert cosines.mean() > 0.995


@pytest.mark.real_data
def test_integers_are_close_to_floats_on_real_posts(
    minilm: TextEncoder, minilm_int8: TextEncoder, mini_collection: Path
) -> None:
    with open_collection(mini_collection) as collection:
        posts = list(islice(collection.posts(), 0, 6000, 100))
    texts = [plain_text(post.body) for post in posts]
    texts += [plain_text(post.title) for post in posts if post.title]
    cosines = (minilm.encode(texts) * minilm_int8.encode(texts)).sum(axis=1)
    assert cosines.min() > 0.985
    assert cosines.mean() > 0.995


def test_identities_tell_models_apart(minilm: TextEncoder, minilm_int8: TextEncoder) -> None:
    one, other = minilm.identity, minilm_int8.identity
    assert (one.name, one.dimension, one.pooling) == ("minilm", 384, "mean")
    assert (one.precision, other.precision) == ("float32", "int8")
    assert one.digest != other.digest


@pytest.mark.parametrize("precision", ["minilm", "minilm_int8"])
def test_a_vector_does_not_depend_on_the_other_texts(
    request: pytest.FixtureRequest, precision: str
) -> None:
    encoder: TextEncoder = request.getfixturevalue(precision)
    together = encoder.encode([*MATHEMATICS, "", *SENTENCES])
    alone = np.vstack([encoder.encode([text]) for text in (*MATHEMATICS, "", *SENTENCES)])
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)


def test_vectors_have_length_one_and_empty_texts_none(minilm_int8: TextEncoder) -> None:
    vectors = minilm_int8.encode(["", "x", " \n", MATHEMATICS[0]])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), [0, 1, 0, 1], atol=1e-6)
    assert vectors.dtype == np.float32
    assert minilm_int8.encode([]).shape == (0, 384)


def test_a_text_is_cut_at_256_tokens(minilm_int8: TextEncoder) -> None:
    assert minilm_int8.max_tokens == 254
    words = "group " * 254
    vectors = minilm_int8.encode([words, words + "field " * 100])
    np.testing.assert_array_equal(vectors[0], vectors[1])


@pytest.mark.parametrize(
    "text",
    ["group " * 900_000, "x" * 5_000_000, " " * 5_000_000, "\ud800" * 100, "$" * 5_000_000, "\0"],
    ids=["words", "one word", "spaces", "surrogates", "signs", "null"],
)
def test_huge_and_odd_texts_are_encoded(minilm_int8: TextEncoder, text: str) -> None:
    vectors = minilm_int8.encode([text])
    assert vectors.shape == (1, 384)
    assert np.isfinite(vectors).all()
    assert len(windows(text, minilm_int8)) <= WindowSpec().most
    assert len(minilm_int8.token_vectors([text])[0]) <= 254


def test_token_vectors_leave_out_special_tokens(minilm: TextEncoder) -> None:
    one, nothing = minilm.token_vectors(["a finite group", ""])
    assert one.shape == (3, 384)
    assert nothing.shape == (0, 384)
    np.testing.assert_allclose(np.linalg.norm(one, axis=1), 1, atol=1e-6)


def test_words_in_context_match_their_synonyms(minilm: TextEncoder) -> None:
    """Late interaction: each token finds the most similar one of the other text."""
    query, good, bad = minilm.token_vectors(
        ["the weather is sunny", "it is a bright and sunny day", "he drove to the stadium"]
    )
    assert (query @ good.T).max(axis=1).mean() > (query @ bad.T).max(axis=1).mean() + 0.1
