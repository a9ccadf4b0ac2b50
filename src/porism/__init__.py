"""Porism: a math-aware search engine and the laboratory around it."""

__version__ = "0.1.0"
