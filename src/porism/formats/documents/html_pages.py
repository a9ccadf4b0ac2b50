"""HTML pages as documents: the visible text without navigation, and formulas.

Formulas between delimiters stay unchanged and are located later. Formulas marked up for MathJax,
KaTeX or MediaWiki, or as MathML, become spans of LaTeX if the page has it, and else stay MathML.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from porism.formats.documents.html_cleaner import cleaned_html, page_text, page_tree
from porism.formats.documents.html_fragments import HtmlFragment, fragment_documents
from porism.formats.documents.mathjax_macros import mathjax_macros
from porism.formats.documents.source_text import comma_separated, file_text, iso_date
from porism.formats.dumps.rows import PostRow
from porism.formats.markup.html_syntax import escaped


def read_html_page(path: Path, name: str) -> Iterator[PostRow]:
    """The page as one document, or none if it has no visible text.

    Its title is that of the page, else its first heading, else the file's name.
    """
    yield from fragment_documents(page_html(file_text(path)), path, name)


def page_html(text: str) -> HtmlFragment:
    """A whole page as HTML with nothing but text, structure and formulas.

    >>> page_html("<title>Sets</title><nav>Home</nav><p class=x>Let $a &lt; b$").body
    '<p>Let $a &lt; b$</p>\\n'
    """
    root = page_tree(text)
    if root is None:
        return HtmlFragment("")
    title = page_text(root.find(".//{*}head/{*}title")) or page_text(root.find(".//{*}h1"))
    keywords = created = ""
    for meta in root.iter("{*}meta"):
        kind = (meta.get("name") or meta.get("property") or "").lower()
        if kind == "keywords":
            keywords = meta.get("content", "")
        elif kind in _DATES:
            created = created or meta.get("content", "")
    macros = (mathjax_macros(script.text) for script in root.iter("{*}script"))
    return HtmlFragment(
        cleaned_html(root),
        escaped(title),
        comma_separated(keywords),
        iso_date(created),
        "\n".join(filter(None, macros)),
    )


_DATES = frozenset(
    "date dc.date dcterms.date dcterms.created citation_date article:published_time".split()
)


def fragment_html(markup: str) -> str:
    """A piece of HTML, cleaned like a page."""
    return page_html(markup).body
