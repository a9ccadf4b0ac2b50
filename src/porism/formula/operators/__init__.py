"""From how a formula looks to what it means: layout trees to operator trees."""

from porism.formula.operators.translation import bounded, operator_tree

__all__ = ["bounded", "operator_tree"]
