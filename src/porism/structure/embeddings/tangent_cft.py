"""Tangent-CFT (Mansouri et al. 2019): tuples of layout, of operators and of layout types.

The vector of a formula is the sum of the means of its tuples' vectors in the three representations,
as published. It is not scaled before the sum, so a representation counts by the lengths of its
vectors, as in the original.
"""

from __future__ import annotations

from porism.structure.embeddings import FormulaInput, FormulaModel
from porism.structure.embeddings.tuple_words import (
    layout_type_words,
    layout_words,
    operator_words,
)
from porism.structure.embeddings.word_means import WordMeansEncoder, Words, word_means_encoder

EMBEDDING = "cft"


def _layout(formula: FormulaInput) -> list[str]:
    return layout_words(formula.layout)


def _operators(formula: FormulaInput) -> list[str]:
    return operator_words(formula.operators())


def _layout_types(formula: FormulaInput) -> list[str]:
    return layout_type_words(formula.layout)


REPRESENTATIONS: dict[str, Words] = {
    "layout": _layout,
    "operators": _operators,
    "layout-types": _layout_types,
}


def open_encoder(model: FormulaModel) -> WordMeansEncoder:
    """Return the encoder of a trained model."""
    return word_means_encoder(model, REPRESENTATIONS)
