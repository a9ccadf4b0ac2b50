"""The labels of the elements, csymbols and identifiers of Content MathML."""

from __future__ import annotations

import unicodedata

from porism.formula.operators.parts_of_speech import leaf
from porism.formula.tree import BLANK, Node


def _marked(mark: str, names: str) -> dict[str, str]:
    return {name: mark + name for name in names.split()}


ELEMENTS = {
    **_marked("U!", "plus times eq neq approx equivalent and or xor union intersect"),
    **_marked(
        "F!",
        """sin cos tan cot sec csc sinh cosh tanh coth sech csch arcsin arccos arctan arccot arcsec
        arccsc arcsinh arccosh arctanh arccoth exp ln log abs floor ceiling arg real imaginary max
        min gcd lcm conjugate""",
    ),
    **_marked(
        "O!",
        """minus divide root factorial lt gt leq geq in notin subset prsubset notsubset notprsubset
        setdiff compose sum product int limit partialdiff diff implies not exists forall rem
        quotient factorof tendsto vectorproduct scalarproduct outerproduct transpose selector card
        cartesianproduct inverse ident domain codomain image lambda divergence grad curl laplacian
        moment mean sdev variance median mode power""",
    ),
    **_marked("C!", "infinity emptyset pi exponentiale imaginaryi eulergamma true false"),
    "determinant": "F!det",
}
"""Empty elements, which are operators and constants."""

CSYMBOLS = {
    "superscript": "O!SUP",
    "subscript": "O!SUB",
    "formulae-sequence": "O!form-seq",
    "differential-d": "F!d",
    "modulo": "O!rem",
    "for-all": "O!forall",
    "absent": "W!",
    "continued-fraction": "O!divide",
    "hyperbolic-cotangent": "F!coth",
    "hyperbolic-secant": "F!sech",
    "hyperbolic-cosecant": "F!csch",
    "degree": "F!deg",
    "dimension": "F!dim",
    "kernel": "F!ker",
    "Planck-constant-over-2-pi": "V!ℏ",
    "missing-subexpression": "W!",
    **_marked("U!", "similar-to perpendicular-to direct-sum iff"),
}
"""Symbols of LaTeXML with another name here; the others keep their name after ``O!``."""

CLOSURES = {
    "open": "O!interval(O-O)",
    "closed": "O!interval(C-C)",
    "open-closed": "O!interval(O-C)",
    "closed-open": "O!interval(C-O)",
}

COLLECTIONS = {"set": "M!S-", "vector": "M!V-", "list": "M!L-"}

QUALIFIERS = frozenset(
    ("bvar", "degree", "logbase", "lowlimit", "uplimit", "condition", "domainofapplication")
)
"""Elements that belong to the operator they follow."""


def identifier(text: str) -> Node:
    """A letter, word or symbol: LaTeXML marks its font before it, or uses an italic letter."""
    for mark in ("normal-", "italic-", "upright-"):
        if text.startswith(mark) and len(text) > len(mark):
            text = text.removeprefix(mark)
    text = plain_letters(text)
    return leaf("V!" + _SAME.get(text, text))[1] if text else BLANK


_SAME = {"−": "-", "∗": "*", "•": "∙", "·": "⋅", "‖": "∥", "⟶": "→", "⩽": "≤", "⩾": "≥", "∥": "∥"}


def plain_letters(text: str) -> str:
    """``text`` with italic letters as plain ones; bold, script and the like are kept."""
    if text.isascii():
        return text
    return "".join(
        chr(int(unicodedata.decomposition(char).rpartition(" ")[2], 16))
        if char == "ℎ" or "𝐴" <= char <= "𝑧" or "𝛢" <= char <= "𝜛"
        else char
        for char in text
    )
