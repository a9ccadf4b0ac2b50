"""Operator trees: a table of every construct, and properties of any layout."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.operator_agreement import Tally, topic_formulas
from porism.formula.latex import parse_latex
from porism.formula.operators import operator_tree
from porism.formula.tree import MAX_DEPTH, MAX_OPERATOR_DEPTH, Edge, Node, Tree, parse_tree


def sketch(node: Node) -> str:
    """A tree as nested calls, which is easier to read than Tangent's notation."""
    operands = ", ".join(map(sketch, node.operands))
    return f"{node.label}({operands})" if operands else node.label


def operators(latex: str) -> str:
    return " ".join(map(sketch, operator_tree(parse_latex(latex).tree).row))


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = text.strip().splitlines()
    return list(zip(lines[::2], lines[1::2], strict=True))


CASES = r"""
a=b
    U!eq(V!a, V!b)
a<b\le c
    U!and(O!lt(V!a, V!b), O!leq(V!b, V!c))
a=b<c=d
    U!and(U!eq(V!a, V!b), O!lt(V!b, V!c), U!eq(V!c, V!d))
=x
    U!eq(W!, V!x)
x=
    U!eq(V!x, W!)
a\ne b
    U!neq(V!a, V!b)
x\notin A
    O!notin(V!x, V!A)
A\not\subset B
    O!not-subset-of(V!A, V!B)
a+b
    U!plus(V!a, V!b)
a-b+c
    U!plus(V!a, O!minus(V!b), V!c)
-x
    O!minus(V!x)
-a-b
    U!plus(O!minus(V!a), O!minus(V!b))
+x
    U!plus(V!x)
a\pm b
    U!plus(V!a, O!plus-or-minus(V!b))
a+-b
    U!plus(V!a, O!minus(V!b))
3+(a+b)
    U!plus(N!3, U!plus(V!a, V!b))
ab
    U!times(V!a, V!b)
a\cdot b\times c
    U!times(V!a, V!b, V!c)
2xy
    U!times(N!2, V!x, V!y)
a/b
    O!divide(V!a, V!b)
a/b/c
    O!divide(V!a, V!b, V!c)
a/bc
    U!times(O!divide(V!a, V!b), V!c)
\frac{a}{b}c
    U!times(O!divide(V!a, V!b), V!c)
a\cdot -b
    U!times(V!a, O!minus(V!b))
4\frac{2}{3}
    U!plus(N!4, O!divide(N!2, N!3))
1\ 000\ 000
    N!1000000
x^2
    O!SUP(V!x, N!2)
x_i
    O!SUB(V!x, V!i)
x_i^2
    O!SUP(O!SUB(V!x, V!i), N!2)
x^{2^n}
    O!SUP(V!x, O!SUP(N!2, V!n))
f'
    O!SUP(V!f, V!′)
f''
    O!SUP(V!f, V!′′)
y'^2
    O!SUP(O!SUP(V!y, V!′), N!2)
{}^nC_k
    O!SUP(O!SUB(V!C, V!k), V!n)
\sin x
    F!sin(V!x)
\sin 2x
    F!sin(U!times(N!2, V!x))
\sin(x)
    F!sin(V!x)
\sin^2 x
    +!F!sin(O!SUP(F!sin, N!2), V!x)
\sin^{-1}(x)
    +!F!sin(O!SUP(F!sin, O!minus(N!1)), V!x)
\sin x\cos y
    U!times(F!sin(V!x), F!cos(V!y))
\sin\cos x
    F!sin(F!cos(V!x))
\log_2 n
    +!F!log(O!SUB(F!log, N!2), V!n)
\ln x + 1
    U!plus(F!ln(V!x), N!1)
\ln n/\ln 2
    O!divide(F!ln(V!n), F!ln(N!2))
\max(a,b)
    F!max(V!a, V!b)
\max\{a,b\}
    F!max(V!a, V!b)
\max_{x\in A} g
    +!F!max(O!SUB(F!max, O!in(V!x, V!A)), V!g)
\det A
    F!det(V!A)
f(x)
    F!f(V!x)
f(x,y)
    F!f(V!x, V!y)
f'(x)
    +!F!f(O!SUP(F!f, V!′), V!x)
f_n(x)
    +!F!f(O!SUB(F!f, V!n), V!x)
f(x)^2
    O!SUP(F!f(V!x), N!2)
g(f(x))
    F!g(F!f(V!x))
x(1-x)
    U!times(V!x, U!plus(N!1, O!minus(V!x)))
y(t)
    F!y(V!t)
n(n+1)
    U!times(V!n, U!plus(V!n, N!1))
a(b,c)
    F!a(V!b, V!c)
\Gamma(n)
    F!Γ(V!n)
\operatorname{Var}(X)
    F!Var(V!X)
\operatorname{Var}[X]
    F!Var(V!X)
k[X]
    U!times(V!k, M!D-[](V!X))
\text{rank}(A)
    F!rank(V!A)
\text{if } x
    U!times(T!if, V!x)
(f+g)(x)
    U!times(U!plus(V!f, V!g), V!x)
\sum_{i=1}^n i^2
    +!O!sum(O!SUP(O!SUB(O!sum, U!eq(V!i, N!1)), V!n), O!SUP(V!i, N!2))
\sum a_i+b
    U!plus(O!sum(O!SUB(V!a, V!i)), V!b)
\sum_i \sum_j a_{ij}
    +!O!sum(O!SUB(O!sum, V!i), +!O!sum(O!SUB(O!sum, V!j), O!SUB(V!a, U!times(V!i, V!j))))
2\sum_k k x^k = 1
    U!eq(U!times(N!2, +!O!sum(O!SUB(O!sum, V!k), U!times(V!k, O!SUP(V!x, V!k)))), N!1)
\bigcup_{n} A_n
    +!U!union(O!SUB(U!union, V!n), O!SUB(V!A, V!n))
\lim_{x\to 0} \frac{\sin x}{x}
    +!O!limit(O!SUB(O!limit, F!→(V!x, N!0)), O!divide(F!sin(V!x), V!x))
\int_0^1 x^2\,dx
    +!O!int(O!SUP(O!SUB(O!int, N!0), N!1), U!times(O!SUP(V!x, N!2), F!d(V!x)))
\int f(x)\,dx
    O!int(U!times(F!f(V!x), F!d(V!x)))
\iint f\,dx\,dy
    O!double-integral(U!times(V!f, F!d(V!x), F!d(V!y)))
x\in]0,1[
    O!in(V!x, O!interval(O-O)(N!0, N!1))
\operatorname{Spec} A
    F!Spec(V!A)
\mathbb{E}[X] + \mathbb{P}(X=1)
    U!plus(F!𝔼(V!X), F!ℙ(U!eq(V!X, N!1)))
A \iff B
    U!iff(V!A, V!B)
\int x+1\,dx - c
    U!plus(O!int(U!times(U!plus(V!x, N!1), F!d(V!x))), O!minus(V!c))
\int\int f+g\,dx\,dy
    O!int(O!int(U!times(U!plus(V!f, V!g), F!d(V!x), F!d(V!y))))
\int f + \int g + 1\,dt
    U!plus(O!int(V!f), O!int(U!times(U!plus(V!g, N!1), F!d(V!t))))
\int \sin x\,dx
    O!int(U!times(F!sin(V!x), F!d(V!x)))
\frac{dy}{dx}
    O!divide(U!times(V!d, V!y), U!times(V!d, V!x))
\frac{\partial f}{\partial x}
    O!divide(O!partialdiff(V!f), O!partialdiff(V!x))
\nabla f
    F!∇(V!f)
\nabla\cdot F
    U!times(F!∇, V!F)
n!
    O!factorial(V!n)
2n!
    U!times(N!2, O!factorial(V!n))
(n+1)!
    O!factorial(U!plus(V!n, N!1))
n!!
    O!factorial(O!factorial(V!n))
n!^2
    O!SUP(O!factorial(V!n), N!2)
50\%
    O!percent(N!50)
|x|
    F!abs(V!x)
|x|^2
    O!SUP(F!abs(V!x), N!2)
\|x\|
    O!norm(V!x)
||x||
    O!norm(V!x)
\lfloor x\rfloor
    F!floor(V!x)
\lceil x\rceil
    F!ceiling(V!x)
\langle x,y\rangle
    M!L-2(V!x, V!y)
\langle x|y\rangle
    O!inner-product(V!x, V!y)
|\psi\rangle
    O!ket(V!ψ)
(0,1)
    O!interval(O-O)(N!0, N!1)
[0,1]
    O!interval(C-C)(N!0, N!1)
(0,1]
    O!interval(O-C)(N!0, N!1)
[0,1)
    O!interval(C-O)(N!0, N!1)
(a,b,c)
    M!V-3(V!a, V!b, V!c)
\{1,2,3\}
    M!S-3(N!1, N!2, N!3)
\{x\}
    M!S-1(V!x)
\{x\in A\mid x>0\}
    O!conditional-set(O!in(V!x, V!A), O!gt(V!x, N!0))
\{x\in A:x>0,x<1\}
    O!conditional-set(O!in(V!x, V!A), O!form-seq(O!gt(V!x, N!0), O!lt(V!x, N!1)))
[x]
    M!D-[](V!x)
()
    M!L-0
a,b,c
    M!L-3(V!a, V!b, V!c)
a,b\in A
    O!in(M!L-2(V!a, V!b), V!A)
i=1,\ldots,n
    U!eq(V!i, M!L-3(N!1, V!…, V!n))
x=1,y=2
    O!form-seq(U!eq(V!x, N!1), U!eq(V!y, N!2))
0<i<n,j=1
    O!form-seq(U!and(O!lt(N!0, V!i), O!lt(V!i, V!n)), U!eq(V!j, N!1))
x>0,y
    O!gt(V!x, M!L-2(N!0, V!y))
f(x)=0.
    U!eq(F!f(V!x), N!0)
\begin{pmatrix}a&b\\c&d\end{pmatrix}
    M!M-2x2(M!R!(V!a, V!b), M!R!(V!c, V!d))
\begin{vmatrix}a&b\\c&d\end{vmatrix}
    F!det(M!M-2x2(M!R!(V!a, V!b), M!R!(V!c, V!d)))
\begin{cases}1&x>0\\0&x\le 0\end{cases}
    O!cases(N!1, O!gt(V!x, N!0), N!0, O!leq(V!x, N!0))
\begin{align}a&=b\\&=c\end{align}
    M!M-2x2(M!R!(V!a, U!eq(W!, V!b)), M!R!(W!, U!eq(W!, V!c)))
\binom{n}{k}
    O!binomial(V!n, V!k)
{n\choose k}
    O!binomial(V!n, V!k)
\overline{z}
    F!¯(V!z)
\hat{x}
    F!^(V!x)
\vec{v}\cdot\vec{w}
    U!times(F!→(V!v), F!→(V!w))
\overline{ab}
    F!¯(U!times(V!a, V!b))
\underbrace{a+b}_{n}
    O!SUB(F!⏟(U!plus(V!a, V!b)), V!n)
\forall x\in A
    O!in(O!forall(V!x), V!A)
\exists n
    O!exists(V!n)
\neg p
    O!not(V!p)
p\land\lnot q\to r
    F!→(U!and(V!p, O!not(V!q)), V!r)
p\lor q
    U!or(V!p, V!q)
x>0\land y>0
    U!and(O!gt(V!x, N!0), O!gt(V!y, N!0))
A\Rightarrow B
    O!implies(V!A, V!B)
x=1\implies x^2=1
    O!implies(U!eq(V!x, N!1), U!eq(O!SUP(V!x, N!2), N!1))
A\iff B\iff C
    U!and(U!iff(V!A, V!B), U!iff(V!B, V!C))
a\equiv b\pmod n
    U!equivalent(V!a, O!annotated(V!b, F!pmod(V!n)))
a\bmod b
    O!rem(V!a, V!b)
1+2+\cdots+n
    U!plus(N!1, N!2, V!⋯, V!n)
1,\ldots,n
    M!L-3(N!1, V!…, V!n)
...
    V!…
\cdot\cdot\cdot
    V!⋯
f:A\to B
    F!:(V!f, F!→(V!A, V!B))
a:b=c:d
    U!eq(F!:(V!a, V!b), F!:(V!c, V!d))
x:=1
    O!assign(V!x, N!1)
x\mapsto x^2
    O!maps-to(V!x, O!SUP(V!x, N!2))
P(A|B)
    F!P(O!conditional(V!A, V!B))
P(X=1|Y=2)
    F!P(O!conditional(U!eq(V!X, N!1), U!eq(V!Y, N!2)))
p\mid n
    O!conditional(V!p, V!n)
\left.f\right|_{x=0}
    O!evaluated-at(V!f, U!eq(V!x, N!0))
A\cup B\cap C
    U!intersect(U!union(V!A, V!B), V!C)
A\setminus B
    O!setdiff(V!A, V!B)
f\circ g
    O!compose(V!f, V!g)
U\otimes V\otimes W
    O!tensor-product(V!U, V!V, V!W)
Y\times_Z Y
    +!U!times(O!SUB(U!times, V!Z), V!Y, V!Y)
x\stackrel{?}{=}y
    +!U!eq(O!SUP(U!eq, V!?), V!x, V!y)
x\to 0^+
    F!→(V!x, O!SUP(N!0, U!plus))
a^+
    O!SUP(V!a, U!plus)
x^*
    O!SUP(V!x, U!times)
90^\circ
    O!SUP(N!90, O!compose)
\sqrt{x}
    O!root(V!x, N!2)
\sqrt[3]{x}
    O!root(V!x, N!3)
\emptyset
    C!emptyset
+
    U!plus
\boxed{x}
    O!enclose(V!x)
x?
    U!times(V!x, V!?)
"""


@pytest.mark.parametrize(("latex", "expected"), _pairs(CASES))
def test_construct(latex: str, expected: str) -> None:
    assert operators(latex) == expected.strip()


def test_limits_and_integrand_of_an_integral() -> None:
    assert operators(r"\int_0^1 x^2\,dx") == (
        "+!O!int(O!SUP(O!SUB(O!int, N!0), N!1), U!times(O!SUP(V!x, N!2), F!d(V!x)))"
    )


def test_layout_of_one_blank_and_of_nothing() -> None:
    assert operator_tree(Tree("slt", ())) == Tree("opt", ())
    assert operator_tree(parse_tree("[W!]")).row == (Node("W!"),)


def test_wildcard_keeps_its_name() -> None:
    assert str(operator_tree(parse_tree("[?x[+[N!1]]]"))) == "[U!plus,0[?x],1[N!1]]"


def test_repetition_of_middle_operands_in_nested_chains_is_bounded() -> None:
    row = parse_tree("[V!a[=[V!b[=[V!c]]]]]").row
    for _ in range(40):
        group = Node("M!()1x1", ((Edge.WITHIN, row),))
        row = (Node("V!a"), Node("="), group, Node("="), Node("V!c"))
    assert sum(1 for _ in operator_tree(Tree("slt", row)).nodes()) < 20_000


LONG_ROWS = {
    "signs": [Node("-")] * 50_000 + [Node("V!x")],
    "functions": [Node("V!sin")] * 50_000 + [Node("V!x")],
    "sums": [Node("∑")] * 50_000 + [Node("V!x")],
    "sums of functions": [Node("∑"), Node("V!sin"), Node("V!x")] * 20_000,
    "terms": [Node("V!x"), Node("+")] * 25_000,
    "mixed additions": [Node("V!x"), Node("∪"), Node("V!x"), Node("∩")] * 10_000,
    "divisions": [Node("V!x"), Node("/"), Node("V!x")] * 15_000,
    "factorials": [Node("V!x")] + [Node("!")] * 50_000,
    "relations": [Node("V!x"), Node("=")] * 25_000,
    "implications": [Node("V!x"), Node("⇒")] * 25_000,
    "commas": [Node("V!x"), Node(",")] * 25_000,
    "relations and commas": [Node("V!x"), Node("="), Node("V!x"), Node(",")] * 12_000,
    "bars": [Node("V!x"), Node("|")] * 25_000,
    "colons": [Node("V!x"), Node(":")] * 25_000,
    "kets": [Node("|"), Node("V!x"), Node("⟩")] * 15_000,
    "angles": [Node("⟨"), Node("V!x")] * 25_000,
    "evaluations": [Node("V!x"), Node("|", ((Edge.BELOW, (Node("N!0"),)),))] * 20_000,
    "negated factors": [Node("V!x"), Node("⋅"), Node("-")] * 15_000,
    "nested kets": [Node("|")] * 20_000 + [Node("V!x")] + [Node("⟩")] * 20_000,
    "numbers": [Node("N!000")] * 50_000,
    "prescripts": [Node("W!", ((Edge.ABOVE, (Node("N!2"),)),))] * 20_000 + [Node("V!x")],
    "terms after an integral": [Node("∫"), *[Node("V!x"), Node("V!x"), Node("+")] * 15_000],
    "a long formula in a list": [
        *[Node("V!x"), Node("+")] * 10_000,
        *[Node("V!x"), Node("="), *[Node("V!x"), Node(",")] * 10_000],
    ],
}


@pytest.mark.parametrize("name", LONG_ROWS)
def test_long_row_takes_linear_time_and_bounded_depth(name: str) -> None:
    start = time.process_time()
    tree = operator_tree(Tree("slt", tuple(LONG_ROWS[name])))
    assert time.process_time() - start < 5
    assert depth(tree) <= MAX_OPERATOR_DEPTH


def depth(tree: Tree) -> int:
    level, levels = list(tree.row), 0
    while level:
        levels += 1
        level = [child for node in level for _, row in node.parts for child in row]
    return levels


@pytest.mark.parametrize("opened", ["M!()1x1", "M!||1x1", "O!root", "O!divide", "M!{}1x1"])
def test_deepest_layout_gives_a_tree_within_bounds(opened: str) -> None:
    edge = Edge.OVER if opened == "O!divide" else Edge.WITHIN
    row: tuple[Node, ...] = (Node("V!x"),)
    for _ in range(MAX_DEPTH - 1):
        inner = Node(opened, ((edge, row),))
        row = (Node("-"), Node("V!sin"), inner, Node("="), Node("V!y"), Node(","), Node("V!z"))
    tree = operator_tree(Tree("slt", row))
    assert depth(tree) <= MAX_OPERATOR_DEPTH
    assert parse_tree(str(tree), "opt") == tree


SYMBOLS = (
    "V!x V!f V!d V!sin V!max V!word V!′ V!… N!1 N!000 T!if T!rank W! ?x O!divide O!stack O!root "
    "O!enclose M!() M!()1x1 M!()1x2 M!{}1x2 M![)1x2 M!||1x1 M!2x2 M!{2x2 M!1x1 M!⟨⟩1x1 + - ± ∪ ∧ "
    "⋅ / ∘ ! % = < ∈ → ⇒ ⟺ : , ; . | ∣ ∥ ⟨ ⟩ ( ) mod ∑ ∫ lim ∀ ¬ ∂ ′ ^ ¯ ⏟ sup det □"
)
edges = st.sampled_from([edge for edge in Edge if edge is not Edge.OPERANDS])
labels = st.sampled_from(SYMBOLS.split()) | st.text(min_size=1, max_size=4)


def rows_of(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[tuple[Node, ...]]:
    return st.lists(nodes, min_size=1, max_size=8).map(tuple)


def with_parts(nodes: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    parts = st.lists(st.tuples(edges, rows_of(nodes)), max_size=4, unique_by=lambda part: part[0])
    return st.builds(lambda label, rows: Node(label, tuple(rows)), labels, parts)


layouts = rows_of(st.recursive(labels.map(Node), with_parts, max_leaves=20)).map(
    lambda row: Tree("slt", row)
)


@given(layouts)
@settings(max_examples=100, deadline=None)
def test_any_layout_gives_one_operator_tree_that_reads_back(layout: Tree) -> None:
    tree = operator_tree(layout)
    assert tree.kind == "opt"
    assert len(tree.row) == 1
    assert depth(tree) <= MAX_OPERATOR_DEPTH
    assert all(edge is Edge.OPERANDS for node in tree.nodes() for edge, _ in node.parts)
    assert operator_tree(layout) == tree


def test_operator_trees_equal_those_of_latexml(shared: Path) -> None:
    tally = Tally("2021")
    for reference in topic_formulas(shared, 2021):
        tally.add(reference)
    assert tally.total == 843
    assert (tally.equal - tally.equal_broken) / (tally.total - tally.broken) >= 0.97
