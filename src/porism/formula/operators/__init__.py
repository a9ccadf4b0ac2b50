"""Layout trees to operator trees: from the appearance of formulas to their meaning."""

from porism.formula.operators.depth import bounded
from porism.formula.operators.translation import operator_tree
from porism.formula.operators.wording import formula_in_words, operators_in_words

__all__ = ["bounded", "formula_in_words", "operator_tree", "operators_in_words"]
