"""Locating formulas in HTML, and dollars that are not formulas."""

import time

import pytest

from porism.formats.markup.formulas import LocatedFormula, MarkupRepair, find_formulas


def latex(markup: str) -> list[str]:
    return [formula.latex for formula in find_formulas(markup)]


def only(markup: str) -> LocatedFormula:
    [formula] = find_formulas(markup)
    return formula


def test_span_with_id_needs_no_repair() -> None:
    markup = 'Let <span class="math-container" id="12">x^2</span> be'
    assert find_formulas(markup) == [LocatedFormula(4, markup.index(" be"), "x^2", "12")]


@pytest.mark.parametrize(
    "markup",
    [
        '<span id="q_3" class="math-container">x</span>',
        "<span class='math-container' id='q_3'>x</span>",
        "<span class=math-container id=q_3>x</span>",
        '<SPAN  CLASS="math-container"\n ID="q_3" >x</SPAN >',
        '<span class="big math-container" visual_id="8" id="q_3">x</span>',
    ],
)
def test_attributes_may_have_any_order_and_quoting(markup: str) -> None:
    assert only(markup) == LocatedFormula(0, len(markup), "x", "q_3")


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        ("$x$", "x"),
        ("$$ x $$", "x"),
        (r"\(x\)", "x"),
        (r"\[x\]", "x"),
        (" $x$ ", "x"),
        (r"$\(x\)$", "x"),
        (r"$\begin{align}a\end{align}$", r"\begin{align}a\end{align}"),
        ("$1", "1"),
        ("x$", "x"),
        ("${x$", "{x"),
        ("$ $", ""),
        ("$", ""),
    ],
)
def test_delimiters_in_a_span_are_removed(inner: str, expected: str) -> None:
    formula = only(f'<span class="math-container" id="1">{inner}</span>')
    assert (formula.latex, formula.repairs) == (expected, (MarkupRepair.DOLLARS,))


@pytest.mark.parametrize(
    "inner",
    [
        "",
        r"\$5\$",
        r"\text{if $x$}",
        r"$a$ or $b$",
        r"\@@eqnarray$a$&amp;$b$",
        r"x\ ",
        r"\(a\)\(b\)",
    ],
)
def test_dollars_that_belong_to_the_formula_stay(inner: str) -> None:
    formula = only(f'<span class="math-container" id="1">{inner}</span>')
    assert (formula.latex, formula.repairs) == (inner.replace("&amp;", "&"), ())


def test_surrounding_blanks_are_removed_except_that_of_a_command() -> None:
    assert latex(r"$ x $ and $\ x\ $ and $x\\ $") == ["x", "\\ x\\ ", "x\\\\"]


def test_span_without_id_is_counted() -> None:
    assert only('<span class="math-container">x</span>').repairs == (MarkupRepair.NO_ID,)
    both = only('<span class="math-container">$x$</span>')
    assert both.repairs == (MarkupRepair.NO_ID, MarkupRepair.DOLLARS)


@pytest.mark.parametrize(
    ("inner", "expected", "repairs"),
    [
        ("a &lt; b &amp; c", "a < b & c", ()),
        ("a &amp;lt; b", "a < b", (MarkupRepair.DOUBLE_ESCAPED,)),
        ("a &amp;amp;gt; b", "a > b", (MarkupRepair.DOUBLE_ESCAPED,)),
        ("a &amp;amp;= b", "a &= b", (MarkupRepair.DOUBLE_ESCAPED,)),
        ("f&amp;#39;(x)", "f'(x)", (MarkupRepair.DOUBLE_ESCAPED,)),
        ("a &lt b", "a &lt b", ()),
        ("a &amp;lt b", "a &lt b", ()),
        ("a &not= b &times; c", "a &not= b × c", ()),
        ("a &amp;eacute; b &#233;", "a &eacute; b é", ()),
        ("0<t<p, a&b", "0<t<p, a&b", ()),
    ],
)
def test_entities_are_decoded_and_alignments_unchanged(
    inner: str, expected: str, repairs: tuple[MarkupRepair, ...]
) -> None:
    formula = only(f'<span class="math-container" id="1">{inner}</span>')
    assert (formula.latex, formula.repairs) == (expected, repairs)


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (r"\alpha<br>x<br/>y", r"\alpha x y"),
        ("a<em>1 + b</em>2", "a1 + b2"),
        ('a<a href="http://x.y/?q=$">b</a>', "ab"),
        ("<i>x</i> &lt; H=<a>", "x < H=<a>"),
        ("<g,e_n> <b> <p<1", "<g,e_n> <b> <p<1"),
    ],
)
def test_tags_in_a_formula_are_removed_and_signs_kept(inner: str, expected: str) -> None:
    assert latex(f'<span class="math-container" id="1">{inner}</span>') == [expected]
    assert latex(f"${inner}$") == [expected]


def test_outer_span_takes_the_id_of_an_inner_one() -> None:
    markup = '<span class="math-container">$<span class="math-container" id="q_5">x</span> $</span>'
    assert only(markup) == LocatedFormula(0, len(markup), "x", "q_5", "", (MarkupRepair.DOLLARS,))


def test_span_closed_by_the_end_of_another_has_no_formula() -> None:
    inner = [f'<span class="math-container" id="{number}">x</span>' for number in (1, 2)]
    markup = '<span class="math-container">$1<x< span="">' + " and ".join(inner) + "</span>"
    assert [formula.id for formula in find_formulas(markup)] == ["1", "2"]


def test_unclosed_span_is_skipped() -> None:
    markup = '<p><span class="math-container" id="1">$x$</p> <p>$y$</span></p>'
    assert [formula.repairs for formula in find_formulas(markup)] == [(MarkupRepair.UNMARKED,)] * 2


def test_other_spans_are_not_formulas() -> None:
    assert latex('<span class="x">a</span> <span>$b$</span> <span="" id="3">') == ["b"]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("If $x$, then", "x"),
        ("so $$x = 1$$", "x = 1"),
        (r"so \(x\)", "x"),
        (r"so \[x = 1\]", "x = 1"),
        ("so $x\n+ y$", "x\n+ y"),
        ("$a<br/>+ b$", "a + b"),
        ("$a &lt; b$", "a < b"),
        (r"$x \text{ if $y > 0$}$", r"x \text{ if $y > 0$}"),
        (r"$$x \text{ if $y$$z$}$$", r"x \text{ if $y$$z$}"),
        (r"$\$5$", r"\$5"),
        (r"$\{x$", r"\{x"),
        (r"a\\$x$", "x"),
        (r"$\($x$\)$", r"\("),
    ],
)
def test_formulas_between_delimiters_are_located(markup: str, expected: str) -> None:
    formula = find_formulas(markup)[0]
    assert (formula.latex, formula.repairs) == (expected, (MarkupRepair.UNMARKED,))


@pytest.mark.parametrize("name", ["equation", "align*", "gather", "multline", "array", "pmatrix"])
def test_environments_are_formulas_by_themselves(name: str) -> None:
    source = rf"\begin{{{name}}}a &amp; \begin{{{name}}}b\end{{{name}}}\\ c $x$ \end{{{name}}}"
    formula = only(f"<p>Now {source} so</p>")
    assert formula.latex == source.replace("&amp;", "&")
    assert formula.start == 7


def test_environments_of_prose_are_not_formulas() -> None:
    assert latex(r"\begin{itemize}$x$\end{itemize} \begin{align}y") == ["x"]


@pytest.mark.parametrize(
    "markup",
    [
        "<pre>$x$</pre>",
        "<code>$x$</code>",
        "<pre><code>$x$</code> \\(x\\)</pre>",
        "<script>$x$</script>",
        "<STYLE type='a'>$x$</STYLE>",
        "<textarea>$x$</textarea>",
        "<!-- $x$ -->",
        '<a href="?a=$x$&b=$y$">z</a>',
        "<img alt='$x$' src=\"$\">",
        "type `$x$` for this",
        "type ``$x$`` for this",
        r"\$x\$ and \\(x\\)",
        "$<p>x</p>$",
        "$x</li><li>y$",
        "<td>$x</td><td>y$</td>",
        '$x<span class="u math-container">',
        "$ $ and $$ $$ and $$$$",
        "$x \\$",
    ],
)
def test_markup_without_formulas(markup: str) -> None:
    assert find_formulas(markup) == []


def test_marked_formulas_in_code_are_located() -> None:
    assert latex('<code>$x$ <span class="math-container" id="1">y</span></code> $z$') == ["y", "z"]


def test_amount_before_a_formula_does_not_hide_it() -> None:
    assert latex("The price is $5. If $x = 3$ then $y=4$.") == ["x = 3", "y=4"]


def test_backticks_of_tex_quotes_hide_nothing() -> None:
    assert latex("``$a$'' and `$b$' and (``$c$'',``$d$'')") == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "markup",
    [
        "it costs $5 and $10",
        "it costs $5, $10 or $15.",
        "it costs $5-$10, or $5/$10",
        "it costs $5k, $6k",
        "$2 + $3 = $5",
        "USD$5 vs USD$6",
        "from $5 million to $7 million",
        "US$ 20 or US$ 30",
        "US$20 and US$30",
        "($5 or ($10",
        "it was 345$ and then 400$ or so",
        "you win $5. Then you have $6.",
        "$1,000 $2,000",
        "pay $5 if you have x = 3 coins of it and $6 if not",
        "add $ around formulas, in the $ way",
    ],
)
def test_amounts_of_money_are_not_formulas(markup: str) -> None:
    assert find_formulas(markup) == []


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("$n$ boys", ["n"]),
        ("for $5$ or $10$", ["5", "10"]),
        ("$1010, 1111$ are", ["1010, 1111"]),
        ("$5 $, so", ["5"]),
        ("$2 + 3 $ is", ["2 + 3"]),
        ("$a^2 = $ product", ["a^2 ="]),
        ("$Ab$ and $abcd $", ["Ab", "abcd"]),
        ("$f(x)=0 if x is not rational$", ["f(x)=0 if x is not rational"]),
        (r"$ x = 1 \text{ if y is not so and then} $", [r"x = 1 \text{ if y is not so and then}"]),
        ("$10 choose 3 $ ways", ["10 choose 3"]),
        ("$a$ $b$", ["a", "b"]),
        ("$x$$y$", ["x", "y"]),
    ],
)
def test_numbers_and_letters_between_dollars_are_formulas(markup: str, expected: list[str]) -> None:
    assert latex(markup) == expected


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("it costs $5 if $x = 1$", ["x = 1"]),
        ("I pick $|c| surely, but why is it half of $x$ then", ["x"]),
        ("4.99$? Let $x$ be and $y$", ["x", "y"]),
        ("<p>a $ b</p> <p>$x$</p>", ["x"]),
        ("${a ${ and $x$", ["x"]),
        ("$$a and $x$", ["x"]),
        (r"\(a and \(x\)", ["x"]),
        (r"\begin{align} a <p>$x$</p>", ["x"]),
        ("<code>a $x$", ["x"]),
        ("<!-- $x$", ["x"]),
        ("<math>$x$", ["x"]),
        ('<math alttext="$y$"> $x$', ["x"]),
        ('<code title="$y$"> $x$', ["x"]),
    ],
)
def test_unclosed_delimiters_hide_no_formulas(markup: str, expected: list[str]) -> None:
    assert latex(markup) == expected


MATHML = "<math xmlns='m'><mi>x</mi></math>"


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ('<math alttext="a &lt; b"><mi>a</mi></math>', LocatedFormula(0, 42, "a < b")),
        (
            '<math><semantics><mi>a</mi><annotation encoding="application/x-tex">a&amp;'
            "</annotation></semantics></math>",
            LocatedFormula(0, 106, "a&"),
        ),
        (MATHML, LocatedFormula(0, len(MATHML), "", mathml=MATHML)),
    ],
)
def test_mathml_gives_its_latex_or_itself(markup: str, expected: LocatedFormula) -> None:
    assert only(markup) == expected._replace(repairs=(MarkupRepair.UNMARKED,))


def test_mathml_in_a_span_gives_the_formula_of_the_span() -> None:
    markup = '<span class="math-container" id="5">{}</span>'
    formula = only(markup.format('<math alttext="x_1"><mi>y</mi></math>'))
    assert (formula.latex, formula.id, formula.mathml) == ("x_1", "5", "")
    silent = only(markup.format(MATHML))
    assert (silent.latex, silent.id, silent.mathml, silent.repairs) == ("", "5", MATHML, ())


@pytest.mark.parametrize(
    "unit",
    r"""
    $ ${ $x} $$ $${ \( \({ \[ \begin{align} \begin{align}{ <span <math> <math></math <pre> <code>
    <!-- <script> <p> < & &amp; &amp;amp ` `a ``a \ \$ \\ { } <i> $\text{$
    <span/class="math-container"> <span/class="math-container"><math> <a/href=" <a/href="$
    $5/and/ $/word/or/
    """.split(),
)
def test_time_is_linear_in_the_size(unit: str) -> None:
    """Eight times the size may take thirty times as long at most; the square would be 64 times."""
    repeated = unit.replace("/", " ")
    short, long = (_seconds(repeated * size) for size in (500, 4_000))
    assert long < max(30 * short, 0.05)


def _seconds(markup: str) -> float:
    times = []
    for _ in range(2):
        start = time.process_time()
        find_formulas(markup)
        times.append(time.process_time() - start)
    return min(times)
