"""Layout trees as Presentation MathML: the elements that browsers lay out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from porism.formula.latex import parse_latex
from porism.formula.layout import parse_fence_label
from porism.formula.mathml import presentation_mathml
from porism.formula.tree import Node, Tree


def content(latex: str) -> str:
    mathml = presentation_mathml(parse_latex(latex).tree)
    return mathml[mathml.index(">") + 1 : -len("</math>")]


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("x", "<mi>x</mi>"),
        ("12", "<mn>12</mn>"),
        ("-1", "<mo>−</mo><mn>1</mn>"),
        ("a<b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        ("x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        ("x^{a+b}", "<msup><mi>x</mi><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></msup>"),
        ("f''", "<msup><mi>f</mi><mo>′′</mo></msup>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (
            r"\binom nk",
            '<mrow><mo fence="true" form="prefix">(</mo><mfrac linethickness="0"><mi>n</mi>'
            '<mi>k</mi></mfrac><mo fence="true" form="postfix">)</mo></mrow>',
        ),
        (r"\sqrt[3]x", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        (r"\sqrt{x+1}", "<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt>"),
        (r"\sum_i^n", "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>"),
        (r"\int_0^1", "<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup>"),
        (r"\lim_n", "<munder><mo>lim</mo><mi>n</mi></munder>"),
        (r"\hat x", '<mover accent="true"><mi>x</mi><mo stretchy="false">^</mo></mover>'),
        (
            r"\overline{ab}",
            '<mover accent="true"><mrow><mi>a</mi><mi>b</mi></mrow>'
            '<mo stretchy="true">‾</mo></mover>',
        ),
        (r"\overset{a}{=}", "<mover><mo>=</mo><mi>a</mi></mover>"),
        (
            "{}_nC_r",
            "<mmultiscripts><msub><mi>C</mi><mi>r</mi></msub><mprescripts/><mi>n</mi><none/>"
            "</mmultiscripts>",
        ),
        (
            r"\begin{matrix}a&b\\c\end{matrix}",
            "<mrow><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr>"
            "<mtr><mtd><mi>c</mi></mtd><mtd><mrow></mrow></mtd></mtr></mtable></mrow>",
        ),
        (r"\text{if}", "<mtext>\u00a0if\u00a0</mtext>"),
        (r"\sin x", '<mi>sin</mi><mo lspace="0" rspace="0.17em">\u2061</mo><mi>x</mi>'),
        (r"\mathbb R", "<mi>ℝ</mi>"),
        (
            r"\|v\|",
            '<mrow><mo fence="true" form="prefix" stretchy="false">‖</mo><mi>v</mi>'
            '<mo fence="true" form="postfix" stretchy="false">‖</mo></mrow>',
        ),
    ],
)
def test_mathml_of_a_construct(latex: str, mathml: str) -> None:
    assert content(latex) == mathml


def test_fenced_row_keeps_its_commas_and_is_not_a_table() -> None:
    assert "<mtable>" not in content("(a,b)")
    assert "<mtable>" in content(r"\begin{pmatrix}a&b\end{pmatrix}")


def test_fences_stretch_only_around_tall_content() -> None:
    assert 'stretchy="false">(' in content("(a^2,(b))")
    assert 'stretchy="false">(' not in content(r"(\frac12)")
    assert 'stretchy="false"' not in content(r"((\sum_i x))")


def test_alternative_text_and_display_are_attributes() -> None:
    tree = parse_latex("x<1").tree
    mathml = presentation_mathml(tree, alttext='x<1 "y"', display="block")
    assert 'alttext="x&lt;1 &quot;y&quot;" display="block"' in mathml


def test_labels_of_fences() -> None:
    assert parse_fence_label("M!()2x3") == ("(", ")", 2, 3)
    assert parse_fence_label("M!{2x1") == ("{", "", 2, 1)
    assert parse_fence_label("M!.}2x1") == ("", "}", 2, 1)
    assert parse_fence_label("V!x") is None


@given(st.text(max_size=20))
def test_every_label_makes_well_formed_xml(text: str) -> None:
    printable = "".join(char for char in text if char.isprintable())
    for prefix in ("V!", "T!", "", "M!"):
        tree = Tree("slt", (Node(prefix + printable or "x"),))
        etree.fromstring(presentation_mathml(tree))
