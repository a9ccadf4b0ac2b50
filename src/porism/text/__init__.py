"""English words as tokens: chains of a tokenizer, stop words and Porter's stemmer.

Formulas are not known here; what stands between dollars is text like any other.
"""

from porism.text.chains import CLASSIC, PLAIN, TERRIER, Chain, tokens, without_possessives
from porism.text.stemming import stem

__all__ = ["CLASSIC", "PLAIN", "TERRIER", "Chain", "stem", "tokens", "without_possessives"]
