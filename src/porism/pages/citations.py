"""References to posts, as BibTeX and as Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass

from porism.model import Content, plain_text


@dataclass(frozen=True, slots=True)
class CitedPost:
    """What a reference says of a post. ``url`` is where it is, ``site`` the name of its source."""

    post_id: str
    title: Content
    url: str
    author: str = ""
    created: str | None = None
    is_answer: bool = False
    site: str = ""


def bibtex(post: CitedPost) -> str:
    r"""The entry of a post for BibTeX; formulas of the title stay LaTeX.

    >>> print(bibtex(CitedPost("7", ("50% of A & B",), "https://b.example/q/7", "Ada", "2012")))
    @misc{7,
      title = {50\% of A \& B},
      author = {Ada},
      year = {2012},
      url = {https://b.example/q/7},
    }
    """
    fields = {
        "title": _title(post, escaped=True),
        "author": _escaped(post.author),
        "year": (post.created or "")[:4],
        "howpublished": _escaped(post.site),
        "url": post.url,
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join((f"@misc{{{_key(post.site, post.post_id)},", *lines, "}"))


def markdown(post: CitedPost) -> str:
    """The reference of a post in Markdown.

    >>> markdown(CitedPost("7", ("Is $x$ [even]?",), "https://b.example/q/7", "Ada", "2012"))
    '[Is $x$ \\\\[even\\\\]?](https://b.example/q/7), Ada, 2012'
    """
    title = re.sub(r"([\[\]])", r"\\\1", _title(post))
    linked = f"[{title}]({post.url})" if post.url else title
    return ", ".join(filter(None, (linked, post.author, (post.created or "")[:10])))


def _title(post: CitedPost, *, escaped: bool = False) -> str:
    pieces = (
        _escaped(piece) if escaped and isinstance(piece, str) else plain_text((piece,))
        for piece in post.title
    )
    title = " ".join("".join(pieces).split()) or post.post_id
    return f"{title} (answer)" if post.is_answer else title


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


def _key(site: str, post_id: str) -> str:
    name = "-".join(filter(None, (site, post_id)))
    return re.sub(r"[^A-Za-z0-9.:_-]+", "-", name).strip("-") or "post"
