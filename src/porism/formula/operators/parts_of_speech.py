"""The part of speech of each symbol of a layout tree, and its operator's name.

Names are those of LaTeXML's operators in Content MathML, with Tangent's prefixes: ``U!`` for
operators whose operands are unordered, ``O!`` for those with ordered operands, ``F!`` for functions
and for symbols without a fixed meaning, ``C!`` for constants. So a tree made from LaTeX and a tree
read from LaTeXML's Content MathML have the same labels.
"""

from __future__ import annotations

from typing import Final

from porism.formula.caches import LabelCache
from porism.formula.operators.translated_rows import Word
from porism.formula.tree import Node

# Parts of speech, as bits, so that one number says which of them occur in a row.
ATOM: Final = 1 << 0  # a number, a fraction, a text: an operand and nothing else
NAME: Final = 1 << 1  # a letter: an operand, or a function if its argument makes that clear
CALLED: Final = 1 << 2  # f, Γ, words, primed letters: a function before a parenthesised group
GROUP: Final = 1 << 3  # (...)
FUNCTION: Final = 1 << 4  # sin, log: also takes an argument without parentheses
BIG: Final = 1 << 5  # ∑, lim, ∀: takes the rest of the term
INTEGRAL: Final = 1 << 6  # ∫, which is also BIG
ADD: Final = 1 << 7  # + and operators of the same precedence
LOGIC: Final = 1 << 8  # ∧ ∨, also ADD: the precedence of +, or lower than that of relations
MULTIPLY: Final = 1 << 9
POSTFIX: Final = 1 << 10  # ! %
RELATION: Final = 1 << 11
IMPLIES: Final = 1 << 12  # ⇒ ⟺, of lower precedence than relations
COLON: Final = 1 << 13
SEPARATOR: Final = 1 << 14  # , ;
STOP: Final = 1 << 15  # .
BAR: Final = 1 << 16  # a|b
EVALUATED: Final = 1 << 17  # ...|_{x=0}
MOD: Final = 1 << 18  # a mod b
MODULUS: Final = 1 << 19  # a (mod b)
APPLIED: Final = 1 << 20  # a function or a big operator with its argument, a differential
WORD: Final = 1 << 22  # Spec, Var, also CALLED: takes an argument without parentheses too
ANGLE: Final = 1 << 21  # ⟨ ⟩ without partner, an ATOM: half of a bra or ket
JOINS: Final = 1 << 23  # = . ⋅ and three digits, scripts on nothing: may join their neighbours
GIVES: Final = 1 << 24  # a group with operands for a function before it
BUILT: Final = 1 << 25  # fractions, roots, fences and blanks, which are ATOMs


def _named(text: str) -> dict[str, str]:
    """Pairs of symbol and label, given as words: a symbol, then its label."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


RELATIONS = _named("""
    = U!eq ≠ U!neq ≈ U!approx ≅ U!approx ≡ U!equivalent
    < O!lt > O!gt ≤ O!leq ≥ O!geq ⩽ O!leq ⩾ O!geq ≦ O!leq ≧ O!geq
    ∈ O!in ∉ O!notin ⊂ O!subset ⊆ O!subset ⫅ O!subset
    ⊄ O!not-subset-of ⊈ O!not-subset-of-or-equals ⊊ O!subset-of-and-not-equals
    ⊃ O!superset-of ⊇ O!superset-of-or-equals ⊋ O!superset-of-and-not-equals
    ⊅ O!not-superset-of ⊉ O!not-superset-of-or-equals
    ∋ O!contains ∌ O!not-contains ∼ U!similar-to ~ U!similar-to ≃ O!similar-to-or-equals
    ≁ O!not-similar-to ≢ O!not-equivalent-to ≉ O!not-approximately-equals
    ≇ O!not-approximately-equals ∝ O!proportional-to ≍ O!asymptotically-equals
    ≺ O!precedes ≻ O!succeeds ≼ O!precedes-or-equals ≽ O!succeeds-or-equals
    ⪯ O!precedes-or-equals ⪰ O!succeeds-or-equals ≪ O!much-less-than ≫ O!much-greater-than
    ≮ O!not-less-than ≯ O!not-greater-than ≰ O!not-less-than-or-equals
    ≱ O!not-greater-than-or-equals ≲ O!less-than-or-similar-to ≳ O!greater-than-or-similar-to
    ≐ O!approaches-limit ≔ O!assign := O!assign ⊨ O!models ⊧ O!models ⊥ U!perpendicular-to
    ⟂ U!perpendicular-to ∤ O!not-divides ↦ O!maps-to ⟼ O!maps-to ⊑ O!square-image-of-or-equals
    ⊏ O!square-image-of ⊐ O!square-original-of ⊒ O!square-original-of-or-equals
    ⊲ O!subgroup-of ⊳ O!contains-as-subgroup ⊴ O!subgroup-of-or-equals
    ⊵ O!contains-as-subgroup-or-equals ⇝ O!leads-to ↝ O!leads-to
""") | {
    # Arrows, and relations without an established name: named by the symbol itself.
    symbol: "F!" + symbol
    for symbol in "→←⟶⟵↪↩↠↣↞↢↑↓↕⇑⇓⇕⇀⇁↼↽↗↘↙↖⇉⇇⇄⇆⇈⇊↾⇢⇠⇛↛↚↭⋈≂≜≟≗∦≖≏≎≑≒≓≊∽⋍≕⩴⫆⫋⫌⋐⋑≶≷⋚⋛⪋⪌"
    "⋘⋙≾≿⪷⪸⋞⋟⪅⪆⪕⪖⋖⋗⪇⪈≨≩⋦⋧⪉⪊⊀⊁⋠⋡⪵⪶⋨⋩⪹⪺≄≴≵⋪⋫⋬⋭⋢⋣≬⋔⊸⌣⌢⊬⊭⊮⊯⊪◁▷"
}

IMPLICATIONS = _named("""
    ⇒ O!implies ⇐ F!⇐ ⟹ O!implies ⟸ F!⇐ ⇔ U!iff ⟺ U!iff ↔ U!iff ⟷ U!iff ⇌ F!⇌ ⊢ O!proves
    ⊣ O!does-not-prove ⊩ O!forces ⇏ F!⇏ ⇍ F!⇍ ⇎ F!⇎ ↮ F!↮ ⇋ F!⇋ ∴ O!therefore ∵ O!because
""")

ADDITIONS = _named("""
    + U!plus - O!minus ± O!plus-or-minus ∓ O!minus-or-plus ∪ U!union ∩ U!intersect
    ∖ O!setdiff ⊕ U!direct-sum ⊖ O!symmetric-difference ⊔ O!square-union
    ⊓ O!square-intersection ⊎ F!⊎ ⋄ F!⋄ ∔ F!∔ ⊞ F!⊞ ⊟ F!⊟ ⋓ F!⋓ ⋒ F!⋒
""")

SIGNS = frozenset(("U!plus", "O!minus", "O!plus-or-minus", "O!minus-or-plus"))
"""Operators of one sum: they precede a term, and the signed terms of a sum commute."""

LOGICAL = _named("∧ U!and ∨ U!or ⊻ O!xor ⊼ F!⊼ ⋏ U!and ⋎ U!or")

MULTIPLICATIONS = _named(r"""
    ⋅ U!times · U!times × U!times * U!times ∗ U!times / O!divide ÷ O!divide ∕ O!divide
    ∘ O!compose ⊗ O!tensor-product ⊙ O!direct-product ⋆ F!⋆ ∙ F!∙ • F!• \ F!\ ≀ F!≀ ⋊ F!⋊ ⋉ F!⋉
    ⊘ F!⊘ ⨿ O!coproduct ⊠ F!⊠ ⊡ F!⊡ ⊛ F!⊛
""")

POSTFIXES = _named("! O!factorial % O!percent")

BIG_OPERATORS = _named("""
    ∑ O!sum ∏ O!product ∐ O!coproduct ⋃ U!union ⋂ U!intersect ⨆ O!square-union ⋁ U!or ⋀ U!and
    ⨁ U!direct-sum ⨂ O!tensor-product ⨀ F!⨀ ⨄ O!symmetric-difference
    lim O!limit sup O!supremum inf O!infimum limsup O!limit-supremum liminf O!limit-infimum
    injlim O!injective-limit projlim O!projective-limit
    ∀ O!forall ∃ O!exists ∄ O!not-exists ¬ O!not ∂ O!partialdiff
""")

INTEGRALS = _named("""
    ∫ O!int ∬ O!double-integral ∭ O!triple-integral ⨌ O!quadruple-integral
    ∮ O!contour-integral ∯ O!surface-integral ∰ O!volume-integral
""")

FUNCTIONS = _words("""
    sin cos tan cot sec csc sinh cosh tanh coth sech csch arcsin arccos arctan arccot arcsec arccsc
    arcsinh arccosh arctanh arsinh arcosh artanh cosec tg ctg cotg arctg sh ch th sgn sign exp ln
    log lg det gcd lcm max min arg argmax argmin deg dim ker hom Pr erf tr Tr rank ∇ ℜ ℑ
""")
_FUNCTION_LABELS = {"ℜ": "F!real", "ℑ": "F!imaginary"}

FUNCTION_LETTERS = frozenset("fghFGHPOEφϕψΦΨΓζΘℙ𝔼")
"""Letters that before a parenthesised group are nearly always functions (or P, E and O)."""

_CONNECTIVES = _words("""
    and or if iff for where when with is are in on of to the by then else otherwise so since as
    mod such that let given all some every
""")
"""Words that join formulas, when typed as text; other text may be the name of a function."""

CONSTANTS = {"∞": "C!infinity", "∅": "C!emptyset", "⌀": "C!emptyset"}

_SYMBOLS: dict[str, tuple[int, str]] = {
    symbol: (speech, label)
    for speech, table in (
        (RELATION, RELATIONS),
        (IMPLIES, IMPLICATIONS),
        (ADD, ADDITIONS),
        (ADD | LOGIC, LOGICAL),
        (MULTIPLY, MULTIPLICATIONS),
        (POSTFIX, POSTFIXES),
        (BIG, BIG_OPERATORS),
        (BIG | INTEGRAL, INTEGRALS),
        (FUNCTION, {name: _FUNCTION_LABELS.get(name, "F!" + name) for name in FUNCTIONS}),
        (ATOM, CONSTANTS),
        (COLON, {":": "F!:"}),
        (SEPARATOR, {",": "V!,", ";": "V!;"}),
        (STOP, {".": "V!."}),
        (BAR, {"|": "O!conditional", "∣": "O!conditional", "∥": "O!parallel-to"}),
        (MOD, {"mod": "O!rem"}),
        (ATOM | ANGLE, {"⟨": "V!⟨", "⟩": "V!⟩"}),
    )
    for symbol, label in table.items()
}

ACCENTS = frozenset("^~¯→←↔˙¨⏞⏟ˇ˘´`˚_⎴⎵⏜⏝⇀↼∼‾")
"""Marks that, alone over or under something, are a function of it; others are scripts."""


def leaf(label: str) -> tuple[int, Node]:
    """The part of speech and the leaf of a symbol without rows."""
    return LEAVES[label][:2]


def _word(label: str) -> Word:
    speech, node = _symbol(label)
    joins = label in ("=", ".", "⋅") or (len(label) == 5 and label[:2] == "N!")
    return (speech | JOINS if joins else speech), node, (), ()


LEAVES = LabelCache(_word)
"""The word for a symbol without rows, by label."""


def _symbol(label: str) -> tuple[int, Node]:
    mark, name = (label[:2], label[2:]) if label[1:2] == "!" else ("", label)
    if mark in ("", "V!"):
        known = _SYMBOLS.get(name)
        if known is not None:
            return known[0], Node(known[1])
        if not mark:
            return ATOM, Node(label if label[:1] == "?" and name[1:] else "V!" + label)
        if len(name) > 1 and name.isalpha():
            return (CALLED | WORD if name.isascii() else CALLED), Node(label)
        if name in FUNCTION_LETTERS:
            return CALLED, Node(label)
        return (NAME if name.isalpha() else ATOM), Node(label)
    if mark == "M!":
        # fences with nothing in them
        return ATOM | BUILT, Node("M!S-0" if name == "{}" else "M!L-0")
    if mark in ("O!", "W!"):
        return ATOM | BUILT, Node(label)
    return (CALLED if mark == "T!" and _is_name(name) else ATOM), Node(label)


def _is_name(text: str) -> bool:
    return text.isalpha() and text not in _CONNECTIVES
