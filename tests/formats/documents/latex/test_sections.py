"""LaTeX as documents: formulas, prose, definitions and sections."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from porism.formats.documents.latex.sections import latex_html, read_latex
from porism.formats.dumps.rows import PostRow
from porism.formats.markup.formulas import find_formulas


def body(text: str) -> str:
    return latex_html(text).body


def line(text: str) -> str:
    """The HTML of a single paragraph."""
    markup = body(text)
    assert markup.count("<p>") == 1
    return markup.removeprefix("<p>").removesuffix("</p>\n")


def formulas(text: str) -> list[str]:
    return [formula.latex for formula in find_formulas(body(text))]


def sections(folder: Path, text: str) -> list[PostRow]:
    path = folder / "book.tex"
    path.write_text(text, encoding="utf-8")
    return list(read_latex(path, "notes/book.tex", folder))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$x$, $$y$$, \\(z\\), \\[w\\]", ["x", "y", "z", "w"]),
        (r"$a < b \& c$", [r"a < b \& c"]),
        (r"\begin{equation}\label{a} x \end{equation}", ["x"]),
        (r"\begin{displaymath}x\end{displaymath}\begin{math}y\end{math}", ["x", "y"]),
        (r"\[ x \\[2pt] y \]", [r"x \\[2pt] y"]),
        (r"$x \text{ if $y$}$", [r"x \text{ if $y$}"]),
        (r"\ensuremath{x^2}", ["x^2"]),
        (r"$$\begin{aligned}x\end{aligned}$$", [r"\begin{aligned}x\end{aligned}"]),
        ("$x% not $y$\n+z$", ["x+z"]),
        (r"\section{On $x$}", ["x"]),
        (r"\footnote{see $x$}", ["x"]),
        (r"\begin{theorem}[of $x$] $y$ \end{theorem}", ["x", "y"]),
        (r"\item[$x$] $y$", ["x", "y"]),
        (r"\emph{a $x$ b} $y$", ["x", "y"]),
        (r"$\label{a}x$", ["x"]),
        ("$x\n\ny$", []),
        (r"\$x\$", []),
        ("% $x$", []),
        (r"\verb|$x$|", []),
        ("\\begin{verbatim}\n$x$ % y\n\\end{verbatim}", []),
        (r"\begin{comment}$x$\end{comment}", []),
        (r"\iffalse $x$ \fi", []),
        (r"\begin{tikzpicture}\node{$x$};\end{tikzpicture}", []),
        ("$$ $$", []),
        ("one $ alone", []),
        (r"\begin{align} x", []),
    ],
)
def test_formulas_become_spans(text: str, expected: list[str]) -> None:
    assert formulas(text) == expected


@pytest.mark.parametrize(
    "name", ["align", "align*", "gather", "multline", "eqnarray", "eqnarray*", "alignat*", "array"]
)
def test_environments_with_rows_stay_complete(name: str) -> None:
    source = rf"\begin{{{name}}} a &= b \\ c &= d \end{{{name}}}"
    assert formulas(f"so {source} holds") == [source]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\emph{a} \textbf{b} {\em c} \textit{d}", "a b c d"),
        (r"a\cite[p.~3]{key}\label{x}\index{y}, see~\ref{eq:1} and \eqref{eq:2}", None),
        ("a~b -- c---d", "a b – c—d"),
        ("``quoted'' and `so'", "“quoted” and ‘so'"),
        (r"\'e \`{a} \^\i \"{o} \c{c} \v{s} \H o \~n \ss{} \o", "é à î ö ç š ő ñ ß ø"),
        (r"Erd\H{o}s, M\"obius, \L ukasiewicz", "Erdős, Möbius, Łukasiewicz"),
        (r"50\% \& \#1 \_ \{a\}", "50% &amp; #1 _ {a}"),
        (r"\$5 < \textbackslash", "&#36;5 &lt; &#92;"),
        (r"\href{http://a.org/x%20y}{there} \url{http://b.org/z%20}", "there http://b.org/z%20"),
        (r"a\footnote{b \emph{c}} d", "a (b c) d"),
        (r"\unknown{a} \unknown[b]{c} \textcolor{red}{d}", "a c d"),
        (r"\PMlinkname{a}{B} \PMlinkexternal{c}{http://d}", "a c"),
        (r"a\vspace{1cm}\vskip 2pt\parindent=0pt b", "ab"),
        (r"a\\[2pt] b", "a<br> b"),
        (r"\verb|\x{<|", "<code>\\x{&lt;</code>"),
        ("a % comment\nb", "a b"),
        ("a%\n  b", "ab"),
        (r"100\% % comment", "100%"),
        (r"\begin{center} a \end{center}", "a"),
        (r"\begin{tabular}{ll} a & b \\ \multicolumn{2}{c}{d} \end{tabular}", "a   b <br> d"),
        (r"} a { b \end{x} \begin{y}", "a  b"),
    ],
)
def test_prose_is_readable(text: str, expected: str | None) -> None:
    assert line(text) == (expected or "a, see eq:1 and  (eq:2)")


def test_paragraphs_lists_quotes_and_listings() -> None:
    text = r"""One
two.

Three.
\begin{enumerate}[(a)]
\item a
\item[b)] c
  \begin{itemize} \item d \end{itemize}
\end{enumerate}
\begin{quote}e\end{quote}
\begin{lstlisting}[language=C]
if (a<b) % c;
\end{lstlisting}
\subsection*{F}"""
    assert body(text) == (
        "<p>One\ntwo.</p>\n<p>Three.</p>\n"
        "<ol><li><p>a</p>\n</li>\n<li><p><strong>b)</strong>  c</p>\n<ul><li><p>d</p>\n</li></ul>\n"
        "</li></ol>\n<blockquote><p>e</p>\n</blockquote>\n"
        "<pre><code>if (a&lt;b) % c;</code></pre>\n<h3>F</h3>\n"
    )


def test_comments_do_not_end_paragraphs_but_blank_lines_after_them_do() -> None:
    assert body("a\n% x\nb") == "<p>a\nb</p>\n"
    assert body("a % x\n\nb") == "<p>a</p>\n<p>b</p>\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\begin{theorem}Text.\end{theorem}", "<strong>Theorem</strong>. Text."),
        (r"\begin{lem*}[Zorn]Text.\end{lem*}", "<strong>Lemma</strong> (Zorn). Text."),
        (
            r"\newtheorem{bsp}[thm]{Beispiel}[section]\begin{bsp}Text.\end{bsp}",
            "<strong>Beispiel</strong>. Text.",
        ),
    ],
)
def test_theorems_have_titles(text: str, expected: str) -> None:
    assert line(text) == expected


def test_definitions_are_passed_on_and_not_printed() -> None:
    fragment = latex_html(
        r"\newcommand{\R}{\mathbb{R}}\renewcommand*\vec[1]{\mathbf{#1}} \def\a#1{a_{#1}}"
        "\n"
        r"\DeclareMathOperator*{\argmin}{arg\,min} \let\eps=\varepsilon \providecommand{\x}"
        "\n"
        r"  [2][y]{#1#2} text \newcommand{\broken}{"
    )
    assert fragment.macros.splitlines() == [
        r"\newcommand{\R}{\mathbb{R}}",
        r"\renewcommand*\vec[1]{\mathbf{#1}}",
        r"\def\a#1{a_{#1}}",
        r"\DeclareMathOperator*{\argmin}{arg\,min}",
        r"\let\eps=\varepsilon",
        r"\providecommand{\x} [2][y]{#1#2}",
    ]
    assert "text" in fragment.body
    assert "mathbb" not in fragment.body


def test_macros_of_prose_are_expanded() -> None:
    text = (
        r"\newcommand{\ie}{i.e.\ }\newcommand{\by}[2][me]{#2 by #1}\def\pair#1#2{(#1, #2)}"
        r"\ie \by{one}, \by[you]{two}, \pair{a}{$b$}"
    )
    assert line(text) == ('i.e. one by me, two by you, (a, <span class="math-container">b</span>)')


def test_macros_for_environments_are_expanded() -> None:
    text = r"\newcommand{\be}{\begin{equation}}\def\ee{\end{equation}} \be x \ee y"
    assert formulas(text) == ["x"]


def test_endless_macros_are_abandoned() -> None:
    assert body(r"\def\a{\b\b}\def\b{\a\a} x \a y").startswith("<p>x")
    assert body(r"\newcommand{\a}[1]{#1#1\a{#1#1}} \a{x} y").endswith("y</p>\n")


BOOK = r"""\documentclass{book} % \section{no}
\newcommand{\R}{\mathbb{R}}
\newcommand{\mysection}[1]{\section{#1}}
\title{A Book of $\R$} \date{2020-01-02} \keywords{rings, fields}
\begin{document}
\maketitle
\begin{abstract}All of it.\end{abstract}
\chapter{First}
\section[short]{Group \emph{actions} on $\R$}
\label{sec:a}
Text.
\subsection{Inside}
More.
\begin{verbatim}
\section{no}
\end{verbatim}

\section*{}
Last.
\end{document}
\section{no}"""


def test_sections_are_documents_with_the_definitions_of_the_preamble(tmp_path: Path) -> None:
    rows = sections(tmp_path, BOOK)
    assert [(row.name, row.title, row.line) for row in rows] == [
        ("notes/book.tex", 'A Book of <span class="math-container">\\R</span>', 1),
        (
            "notes/book.tex#2-group-actions-on",
            'Group actions on <span class="math-container">\\R</span>',
            9,
        ),
        ("notes/book.tex#3", 'A Book of <span class="math-container">\\R</span>', 18),
    ]
    assert rows[0].body == "<p><strong>Abstract</strong>. All of it.</p>\n"
    assert "<h3>Inside</h3>\n<p>More.</p>" in (rows[1].body or "")
    assert {row.macros.splitlines()[0] for row in rows} == {r"\newcommand{\R}{\mathbb{R}}"}
    assert {(row.tags, row.created) for row in rows} == {(("rings", "fields"), "2020-01-02")}


def test_file_without_sections_is_one_document(tmp_path: Path) -> None:
    (row,) = sections(tmp_path, "Only $x$.")
    assert (row.name, row.title, row.line) == ("notes/book.tex", "book", 1)


def test_empty_file_is_not_a_document(tmp_path: Path) -> None:
    assert sections(tmp_path, "% nothing\n\\documentclass{article}\\begin{document}") == []


def test_included_files_are_inserted(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "one.tex").write_text("\n\n\\section{One}\nA \\input{two}", "utf-8")
    (tmp_path / "parts" / "two.tex").write_text("\\newcommand{\\R}{R} B", "utf-8")
    rows = sections(tmp_path, "x\n\\input parts/one\n\\section{Two}\n\\include{parts/two.tex}C")
    assert [(row.name, row.body, row.line, row.macros) for row in rows] == [
        ("notes/book.tex", "<p>x</p>\n", 1, r"\newcommand{\R}{R}"),
        ("notes/book.tex#1-one", "<p>A  B</p>\n", 3, r"\newcommand{\R}{R}"),
        ("notes/book.tex#2-two", "<p>C</p>\n", 3, r"\newcommand{\R}{R}"),
    ]
    files = [row.part.path for row in rows if row.part]
    assert files == ["notes/book.tex", "notes/parts/one.tex", "notes/book.tex"]


def test_files_outside_the_folder_and_loops_are_skipped(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (tmp_path / "secret.tex").write_text("secret", encoding="utf-8")
    (folder / "link.tex").symlink_to(tmp_path / "secret.tex")
    (folder / "circle.tex").symlink_to(folder / "circle.tex")
    (folder / "loop.tex").write_text(r"loop \input{book} \input{loop}", encoding="utf-8")
    names = ["../secret", str(tmp_path / "secret"), "link", "circle", "none", "loop", "x" * 5_000]
    (row,) = sections(folder, "a " + " ".join(rf"\input{{{name}}}" for name in names))
    assert (row.body or "").split() == ["<p>a", "loop</p>"]


PIECES = r"""
$ $$ \ \( \) \[ \] { } % & ~ -- `` '' # ^ _ \' \c \begin{ \end{ \begin{itemize} \end{itemize}
\item \item[ ] [ \begin{align} \end{align} \begin{verbatim} \end{verbatim} \verb| | \section{
\emph{ \footnote{ \newcommand{\a}{ \def\a \a \let \cite{ \href{ \begin{theorem}[ \\ \par < >
\begin{tabular}{ll} \begin{document} \end{document} \title{ \newtheorem{a}{b} \input{x}
\iffalse \fi \begin{quote} \PMlinkname{ \ensuremath{ \paragraph{ \bibitem
""".split()


@given(st.lists(st.sampled_from([*PIECES, "\n", "\n\n"]) | st.text(max_size=2), max_size=40))
def test_any_text_becomes_html_with_formulas_only_in_spans(pieces: list[str]) -> None:
    markup = body("".join(pieces))
    html.fromstring(f"<div>{markup}</div>")
    assert len(find_formulas(markup)) == markup.count('<span class="math-container">')


def test_unclosed_constructs_cost_little() -> None:
    for text in PIECES:
        body("a " + text * 2_000)


def test_unclosed_comments_cost_little() -> None:
    for beginning in (r"\iffalse ", r"\begin{verbatim} ", r"\begin{comment} ", r"\[ "):
        assert "end" in body(beginning * 10_000 + "end")


def test_two_dollars_in_a_table_are_an_empty_cell() -> None:
    assert formulas(r"\begin{tabular}{ccc} $$&$a$&$$ \\ $b$&$$&$c$ \end{tabular}") == list("abc")


def test_delimiters_may_occur_in_the_text_of_a_formula() -> None:
    assert formulas(r"\(a \mbox{ if \(b\)}\) and \[c\]") == [r"a \mbox{ if \(b\)}", "c"]


def test_unclosed_delimiter_does_not_reach_the_next() -> None:
    assert formulas(r"\[a and \[b\]") == ["b"]


def test_definitions_with_delimited_arguments_and_of_environments_are_not_printed() -> None:
    assert line(r"\def\bea#1\eea{\begin{align}#1\end{align}} x") == "x"
    assert line(r"\newenvironment{a}{\begin{quote}In: }{\end{quote} out} x") == "x"
