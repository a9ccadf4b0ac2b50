"""Operators of queries: phrases, exclusions, tags, users, votes, and addresses of posts.

They are read in texts as people type them, not in pasted ones: a text of several lines, or one
longer than ``LONGEST``, has quotation marks and dashes of its own. A text that is nothing but the
address of a post names it, however long.
"""

from __future__ import annotations

import re
from urllib.parse import unquote, urlsplit

from porism.query.parts import PartKind, QueryPart, Span
from porism.query.undelimited.math_names import FUNCTIONS, NAMES, STRUCTURES

LONGEST = 300
"""Characters of a text in which operators are read; nearly every title has fewer than 150."""


def has_operators(text: str) -> bool:
    """Whether a text is one in which operators are read.

    >>> has_operators('"normal subgroup" -abelian'), has_operators("First line.\\nSecond line.")
    (True, False)
    """
    return len(text) <= LONGEST and "\n" not in text.strip()


def operators(text: str, start: int, end: int) -> list[Span]:
    """The operators in a part of a text, in order; a text that is only a number names a post."""
    spans: list[Span] = []
    if (number := _NUMBER.fullmatch(text)) is not None:
        post = QueryPart(PartKind.POST, number[1], number[1])
        return [Span(number.start(1), number.end(1), post)]
    for match in _OPERATOR.finditer(text, start, end):
        part = _part(match)
        if part is not None:
            spans.append(Span(match.start(), match.end(), part))
    return spans


def _part(match: re.Match[str]) -> QueryPart | None:
    name = match.lastgroup
    source = match[0]
    if name == "phrase":
        phrase = " ".join(source[1:-1].split())
        return QueryPart(PartKind.PHRASE, source, phrase) if _WORD.search(phrase) else None
    if name == "excluded":
        excluded = " ".join(source[1:].strip(_QUOTES).split())
        is_math = excluded in FUNCTIONS or excluded in NAMES or excluded in STRUCTURES
        if is_math or not excluded or _is_suffix(match):
            return None
        return QueryPart(PartKind.EXCLUDED, source, excluded)
    if name == "tag":
        is_notice = source[1:-1] in ("closed", "duplicate", "solved", "migrated", "edited")
        return None if is_notice else QueryPart(PartKind.TAG, source, source[1:-1])
    _, _, value = source.partition(":")
    if name == "user":
        user = " ".join(value.strip(_QUOTES).split())
        return QueryPart(PartKind.USER, source, user) if user else None
    if name == "score":
        return QueryPart(PartKind.SCORE, source, value.lstrip(">="))
    post_id = value if name == "id" else post_of_address(source)
    return QueryPart(PartKind.POST, source, post_id) if post_id else None


def _is_suffix(match: re.Match[str]) -> bool:
    """Whether a dash joins a word to a formula or letter, as in ``$K$ -vector space``.

    At the end of a text it does not.
    """
    rest = match.string[match.end() :].strip()
    if not rest or rest.startswith("-"):
        return False
    return _FORMULA_BEFORE.search(match.string, 0, match.start()) is not None


_FORMULA_BEFORE = re.compile(r"(?:[$)\]}]|(?<!\S)\S)\s\Z")
_NUMBER = re.compile(r"\s*(\d{3,9})\s*")
_QUOTES = '"“”„‟«»'
_WORD = re.compile(r"[^\W\d_]{2}")
_QUOTED = r'(?:"[^"\n]{1,200}"|[“„][^“”„"\n]{1,200}[”“]|«[^«»\n]{1,200}»)'
_OPERATOR = re.compile(
    rf"""
      (?P<address>(?<!\S)(?:https?://|(?:\w[\w-]{{0,62}}\.){{1,4}}[a-z]{{2,10}}/)[^\s<>"]{{1,1000}})
    | (?P<user>(?<!\S)user:(?:{_QUOTED}|[^\s"“„]\S{{0,100}}))
    | (?P<score>(?<!\S)(?:score|votes):(?:>=?)?\d{{1,6}}(?!\S))
    | (?P<id>(?<!\S)id:[\w./-]{{1,300}}(?!\S))
    | (?P<tag>(?:(?<!\S)|(?<=\]))\[[a-z][a-z0-9.\#-]{{1,34}}\](?=[\s\[.,;?!]|\Z))
    | (?P<excluded>(?<!\S)-(?:{_QUOTED}|[^\W\d_][\w'’-]{{1,60}}[\w])(?=[.,;?!]?(?:\s|\Z))
        (?!\s*[=+*/^<>]))
    | (?P<phrase>(?<![^\s(\[]){_QUOTED}(?=[\s)\].,;:?!-]|\Z))
    """,
    re.VERBOSE,
)


def post_of_address(address: str) -> str:
    """The id of the post that an address of Stack Exchange or of Porism's pages names, or "".

    >>> post_of_address("https://math.stackexchange.com/questions/123/a-title/456#456")
    '456'
    >>> post_of_address("https://math.stackexchange.com/q/123/99")
    '123'
    >>> post_of_address("http://localhost:8000/threads/notes/two%20sums.md?q=x#post-notes/two.md")
    'notes/two.md'
    """
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
    except ValueError:
        return ""
    place = unquote(parts.fragment)
    if parts.path.startswith("/threads/"):
        thread = unquote(parts.path.removeprefix("/threads/"))
        return place.removeprefix("post-") if place.startswith("post-") else thread
    names = [name for name in parts.path.split("/") if name]
    if len(names) < 2 or names[0] not in ("questions", "q", "a") or not names[1].isdigit():
        return ""
    if names[0] == "questions":
        if place.isdigit():
            return place
        if len(names) > 3 and names[3].isdigit():
            return names[3]
    return names[1]


def title_of_address(address: str) -> str:
    """The words of the title that an address has, or "".

    >>> title_of_address("https://math.stackexchange.com/questions/123/sum-of-a-series")
    'sum of a series'
    """
    match = _TITLE.search(address)
    return match[1].replace("-", " ") if match is not None else ""


_TITLE = re.compile(r"/questions/\d+/([a-z0-9-]*[a-z][a-z0-9-]*)")
