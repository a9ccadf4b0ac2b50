"""Random text, from noise to slightly damaged samples, and the building blocks of formulas."""

from collections.abc import Sequence

from hypothesis import strategies as st

WORDS = (
    *r"""
    a b x y n f 0 1 12 0.5 π ∑ ≤ ∞ ℝ 𝐀 é ' ′ + - = < > * / , ; : . ! | & ~ # % $ ? @ ` " ( ) [ ]
    { } { } { } _ ^ _ ^ _{ ^{ {} \{ \} \| \\ \, \! \; \:
    \alpha \Gamma \infty \sum \int \prod \lim \sin \log \max \partial \le \in \to \cdot \ldots
    \frac \dfrac \cfrac \binom \over \atop \choose \sqrt \root \of \stackrel \overset \underset
    \hat \bar \vec \widetilde \overline \underline \overbrace \underbrace \xrightarrow \not
    \left \right \middle \left( \right) \left. \right. \left\{ \right\} \big \Bigl \biggr( \bigl|
    \text \text{ \mbox{ \operatorname \operatorname{ \mathrm \mathbb \Bbb \rm \bf \boldsymbol
    \color \color{red} \tag{ \label{ \require{ \hspace{ \hline \cr \limits \nolimits \phantom{
    \begin{matrix} \end{matrix} \begin{cases} \end{cases} \begin{array}{c|c} \end{array}
    \begin{align*} \end{align*} \begin{ \end{ \begin{nothing} \end{nothing} \substack{ \cancel
    \def \def\a{ \def\a#1{ \a \b \newcommand{\b} \renewcommand{\a}[1]{ #1 #2 ## [2] \let
    \DeclareMathOperator{\b}{ \nosuchcommand \prime \prescript \ensuremath{ \verb|x| \char
    &lt; &amp;lt; &gt; &nbsp; &#60; &#x110000; &#xD800; &bogus;
    """.split(),
    *("\\", "\\ ", " ", "\n", "\t", "\0", "\ud800", "\udfff", "\u0338", "\u200b", "\U0010ffff"),
)
"""Building blocks of formulas: all kinds of commands, halves of pairs, troublesome characters."""

FORMULAS = (
    r"x_{1,2} = \frac{-b \pm \sqrt{b^2-4ac}}{2a}",
    r"\sum_{n=1}^\infty \frac1{n^2} = \frac{\pi^2}6",
    r"\lim_{x\to 0}\frac{\sin x}{x}=1",
    r"f(x)=\begin{cases}x^2 & \text{if $x>0$}\\0 & \text{otherwise}\end{cases}",
    r"\left|\begin{matrix}a&b\\c&d\end{matrix}\right| = ad-bc",
    r"\def\R{\mathbb R}\newcommand{\norm}[1]{\left\|#1\right\|} \norm{x}_2 \in \R",
    r"{n \choose k} = {n! \over k!\,(n-k)!}",
    r"\int_0^{2\pi}\!\!\int_0^1 r\,dr\,d\theta",
    r"\begin{align}a&=b+c\tag{1}\\&\le d\end{align}",
    r"A = \{x \mid x \notin \Bbb Q,\ \overline{x} = \hat x''\}",
    r"\sqrt[3]{1+\sqrt{2+\cdots}} \xrightarrow[n]{\text{a.s.}} {\rm Var}(X)",
    r"\underbrace{1+\dots+1}_{n \text{ times}}, \quad \prod_{\substack{i<j\\j>k}} a_{ij}",
)
"""Typical formulas, to be mutated."""


MARKUP = (
    *"""
    <math> </math> <mrow> </mrow> <mi> </mi> <mn> </mn> <mo> </mo> <mtext> </mtext> <msup> </msup>
    <msub> </msub> <msubsup> </msubsup> <mfrac> </mfrac> <msqrt> </msqrt> <mroot> </mroot> <mover>
    </mover> <munder> <munderover> <mtable> </mtable> <mtr> </mtr> <mtd> </mtd> <mmultiscripts>
    </mmultiscripts> <mprescripts/> <none/> <mspace/> <mi/> <mfenced> </mfenced> <semantics>
    </semantics> <annotation-xml> <apply> </apply> <plus/> <times/> <eq/> <sum/> <int/> <ci> </ci>
    <cn> </cn> <bind> </bind> <bvar> </bvar> <lambda> <csymbol> </csymbol> <share/> <cerror> <set>
    <matrix> <matrixrow> <interval> <lowlimit> <m:math> <unknown> </unknown> <!-- --> <![CDATA[ ]]>
    <?xml?> &lt; &amp;lt; &nbsp; &#8289; &bogus; &#0; & < > / = x y f 1 2.5 + - ( ) , | ∑ ∫ ′ ≤
    """.split(),
    '<mi mathvariant="bold">',
    '<csymbol cd="latexml">',
    '<csymbol cd="ambiguous">superscript</csymbol>',
    " ",
    "\n",
    "\0",
    "\ud800",
)
"""Building blocks of both kinds of MathML, and troublesome text."""


def noise() -> st.SearchStrategy[str]:
    """Any text, including lone surrogates and NUL."""
    return st.text(st.characters(exclude_categories=()), max_size=200)


def soup(words: Sequence[str]) -> st.SearchStrategy[str]:
    """Words in any order, with or without spaces between them."""
    lists = st.lists(st.sampled_from(words), max_size=60)
    return lists.map("".join) | lists.map(" ".join)


@st.composite
def mutated(draw: st.DrawFn, samples: Sequence[str], words: Sequence[str]) -> str:
    """A sample with a few pieces deleted, doubled, moved or replaced."""
    source = draw(st.sampled_from(samples))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(source)))
        end = min(len(source), start + draw(st.integers(0, 8)))
        piece = draw(st.sampled_from(("", source[start:end] * 2, "word", "elsewhere")))
        if piece == "word":
            piece = draw(st.sampled_from(words))
        elif piece == "elsewhere":
            other = draw(st.integers(0, len(source)))
            piece = source[other : other + 10]
        source = source[:start] + piece + source[end:]
    return source


@st.composite
def repeated(draw: st.DrawFn, words: Sequence[str]) -> str:
    """A few words, some repeated many times, which reveals superlinear cost."""
    few = st.lists(st.sampled_from(words), min_size=1, max_size=3).map("".join)
    before, unit, after = draw(few), draw(few), draw(few)
    return before + unit * draw(st.sampled_from((10, 300, 3_000))) + after
