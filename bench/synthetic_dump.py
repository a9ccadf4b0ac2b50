"""A synthetic Stack Exchange dump of any size, made of real formulas and words; deterministic.

It has the properties that matter for the time of an ingest: posts with a dozen formulas each, of
which a third occur only once and the rest repeatedly, short ones most often, as in the real dump.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from html import escape
from itertools import accumulate
from pathlib import Path

from lxml import etree

from bench.shared_data import real_formulas, table

FORMULAS_PER_POST = 12
DISTINCT = 1 / 3
"""The share of distinct formulas among the instances."""

FREQUENT = 20_000
"""The number of formulas that occur repeatedly."""

_LETTER = re.compile(r"(?<![\\A-Za-z])[a-z](?![A-Za-z])")


def write_dump(shared: Path, folder: Path, posts: int, seed: int = 2022) -> int:
    """Write Posts.xml and PostLinks.xml to ``folder``; returns the number of formulas."""
    rng = random.Random(seed)
    words = _words(shared)
    instances = posts * FORMULAS_PER_POST
    formulas = _instances(real_formulas(shared), instances, rng)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "Posts.xml").open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n')
        for number in range(1, posts + 1):
            out.write(_row(number, [next(formulas) for _ in range(FORMULAS_PER_POST)], words, rng))
        out.write("</posts>\n")
    with (folder / "PostLinks.xml").open("w", encoding="utf-8") as out:
        out.write('<?xml version="1.0" encoding="utf-8"?>\n<postlinks>\n')
        for number in range(11, posts, 30):
            out.write(
                f'  <row Id="{number}" CreationDate="2015-01-01T00:00:00.000" PostId="{number}" '
                f'RelatedPostId="{number - 10}" LinkTypeId="1" />\n'
            )
        out.write("</postlinks>\n")
    return instances


def _instances(real: list[str], instances: int, rng: random.Random) -> Iterator[str]:
    """Formula instances: some that occur once, interspersed with the frequent ones."""
    single = max(0, int(instances * DISTINCT) - FREQUENT)
    short_first = sorted(rng.sample(real, FREQUENT), key=len)
    # The n-th is 1/n as frequent as the first, roughly as for real words and formulas.
    weights = list(accumulate(1 / place for place in range(1, len(short_first) + 1)))
    once = _distinct(real, single, rng)
    for place in range(instances):
        if (place + 1) * single // instances > place * single // instances:
            yield next(once)
        else:
            yield rng.choices(short_first, cum_weights=weights)[0]


def _distinct(real: list[str], number: int, rng: random.Random) -> Iterator[str]:
    """Distinct formulas: the real ones in random order, then with other letters."""
    order = rng.sample(real, len(real))
    seen: set[str] = set()
    while len(seen) < number:
        for formula in order:
            if formula not in seen:
                seen.add(formula)
                yield formula
                if len(seen) == number:
                    return
        letters = dict(zip(_ALPHABET, rng.sample(_ALPHABET, 26), strict=True))
        order = [_renamed(formula, letters) for formula in order]


_ALPHABET = "abcdefghijklmnopqrstuvwxyz"


def _renamed(formula: str, letters: dict[str, str]) -> str:
    return _LETTER.sub(lambda match: letters[match.group()], formula)


def _words(shared: Path) -> list[str]:
    """The words of real titles, with repetitions."""
    titles = table(shared / "data/arqmath-mini/linked_question_titles.tsv.gz")
    text = " ".join(re.sub(r"<span.*?</span>", " ", row["title"]) for row in titles)
    return re.findall(r"[A-Za-z]{2,}", text)


def _row(number: int, formulas: list[str], words: list[str], rng: random.Random) -> str:
    is_question = number % 10 in (1, 4, 7, 8)
    body = []
    for formula in formulas[is_question:]:
        text = " ".join(rng.choices(words, k=12))
        span = f'<span class="math-container">${escape(formula, quote=False)}$</span>'
        body.append(f"<p>{text} {span}.</p>\n")
    attributes = {
        "Id": str(number),
        "PostTypeId": "1" if is_question else "2",
        "CreationDate": f"{2010 + number % 9}-03-04T05:06:07.890",
        "Score": str(rng.randrange(-2, 30)),
        "Body": "".join(body),
        "OwnerUserId": str(rng.randrange(1, 10_000)),
    }
    if is_question:
        attributes["Title"] = f"{' '.join(rng.choices(words, k=7))} ${formulas[0]}$"
        attributes["Tags"] = "<calculus><algebra>"
    else:
        attributes["ParentId"] = str(number - (number % 10 - 1) if number % 10 else number - 9)
    row = etree.Element("row", attributes)
    return f"  {etree.tostring(row, encoding='unicode')}\n"
