"""The frame and style of self-contained HTML pages."""

from __future__ import annotations

from html import escape

_FRAME = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
{style}</style>
<body>
{body}
</body>
</html>
"""

PAGE_STYLE = """:root { color-scheme: light dark; }
body { font: 16px/1.55 system-ui, sans-serif; max-width: 48rem; margin: 0 auto; padding: 1rem;
  overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .5rem; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h4, h5, h6 { font-size: 1rem; margin: 1rem 0 .5rem; }
article { border-top: 1px solid #8886; overflow: auto hidden; padding: 1rem 0; }
p { margin: .75rem 0; }
a { color: LinkText; }
blockquote { border-left: 3px solid #8886; margin: 1rem 0; padding: 0 0 0 1rem; }
pre { overflow-x: auto; line-height: 1.3; }
code, pre { font-size: .9em; }
table { border-collapse: collapse; display: block; max-width: max-content; overflow-x: auto; }
.wide table { display: table; max-width: none; }
td, th { border: 1px solid #8886; padding: .2rem .6rem; }
math { font-family: "STIX Two Math", "Latin Modern Math", "Cambria Math", math; font-size: 1.1em; }
.display { display: block; overflow-x: auto; overflow-y: hidden; padding: .3rem 0; }
.long { display: inline-block; max-width: 100%; overflow: auto hidden; vertical-align: middle; }
.meta { color: color-mix(in srgb, currentColor 65%, transparent); font-size: .9rem; }
time { white-space: nowrap; }
.accepted { color: light-dark(#176b2c, #7bd88f); font-weight: 600; }
.tags, .comments, .related { list-style: none; padding: 0; }
.tags li { display: inline-block; background: #8883; border-radius: 3px; font-size: .85rem;
  margin: 0 .3rem .3rem 0; padding: 0 .5rem; }
.comments { font-size: .9rem; margin: 1rem 0 0 1rem; }
.comments li { border-top: 1px solid #8883; padding: .35rem 0; }
.comments p { display: inline; }
.related li { padding: .15rem 0; }
@media print {
  body { font-size: 11pt; max-width: none; padding: 0; }
  .comments li, .related li, .display { break-inside: avoid; }
  .display { overflow: visible; }
}
"""


def html_page(title: str, body: str, style: str = "") -> str:
    """An HTML file; ``title`` is plain text, ``body`` HTML; ``style`` extends ``PAGE_STYLE``."""
    return _FRAME.format(title=escape(title), style=PAGE_STYLE + style, body=body)
