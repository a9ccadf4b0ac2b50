"""Content MathML: that of LaTeXML and its damaged files, and ours, which reads back."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError
from porism.formula.latex import parse_latex
from porism.formula.mathml.content_reader import read_content
from porism.formula.mathml.content_writer import content_mathml
from porism.formula.operators import operator_tree
from porism.formula.tree import MAX_OPERATOR_DEPTH, Node, Tree, operator, parse_tree


def sketch(node: Node) -> str:
    """A tree as nested calls."""
    operands = ", ".join(map(sketch, node.operands))
    return f"{node.label}({operands})" if operands else node.label


def read(body: str) -> str:
    parsed = read_content(f"<math>{body}</math>")
    assert not parsed.problems
    return " ".join(map(sketch, parsed.tree.row))


SUPERSCRIPT = '<csymbol cd="ambiguous">superscript</csymbol>'
SUBSCRIPT = '<csymbol cd="ambiguous">subscript</csymbol>'

CASES = {
    "<ci>𝑥</ci>": "V!x",
    "<ci>ℎ</ci>": "V!h",
    "<ci>𝜖</ci>": "V!ϵ",
    "<ci>italic-ϕ</ci>": "V!ϕ",
    "<ci>normal-Ω</ci>": "V!Ω",
    "<ci>𝐱</ci>": "V!𝐱",
    "<ci>ℝ</ci>": "V!ℝ",
    "<cn type='integer'> 12 </cn>": "N!12",
    "<cn type='float'>0.</cn>": "N!0",
    "<cn type='rational'>1<sep/>2</cn>": "O!divide(N!1, N!2)",
    "<infinity/>": "C!infinity",
    "<ci><mtext>if  so</mtext></ci>": "T!if so",
    "<csymbol cd='unknown'>E</csymbol>": "V!E",
    "<csymbol cd='mws' name='qvar'>x</csymbol>": "?x",
    "<csymbol cd='mws' name='qvar'>qvar_$</csymbol>": "V!?",
    "<qvar>*1*</qvar>": "?1",
    "<apply><plus/><ci>a</ci><ci>b</ci></apply>": "U!plus(V!a, V!b)",
    "<apply><minus/><ci>a</ci><ci>b</ci><ci>c</ci></apply>": (
        "U!plus(V!a, O!minus(V!b), O!minus(V!c))"
    ),
    "<apply><plus/><apply><minus/><ci>a</ci><ci>b</ci></apply><ci>c</ci></apply>": (
        "U!plus(V!a, O!minus(V!b), V!c)"
    ),
    "<apply><plus/><apply><plus/><ci>a</ci><ci>b</ci></apply><ci>c</ci></apply>": (
        "U!plus(U!plus(V!a, V!b), V!c)"
    ),
    "<apply><csymbol cd='latexml'>plus-or-minus</csymbol><ci>a</ci><ci>b</ci></apply>": (
        "U!plus(V!a, O!plus-or-minus(V!b))"
    ),
    f"<apply>{SUPERSCRIPT}<ci>x</ci><cn>2</cn></apply>": "O!SUP(V!x, N!2)",
    "<apply><power/><ci>x</ci><cn>2</cn></apply>": "O!SUP(V!x, N!2)",
    f"<apply><apply>{SUBSCRIPT}<log/><cn>2</cn></apply><ci>n</ci></apply>": (
        "+!F!log(O!SUB(F!log, N!2), V!n)"
    ),
    "<apply><log/><logbase><cn>2</cn></logbase><ci>n</ci></apply>": (
        "+!F!log(O!SUB(F!log, N!2), V!n)"
    ),
    "<apply><root/><ci>x</ci></apply>": "O!root(V!x, N!2)",
    "<apply><root/><degree><cn>3</cn></degree><ci>x</ci></apply>": "O!root(V!x, N!3)",
    "<apply><ci>normal-⋅</ci><ci>a</ci><ci>b</ci></apply>": "U!times(V!a, V!b)",
    "<apply><ci>→</ci><ci>x</ci><cn>0</cn></apply>": "F!→(V!x, N!0)",
    "<apply><ci>Cov</ci><ci>X</ci><ci>Y</ci></apply>": "F!Cov(V!X, V!Y)",
    "<apply><csymbol cd='latexml'>differential-d</csymbol><ci>x</ci></apply>": "F!d(V!x)",
    "<apply><csymbol cd='latexml'>modulo</csymbol><ci>a</ci><ci>n</ci></apply>": (
        "O!rem(V!a, V!n)"
    ),
    "<apply><csymbol cd='latexml'>delimited-[]</csymbol><ci>x</ci></apply>": "M!D-[](V!x)",
    "<apply><eq/><csymbol cd='latexml'>absent</csymbol><ci>x</ci></apply>": "U!eq(W!, V!x)",
    "<interval closure='open-closed'><cn>0</cn><cn>1</cn></interval>": (
        "O!interval(O-C)(N!0, N!1)"
    ),
    "<vector><ci>a</ci><ci>b</ci><ci>c</ci></vector>": "M!V-3(V!a, V!b, V!c)",
    "<set><ci>a</ci></set>": "M!S-1(V!a)",
    "<list><ci>a</ci><ci>b</ci></list>": "M!L-2(V!a, V!b)",
    "<matrix><matrixrow><ci>a</ci><ci>b</ci></matrixrow></matrix>": "M!M-1x2(M!R!(V!a, V!b))",
    "<piecewise><piece><cn>1</cn><ci>p</ci></piece><otherwise><cn>0</cn></otherwise></piecewise>": (
        "O!cases(N!1, V!p, N!0, W!)"
    ),
    "<apply><sum/><bvar><ci>i</ci></bvar><lowlimit><cn>1</cn></lowlimit>"
    "<uplimit><ci>n</ci></uplimit><ci>i</ci></apply>": (
        "+!O!sum(O!SUP(O!SUB(O!sum, U!eq(V!i, N!1)), V!n), V!i)"
    ),
    "<apply><int/><bvar><ci>x</ci></bvar><ci>f</ci></apply>": ("O!int(U!times(V!f, F!d(V!x)))"),
    "<apply><limit/><bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit><ci>f</ci></apply>": (
        "+!O!limit(O!SUB(O!limit, F!→(V!x, N!0)), V!f)"
    ),
    "<cerror><csymbol cd='ambiguous'>missing-subexpression</csymbol></cerror>": "W!",
}


@pytest.mark.parametrize("body", CASES)
def test_reading(body: str) -> None:
    assert read(body) == CASES[body]


CHAIN = "U!and(O!lt(V!a, V!b), O!lt(V!b, V!c))"


@pytest.mark.parametrize(
    "left",
    [
        "",  # ARQMath's files of 2021 lost the element
        "<share href='#.cmml'/>",  # Wikipedia's lost what it points to
        "<share href='#b'/>",
    ],
)
def test_shared_operand_of_a_chain_is_restored(left: str) -> None:
    first = "<apply><lt/><ci>a</ci><ci id='b'>b</ci></apply>"
    assert read(f"<apply><and/>{first}<apply><lt/>{left}<ci>c</ci></apply></apply>") == CHAIN


def test_dangling_share_is_blank() -> None:
    assert read("<apply><eq/><share href='#a'/><ci>b</ci></apply>") == "U!eq(W!, V!b)"
    assert read("<share/>") == "W!"
    assert read("<bvar><ci>x</ci></bvar>") == "V!x"


def test_shares_of_shares_are_bounded() -> None:
    definitions = "<apply id='a0'><plus/><ci>x</ci><ci>y</ci></apply>" + "".join(
        f"<apply id='a{n}'><plus/><share href='#a{n - 1}'/><share href='#a{n - 1}'/></apply>"
        for n in range(1, 60)
    )
    tree = read_content(f"<math><list>{definitions}</list></math>").tree
    assert sum(1 for _ in tree.nodes()) < 10_000


def test_conjunction_of_other_operators_is_unchanged() -> None:
    negated = "<apply><not/><ci>q</ci></apply>"
    assert read(f"<apply><and/><ci>p</ci>{negated}</apply>") == "U!and(V!p, O!not(V!q))"


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0" encoding="UTF-8"?>\n<math xmlns="http://www.w3.org/1998/Math/MathML">'
        "<ci>x</ci></math>",
        "<ci>x</ci>",
        '<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:ci>x</m:ci></m:math>',
        "<m:math><m:ci>x</m:ci></m:math>",
        "<math><semantics><mi>y</mi><annotation-xml encoding='MathML-Content'><ci>x</ci>"
        "</annotation-xml><annotation encoding='application/x-tex'>x</annotation></semantics>"
        "</math>",
    ],
)
def test_wrappings_of_one_formula(text: str) -> None:
    parsed = read_content(text)
    assert parsed.tree.row == (Node("V!x"),)
    assert not parsed.problems


def test_entities_escaped_twice_are_decoded() -> None:
    assert read("<ci>&amp;lt;</ci>") == "O!lt"
    assert read("<ci><mtext>a &amp;amp; b</mtext></ci>") == "T!a & b"


def test_converter_error_is_kept_and_reported() -> None:
    fragments = "<csymbol cd='ambiguous'>fragments</csymbol>"
    parsed = read_content(f"<math><cerror>{fragments}<ci>(</ci><ci>x</ci></cerror></math>")
    assert sketch(parsed.tree.row[0]) == "E!(O!fragments, V!(, V!x)"
    assert parsed.problems


@pytest.mark.parametrize("text", ["", " ", "<", "no tags", "<math/>", "<math><apply/>", "\0"])
def test_input_without_formula_gives_a_tree_or_a_problem(text: str) -> None:
    parsed = read_content(text)
    assert parsed.tree.kind == "opt"
    assert parsed.tree.row or parsed.problems


def test_readable_part_of_broken_xml_is_kept() -> None:
    parsed = read_content("<math><apply><plus/><ci>a</ci><ci>&nosuch;b</ci></apply>")
    assert parsed.tree.row[0].label == "U!plus"
    assert parsed.problems


def nested(levels: int) -> str:
    return "<math>" + "<apply><sin/>" * levels + "<ci>x</ci>" + "</apply>" * levels + "</math>"


def test_depth_is_bounded() -> None:
    tree = read_content(nested(200)).tree
    assert parse_tree(str(tree), "opt") == tree
    with pytest.raises(FormatError, match="rejected"):
        read_content(nested(400))


def test_length_is_bounded() -> None:
    with pytest.raises(FormatError, match="the limit is"):
        read_content("<ci>x</ci>" * 300_000)


def test_external_entities_are_not_read() -> None:
    document = (
        '<!DOCTYPE math [<!ENTITY e SYSTEM "file:///etc/hostname">]><math><ci>&e;</ci></math>'
    )
    with pytest.raises(FormatError, match="declares entities"):
        read_content(document)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<lambda><bvar><ci>x</ci></bvar><ci>y</ci></lambda>", "O!lambda(V!x, V!y)"),
        (
            "<apply><partialdiff/><bvar><ci>x</ci></bvar><bvar><ci>y</ci></bvar><ci>f</ci></apply>",
            "O!partialdiff(V!x, V!y, V!f)",
        ),
        (
            "<apply><diff/><bvar><ci>x</ci><degree><cn>2</cn></degree></bvar><ci>f</ci></apply>",
            "O!diff(O!SUP(V!x, N!2), V!f)",
        ),
        ('<cn type="e-notation">1<sep/>2</cn>', "N!1e2"),
        (
            '<cn type="complex-cartesian">1<sep/>2</cn>',
            "U!plus(N!1, U!times(N!2, V!i))",
        ),
        ("<ci>a</ci><ci>b</ci>", "O!row(V!a, V!b)"),
        ("<ci><msub><mi>x</mi><mn>1</mn></msub></ci>", "V!x1"),
        (
            "<set><bvar><ci>x</ci></bvar><condition><apply><gt/><ci>x</ci><cn>0</cn></apply>"
            "</condition></set>",
            "O!conditional-set(V!x, O!gt(V!x, N!0))",
        ),
    ],
)
def test_no_content_is_lost(body: str, expected: str) -> None:
    assert read(body) == expected


FORMULAS = r"""
x^2-2xy+y^2=(x-y)^2
a<b\le c\implies a<c
\sum_{n=1}^\infty\frac{1}{n^2}=\frac{\pi^2}{6}
\int_0^1\sin^2 x\,dx
\sqrt[3]{x}+\sqrt{y}
f'(x)+\operatorname{Var}[X]
\begin{cases}1&x>0\\0&\text{otherwise}\end{cases}
\begin{pmatrix}a&b\\c&d\end{pmatrix}
\{x\in A\mid x>0\},\ (0,1],\ [x]
a\equiv b\pmod n
Y\times_Z Y
\overline{z}\pm\hat{w}
\forall x\in A:\neg p
100\%,\ n!,\ |\psi\rangle
""".strip().splitlines()


@pytest.mark.parametrize("latex", FORMULAS)
def test_written_formula_reads_back(latex: str) -> None:
    tree = operator_tree(parse_latex(latex).tree)
    parsed = read_content(content_mathml(tree))
    assert parsed.tree == tree
    assert not parsed.problems


def test_written_markup() -> None:
    tree = Tree("opt", (operator("U!plus", Node("V!x"), operator("O!minus", Node("N!1"))),))
    assert content_mathml(tree) == (
        '<math xmlns="http://www.w3.org/1998/Math/MathML">'
        "<apply><plus/><ci>x</ci><apply><minus/><cn>1</cn></apply></apply></math>"
    )


@pytest.mark.parametrize("label", ["F!sin", "O!SUP", "O!root", "U!and", "M!L-2"])
def test_deepest_tree_reads_back(label: str) -> None:
    node = Node("V!x")
    for _ in range(MAX_OPERATOR_DEPTH - 1):
        node = operator(label, node, Node("N!2"))
    tree = Tree("opt", (node,))
    assert read_content(content_mathml(tree)).tree == tree


LABELS = (
    "V!x V!sin V!→ V!𝐱 V!𝑥 V!normal-x N!1 N!1. T!if T!a&lt; W! ?x C!infinity C!x E! O!minus O!root "
    "O!SUP O!SUB O!form-seq O!power O!rem O!row O!assign O!superscript O!lt U!plus U!times U!eq "
    "U!and F!sin F!d F!→ F!f F!lim F!coth M!S-1 M!V-2 M!L-0 M!M-1x1 M!R! M!D-[] M!D-⟨⟩ +!F!sin "
    "+!O!sum O!interval(O-O) O!cases O!plus-or-minus"
)
plain = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
labels = st.sampled_from(LABELS.split()) | plain
trees = st.recursive(
    labels.map(Node),
    lambda nodes: st.builds(operator, labels, nodes) | st.builds(operator, labels, nodes, nodes),
    max_leaves=20,
)


@given(trees)
@example(
    operator("U!and", operator("O!lt", Node("V!a"), Node("V!b")), operator("O!lt", Node("V!c")))
)
@example(operator("O!minus", Node("V!a"), Node("V!b")))
@example(operator("U!plus", operator("U!plus", Node("V!a"), Node("V!b")), Node("V!c")))
@settings(max_examples=150, deadline=None)
def test_any_operator_tree_reads_back(node: Node) -> None:
    tree = Tree("opt", (node,))
    assert read_content(content_mathml(tree)).tree == tree
