"""HTML tables of numbers. Cells and headings are given as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def score_text(value: float | None, digits: int = 4) -> str:
    """A score as text; a dash for None."""
    return "–" if value is None else f"{value:.{digits}f}"


def row(heading: str, cells: Iterable[str], name: str = "", kind: str = "") -> str:
    """A table row with its heading; ``name`` is its id, ``kind`` its class."""
    attributes = (f' id="{name}"' if name else "") + (f' class="{kind}"' if kind else "")
    inner = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr{attributes}><th scope="row">{heading}</th>{inner}</tr>'


def table(label: str, columns: Sequence[str], rows: Iterable[str], kind: str = "") -> str:
    """A table in a box that scrolls if the table is too wide for the page.

    ``label`` is plain text and names the box for screen readers.
    """
    heads = "".join(f'<th scope="col"><span>{column}</span></th>' for column in columns)
    attribute = f' class="{kind}"' if kind else ""
    body = "\n".join(rows)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table{attribute}>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def collapsible(heading: str, body: str) -> str:
    """Collapsed HTML under a heading, which is plain text."""
    return f"<details><summary>{escape(heading)}</summary>\n{body}\n</details>"
