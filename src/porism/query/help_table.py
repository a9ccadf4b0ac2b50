"""What people can type and how it is read, as the help of the page and of the command show it."""

from __future__ import annotations

from dataclasses import dataclass

from porism.query.parts import FormulaSyntax, PartKind


@dataclass(frozen=True, slots=True)
class Example:
    """A query and its meaning: the first part that is not words, ``kind`` with ``value``.

    ``meaning`` says it in words; ``syntax`` is that of a formula.
    """

    typed: str
    kind: PartKind
    value: str
    meaning: str
    syntax: FormulaSyntax | None = None


def _formula(typed: str, latex: str, meaning: str, syntax: FormulaSyntax) -> Example:
    return Example(typed, PartKind.FORMULA, latex, meaning, syntax)


_DELIMITED, _LATEX = FormulaSyntax.DELIMITED, FormulaSyntax.LATEX
_UNICODE, _PLAIN, _SPOKEN = FormulaSyntax.UNICODE, FormulaSyntax.PLAIN, FormulaSyntax.SPOKEN

EXAMPLES: tuple[Example, ...] = (
    _formula("sum of $1/n^2$", "1/n^2", "a formula between dollars, exactly as typed", _DELIMITED),
    _formula(
        r"f(x) = \begin{cases}1 & x>0\\0\end{cases}",
        r"f(x) = \begin{cases}1 & x>0\\0\end{cases}",
        "an environment, with what belongs to it",
        _LATEX,
    ),
    _formula(
        r"\int_0^\infty \frac{\sin x}{x} dx",
        r"\int_0^\infty \frac{\sin x}{x} dx",
        "LaTeX without dollars",
        _LATEX,
    ),
    _formula("evaluate ∫ x² dx", r"\int x^2 dx", "signs of Unicode", _UNICODE),
    _formula("is √2 irrational", r"\sqrt{2}", "a root", _UNICODE),
    _formula("x^2+y^2=1", "x^2+y^2=1", "a formula as on a calculator", _PLAIN),
    _formula("sqrt(2) irrational", r"\sqrt{2}", "names of functions", _PLAIN),
    _formula("n(n+1)/2", r"\frac{n(n+1)}{2}", "a fraction", _PLAIN),
    _formula(
        "sum_(n=1)^oo 1/n^2 = pi^2/6",
        r"\sum_{n=1}^{\infty} \frac{1}{n^2} = \frac{\pi^2}{6}",
        "AsciiMath",
        _PLAIN,
    ),
    _formula("a >= b -> c", r"a \geq b \to c", "relations and arrows", _PLAIN),
    _formula("?x^2 + ?y^2 = 1", "?x^2 + ?y^2 = 1", "wildcards: ?x is any expression", _PLAIN),
    _formula(
        "integral of e^(-x^2) from 0 to infinity",
        r"\int_0^{\infty} e^{-x^2} dx",
        "a formula in words; “integral” is searched for too",
        _SPOKEN,
    ),
    _formula("x squared plus 1", "x^2 + 1", "powers and operators in words", _SPOKEN),
    Example('"normal subgroup"', PartKind.PHRASE, "normal subgroup", "these words in this order"),
    Example("matrix -determinant", PartKind.EXCLUDED, "determinant", "without this word"),
    Example('group -"Sylow theorem"', PartKind.EXCLUDED, "Sylow theorem", "without this phrase"),
    Example("compactness [topology]", PartKind.TAG, "topology", "only posts with this tag"),
    Example("series user:robjohn", PartKind.USER, "robjohn", "only posts of this author"),
    Example('user:"Brian M. Scott" sets', PartKind.USER, "Brian M. Scott", "a name of some words"),
    Example("continuity score:3", PartKind.SCORE, "3", "only posts with at least 3 votes"),
    Example("id:123", PartKind.POST, "123", "opens this post"),
    Example("123", PartKind.POST, "123", "opens this post, if there is one"),
    Example(
        "https://math.stackexchange.com/questions/123/title",
        PartKind.POST,
        "123",
        "the address of a post opens it too",
    ),
    Example("`x^2` in code", PartKind.WORDS, "", "words, because of the backticks"),
)
"""In the order of the help. Where the kind is words, the query has nothing else."""
