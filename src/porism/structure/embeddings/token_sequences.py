"""Formulas as sequences of tokens: of LaTeX, and of the strings of layout and operator trees.

JU_NITS 2022 encoded these three by LSTMs, whose settings and weights are not published. What an
LSTM has over a bag of tokens is their order, so here a word is a window of three tokens, and its
n-grams are the tokens and pairs in it; fastText learns their vectors from the windows around it.
That trains in minutes without a package for neural networks, and an unknown window still has known
tokens. The vector of a formula is the sum of the means over the three sequences.
"""

from __future__ import annotations

import re

from porism.formula.features.tangent_layout import is_wildcard
from porism.formula.latex.tokenizer import resolved, tokens
from porism.structure.embeddings import FormulaInput, FormulaModel
from porism.structure.embeddings.tuple_words import token_character
from porism.structure.embeddings.word_means import WordMeansEncoder, Words, word_means_encoder

EMBEDDING = "nits"

WINDOW = 3
"""Tokens of a word."""

MAX_TOKENS = 1_000
"""Tokens of a sequence that are used; the largest formula of the labs' topics has 300."""

_TREE_TOKEN = re.compile(r"\[([^\[\],]*)|(\])|(,[^\[\],]+)")
_WILDCARD = re.compile(r"\?[a-zA-Z]\w*")
_UNSEEN = frozenset("{} ")


def sequence_words(sequence: list[str]) -> list[str]:
    """Return the windows of a sequence as words; a shorter sequence is one word.

    >>> len(sequence_words(["x", "^", "2", "+", "1"])), len(sequence_words(["x"]))
    (3, 1)
    """
    characters = "".join(token_character(token) for token in sequence[:MAX_TOKENS])
    if not characters:
        return []
    count = max(1, len(characters) - WINDOW + 1)
    return [characters[first : first + WINDOW] for first in range(count)]


def latex_sequence(latex: str) -> list[str]:
    r"""Return the tokens of LaTeX without braces, which the other sequences have as structure.

    >>> latex_sequence(r"\frac{x}{10}")
    ['\\frac', 'x', '10']
    """
    plain = _WILDCARD.sub(" ", resolved(latex))
    return [token for token in tokens(plain) if token and token not in _UNSEEN]


def tree_sequence(text: str) -> list[str]:
    """Return the tokens of the string form of a tree: labels, edges and closing brackets.

    >>> tree_sequence("[V!x,a[N!2]]")
    ['V!x', ',a', 'N!2', ']', ']']
    """
    found = ("".join(groups) for groups in _TREE_TOKEN.findall(text))
    return [token for token in found if token and not is_wildcard(token)]


def _latex(formula: FormulaInput) -> list[str]:
    return sequence_words(latex_sequence(formula.latex))


def _layout(formula: FormulaInput) -> list[str]:
    return sequence_words(tree_sequence(str(formula.layout)))


def _operators(formula: FormulaInput) -> list[str]:
    return sequence_words(tree_sequence(str(formula.operators())))


REPRESENTATIONS: dict[str, Words] = {
    "latex": _latex,
    "layout": _layout,
    "operators": _operators,
}


def open_encoder(model: FormulaModel) -> WordMeansEncoder:
    """Return the encoder of a trained model."""
    return word_means_encoder(model, REPRESENTATIONS)
