"""Statistics of a dump, by which a synthetic one is compared with the mini collection."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from statistics import fmean, median

from porism.formats.dumps.stack_exchange import read_comments, read_links, read_posts
from porism.formats.dumps.tables import find_tables
from porism.formats.markup import find_formulas
from porism.model import PostKind

POSTS = 6_164
"""Posts that are looked at: as many as the mini collection has, since some statistics grow."""

_TAG = re.compile(r"<[^>]*>")


def statistics(source: Path) -> dict[str, float]:
    """The statistics of the first posts of a dump, with their comments, by name."""
    tables = find_tables(source)
    posts = list(islice(read_posts(tables["Posts"][0]), POSTS))
    last = posts[-1].id
    comments = [row for row in read_comments(tables["Comments"][0]) if row.post_id <= last]
    links = sum(row.post_id <= last for row in read_links(tables["PostLinks"][0]))
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for post in posts:
        if post.title is not None:
            texts["title"].append(post.title)
        texts[post.kind].append(post.body or "")
    texts["comment"] = [comment.text for comment in comments]
    questions = len(texts[PostKind.QUESTION])
    found: dict[str, float] = {
        "answers per question": (len(posts) - questions) / questions,
        "comments per post": len(comments) / len(posts),
        "tags per question": sum(len(post.tags) for post in posts) / questions,
        "links per question": links / questions,
    }
    formulas: list[str] = []
    for kind, markup in texts.items():
        split = [_split(text) for text in markup]
        words = [len(prose.split()) for prose, _ in split]
        characters = [len(prose) + sum(map(len, latex)) for prose, latex in split]
        found |= {
            f"words per {kind}, mean": fmean(words),
            f"characters per {kind}, mean": fmean(characters),
            f"characters per {kind}, median": median(characters),
            f"formulas per {kind}, mean": fmean(len(latex) for _, latex in split),
        }
        formulas += chain.from_iterable(latex for _, latex in split)
    words_seen = [word for markup in texts.values() for text in markup for word in _words(text)]
    return found | {
        "formulas per post, with comments": len(formulas) / len(posts),
        "characters per formula, mean": fmean(map(len, formulas)),
        "characters per formula, median": median(map(len, formulas)),
        "distinct formulas, share": len(set(formulas)) / len(formulas),
        "distinct words, share": len(set(words_seen)) / len(words_seen),
    }


def statistics_table(source: Path, other: Path) -> Iterator[str]:
    """The statistics of two dumps side by side, as lines."""
    theirs = statistics(other)
    for name, value in statistics(source).items():
        yield f"  {name:<36} {value:12.3f} {theirs[name]:12.3f}"


def _split(markup: str) -> tuple[str, list[str]]:
    """The prose and the formulas of a text."""
    prose: list[str] = []
    latex: list[str] = []
    at = 0
    for formula in find_formulas(markup):
        prose.append(markup[at : formula.start])
        latex.append(formula.latex)
        at = formula.end
    return _TAG.sub(" ", " ".join([*prose, markup[at:]])), latex


def _words(markup: str) -> list[str]:
    return re.findall("[a-z]{3,}", _split(markup)[0].lower())
