"""Small models of embeddings, made without training: random vectors of n-grams."""

import numpy as np

from porism.structure.embeddings import FormulaModel, tangent_cft, token_sequences
from porism.structure.embeddings.word_means import TrainedWords, model_arrays

DIMENSION = 24

_REPRESENTATIONS = {
    tangent_cft.EMBEDDING: tangent_cft.REPRESENTATIONS,
    token_sequences.EMBEDDING: token_sequences.REPRESENTATIONS,
}


def tiny_model(seed: int = 0, embedding: str = "cft") -> FormulaModel:
    """Return a model for which no word is known, so that all have vectors of their n-grams."""
    random = np.random.default_rng(seed)
    trained = {
        name: TrainedWords(
            [],
            np.zeros((0, DIMENSION), np.float32),
            random.standard_normal((500, DIMENSION)).astype(np.float32),
        )
        for name in _REPRESENTATIONS[embedding]
    }
    settings = {"min_n": 1, "max_n": 4, "seed": seed}
    return FormulaModel(embedding, DIMENSION, settings, model_arrays(trained))
