"""Systems of neural networks: bi-encoders, cross-encoders, late interaction, sparse models."""
