"""Canonical LaTeX of layout trees, which reads back to the same tree."""

import gzip
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import LatexError
from porism.formula.latex import parse_latex
from porism.formula.latex.writer import latex
from porism.formula.tree import BLANK, Edge, Node, Tree, parse_tree

SPELLINGS = [
    (r"\frac12", r"\frac{1}{2}"),
    (r"{1\over2}", r"\frac{1}{2}"),
    ("x^2+y_i", "x^{2}+y_{i}"),
    ("x^2_i", "x_{i}^{2}"),
    ("f''(x)", "f''(x)"),
    ("f'^2", r"f^{\prime2}"),
    (r"a\le b≤c", r"a\leq b\leq c"),
    (r"\alpha x", r"\alpha x"),
    ("1 2 .5", "1 2 .5"),
    ("a . . 5 : =", "a. . 5: ="),
    (r"\mathbf{ab}\mathbb R\mathcal{L}", r"\mathbf{ab}\mathbb{R}\mathcal{L}"),
    (r"\boldsymbol\alpha\bf 12", r"\boldsymbol{\alpha}\mathbf{12}"),
    (r"\operatorname{Spec}A", r"\operatorname{Spec}A"),
    (r"\sin\theta", r"\sin\theta"),
    (r"\text{for all $n$ \& m}", r"\text{for all}n\text{\& m}"),
    (r"\sum\limits_{i=1}^n i", r"\sum_{i=1}^{n}i"),
    (r"\left(\frac ab\right)^2", r"(\frac{a}{b})^{2}"),
    (r"\left(a\right]", r"\left(a\right]"),
    (r"[0,1)", "[0,1)"),
    (r"\left|a|b\right|", r"\left|a|b\right|"),
    (r"\{x:|x|<1\}", r"\{x:|x|<1\}"),
    (r"{n\choose k}", r"\binom{n}{k}"),
    (r"a\atop b", r"\genfrac{}{}{0pt}{}{a}{b}"),
    (r"\sqrt[3]{x}", r"\sqrt[3]{x}"),
    (r"\sqrt[{[n]}]{x}", r"\sqrt[{[n]}]{x}"),
    (r"\hat x\overline{ab}", r"\hat{x}\overline{ab}"),
    (r"\xrightarrow[n]{f}", r"\underoverset{n}{f}{\to}"),
    (r"{}_2F_1", "{}_{2}F_{1}"),
    (r"{x^2}^3", "{x^{2}}^{3}"),
    (r"\begin{pmatrix}a&b\\c\end{pmatrix}", r"\begin{pmatrix}a & b\\ c & \end{pmatrix}"),
    (r"\begin{cases}a\\ [b]\end{cases}", r"\begin{cases}a\\ {}[b]\end{cases}"),
    (r"\qvar{x}?", r"\qvar{x}?"),
    (r"\not\models\not=", r"\not{\models}\neq"),
    (r"\nosuch", r"\operatorname{nosuch}"),
    ("", ""),
]


@pytest.mark.parametrize(("source", "spelled"), SPELLINGS)
def test_canonical_latex(source: str, spelled: str) -> None:
    tree = parse_latex(source).tree
    assert latex(tree) == spelled
    assert parse_latex(spelled).tree == tree


READ_BACK = [
    r"\overset{}{ab}^2",
    r"\overset{a}{}",
    r"\underbrace{a+b}_{n}",
    r"\underbrace{a}",
    r"\overline{\underline{ab}}_1",
    r"\overset{a}{\underset{b}{cd}}",
    r"{\sum_1}_2",
    r"\sideset{_a^b}{_c^d}\sum_x^y",
    r"\sideset{_a}{}{12}",
    r"\dddot x",
    r"\frac{}{}",
    r"\begin{pmatrix}\begin{array}{c}a\\b\end{array}\end{pmatrix}",
    r"\begin{pmatrix}a,b\end{pmatrix}",
    r"\begin{pmatrix}a,b&c\end{pmatrix}",
    r"\begin{pmatrix}\\ \end{pmatrix}",
    r"\left\langle\begin{matrix}a\\b\end{matrix}\right\rangle",
    r"\begin{rcases}a\\b\end{rcases}",
    r"(a\\b)",
    r"(a,)()",
    r"{}^2 \\ x",
    r"{}'",
    r"{(a)^2}^3",
    r"||x||\le\|y\|",
    r"\& lt; \#\%\_\$",
    r"\boxed{x}^2",
    r"\substack{a\\b}",
    r"\mathrm{lim}\,x",
    r"\operatorname{a-b}\operatorname{\mathbf{a}b}\operatorname{3x}",
    r"é ж 中 ∈ ∔",
]


@pytest.mark.parametrize("source", READ_BACK)
def test_unusual_trees_read_back(source: str) -> None:
    tree = parse_latex(source).tree
    assert parse_latex(latex(tree)).tree == tree


PIECES = r"""
    x \alpha 12 0.5 .5 . , ; : = + - / ! ? | \| ( ) [ ] \langle \rangle ^2 _n ^{ab} _{i=1} \sum
    \int \lim \max { } {} \left( \right) \left[ \right] \left. \right. \left| \right| \frac{1}{2}
    \frac12 \sqrt{x} \sqrt[3]{y} \hat{x} \overline{ab} \underbrace{a+b} \overset{a}{b}
    \underset{x}{\lim} \stackrel{f}{\to} \mathbf{ab} \mathbb{R} \mathrm{d} \operatorname{Spec}
    \text{if} \text{a$x$b} \binom{n}{k} \begin{matrix} \end{matrix} \begin{cases} \end{cases}
    \begin{pmatrix} \end{pmatrix} & \\ = \in \leq \vec{v} \boxed{x} \substack{a\\b} \over \choose
    \cal \ldots := \& \pmod{n} \bmod \mid \lfloor \rfloor \big( \qvar{x} \foo
    \genfrac{}{}{0pt}{}{a}{b}
""".split()


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_canonical_latex_reads_back(pieces: list[str]) -> None:
    try:
        tree = parse_latex(" ".join(pieces)).tree
    except LatexError:
        return
    assert parse_latex(latex(tree)).tree == tree


LABELS = st.sampled_from(
    """V! V!x N! N!1 T! T!}{ W! ? ?x M! M!()2x2 M!1x1 M!(((( M!{1x1 O!divide O!root O!stack E! lim
    ∑ \u0338 V!\u0338 ( ab""".split()
) | st.just("")
NODES = st.recursive(
    LABELS.map(Node),
    lambda inner: st.builds(
        lambda label, parts: Node(label, tuple(sorted(parts.items()))),
        LABELS,
        st.dictionaries(st.sampled_from(Edge), st.lists(inner, max_size=3).map(tuple)),
    ),
    max_leaves=12,
)


@given(st.lists(NODES, max_size=4).map(tuple))
def test_any_tree_has_latex(row: tuple[Node, ...]) -> None:
    assert isinstance(latex(Tree("slt", row)), str)


def test_single_blank_gives_no_latex() -> None:
    assert latex(Tree("slt", (BLANK,))) == ""


def test_tree_from_another_source_has_latex() -> None:
    assert latex(parse_tree("[V!x[E![N!1]]]")) == r"x\operatorname{E!}1"


def test_real_formulas_read_back(shared: Path) -> None:
    with gzip.open(shared / "data/formulas/latex-real.txt.gz", "rt", encoding="utf-8") as file:
        formulas = [line.rstrip("\n") for line in itertools.islice(file, 0, None, 15)]
    assert len(formulas) > 20_000
    changed = []
    for formula in formulas:
        tree = parse_latex(formula).tree
        if parse_latex(latex(tree)).tree != tree:
            changed.append(formula)
    assert changed == []


def test_scripts_on_nothing_are_written_once_at_every_level() -> None:
    """Written twice at each level, 50 levels would never end."""
    row = (Node("V!x"),)
    for _ in range(50):
        row = (Node(BLANK.label, ((Edge.ABOVE, row),)),)
    assert latex(Tree("slt", row)) == "{}^{" * 50 + "x" + "}" * 50
