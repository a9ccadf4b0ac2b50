"""Training of bi-encoders and cross-encoders on the pairs of texts that a collection has."""
