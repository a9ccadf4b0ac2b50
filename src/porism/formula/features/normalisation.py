"""Which symbols Tangent-L takes for each other, and around which it forgets the order.

S4 (MathDowsers 2021) section 2.3 names five classes of formulas that mean the same and look
different, each with a flag of its own. It gives an example of each; the lists of symbols are ours.
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

    S4 prints ≤ in the second example, which would make a relation match what it denies.
    """
    operator_unification: bool = False
    """A ≺ B matches A < B."""
    inequality_equivalence: bool = False
    """A ≥ B matches B ≤ A."""


NO_NORMALISATION = Normalisation()
"""Formulas as they are written."""


class NormalisationRules(NamedTuple):
    """What a ``Normalisation`` asks for, by label."""

    canonical: Mapping[str, str]
    """The symbol that stands for the label in every token, where it is another one."""
    unwritten: frozenset[str]
    """Passed over between two symbols."""
    unordered: frozenset[str]
    """Their pairs with their neighbours have the operator first, whichever side it stood."""
    reversed: frozenset[str]
    """Their pairs with their neighbours change sides."""
    central: frozenset[str]
    """Their pairs are located where they stand, which turning round does not change."""


_COMMUTATIVE = frozenset("+ × ⋅ · * ∗ ∪ ∩ ∧ ∨ ⊕ ⊗ ⊙ △ ⊔ ⊓".split())
_SYMMETRIC = frozenset("= ≠ ≈ ≉ ≡ ≢ ∼ ≁ ≃ ≄ ≅ ≇ ≐ ≍ ⇔ ↔ ⟺ ⟷ ⊥ ∥ ∦".split())
_TIMES = frozenset("× ⋅ · ∗ *".split())
_DENIED = {"≱": "<", "≰": ">", "≯": "≤", "≮": "≥"}
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


@lru_cache(maxsize=32)  # as many as there are combinations of the flags
def normalisation_rules(flags: Normalisation) -> NormalisationRules:
    """The rules that a combination of flags stands for.

    Variants are unified first, then denials are resolved, then inequalities turned, so that
    ``⊀`` becomes ``≮``, ``≥`` and at last a reversed ``≤`` if all three flags are set.
    """
    canonical: dict[str, str] = {}
    turned: set[str] = set()
    for label in {*_UNIFIED, *_DENIED, *_MIRRORED, *_MIRRORED.values()}:
        symbol = label
        if flags.operator_unification:
            symbol = _UNIFIED.get(symbol, symbol)
        if flags.alternative_notation:
            symbol = _DENIED.get(symbol, symbol)
        if flags.inequality_equivalence and symbol in _MIRRORED:
            symbol = _MIRRORED[symbol]
            turned.add(label)
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
        frozenset(turned),
        unordered | turned | smaller,
    )
