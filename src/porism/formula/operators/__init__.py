"""From how a formula looks to what it means: layout trees to operator trees."""

from porism.formula.operators.depth import bounded
from porism.formula.operators.translation import operator_tree

__all__ = ["bounded", "operator_tree"]
