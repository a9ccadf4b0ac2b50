"""Which element of Content MathML, or which csymbol of LaTeXML's, carries which operator label."""

from __future__ import annotations


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
"""Empty elements, which stand for operators and constants."""

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
}
"""Symbols that LaTeXML names and we name otherwise; the others keep their name after ``O!``."""

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
