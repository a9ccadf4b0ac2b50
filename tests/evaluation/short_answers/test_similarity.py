"""BERTScore by worked examples, on embeddings given as plain numbers."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.evaluation.short_answers.references import Reference
from porism.evaluation.short_answers.similarity import (
    ContextualSimilarity,
    TextEmbedding,
    bert_score,
    contextual_similarity,
)

Rows = list[list[float]]


def embedded(rows: Rows, weights: list[float] | None = None) -> TextEmbedding:
    tokens = np.array(rows, dtype=np.float32).reshape(len(rows), -1)
    return TextEmbedding(tokens, np.array(weights or [1.0] * len(rows), dtype=np.float32))


def turned(degrees: float) -> list[float]:
    return [math.cos(math.radians(degrees)), math.sin(math.radians(degrees))]


@dataclass
class ToyEncoder:
    """Each character has a vector from a table; special tokens point to 180 degrees."""

    angles: Mapping[str, float]
    name: str = "toy"
    embedded: list[str] = field(default_factory=list)

    def embed(self, text: str) -> TextEmbedding:
        self.embedded.append(text)
        rows = [turned(180), *(turned(self.angles[char]) for char in text), turned(180)]
        return embedded(rows, [0.0, *([1.0] * len(text)), 0.0])


TOY = ToyEncoder({"a": 0, "b": 60, "c": 90, "d": 150})
ANSWERS = st.text("abcd", max_size=5)


def test_each_token_matches_the_most_similar() -> None:
    # a at 0 degrees and c at 90; the reference has b at 60:
    # precision (cos 60 + cos 30) / 2, recall cos 30
    precision = (0.5 + math.sqrt(3) / 2) / 2
    recall = math.sqrt(3) / 2
    expected = 2 * precision * recall / (precision + recall)
    assert bert_score(embedded([turned(0), turned(90)]), embedded([turned(60)])) == pytest.approx(
        expected
    )


def test_special_tokens_have_no_weight_but_may_match() -> None:
    # d at 150 degrees is nearer to the mark at 180 than to b at 60 (cos 30, cos 90)
    # precision cos 30; recall of b is its best with d or a mark, which is cos 90
    similarity = ContextualSimilarity(TOY)
    assert similarity.score("d", "b") == pytest.approx(0.0, abs=1e-6)
    # with a at 0 beside d: precision (cos 30 + cos 60) / 2, recall cos 60
    precision, recall = (math.sqrt(3) / 2 + 0.5) / 2, 0.5
    expected = 2 * precision * recall / (precision + recall)
    assert similarity.score("da", "b") == pytest.approx(expected)


def test_equal_texts_score_1_and_empty_ones_0() -> None:
    similarity = ContextualSimilarity(TOY)
    assert similarity.score("abcd", "abcd") == 1.0
    assert similarity.score("", "") == similarity.score("a", "") == similarity.score("", "a") == 0


def test_opposite_embeddings_score_0() -> None:
    assert bert_score(embedded([turned(0)]), embedded([turned(180)])) == 0.0
    assert bert_score(embedded([turned(0)]), embedded([turned(180), turned(80)])) == 0.0


@given(ANSWERS, ANSWERS)
def test_scores_are_bounded_and_symmetric(left: str, right: str) -> None:
    score = ContextualSimilarity(TOY).score(left, right)
    assert 0.0 <= score <= 1.0
    assert score == pytest.approx(ContextualSimilarity(TOY).score(right, left), abs=1e-6)


@given(ANSWERS, ANSWERS)
def test_the_score_equals_its_definition(left: str, right: str) -> None:
    def best(text: str, other: str) -> float:
        angles = [TOY.angles[char] for char in other] + [180]
        cosines = [
            max(math.cos(math.radians(TOY.angles[char] - angle)) for angle in angles)
            for char in text
        ]
        return sum(cosines) / len(cosines)

    score = ContextualSimilarity(TOY).score(left, right)
    precision = best(left, right) if left and right else 0.0
    recall = best(right, left) if left and right else 0.0
    if precision > 1e-6 and recall > 1e-6:
        harmonic = 2 * precision * recall / (precision + recall)
        assert score == pytest.approx(harmonic, abs=1e-5)
    else:
        assert score == pytest.approx(0.0, abs=1e-5)


def test_the_best_reference_counts() -> None:
    known = [Reference("b"), Reference("a"), Reference("c")]
    assert contextual_similarity("a", known, ContextualSimilarity(TOY)) == 1.0
    assert contextual_similarity("a", known[:1], ContextualSimilarity(TOY)) == pytest.approx(0.5)
    assert contextual_similarity("a", [], ContextualSimilarity(TOY)) is None


@given(st.data(), ANSWERS, st.lists(ANSWERS.map(Reference), min_size=1, max_size=4))
def test_the_order_of_references_makes_no_difference(
    data: st.DataObject, answer: str, known: list[Reference]
) -> None:
    mixed = data.draw(st.permutations(known))
    similarity = ContextualSimilarity(TOY)
    assert contextual_similarity(answer, known, similarity) == contextual_similarity(
        answer, mixed, similarity
    )


def test_a_text_is_embedded_once() -> None:
    encoder = ToyEncoder(TOY.angles)
    similarity = ContextualSimilarity(encoder)
    for answer in ("a", "b", "a"):
        contextual_similarity(answer, [Reference("c"), Reference("b")], similarity)
    assert encoder.embedded == ["a", "c", "b"]


def test_texts_beyond_the_cache_are_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    of_one = TOY.embed("a").tokens.nbytes
    monkeypatch.setattr("porism.evaluation.short_answers.similarity._MAX_CACHED", of_one)
    encoder = ToyEncoder(TOY.angles)
    similarity = ContextualSimilarity(encoder)
    first, second = similarity.score("a", "b"), similarity.score("a", "b")
    assert encoder.embedded == ["a", "b", "b"]
    assert first == second


def test_the_name_is_that_of_the_model() -> None:
    assert ContextualSimilarity(TOY).name == "toy"
