"""The lines of YAML that many Markdown files begin with: title, tags and date.

No YAML parser: of the whole language, notes use plain values and lists of words here, and what
else may stand there tells us nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.formats.documents.source_text import comma_separated, iso_date


class FrontMatter(NamedTuple):
    """What a file says of itself, as far as it does."""

    title: str = ""
    tags: tuple[str, ...] = ()
    created: str | None = None


def front_matter(text: str) -> tuple[FrontMatter, str]:
    r"""What the front matter says, and the text with blank lines in its place.

    >>> front_matter("---\ntitle: Groups\ntags: [algebra, 'group theory']\n---\nText")
    (FrontMatter(title='Groups', tags=('algebra', 'group theory'), created=None), '\n\n\n\nText')
    """
    found = _MATTER.match(text)
    if not found:
        return FrontMatter(), text
    values: dict[str, str] = {}
    key = ""
    for line in found[1].splitlines():
        if item := _ITEM.match(line):
            values[key] = f"{values.get(key, '')},{_unquoted(item[1])}"
        elif entry := _ENTRY.match(line):
            key = entry[1].lower()
            values.setdefault(key, entry[2].strip())
        elif line[:1].isspace() and key:
            begun = "" if values[key] in _BLOCK_SIGNS else values[key]
            values[key] = f"{begun} {line.strip()}".strip()
    if not any(values) and found[1].strip():
        return FrontMatter(), text  # a line, and a heading that is underlined
    matter = FrontMatter(
        _unquoted(values.get("title", "")),
        _tags(values.get("tags", "")) or _tags(values.get("keywords", "")),
        iso_date(_unquoted(values.get("date", "")))
        or iso_date(_unquoted(values.get("created", ""))),
    )
    return matter, "\n" * found[0].count("\n") + text[found.end() :]


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
        inside = value[1:-1]
        if value[0] == '"':
            return _ESCAPE.sub(r"\1", inside)
        return inside.replace("''", "'")
    return _REMARK.sub("", value)


_ESCAPE = re.compile(r'\\(["\\/])')
_REMARK = re.compile(r"\s#.*\Z")
