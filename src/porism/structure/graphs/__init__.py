"""Formulas as graphs of their trees, a network that encodes them, and views to train it with."""
