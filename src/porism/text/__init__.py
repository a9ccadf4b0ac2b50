"""English words as tokens: analyzers made of a tokenizer, stop words and Porter's stemmer.

Formulas get no special treatment here: text between dollars is text like any other.
"""

from porism.text.analyzers import (
    CLASSIC,
    PLAIN,
    TERRIER,
    UNSTEMMED,
    Analyzer,
    tokens,
    without_possessives,
)
from porism.text.stemmer import stem

__all__ = [
    "CLASSIC",
    "PLAIN",
    "TERRIER",
    "UNSTEMMED",
    "Analyzer",
    "stem",
    "tokens",
    "without_possessives",
]
