"""Formulas for readers: LaTeX to MathML, and marks carried over from layout trees."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from porism.errors import LatexError
from porism.formula.display import display_mathml, marked_places
from porism.formula.latex import parse_latex, read_macros
from porism.formula.marks import with_marks, with_numbered_marks


def content(latex: str, is_display: bool = False) -> str:
    """What is inside the ``math`` element."""
    mathml = display_mathml(latex, is_display=is_display)
    match = re.fullmatch(r"<math[^>]*>(.*)</math>", mathml)
    assert match is not None
    return match[1]


THIN, MEDIUM, THICK = "0.1667em", "0.2222em", "0.2778em"


@pytest.mark.parametrize(
    ("latex", "mathml"),
    [
        ("", ""),
        ("x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("x_1^2", "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>"),
        ("f''", '<msup><mi>f</mi><mo class="prime" lspace="0" rspace="0">″</mo></msup>'),
        (r"f^\prime", '<msup><mi>f</mi><mo class="prime" lspace="0" rspace="0">′</mo></msup>'),
        ("x²", "<msup><mi>x</mi><mn>2</mn></msup>"),
        ("a+b=c", "<mi>a</mi><mo>+</mo><mi>b</mi><mo>=</mo><mi>c</mi>"),
        ("a<b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"\frac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\sqrt[3]{x}", "<mroot><mi>x</mi><mn>3</mn></mroot>"),
        (r"\sqrt x", "<msqrt><mi>x</mi></msqrt>"),
        (r"a\,b", f'<mi>a</mi><mspace width="{THIN}"/><mi>b</mi>'),
        (r"a\quad b", '<mi>a</mi><mspace width="1em"/><mi>b</mi>'),
        (r"a\hspace{2em}b", '<mi>a</mi><mspace width="2em"/><mi>b</mi>'),
        (r"a\kern-3mu b", '<mi>a</mi><mspace width="-0.167em"/><mi>b</mi>'),
        (r"\phantom{x}", "<mphantom><mi>x</mi></mphantom>"),
        (r"\sin x", f'<mi>sin</mi><mspace width="{THIN}"/><mi>x</mi>'),
        (r"\sin(", '<mi>sin</mi><mo stretchy="false">(</mo>'),
        (r"\mathrm{d}", '<mi mathvariant="normal">d</mi>'),
        (r"\mathrm{ab}", "<mi>ab</mi>"),
        (r"\mathit{ab}", "<mi>𝑎𝑏</mi>"),
        (r"\Gamma", '<mi mathvariant="normal">Γ</mi>'),
        (r"\varGamma", "<mi>Γ</mi>"),
        (r"\mathbb R\mathcal F\mathfrak g\mathbf v", "<mi>ℝ</mi><mi>ℱ</mi><mi>𝔤</mi><mi>𝐯</mi>"),
        (r"\boldsymbol{\alpha}", "<mi>𝜶</mi>"),
        (r"\varnothing\emptyset", "<mi>⌀</mi><mi>∅</mi>"),
        (r"\not=", "<mo>≠</mo>"),
        (r"\not\in", "<mo>∉</mo>"),
        (
            r"\hat x",
            '<mover accent="true"><mi>x</mi><mo stretchy="false">ˆ</mo></mover>',
        ),
        (
            r"\overline{ab}",
            '<mover accent="true"><mrow><mi>a</mi><mi>b</mi></mrow>'
            '<mo stretchy="true">‾</mo></mover>',
        ),
        (r"\boxed{x}", '<menclose notation="box"><mi>x</mi></menclose>'),
        (r"\cancel{x}", '<menclose notation="updiagonalstrike"><mi>x</mi></menclose>'),
        (r"\text{if }", "<mtext>if\u00a0</mtext>"),
        (r"\text{a $b$}", "<mrow><mtext>a\u00a0</mtext><mi>b</mi></mrow>"),
        (r"\text{a \& b}", "<mtext>a &amp; b</mtext>"),
        (r"\textcolor{red}{x}y", '<mstyle mathcolor="red"><mi>x</mi></mstyle><mi>y</mi>'),
        (r"{\color{#0F0}x}y", '<mstyle mathcolor="#0f0"><mi>x</mi></mstyle><mi>y</mi>'),
        (r"\color{expression(1)}x", "<mi>x</mi>"),
        (r"\unknown", r"<mtext>\unknown</mtext>"),
        (r"x\label{a}\nonumber\eqref{b}", "<mi>x</mi>"),
        (r"\operatorname{Spec}A", f'<mi>Spec</mi><mspace width="{THIN}"/><mi>A</mi>'),
        (r"\stackrel{?}{=}", "<mover><mo>=</mo><mo>?</mo></mover>"),
        (
            r"\underbrace{a}_n",
            '<munder><munder accentunder="true"><mi>a</mi><mo stretchy="true">⏟</mo></munder>'
            "<mi>n</mi></munder>",
        ),
        (r"\def\a{b}\a", "<mi>b</mi>"),
        (r"\left.x\right|", '<mrow><mi>x</mi><mo fence="true" form="postfix" stretchy="true">|</mo>'
         "</mrow>"),
    ],
)  # fmt: skip
def test_latex_is_written(latex: str, mathml: str) -> None:
    found = content(latex)
    if latex.startswith((r"\not", r"\stackrel")):
        found = re.sub(r' [lr]space="0"| stretchy="false"', "", found)
    assert found == mathml


@pytest.mark.parametrize(
    ("latex", "spaces"),
    [
        ("-a", ['lspace="0" rspace="0"']),
        ("a=-b", ["", 'lspace="0" rspace="0"']),
        ("a,b", [""]),
        ("x^{a+b}", ['lspace="0" rspace="0"']),
        (r"a\circ b", [f'lspace="{MEDIUM}" rspace="{MEDIUM}"']),
        (r"a\mathrel{R}b", []),
        (r"a{=}b", ['lspace="0" rspace="0"']),
        (r"a\mid b", [f'stretchy="false" lspace="{THICK}" rspace="{THICK}"']),
        ("f(x)=1", ['stretchy="false"', 'stretchy="false"', ""]),
    ],
)
def test_space_around_operators_is_that_of_tex(latex: str, spaces: list[str]) -> None:
    assert re.findall(r"<mo ?([^>]*)>", content(latex)) == spaces


def test_limits_depend_on_the_style() -> None:
    limits = r"\sum_{i}^{n}\int_0^1\lim_{x}"
    assert re.findall(r"<(m(?:under|over|sub|sup)\w*)>", content(limits, is_display=True)) == [
        "munderover", "msubsup", "munder",
    ]  # fmt: skip
    assert re.findall(r"<(m(?:under|over|sub|sup)\w*)>", content(limits)) == [
        "msubsup", "msubsup", "msub",
    ]  # fmt: skip
    assert '<munder><mo movablelimits="false"' in content(r"\sum\limits_i")
    assert "<msub>" in content(r"\sum\nolimits_i", is_display=True)
    assert "<munder>" in content(r"\displaystyle\sum_i")
    assert "<munder>" in content(r"\operatorname*{ess}_x", is_display=True)


@pytest.mark.parametrize(
    ("latex", "pattern"),
    [
        (r"\dfrac12", r'<mstyle displaystyle="true" scriptlevel="0"><mfrac>'),
        (r"\tfrac12", r'<mstyle displaystyle="false" scriptlevel="0"><mfrac>'),
        (r"\binom nk", r'\(</mo><mfrac linethickness="0">'),
        (r"{n \choose k}", r'\(</mo><mfrac linethickness="0">'),
        (r"a \over b", r"<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        (r"\begin{pmatrix}a\end{pmatrix}", r'\(</mo><mtable class="matrix"><mtr><mtd><mi>a</mi>'),
        (r"\begin{cases}a&b\\c\end{cases}", r'\{</mo><mtable class="cases">.*</mtable></mrow>$'),
        (r"\begin{aligned}a&=b\end{aligned}", r'<mtable class="aligned" displaystyle="true">'),
        (r"a\\b", r'<mtable class="gathered"'),
        (r"a&b", r'<mtable class="aligned"'),
        (r"\begin{array}{l|r}a&b\\\hline c&d\end{array}",
         r'class="left".*class="right line-before".*class="left line-above"'),
        (r"\begin{gather}a\tag{7}\\b\end{gather}", r'<mtd class="tag"><mtext>\(7\)</mtext></mtd>'),
        (r"x \tag{$*$ a}", r"tagged"),
        (r"\substack{a\\b}", r'<mtable class="tight"'),
        (r"\big(", r'minsize="1.2em" maxsize="1.2em"'),
        (r"\left(a\middle|b\right)", r'form="infix" stretchy="true">\|'),
        (r"\pmod{n}", r"<mi>mod</mi>"),
        (r"\xrightarrow[b]{a}", r"<munderover><mo stretchy=\"true\".*→"),
    ],
)  # fmt: skip
def test_constructs_are_written(latex: str, pattern: str) -> None:
    assert re.search(pattern, content(latex))


def test_macros_are_expanded() -> None:
    macros = read_macros(r"\newcommand{\R}{\mathbb R}\newcommand{\two}[2]{#2_{#1}}")
    mathml = display_mathml(r"\two{1}{\R}", macros)
    assert "<msub><mi>ℝ</mi><mn>1</mn></msub>" in mathml


def test_output_is_escaped() -> None:
    mathml = display_mathml(r'\text{<b onclick="x">}<\"', alttext='<&">')
    assert "<b" not in mathml
    assert 'alttext="&lt;&amp;&quot;&gt;"' in mathml


@pytest.mark.parametrize("latex", ["{" * 500, r"\sqrt" * 500, r"\frac{" * 300, "x" * 200_000])
def test_unbounded_formulas_are_refused(latex: str) -> None:
    with pytest.raises(LatexError):
        display_mathml(latex)


def test_endless_macros_are_bounded() -> None:
    bomb = r"\def\a{\b\b}\def\b{\c\c}\def\c{\a\a}\a"
    assert len(display_mathml(bomb)) < 2_000_000
    assert len(display_mathml(r"\def\a{\a x}\a")) < 2_000_000


PIECES = st.sampled_from(
    r"""
    \frac \sqrt { } [ ] ( ) & \\ ^ _ ' x 12 + - = \left \right \middle | . \begin{matrix}
    \end{matrix} \begin{align} \end{align} \tag{1} \text{a$b$c} \mathbb \mathrm \color{red} \not
    \over \choose \limits \big \hat \underbrace \stackrel \def\a{x} \a \hspace{1em} \kern \dots $
    \displaystyle \substack{ \overset \genfrac \binom \operatorname* \xrightarrow < > \hline é \x
    """.split()
)


@given(st.one_of(st.lists(PIECES, max_size=30).map(" ".join), st.text(max_size=40)), st.booleans())
def test_any_text_is_well_formed_or_refused(latex: str, is_display: bool) -> None:
    try:
        mathml = display_mathml(latex, is_display=is_display, alttext=latex)
    except LatexError:
        return
    assert len(mathml) < 3_000 * (len(latex) + 1)
    if all(char.isprintable() for char in latex):
        etree.fromstring(mathml)
    else:
        etree.fromstring(display_mathml(latex, is_display=is_display))


def marked(latex: str, *places: int) -> str:
    tree = with_marks(parse_latex(latex).tree, places)
    marks = marked_places(tree, latex, {})
    return display_mathml(latex, marks=marks).split(">", 1)[1].removesuffix("</math>")


def test_marks_are_carried_over() -> None:
    assert marked("x+1", 0) == (
        '<mi class="hit">x</mi><mo lspace="0.2222em" rspace="0.2222em">+</mo><mn>1</mn>'
    )
    assert marked("x+1", 0, 1).startswith('<mrow class="hit"><mi>x</mi><mo')
    assert marked(r"\frac{a}{b}", 0, 1, 2) == (
        '<mrow class="hit"><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow>'
    )
    assert marked(r"\frac12", 2) == '<mfrac><mn>1</mn><mn class="hit">2</mn></mfrac>'
    assert marked("x^2", 0) == '<msup><mi class="hit">x</mi><mn>2</mn></msup>'


@pytest.mark.parametrize(
    "latex",
    [
        r"\frac{x'}{\sqrt[3]{2}}", r"f(x,y)", r"\left(\frac ab\right)", r"\mathrm{ev}_x",
        r"\sum_{i=1}^n i^2", r"\begin{pmatrix}a&b\end{pmatrix}", r"|x|\le\|y\|", r"\text{if }x",
        r"\hat x+\overline{ab}", r"\operatorname{Spec}A", r"a\not=b", r"\big(x\big)", r"x''^2",
        r"\underbrace{a}_n", r"\binom nk", r"a\\b", r"{n\choose k}",
    ],
)  # fmt: skip
def test_a_formula_that_matches_as_a_whole_is_marked_once(latex: str) -> None:
    tree = parse_latex(latex).tree
    mathml = marked(latex, *range(sum(1 for _ in tree.nodes())))
    assert mathml.count("hit") == 1


def test_numbered_parts_have_their_classes() -> None:
    latex = r"\sin(x)+y"
    tree = with_numbered_marks(parse_latex(latex).tree, {0: 1, 4: 2})
    mathml = display_mathml(latex, marks=marked_places(tree, latex, {}))
    assert mathml.count('class="hit part1"') == mathml.count('class="hit part2"') == 1


def test_marks_in_the_expansion_of_a_macro() -> None:
    macros = read_macros(r"\newcommand{\pair}[2]{(#1,#2)}")
    latex = r"\pair{a}{b}"
    tree = with_marks(parse_latex(latex, macros).tree, [3])
    mathml = display_mathml(latex, macros, marks=marked_places(tree, latex, macros))
    assert '<mi class="hit">b</mi>' in mathml


def test_marks_of_another_formula_are_left_out() -> None:
    assert marked_places(with_marks(parse_latex("x+y").tree, [0]), "x+z", {}) == {}
