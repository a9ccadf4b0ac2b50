"""Features of formulas: the strings by which an index finds those that share something.

Of layout trees: ``l8`` (MathDowsers 2022), ``tangent_l`` (MathDowsers 2021), ``pairs``
(Tangent-S) and ``shapes``, which are pairs without the names of variables. Of operator trees:
``paths`` and ``sectors`` (Approach0), ``operator_pairs``. The same tree always gives
the same features in the same order. ``compact`` gives any feature as a tuple of its items.
"""

from porism.formula.features.items import Items, compact, spelled
from porism.formula.features.l8_tuples import l8
from porism.formula.features.leaf_paths import Sector, paths, sectors, wildcard_paths
from porism.formula.features.normalisation import Normalisation
from porism.formula.features.operator_pairs import operator_pairs
from porism.formula.features.symbol_pairs import pairs, shapes
from porism.formula.features.tangent_l_tokens import tangent_l, tangent_l_basic, tangent_l_synonyms
from porism.formula.features.wildcards import synonyms

__all__ = [
    "Items",
    "Normalisation",
    "Sector",
    "compact",
    "l8",
    "operator_pairs",
    "pairs",
    "paths",
    "sectors",
    "shapes",
    "spelled",
    "synonyms",
    "tangent_l",
    "tangent_l_basic",
    "tangent_l_synonyms",
    "wildcard_paths",
]
