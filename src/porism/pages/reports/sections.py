"""A page of sections: facts and notes at the top, a list of what follows, and that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from porism.pages.html_page import html_page

Section = tuple[str, str, str]
"""The id of a section, its heading, and its body as HTML."""


def sections_page(title: str, about: str, sections: Iterable[Section], style: str) -> str:
    """The page; sections without a body are left out of it."""
    shown = [section for section in sections if section[2]]
    links = "\n".join(
        f'<li><a href="#{name}">{escape(heading)}</a></li>' for name, heading, _ in shown
    )
    bodies = "\n".join(
        f'<section id="{name}">\n<h2>{escape(heading)}</h2>\n{body}\n</section>'
        for name, heading, body in shown
    )
    return html_page(
        title,
        f"<main>\n<h1>{escape(title)}</h1>\n{about}\n"
        f'<nav aria-label="Contents"><ul>\n{links}\n</ul></nav>\n{bodies}\n</main>',
        style,
    )


def about_html(facts: Sequence[str], notes: Iterable[str]) -> str:
    """Facts on one line, without empty ones, and notes below as a list."""
    items = "\n".join(f"<li>{escape(note)}</li>" for note in notes)
    told = f'\n<ul class="notes">\n{items}\n</ul>' if items else ""
    return f'<p class="meta">{escape(" · ".join(filter(None, facts)))}</p>{told}'
