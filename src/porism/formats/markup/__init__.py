"""Formulas in HTML: where they stand, what had to be mended, and the text around them.

``finding`` looks for them, ``delimiters`` knows where one ends, ``macros`` which definitions a text
gives; ``texts`` puts ids at them and makes plain content of it all.
"""

from porism.formats.markup.finding import Found, Repair, find_formulas
from porism.formats.markup.texts import bare_text, content, marked, plain_text

__all__ = ["Found", "Repair", "bare_text", "content", "find_formulas", "marked", "plain_text"]
