"""English words as tokens: analyzers made of a tokenizer, stop words and Porter's stemmer.

Formulas get no special treatment here: text between dollars is text like any other.
"""

from porism.text.analyzers import (
    CLASSIC,
    IN_ORDER,
    PLAIN,
    TERRIER,
    UNSTEMMED,
    Analyzer,
    folded,
    tokens,
    without_possessives,
)
from porism.text.stemmer import stem

__all__ = [
    "CLASSIC",
    "IN_ORDER",
    "PLAIN",
    "TERRIER",
    "UNSTEMMED",
    "Analyzer",
    "folded",
    "stem",
    "tokens",
    "without_possessives",
]
