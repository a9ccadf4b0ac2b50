"""Training of models for an index, by packages of the extra ``train``."""
