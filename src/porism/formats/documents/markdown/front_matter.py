"""The YAML front matter of Markdown files: title, tags and date.

There is no YAML parser: notes use plain values and lists of words here, and everything else is
ignored.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formats.documents.source_text import comma_separated, iso_date


class FrontMatter(NamedTuple):
    """The metadata of a file, as far as it has any."""

    title: str = ""
    tags: tuple[str, ...] = ()
    created: str | None = None


def front_matter(text: str) -> tuple[FrontMatter, str]:
    r"""The front matter, and the text with blank lines in its place.

    >>> front_matter("---\ntitle: Groups\ntags: [algebra, 'group theory']\n---\nText")
    (FrontMatter(title='Groups', tags=('algebra', 'group theory'), created=None), '\n\n\n\nText')
    """
    block = _MATTER.match(text)
    if not block:
        return FrontMatter(), text
    values: dict[str, str] = {}
    key = ""
    for line in block[1].splitlines():
        if item := _ITEM.match(line):
            values[key] = f"{values.get(key, '')},{_unquoted(item[1])}"
        elif entry := _ENTRY.match(line):
            key = entry[1].lower()
            values.setdefault(key, entry[2].strip())
        elif line[:1].isspace() and key:
            previous = "" if values[key] in _BLOCK_SIGNS else values[key]
            values[key] = f"{previous} {line.strip()}".strip()
    if not any(values) and block[1].strip():
        return FrontMatter(), text  # a rule, and an underlined heading
    matter = FrontMatter(
        _unquoted(values.get("title", "")),
        _tags(values.get("tags", "")) or _tags(values.get("keywords", "")),
        iso_date(_unquoted(values.get("date", "")))
        or iso_date(_unquoted(values.get("created", ""))),
    )
    return matter, "\n" * block[0].count("\n") + text[block.end() :]


_MATTER = re.compile(r"---[ \t]*\n((?:(?!---|\.\.\.).*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_BLOCK_SIGNS = frozenset((">", "|", ">-", "|-", ">+", "|+"))
_ENTRY = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?=[ \t]|$)(.*)$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")


def _tags(value: str) -> tuple[str, ...]:
    value = value.strip()
    if value.startswith("[") and value.endswith("]"):
        value = value[1:-1]
    words = (_unquoted(word.strip()).removeprefix("#") for word in value.split(","))
    return comma_separated(",".join(words))


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        content = value[1:-1]
        if value[0] == '"':
            return _ESCAPE.sub(r"\1", content)
        return content.replace("''", "'")
    return _COMMENT.sub("", value)


_ESCAPE = re.compile(r'\\(["\\/])')
_COMMENT = re.compile(r"\s#.*\Z")
