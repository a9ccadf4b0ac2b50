"""Theorems of LaTeX as documents, their numbers, references and citations."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.formats.documents.latex.sections import read_latex
from porism.formats.dumps.rows import FilePart, PostRow

PREAMBLE = r"""\documentclass{article}
\newtheorem{thm}{Theorem}[section]
\newtheorem{lem}[thm]{Lemma}
\newtheorem*{rem}{Remark}
\newtheorem{fact}{Fact}
\title{On Rings}
\begin{document}
"""

PAPER = (
    PREAMBLE
    + r"""Welcome.
\section{Ideals}\label{sec:ideals}
Before.
\begin{lem}\label{lem:one} Let $a=1$. \end{lem}
\begin{proof} Obvious by \eqref{eq:main}. \end{proof}
Between.
\begin{thm}[Krull, \cite{krull}]
  There is a maximal ideal.
  \begin{equation}\label{eq:main} x = y \end{equation}
\end{thm}
Here the proof is far away.
\begin{proof} Use \cref{lem:one}, \ref{sec:ideals} and \autoref{eq:main}. \end{proof}
\subsection{Inside}
\begin{rem} Not numbered. \end{rem}
\begin{fact} Counted alone. \end{fact}
\section{Modules}
\begin{thm} Again; see \Cref{lem:one,eq:main}, \ref{none}, \cite[p.~3]{a,b}. \end{thm}
\end{document}
"""
)


def rows(folder: Path, text: str) -> list[PostRow]:
    path = folder / "paper.tex"
    path.write_text(text, encoding="utf-8")
    return list(read_latex(path, "notes/paper.tex", folder))


def titles(folder: Path, text: str) -> list[str | None]:
    return [row.title for row in rows(folder, PREAMBLE + text) if row.part and row.part.label]


def test_theorems_are_documents_with_their_numbers_headings_and_lines(tmp_path: Path) -> None:
    documents = rows(tmp_path, PAPER)
    assert [(row.name.partition("#")[2], row.title, row.line) for row in documents] == [
        ("", "On Rings", 1),
        ("1-ideals", "Ideals", 9),
        ("lem-one", "Lemma 1.1", 11),
        ("theorem-1-2", "Theorem 1.2 (Krull, [krull])", 14),
        ("remark", "Remark", 21),
        ("fact-1", "Fact 1", 22),
        ("2-modules", "Modules", 23),
        ("theorem-2-1", "Theorem 2.1", 24),
    ]
    assert documents[2].part == FilePart(
        "notes/paper.tex", ("On Rings", "Ideals", "Lemma 1.1"), "lem-one", "Lemma 1.1"
    )
    assert documents[4].part is not None
    assert documents[4].part.headings == ("On Rings", "Ideals", "Inside", "Remark")


def test_a_proof_belongs_to_the_statement_that_it_follows(tmp_path: Path) -> None:
    documents = {row.name.partition("#")[2]: row.body or "" for row in rows(tmp_path, PAPER)}
    assert "Obvious" in documents["lem-one"]
    assert "<strong>Proof</strong>" in documents["lem-one"]
    assert "Obvious" not in documents["1-ideals"]
    assert "Use" not in documents["theorem-1-2"]
    assert "Use" in documents["1-ideals"]


def test_a_section_links_to_its_theorems(tmp_path: Path) -> None:
    section = rows(tmp_path, PAPER)[1].body or ""
    assert '<p><a href="document:notes/paper.tex%23lem-one">Lemma 1.1</a>.</p>' in section
    assert "Let <span" not in section


def test_references_are_numbers_and_links(tmp_path: Path) -> None:
    documents = {row.name.partition("#")[2]: row.body or "" for row in rows(tmp_path, PAPER)}
    lemma = '<a href="document:notes/paper.tex%23lem-one">'
    theorem = '<a href="document:notes/paper.tex%23theorem-1-2">'
    assert f"{theorem}(1)</a>" in documents["lem-one"]
    assert f"{lemma}lemma 1.1</a>" in documents["1-ideals"]
    assert '<a href="document:notes/paper.tex%231-ideals">1</a>' in documents["1-ideals"]
    assert f"{theorem}Equation (1)</a>" in documents["1-ideals"]
    assert f"{lemma}Lemma 1.1</a> and {theorem}Equation (1)</a>" in documents["theorem-2-1"]
    assert "none, [a, b, p. 3]" in documents["theorem-2-1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r"\section*{A}\begin{thm}x\end{thm}", ["Theorem 0.1"]),
        (
            r"\section{A}\begin{thm}x\end{thm}\section{B}\begin{lem}x\end{lem}",
            ["Theorem 1.1", "Lemma 2.1"],
        ),
        (r"\appendix\section{A}\begin{thm}x\end{thm}", ["Theorem A.1"]),
        (r"\setcounter{section}{4}\section{A}\begin{thm}x\end{thm}", ["Theorem 5.1"]),
        (r"\section{A}\addtocounter{thm}{2}\begin{thm}x\end{thm}", ["Theorem 1.3"]),
        (r"\renewcommand{\thesection}{\Roman{section}}\section{A}\begin{thm}x\end{thm}",
         ["Theorem"]),
        (r"\renewcommand{\thethm}{\arabic{thm}}\section{A}\begin{thm}x\end{thm}", ["Theorem 1"]),
        (r"\begin{conjecture}x\end{conjecture}", ["Conjecture"]),
        (r"\begin{thm}x \begin{fact}y\end{fact}\end{thm}\begin{fact}z\end{fact}",
         ["Theorem 0.1", "Fact 2"]),
        (r"\begin{abstract}\begin{thm}x\end{thm}\end{abstract}", ["Theorem 0.1"]),
        (r"\begin{verbatim}\begin{thm}x\end{thm}\end{verbatim}", []),
        (r"\def\bt{\begin{thm}}\def\et{\end{thm}}\bt x\et", ["Theorem 0.1"]),
        (r"\begin{thm}never closed\section{A}\begin{thm}x\end{thm}",
         ["Theorem 0.1", "Theorem 1.1"]),
    ],
)  # fmt: skip
def test_numbers_are_those_of_latex_or_absent(
    text: str, expected: list[str], tmp_path: Path
) -> None:
    assert titles(tmp_path, text) == expected


def test_chapters_count_in_books(tmp_path: Path) -> None:
    text = PREAMBLE.replace("article", "book") + (
        r"\chapter{A}\section{B}\begin{thm}\label{t}x\end{thm}"
        r"\begin{equation}\label{e}y\end{equation} See \ref{t}, \ref{e}."
    )
    documents = rows(tmp_path, text)
    assert documents[-1].title == "Theorem 1.1.1"
    assert ">1.1.1</a>" in (documents[0].body or "")
    assert ">1.1</a>" in (documents[0].body or "")


def test_inner_theorems_have_numbers(tmp_path: Path) -> None:
    (document,) = rows(tmp_path, PREAMBLE + r"\begin{thm}x \begin{fact}[A]y\end{fact} \end{thm}")[
        1:
    ]
    assert "<strong>Fact 1</strong> (A). y" in (document.body or "")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"\begin{align} a \label{a} \\ b \nonumber \\ c \label{c} \end{align}", ("1", "2")),
        (r"\begin{align*} a \label{a} \\ c \label{c} \end{align*}", ("a", "c")),
        (r"\begin{align} a \tag{$*$}\label{a} \\ c \label{c} \end{align}", ("$*$", "1")),
        (r"\begin{equation}\label{a} a \end{equation}\[b\]"
         r"\begin{gather}\label{c} c \end{gather}", ("1", "2")),
        (r"\begin{equation}\begin{aligned} a \\ b \end{aligned}\label{a}\end{equation}"
         r"\begin{equation}\label{c}c\end{equation}", ("1", "2")),
        (r"\begin{subequations}\begin{align} a \label{a} \\ c \label{c} \end{align}"
         r"\end{subequations}", ("1a", "1b")),
        (r"\begin{figure}\caption{A}\label{a}\end{figure}"
         r"\begin{figure}\caption{C}\label{c}\end{figure}", ("1", "2")),
        (r"\numberwithin{equation}{section}\section{S}\begin{equation}\label{a}a\end{equation}"
         r"\label{c}", ("1.1", "1")),
    ],
)  # fmt: skip
def test_equations_and_figures_are_counted(
    formula: str, expected: tuple[str, str], tmp_path: Path
) -> None:
    documents = rows(tmp_path, PREAMBLE + formula + r" \paragraph{See} (\ref{a}|\ref{c})")
    body = " ".join(row.body or "" for row in documents)
    end = body[body.rindex("See") :]
    pieces = [part.partition("</a>")[0] for part in end.split("paper.tex")[1:]]
    numbers = tuple(part.partition(">")[2] for part in pieces)
    dollars = {'<span class="math-container">*</span>': "$*$"}
    assert tuple(dollars.get(number, number) for number in numbers) == expected


def test_references_in_formulas_are_only_numbers(tmp_path: Path) -> None:
    text = PREAMBLE + r"\begin{thm}\label{t}x\end{thm} $a \text{ by \ref{t}}$"
    (document, _) = rows(tmp_path, text)
    assert r'<span class="math-container">a \text{ by 0.1}</span>' in (document.body or "")


PIECES = r"""
\section{ } { \label{a} \ref{a} \begin{thm} \end{thm} \begin{proof} \end{proof} \begin{align} \\
\end{align} \caption{ \begin{figure} \end{figure} \appendix \setcounter{section}{3} [ ] \cite{a}
\begin{subequations} \end{subequations} \newtheorem{thm}[thm]{T} \newtheorem{a}{A}[a] \tag{1} $ x
\numberwithin{section}{section} \renewcommand{\thethm}{\thethm.\arabic{thm}} \nonumber \cref{a,b}
""".split()


def test_unclosed_and_many_constructs_cost_little(tmp_path: Path) -> None:
    for text in (*PIECES, r"\begin{thm}x\end{thm}", r"\section{A}\ref{a}", r"\begin{a}"):
        rows(tmp_path, PREAMBLE + text * 1_000)


@given(st.lists(st.sampled_from([*PIECES, " ", "\n\n"]), max_size=30))
def test_any_source_becomes_documents_with_different_names(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    documents = rows(tmp_path_factory.mktemp("latex"), PREAMBLE + "".join(pieces))
    names = [row.name for row in documents]
    assert len(set(names)) == len(names)
