"""LaTeX split into tokens by one regular expression, after HTML entities are resolved.

A token is a command, a number, a text with its braces, or one character; the list ends with the
empty token, so that a parser needs no test for the end. White space and comments are removed.
"""

import html
import re

from porism.formula.symbols import SUBSCRIPTS, SUPERSCRIPTS

_DIMENSION = r"-?[\d.]*\s*(?:pt|em|ex|mm|cm|in|mu|bp|pc|px|sp|\\[a-zA-Z]+)"
_BRACED = r"\{(?:[^{}\\]++|\\.|\{(?:[^{}\\]++|\\.)*+\})*+\}"

WILDCARD_MARK = "\ue000"
"""Replaces the question mark of a wildcard; a private-use character that no text has."""

TOKEN = re.compile(
    rf"""
      \\(?:text(?:rm|it|bf|sf|tt|normal|up|sl|sc|md)?|[mhf]box|emph)\s*{_BRACED}  # text
    | \\\\\*?(?:\s*\[\s*{_DIMENSION}\s*\])?  # a line's end, with its extra space
    | \\(?:operatorname|DeclareMathOperator|(?:new|renew|provide)command|tag|[hv]space)\s*\*
    | \\@*[a-zA-Z]+(?:@[a-zA-Z]+)*
    | \\.
    | \d+(?:\.\d+)?
    | \.\d+
    | \.\.\.
    | :=
    | {WILDCARD_MARK}[a-zA-Z][a-zA-Z0-9]*
    | [{"".join(SUPERSCRIPTS)}]+
    | [{"".join(SUBSCRIPTS)}]+
    | %[^\n]*
    | \S
    """,
    re.VERBOSE | re.DOTALL,
)

_ENTITY = re.compile(r"&(?:[a-zA-Z]+|#[0-9]+|#[xX][0-9a-fA-F]+);")


def resolved(source: str) -> str:
    """The formula without HTML entities, which real posts escape up to three times."""
    for _ in range(3):
        if "&" not in source or not _ENTITY.search(source):
            break
        source = _ENTITY.sub(lambda match: html.unescape(match[0]), source)
    return source


def with_wildcards(source: str) -> str:
    """The source with each ``?x`` marked as a wildcard; its length stays the same."""
    return _WILDCARD.sub(WILDCARD_MARK, source)


_WILDCARD = re.compile(r"(?<!\\)\?(?=[a-zA-Z])")


def resolved_offsets(source: str) -> list[int]:
    """The offset in ``source`` of each character of ``resolved(source)``, and of its end."""
    places = list(range(len(source)))
    for _ in range(3):
        pieces: list[str] = []
        kept: list[int] = []
        at = 0
        for match in _ENTITY.finditer(source):
            text = html.unescape(match[0])
            pieces += (source[at : match.start()], text)
            kept += places[at : match.start()] + [places[match.start()]] * len(text)
            at = match.end()
        source = "".join((*pieces, source[at:]))
        places = kept + places[at:]
    return [*places, places[-1] + 1 if places else 0]


def tokens(source: str) -> list[str]:
    """The tokens of a formula, followed by the empty token."""
    token_list: list[str] = TOKEN.findall(source)
    if "%" in source:
        token_list = [token for token in token_list if token[0] != "%"]
    if "*" in source:
        token_list = [
            "".join(token.split()) if _is_starred(token) else token for token in token_list
        ]
    token_list.append("")
    return token_list


def _is_starred(token: str) -> bool:
    return token[-1] == "*" and token[0] == "\\"


def offsets(source: str) -> list[int]:
    """The offset of each of ``tokens(source)``."""
    places = [match.start() for match in TOKEN.finditer(source) if match[0][0] != "%"]
    return [*places, len(source)]
