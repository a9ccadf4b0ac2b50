"""Normalisation of Tangent-L tokens: symbols that are merged, and operators without order.

S4 (MathDowsers 2021) section 2.3 has five classes of formulas that mean the same and look
different, each with a flag. It gives an example of each; the lists of symbols are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Normalisation:
    """The flags of S4 section 2.3; MathDowsers' runs of 2021 had only ``commutativity`` on."""

    commutativity: bool = False
    """A + B matches B + A."""
    symmetry: bool = False
    """A = B matches B = A."""
    alternative_notation: bool = False
    """A × B matches A B, and A ≱ B matches A < B.

    S4 prints ≤ in the second example, which would make a relation match its negation.
    """
    operator_unification: bool = False
    """A ≺ B matches A < B."""
    inequality_equivalence: bool = False
    """A ≥ B matches B ≤ A."""


NO_NORMALISATION = Normalisation()
"""Formulas as written."""


class NormalisationRules(NamedTuple):
    """The rules of a ``Normalisation``, by label."""

    canonical: Mapping[str, str]
    """The symbol that replaces the label in every token, if it is another one."""
    unwritten: frozenset[str]
    """Symbols that are skipped between two others."""
    unordered: frozenset[str]
    """Operators that come first in pairs with their neighbours, on either side."""
    reversed: frozenset[str]
    """Symbols whose pairs with their neighbours are reversed."""
    central: frozenset[str]
    """Symbols at which their pairs are located, which reversing does not change."""


_COMMUTATIVE = frozenset("+ × ⋅ · * ∗ ∪ ∩ ∧ ∨ ⊕ ⊗ ⊙ △ ⊔ ⊓".split())
_SYMMETRIC = frozenset("= ≠ ≈ ≉ ≡ ≢ ∼ ≁ ≃ ≄ ≅ ≇ ≐ ≍ ⇔ ↔ ⟺ ⟷ ⊥ ∥ ∦".split())
_TIMES = frozenset("× ⋅ · ∗ *".split())
_NEGATED = {"≱": "<", "≰": ">", "≯": "≤", "≮": "≥"}
_MIRRORED = {">": "<", "≥": "≤", "≫": "≪", "⊃": "⊂", "⊇": "⊆", "≻": "≺", "≽": "≼", "⪰": "⪯"}
_UNIFIED = {
    variant: symbol
    for symbol, variants in {
        "<": "≺ ⊲ ◁",
        ">": "≻ ⊳ ▷",
        "≤": "≦ ⩽ ≼ ⪯ ≲ ⊴",
        "≥": "≧ ⩾ ≽ ⪰ ≳ ⊵",
        "≮": "⊀",
        "≯": "⊁",
        "≰": "⋠ ≨",
        "≱": "⋡ ≩",
        "⊂": "⊊ ⫋",
        "⊃": "⊋ ⫌",
        "→": "⟶ ⇢",
        "←": "⟵ ⇠",
        "⇒": "⟹",
        "⇐": "⟸",
        "⇔": "⟺",
        "↔": "⟷",
        "↦": "⟼",
    }.items()
    for variant in variants.split()
}


@lru_cache(maxsize=32)  # the number of combinations of flags
def normalisation_rules(flags: Normalisation) -> NormalisationRules:
    """The rules of a combination of flags.

    Variants are unified first, then negations are resolved, then inequalities reversed, so that
    ``⊀`` becomes ``≮``, ``≥`` and finally a reversed ``≤`` if all three flags are set.
    """
    canonical: dict[str, str] = {}
    reversed_labels: set[str] = set()
    for label in {*_UNIFIED, *_NEGATED, *_MIRRORED, *_MIRRORED.values()}:
        symbol = label
        if flags.operator_unification:
            symbol = _UNIFIED.get(symbol, symbol)
        if flags.alternative_notation:
            symbol = _NEGATED.get(symbol, symbol)
        if flags.inequality_equivalence and symbol in _MIRRORED:
            symbol = _MIRRORED[symbol]
            reversed_labels.add(label)
        if symbol != label:
            canonical[label] = symbol
    unordered = (_COMMUTATIVE if flags.commutativity else frozenset()) | (
        _SYMMETRIC if flags.symmetry else frozenset()
    )
    smaller = frozenset(_MIRRORED.values()) if flags.inequality_equivalence else frozenset()
    return NormalisationRules(
        canonical,
        _TIMES if flags.alternative_notation else frozenset(),
        unordered,
        frozenset(reversed_labels),
        unordered | reversed_labels | smaller,
    )
