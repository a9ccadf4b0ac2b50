"""The frame of a report page: facts and notes, a table of contents, sections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from porism.pages.html_page import html_page

Section = tuple[str, str, str]
"""The id of a section, its heading, and its body as HTML."""


def sections_page(title: str, about: str, sections: Iterable[Section], style: str) -> str:
    """The page; sections without a body are omitted. ``style`` follows that of all reports."""
    present = [section for section in sections if section[2]]
    links = "\n".join(
        f'<li><a href="#{name}">{escape(heading)}</a></li>' for name, heading, _ in present
    )
    bodies = "\n".join(
        f'<section id="{name}">\n<h2>{escape(heading)}</h2>\n{body}\n</section>'
        for name, heading, body in present
    )
    return html_page(
        title,
        f"<main>\n<h1>{escape(title)}</h1>\n{about}\n"
        f'<nav aria-label="Contents"><ul>\n{links}\n</ul></nav>\n{bodies}\n</main>',
        _STYLE + style,
    )


def about_html(facts: Sequence[str], notes: Iterable[str]) -> str:
    """The non-empty facts on one line, with the notes below as a list."""
    items = "\n".join(f"<li>{escape(note)}</li>" for note in notes)
    note_list = f'\n<ul class="notes">\n{items}\n</ul>' if items else ""
    return f'<p class="meta">{escape(" · ".join(filter(None, facts)))}</p>{note_list}'


_STYLE = """body { max-width: 70rem; }
section { margin-top: 2.5rem; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
nav ul { columns: 18rem; }
figure { margin: 1rem 0; overflow-x: auto; }
figure svg { display: block; height: auto; }
figure svg text { fill: currentColor; font-family: system-ui, sans-serif; }
.wide { margin: 1rem 0; max-height: 80vh; overflow: auto; }
.wide table { font-size: .9rem; font-variant-numeric: tabular-nums; }
.wide th { font-weight: normal; text-align: left; }
.wide thead th { background: Canvas; font-weight: 600; position: sticky; top: 0; z-index: 1; }
.wide td { text-align: right; }
.legend { font-size: .9rem; list-style: none; padding: 0; }
.legend li { display: inline-block; margin: 0 1.2rem .2rem 0; }
details { margin: .5rem 0; }
summary { cursor: pointer; }
@media print {
  figure, tr { break-inside: avoid; }
  .wide { max-height: none; overflow: visible; }
  .wide thead th { position: static; }
}
"""
