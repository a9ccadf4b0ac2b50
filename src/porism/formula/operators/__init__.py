"""Layout trees to operator trees: from the appearance of formulas to their meaning."""

from porism.formula.operators.depth import bounded
from porism.formula.operators.translation import operator_tree

__all__ = ["bounded", "operator_tree"]
