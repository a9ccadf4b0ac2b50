"""Notes: Markdown, LaTeX, HTML and plain text give documents whose formulas can be located."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st

from fuzz.html_texts import SAMPLES as HTML
from fuzz.html_texts import WORDS as TAGS
from fuzz.properties import Property, file_of, refusals
from fuzz.strategies import WORDS as LATEX
from fuzz.strategies import mutated, noise, repeated, soup
from porism.formats.documents import read_document_file
from porism.formats.dumps.rows import PostRow
from porism.formats.markup import content

WORDS = (
    *TAGS,
    *LATEX,
    *r"""
    # ## --- *** ``` ~~~ * ** _ __ > >> - + 1. [ ] ( ) ![ ](x) [a]: <http://a> | |-| \\( \\) \\[ \\]
    ::: $`a`$ {{ }} {% %} title: date: tags: [^1] <https:// &nbsp; :---: ==== ____
    \documentclass{article} \begin{document} \end{document} \section{ \chapter* \input{a}
    \include{ \begin{verbatim} \end{verbatim} \verb|a| \iffalse \fi % \newtheorem{a}{b} \begin{a}
    \item \begin{itemize} \end{itemize} \footnote{ \cite{ \label{ \newcommand{\R}[1]{ \def\x#1{
    \begin{tabular}{ \end{tabular} \maketitle \title{ \author{ \endinput \begin{comment} \url{
    """.split(),
    "---\n",
    "\n\n",
    "\n    ",
    "\n- ",
    "\n> ",
    "\n```\n",
    "\n$$\n",
    "\r\n",
)
SAMPLES = (
    *HTML,
    "---\ntitle: A note\ntags: [a, b]\ndate: 2020-01-02\n---\n\n# Groups\n\nLet $G$ be $$a^2$$.\n",
    "- one $a$\n- two\n  1. three `$b$`\n\n> quoted\n\n| a | b |\n|---|---|\n| $x$ | y |\n",
    "[link](https://example.org 'title') ![alt](p.png) <b>$x$</b>\n\n```tex\n$x$\n```\n",
    "\\documentclass{article}\\newcommand{\\R}{\\mathbb R}\\begin{document}\\title{On $x$}\n"
    "\\section{One}Let $x \\in \\R$.\\begin{align}a&=b\\end{align}\\end{document}",
    "\\begin{theorem}[Euler] \\begin{itemize}\\item $e^{i\\pi}$\\end{itemize}\\end{theorem}% end\n",
)


def check_note(suffix: str, text: str) -> None:
    """Read the text as a file with that suffix, and the content of each of its documents."""
    data = text.encode("utf-8", "replace")
    with file_of(data, f"note{suffix}") as path, refusals(data):
        for row in read_document_file(path, path.name):
            assert isinstance(row, PostRow)
            assert row.body or row.title
            assert row.name.startswith(path.name)
            content(row.body or "")
            content(row.title or "")


PROPERTIES = tuple(
    Property(f"{suffix[1:]}-{kind}", strategy, partial(check_note, suffix))
    for suffix in (".md", ".tex", ".html", ".txt")
    for kind, strategy in (
        ("text", noise() | soup(WORDS) | mutated(SAMPLES, WORDS)),
        ("repeated", repeated(WORDS)),
    )
)


def check_bytes(data: bytes) -> None:
    """Text in any encoding is read or refused."""
    with file_of(data, "note.txt") as path, refusals(data):
        list(read_document_file(path, path.name))


PROPERTIES += (Property("bytes", st.binary(max_size=300), check_bytes),)
