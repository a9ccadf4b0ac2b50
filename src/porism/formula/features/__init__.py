"""Features of formulas: the strings under which an index stores them.

Of layout trees: ``l8`` (MathDowsers 2022), ``tangent_l`` (MathDowsers 2021), ``symbol_pairs``
(Tangent-S), ``shape_pairs``, which are pairs without the names of variables, ``symbol_tokens``, and
``positioned_symbols`` (NLP_NITS 2020). Of operator trees: ``leaf_paths`` and ``sectors``
(Approach0), ``operand_pairs`` (Tangent-S), ``operator_pairs``, ``subformula_terms`` (MIaS). The
same tree always has the same features in the same order. ``feature_items`` splits any feature into
a tuple of its items.
"""

from porism.formula.features.feature_items import Items, feature_items, feature_text
from porism.formula.features.l8_tuples import l8
from porism.formula.features.leaf_paths import Sector, leaf_paths, sectors, wildcard_paths
from porism.formula.features.normalisation import Normalisation
from porism.formula.features.operator_pairs import operator_pairs
from porism.formula.features.subformulas import subformula_terms
from porism.formula.features.symbol_pairs import (
    operand_pairs,
    positioned_symbols,
    shape_pairs,
    symbol_pairs,
    symbol_runs,
    symbol_tokens,
)
from porism.formula.features.tangent_l_tokens import tangent_l, tangent_l_basic, tangent_l_synonyms
from porism.formula.features.wildcards import wildcard_synonyms

__all__ = [
    "Items",
    "Normalisation",
    "Sector",
    "feature_items",
    "feature_text",
    "l8",
    "leaf_paths",
    "operand_pairs",
    "operator_pairs",
    "positioned_symbols",
    "sectors",
    "shape_pairs",
    "subformula_terms",
    "symbol_pairs",
    "symbol_runs",
    "symbol_tokens",
    "tangent_l",
    "tangent_l_basic",
    "tangent_l_synonyms",
    "wildcard_paths",
    "wildcard_synonyms",
]
