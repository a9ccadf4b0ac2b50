"""LaTeX to layout trees: a case for every construct, recoveries, and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import LatexError
from porism.formula.latex import parse_latex, parse_query, read_macros
from porism.formula.latex.grammar import MAX_LENGTH
from porism.formula.tree import MAX_DEPTH, parse_tree

CASES = [
    # fractions in every spelling
    (r"\frac12", "[O!divide,o[N!1],u[N!2]]"),
    (r"\frac{a}{b}", "[O!divide,o[V!a],u[V!b]]"),
    (r"\tfrac ab", "[O!divide,o[V!a],u[V!b]]"),
    (r"\cfrac{1}{1+\cfrac12}", "[O!divide,o[N!1],u[N!1[+[O!divide,o[N!1],u[N!2]]]]]"),
    (r"{a \over b+c}", "[O!divide,o[V!a],u[V!b[+[V!c]]]]"),
    (r"\binom nk", "[M!()1x1,w[O!stack,o[V!n],u[V!k]]]"),
    (r"{n \choose k}", "[M!()1x1,w[O!stack,o[V!n],u[V!k]]]"),
    (r"a \atop b", "[O!stack,o[V!a],u[V!b]]"),
    (r"\genfrac[]{0pt}{}{n}{k}", "[M!&lsqb;&rsqb;1x1,w[O!stack,o[V!n],u[V!k]]]"),
    (r"x^\frac12", "[V!x,a[O!divide,o[N!1],u[N!2]]]"),
    (r"\dfrac\pi2", "[O!divide,o[V!π],u[N!2]]"),
    # roots
    (r"\sqrt2", "[O!root,w[N!2]]"),
    (r"\sqrt[3]{x+1}", "[O!root,c[N!3],w[V!x[+[N!1]]]]"),
    (r"\root n \of x", "[O!root,c[V!n],w[V!x]]"),
    (r"\sqrt\frac12", "[O!root,w[O!divide,o[N!1],u[N!2]]]"),
    # scripts and primes
    ("x^2_i", "[V!x,a[N!2],b[V!i]]"),
    ("x_i^2", "[V!x,a[N!2],b[V!i]]"),
    ("x^23", "[V!x[N!3],a[N!2]]"),
    ("f'", "[V!f,a[′]]"),
    ("f''^2", "[V!f,a[′[′[N!2]]]]"),
    (r"f^{\prime\prime}", "[V!f,a[′[′]]]"),
    ("x^{a^b}", "[V!x,a[V!a,a[V!b]]]"),
    ("{}^{14}_6C", "[V!C,c[N!14],d[N!6]]"),
    ("x_{i,j}", "[V!x,b[V!i[&comma;[V!j]]]]"),
    ("{x^2}^3", "[M!1x1,a[N!3],w[V!x,a[N!2]]]"),
    ("{ab}^2", "[V!a[V!b,a[N!2]]]"),
    ("y'_1", "[V!y,a[′],b[N!1]]"),
    # big operators and their limits
    (r"\sum_{i=1}^n i", "[∑[V!i],o[V!n],u[V!i[=[N!1]]]]"),
    (r"\sum\limits_i", "[∑,u[V!i]]"),
    (r"\int_0^1 f\,dx", "[∫[V!f[V!d[V!x]]],o[N!1],u[N!0]]"),
    (r"\lim_{x\to0} f", "[lim[V!f],u[V!x[→[N!0]]]]"),
    (r"\max_x f", "[V!max[V!f],u[V!x]]"),
    (r"\operatorname*{argmax}_x", "[V!argmax,u[V!x]]"),
    (r"\bigcup_{i\in I} A_i", "[⋃[V!A,b[V!i]],u[V!i[∈[V!I]]]]"),
    (r"\limsup_n a_n", "[limsup[V!a,b[V!n]],u[V!n]]"),
    (r"\varlimsup a", "[lim[V!a],o[¯]]"),
    # accents, lines and braces
    (r"\hat x", "[V!x,o[^]]"),
    (r"\bar{x}_1", "[V!x,b[N!1],o[¯]]"),
    (r"\overline{ab}", "[M!1x1,o[¯],w[V!a[V!b]]]"),
    (r"\vec v", "[V!v,o[→]]"),
    (r"\underline{x}", "[V!x,u[¯]]"),
    (r"\underbrace{a+b}_{n}", "[M!1x1,u[V!n],w[M!1x1,u[⏟],w[V!a[+[V!b]]]]]"),
    (r"\overbrace{x}^{2}", "[M!1x1,o[N!2],w[V!x,o[⏞]]]"),
    (r"\dddot x", "[V!x,o[˙[˙[˙]]]]"),
    (r"\widehat{f g}", "[M!1x1,o[^],w[V!f[V!g]]]"),
    (r"\hat{\bar x}", "[M!1x1,o[^],w[V!x,o[¯]]]"),
    # fences
    ("(a+b)^2", "[M!()1x1,a[N!2],w[V!a[+[V!b]]]]"),
    ("[0,1)", "[M!&lsqb;)1x2,w[N!0[&comma;],e[N!1]]]"),
    (r"\left(\frac12\right]", "[M!(&rsqb;1x1,w[O!divide,o[N!1],u[N!2]]]"),
    ("|x|", "[M!||1x1,w[V!x]]"),
    ("|a||b|", "[M!||1x1[M!||1x1,w[V!b]],w[V!a]]"),
    (r"\|v\|", "[M!∥∥1x1,w[V!v]]"),
    (r"\{1,2\}", "[M!{}1x2,w[N!1[&comma;],e[N!2]]]"),
    (r"\{x \mid x>0\}", "[M!{}1x1,w[V!x[∣[V!x[>[N!0]]]]]]"),
    (r"\{x | x>0\}", "[M!{}1x1,w[V!x[|[V!x[>[N!0]]]]]]"),
    ("P(A|B)", "[V!P[M!()1x1,w[V!A[|[V!B]]]]]"),
    ("a|b", "[V!a[|[V!b]]]"),
    (r"\left. f \right|_0^1", "[V!f[|,a[N!1],b[N!0]]]"),
    (r"\langle u,v\rangle", "[M!⟨⟩1x2,w[V!u[&comma;],e[V!v]]]"),
    (r"\lfloor x\rfloor", "[M!⌊⌋1x1,w[V!x]]"),
    (r"\big(x\big)", "[M!()1x1,w[V!x]]"),
    (r"\bigl{(}x\bigr{)}", "[M!()1x1,w[V!x]]"),
    ("f(x,y)", "[V!f[M!()1x2,w[V!x[&comma;],e[V!y]]]]"),
    ("()", "[M!()]"),
    ("(a", "[([V!a]]"),
    ("a)", "[V!a[)]]"),
    ("2|x|", "[N!2[M!||1x1,w[V!x]]]"),
    (r"\left<u\right>", "[M!⟨⟩1x1,w[V!u]]"),
    (r"\left\{x\middle|y\right\}", "[M!{}1x1,w[V!x[|[V!y]]]]"),
    # matrices and environments
    (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "[M!()2x2,w[V!a,e[V!b,e[V!c,e[V!d]]]]]"),
    (r"\begin{array}{cc}1&2\\3&4\end{array}", "[M!2x2,w[N!1,e[N!2,e[N!3,e[N!4]]]]]"),
    (r"\begin{cases}1&x>0\\0\end{cases}", "[M!{2x2,w[N!1,e[V!x[>[N!0]],e[N!0,e[W!]]]]]"),
    (r"\left\{\begin{array}{l}a\\b\end{array}\right.", "[M!{2x1,w[V!a,e[V!b]]]"),
    (r"\begin{align}a&=b\\&=c\end{align}", "[M!2x2,w[V!a,e[=[V!b],e[W!,e[=[V!c]]]]]]"),
    (r"\begin{equation}x\end{equation}", "[V!x]"),
    (r"\begin{vmatrix}a\\b\end{vmatrix}", "[M!||2x1,w[V!a,e[V!b]]]"),
    (r"\substack{i<n\\j}", "[M!2x1,w[V!i[<[V!n]],e[V!j]]]"),
    (r"\pmatrix{a&b\cr c&d}", "[M!()2x2,w[V!a,e[V!b,e[V!c,e[V!d]]]]]"),
    (r"\begin{bmatrix}1&\\[2pt]&1\end{bmatrix}", "[M!&lsqb;&rsqb;2x2,w[N!1,e[W!,e[W!,e[N!1]]]]]"),
    (r"\left(\begin{matrix}a&b\end{matrix}\right)", "[M!()1x2,w[V!a,e[V!b]]]"),
    # text and names
    (r"x\text{ if }y", "[V!x[T!if[V!y]]]"),
    (r"\text{for $n>1$ all}", "[T!for[V!n[>[N!1[T!all]]]]]"),
    (r"\mbox{a  b}", "[T!a b]"),
    (r"\textbf{a}", "[T!a]"),
    (r"\operatorname{Spec} A", "[V!Spec[V!A]]"),
    (r"\mathrm{SL}_2", "[V!SL,b[N!2]]"),
    (r"\text{50\%}", "[T!50%]"),
    (r"\text{}x", "[V!x]"),
    # fonts, old and new
    (r"\mathbb R", "[V!ℝ]"),
    (r"\Bbb{R}", "[V!ℝ]"),
    (r"\mathbf{AB}", "[V!𝐀𝐁]"),
    (r"\mathcal F", "[V!ℱ]"),
    (r"\mathfrak{gl}", "[V!𝔤[V!𝔩]]"),
    (r"{\bf x}y", "[V!𝐱[V!y]]"),
    (r"{\rm Tr} A", "[V!Tr[V!A]]"),
    (r"\boldsymbol\alpha", "[V!𝛂]"),
    (r"\mathsf X", "[V!𝖷]"),
    (r"\mathbf{12}", "[N!𝟏𝟐]"),
    (r"\rm d x", "[V!dx]"),
    (r"\cal A B", "[V!𝒜[V!ℬ]]"),
    # negations
    (r"\not=", "[≠]"),
    (r"a\not\in B", "[V!a[∉[V!B]]]"),
    (r"\not\subset", "[⊄]"),
    (r"\neq", "[≠]"),
    (r"\nmid", "[∤]"),
    (r"\not\vdash", "[⊬]"),
    (r"\not A", "[V!A̸]"),
    # symbols over and under symbols
    (r"\stackrel{?}{=}", "[=,o[?]]"),
    (r"\overset{a}{\to}", "[→,o[V!a]]"),
    (r"\underset{x}{\min}", "[V!min,u[V!x]]"),
    (r"\xrightarrow[a]{b}", "[→,o[V!b],u[V!a]]"),
    (r"\buildrel d \over =", "[=,o[V!d]]"),
    (r"A\buildrel j_1 \over \to B", "[V!A[→[V!B],o[V!j,b[N!1]]]]"),
    (r"\sideset{_a}{^b}\sum", "[∑,a[V!b],d[V!a]]"),
    # colour, size, space and other things without layout
    (r"\color{red}{x}+y", "[V!x[+[V!y]]]"),
    (r"\textcolor{blue}{x}", "[V!x]"),
    (r"\tag{1} x", "[V!x]"),
    (r"x\label{eq:1}", "[V!x]"),
    (r"\require{cancel}\cancel{x}", "[O!enclose,w[V!x]]"),
    (r"\hspace{1cm}x", "[V!x]"),
    (r"\boxed{x}", "[O!enclose,w[V!x]]"),
    (r"\phantom{x}y", "[V!y]"),
    (r"\displaystyle x", "[V!x]"),
    (r"x\,\;\!y", "[V!x[V!y]]"),
    ("x % comment\n y", "[V!x[V!y]]"),
    (r"\kern-3mu x", "[V!x]"),
    (r"\mathop{x}y", "[V!x[V!y]]"),
    (r"\smash{x}", "[V!x]"),
    (r"\href{http://a.b}{x}", "[V!x]"),
    (r"\pmod n", "[M!()1x1,w[mod[V!n]]]"),
    (r"a \bmod b", "[V!a[mod[V!b]]]"),
    (r"\rule{1cm}{1pt} x", "[V!x]"),
    (r"\definecolor{n}{rgb}{1,0,0} x", "[V!x]"),
    (r"\mathchoice{a}{b}{c}{d}", "[V!a]"),
    (r"\prescript{14}{6}{C}", "[V!C,c[N!14],d[N!6]]"),
    (r'\enclose{circle}[mathcolor="red"]{x}', "[O!enclose,w[V!x]]"),
    (r"\operatorname *{a b}", "[V!ab]"),
    (r"\newcommand *{\a}{b}\a", "[V!b]"),
    (r"\eqsim", "[≂]"),
    # characters typed directly
    ("α≤β", "[V!α[≤[V!β]]]"),
    ("x²", "[V!x,a[N!2]]"),
    ("∑ᵢ", "[∑,u[V!i]]"),
    ("ℝ", "[V!ℝ]"),
    ("a−b", "[V!a[-[V!b]]]"),
    ("x′", "[V!x,a[′]]"),
    ("√2", "[O!root,w[N!2]]"),
    ("𝑥", "[V!x]"),
    # HTML entities
    ("a &lt; b", "[V!a[<[V!b]]]"),
    ("a &amp;lt; b", "[V!a[<[V!b]]]"),
    ("&#960;", "[V!π]"),
    # user macros
    (r"\def\f{x}\f^2", "[V!x,a[N!2]]"),
    (r"\newcommand{\v}[1]{\vec{#1}}\v a", "[V!a,o[→]]"),
    (r"\newcommand\p[2][n]{#2_{#1}}\p x+\p[m]y", "[V!x[+[V!y,b[V!m]]],b[V!n]]"),
    (r"\DeclareMathOperator{\rk}{rk}\rk A", "[V!rk[V!A]]"),
    (r"\renewcommand{\vec}[1]{\mathbf{#1}}\vec v", "[V!𝐯]"),
    (r"\let\a\alpha\a", "[V!α]"),
    # numbers
    ("3.14", "[N!3.14]"),
    ("1,000", "[N!1[&comma;[N!000]]]"),
    (".5", "[N!.5]"),
    ("2x", "[N!2[V!x]]"),
    ("1...n", "[N!1[V!…[V!n]]]"),
    ("0.333...", "[N!0.333[V!…]]"),
    ("12 34", "[N!12[N!34]]"),
    ("x_10", "[V!x[N!0],b[N!1]]"),
    ("5.", "[N!5[.]]"),
    # commands of other packages
    (r"\abs{x}", "[M!||1x1,w[V!x]]"),
    (r"\dv{f}{x}", "[O!divide,o[V!d[V!f]],u[V!d[V!x]]]"),
    (r"\ket\psi", "[M!|⟩1x1,w[V!ψ]]"),
    (r"\norm{v}", "[M!∥∥1x1,w[V!v]]"),
    (r"\ce{H2O}", "[V!H[V!O],b[N!2]]"),
]


@pytest.mark.parametrize(("latex", "layout"), CASES)
def test_layout_tree_of_latex(latex: str, layout: str) -> None:
    tree, problems = parse_latex(latex)
    assert str(tree) == layout
    assert problems == ()


RECOVERED = [
    ("}", "", "} without a beginning", 0),
    ("{x", "[V!x]", "brace is not closed", 0),
    (r"\foo", "[V!foo]", r"unknown command \foo, read as a symbol", 0),
    ("x^", "[V!x]", "argument is missing", 1),
    ("x^2^3", "[M!1x1,a[N!3],w[V!x,a[N!2]]]", "second script at the same place", 3),
    (r"\frac{1}", "[O!divide,o[N!1],u[W!]]", "argument is missing", 7),
    (r"\left(x", "[([V!x]]", r"\left without \right", 0),
    (r"x\right)", "[V!x[)]]", r"\right without a beginning", 1),
    (r"\begin{foo}x\end{foo}", "[V!x]", "unknown environment foo, read as a table", 0),
    (r"\begin{matrix}a", "[V!a]", r"\begin{matrix} is not ended", 0),
    (
        r"a & b \\ c & d",
        "[M!2x2,w[V!a,e[V!b,e[V!c,e[V!d]]]]]",
        "alignment mark outside an environment",
        0,
    ),
    ("x$y", "[V!x[V!y]]", "dollar sign inside a formula", 1),
    (r"\sqrt", "[O!root,w[W!]]", "argument is missing", 0),
    ("_", "", "argument is missing", 0),
    (r"\end{x}", "", r"\end without a beginning", 0),
    ("\x00x", "[V!x]", "unprintable character U+0000 left out", 0),
]


@pytest.mark.parametrize(("latex", "layout", "message", "offset"), RECOVERED)
def test_recovery_keeps_the_rest_and_reports_the_offset(
    latex: str, layout: str, message: str, offset: int
) -> None:
    tree, problems = parse_latex(latex)
    assert str(tree) == layout
    assert (problems[0].message, problems[0].offset) == (message, offset)


@pytest.mark.parametrize("latex", ["", "  ", "{}", r"\,", "{{}}", "%", "$$"])
def test_blank_input_gives_the_empty_tree(latex: str) -> None:
    assert parse_latex(latex) == (("slt", ()), ())


@pytest.mark.parametrize("latex", ["$x$", "$$x$$", "x\\", r"\(x\)", r"\[x\]"])
def test_delimiters_left_on_a_formula_are_ignored(latex: str) -> None:
    assert parse_latex(latex) == parse_latex("x")


def test_problem_in_a_macro_points_at_its_use() -> None:
    source = r"\def\a{\unknown}x+\a"
    assert parse_latex(source).problems[0].offset == source.rindex(r"\a")


def test_outer_macros_apply_and_inner_ones_override_them() -> None:
    macros = read_macros(r"text \newcommand{\R}{\mathbf{R}} and \def\norm#1{|#1|} more")
    assert sorted(macros) == [r"\R", r"\norm"]
    assert str(parse_latex(r"\norm{x}\in\R", macros).tree) == "[M!||1x1[∈[V!𝐑]],w[V!x]]"
    assert str(parse_latex(r"\def\R{y}\R", macros).tree) == "[V!y]"


def test_self_doubling_macro_is_stopped() -> None:
    tree, problems = parse_latex(r"\def\x{\x\x}\x")
    assert "expands without end" in problems[0].message
    assert len(tree.row) < 2000


def test_multiplying_macros_are_stopped() -> None:
    source = r"\def\a{" + "xxxxxxxxxx" * 10 + "}"
    for name, before in zip("bcdef", "abcde", strict=True):
        source += "\\def\\" + name + "{" + ("\\" + before) * 10 + "}"
    tree, problems = parse_latex(source + r"\f")
    assert problems
    assert len(tree.row) < 100_000


@pytest.mark.parametrize(
    "latex",
    [
        "{" * 100_000,
        "(" * 1000 + ")" * 1000,
        r"\frac1{" * 500,
        "x^{" * 200,
        r"\sqrt" * 10_000,
        r"\left(" * 300,
        r"\begin{matrix}" * 100,
    ],
)
def test_deep_nesting_is_rejected_with_the_limit(latex: str) -> None:
    with pytest.raises(LatexError, match=f"nested more than {MAX_DEPTH} levels"):
        parse_latex(latex)


def test_nesting_up_to_the_limit_is_read() -> None:
    deep = "x^{" * (MAX_DEPTH - 2) + "y" + "}" * (MAX_DEPTH - 2)
    tree, problems = parse_latex(deep)
    assert not problems
    assert parse_tree(str(tree)) == tree


def test_too_long_formula_is_rejected_with_its_length() -> None:
    with pytest.raises(LatexError, match="5,000,000 characters"):
        parse_latex("x" * 5_000_000)
    assert len(parse_latex("x" * MAX_LENGTH).tree.row) == MAX_LENGTH


def test_wildcards_are_read_in_queries_only() -> None:
    assert str(parse_query("?x+?y1").tree) == "[?x[+[?y1]]]"
    assert str(parse_query("x=?").tree) == "[V!x[=[?]]]"
    assert parse_query(r"?x+\foo").problems[0].offset == 3
    assert str(parse_latex("x=?").tree) == "[V!x[=[?]]]"
    assert str(parse_latex(r"\qvar{a}^2").tree) == "[?a,a[N!2]]"


TOKENS = st.sampled_from(
    r"x y 1 23 + - = ( ) [ ] | \alpha \frac{a}{b} \sqrt{x} ^2 _i ^{n+1} _{k,l} \sum \le \mathbb{R} "
    r"\text{if} \hat{a} \left( \right) \{ \} , ' \begin{pmatrix}a&b\end{pmatrix}".split()
)
FORMULAS = st.lists(TOKENS, max_size=12)


@given(FORMULAS)
def test_white_space_never_matters(tokens: list[str]) -> None:
    spaced, close = parse_latex("  \n ".join(tokens)), parse_latex(" ".join(tokens))
    assert spaced.tree == close.tree


@given(FORMULAS, FORMULAS)
def test_scripts_in_either_order_give_the_same_tree(above: list[str], below: list[str]) -> None:
    a, b = " ".join(above), " ".join(below)
    assert parse_latex(f"x^{{{a}}}_{{{b}}}").tree == parse_latex(f"x_{{{b}}}^{{{a}}}").tree


@given(FORMULAS)
def test_braces_around_a_formula_change_nothing(tokens: list[str]) -> None:
    formula = " ".join(tokens)
    assert parse_latex("{" + formula + "}").tree == parse_latex(formula).tree


@given(FORMULAS)
def test_renaming_a_variable_changes_only_that_label(tokens: list[str]) -> None:
    formula = " ".join(tokens)
    renamed = " ".join(token if token != "x" else "q" for token in tokens)
    before, after = parse_latex(formula).tree, parse_latex(renamed).tree
    labels = [node.label for node in before.nodes()]
    changed = [node.label for node in after.nodes()]
    assert len(labels) == len(changed)
    pairs = zip(labels, changed, strict=True)
    assert all(old == new or (old, new) == ("V!x", "V!q") for old, new in pairs)


@given(FORMULAS)
def test_string_form_reads_back(tokens: list[str]) -> None:
    tree = parse_latex(" ".join(tokens)).tree
    assert parse_tree(str(tree)) == tree
