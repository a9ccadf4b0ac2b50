"""A synthetic Stack Exchange site of any size, with the statistics of the real one; deterministic.

Each thread is a real thread of the mini collection, in which some paragraphs and comments are from
other threads. A real collection of that size would have other rare formulas and words: one that
occurs in ``r`` real threads is replaced, in all of a synthetic thread, with probability ``d / r``,
where ``d`` is the share of those seen in one thread only, as in ``synthetic_tokens``. A new formula
is mostly the old one in the notation of the synthetic thread: with other letters and numbers.
Notations and new words are drawn from infinite vocabularies that grow as measured.

The mini collection has no votes, users, scores and dates; these are invented.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from functools import cache
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from py7zr import FILTER_BZIP2, SevenZipFile

from bench.site_templates import Block, Templates, ThreadPost, escaped_formula, templates
from bench.synthetic_tokens import Growth
from porism.hashing import text_digest

Numbers = NDArray[np.int64]
Bits = NDArray[np.uint64]

SITE = "math.stackexchange.com"

NOTATIONS_GROWTH = Growth(60, 4)
"""Threads' notations, so that distinct formulas grow as from the mini collection to the whole one,
where 28 million instances are of 9.3 million: ``heaps`` in ``bench.whole``."""

OTHER = 0.15
"""The share of new formulas that are not those of the real thread in another notation."""

WORDS_GROWTH = Growth(2e4, 1.2)

MIXED = 0.25
"""The share of paragraphs and comments that are from another thread."""

VOTES_PER_POST = 5
POSTS_PER_USER = 6
LINKS_PER_QUESTION = 0.5
DAYS = 3_000

CHUNK = 1_000
"""Posts that are generated at once, so that random numbers are drawn by the array."""


def site_archive(shared: Path, folder: Path, posts: int, seed: int = 2022) -> Path:
    """The archive of a site with that number of posts, generated unless ``folder`` has it.

    It is compressed with bzip2, each table apart. Its folder is named after the number of posts and
    the code that generates it.
    """
    files = (Path(__file__), Path(__file__).with_name("site_templates.py"))
    code = text_digest("".join(file.read_text(encoding="utf-8") for file in files)).hex()
    archive = folder / f"site-{posts}-{code}" / f"{SITE}.7z"
    if archive.exists():
        return archive
    tables = write_site(templates(shared), archive.parent, posts, seed)
    partial = archive.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    for table in tables:
        filters = [{"id": FILTER_BZIP2}]
        with SevenZipFile(partial, "a" if partial.exists() else "w", filters=filters) as packed:
            packed.write(table, table.name)
        table.unlink()
    partial.rename(archive)
    return archive


class _Plan(NamedTuple):
    """Which posts a site has, in the order of their ids, from 1."""

    thread: Numbers  # of each post
    template: Numbers  # of each thread
    part: Numbers  # 0 for the question, then the answers
    question: Numbers  # the id of the question of each thread


def _plan(known: Templates, posts: int, rng: np.random.Generator) -> _Plan:
    """Questions in the order of threads, and each answer some time after its question."""
    template = rng.choice(len(known.threads), posts, p=known.weights)
    sizes = np.array([len(thread) for thread in known.threads])[template]
    count = int(np.searchsorted(np.cumsum(sizes), posts)) + 1
    template, sizes = template[:count], sizes[:count]
    thread = np.repeat(np.arange(count), sizes)[:posts]
    part = (np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes))[:posts]
    delay = np.exp(rng.uniform(0, np.log(count + 1), posts)) * (part > 0)
    order = np.argsort(thread + delay, kind="stable")
    thread, part = thread[order], part[order]
    question = np.empty(count, np.int64)
    question[thread[part == 0]] = np.flatnonzero(part == 0) + 1
    return _Plan(thread, template, part, question)


def write_site(known: Templates, folder: Path, posts: int, seed: int = 2022) -> list[Path]:
    """Write the tables of a site as XML; returns their paths, in the order of a real archive."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    plan = _plan(known, posts, rng)
    names = ("Comments", "PostLinks", "Posts", "Tags", "Users", "Votes")
    paths = [folder / f"{name}.xml" for name in names]
    with ExitStack() as stack:
        streams = {}
        for name, path in zip(names, paths, strict=True):
            streams[name] = stack.enter_context(path.open("w", encoding="utf-8"))
            streams[name].write(f'<?xml version="1.0" encoding="utf-8"?>\n<{name.lower()}>\n')
        writer = _SiteWriter(known, plan, seed)
        for start in range(0, posts, CHUNK):
            for name, rows in writer.rows(start, min(posts, start + CHUNK)).items():
                streams[name].writelines(rows)
        streams["Tags"].writelines(_tag_rows(known, plan))
        streams["Users"].writelines(_user_rows(posts // POSTS_PER_USER + 1))
        for name in names:
            streams[name].write(f"</{name.lower()}>\n")
    return paths


class _SiteWriter:
    """Writes the rows of consecutive posts, with their comments, votes and links."""

    def __init__(self, known: Templates, plan: _Plan, seed: int) -> None:
        self._known = known
        self._plan = plan
        self._seed = seed
        self._comments = 0
        answers = plan.part > 0
        self._answers = np.bincount(plan.thread[answers], minlength=len(plan.question))
        first = plan.part == 1
        self._accepted = np.zeros(len(plan.question), np.int64)
        self._accepted[plan.thread[first]] = np.flatnonzero(first) + 1
        self._accepted[::2] = 0
        self._users = len(plan.thread) // POSTS_PER_USER + 1

    def rows(self, start: int, end: int) -> dict[str, list[str]]:
        """The rows of the posts whose ids are from ``start + 1`` to ``end``, by table."""
        rng = np.random.default_rng((self._seed, start))
        blocks: list[Block] = []
        threads: list[int] = []
        for place in range(start, end):
            own = self._blocks(place, rng)
            blocks += own
            threads += [int(self._plan.thread[place])] * len(own)
        texts = iter(self._texts(blocks, np.array(threads)))
        dates = _dates(np.arange(start, end), len(self._plan.thread))
        rows: dict[str, list[str]] = {"Posts": [], "Comments": [], "Votes": [], "PostLinks": []}
        numbers = zip(
            range(start, end),
            dates,
            rng.geometric(0.2, end - start) - 2,
            self._random_users(end - start, rng),
            rng.poisson(VOTES_PER_POST, end - start),
            strict=True,
        )
        for place, date, score, user, votes in numbers:
            post = self._post(place)
            title = "" if post.title is None else f' Title="{next(texts)}"'
            body = "&#xA;&#xA;".join(next(texts) for _ in post.body)
            rows["Posts"].append(
                f'  <row Id="{place + 1}"{self._relations(place)} CreationDate="{date}" '
                f'Score="{score}" Body="{body}" OwnerUserId="{user}" LastActivityDate="{date}"'
                f'{title} CommentCount="{len(post.comments)}" ContentLicense="CC BY-SA 3.0" />\n'
            )
            for commenter in self._random_users(len(post.comments), rng):
                self._comments += 1
                rows["Comments"].append(
                    f'  <row Id="{self._comments}" PostId="{place + 1}" Score="0" '
                    f'Text="{next(texts)}" CreationDate="{date}" UserId="{commenter}" '
                    'ContentLicense="CC BY-SA 3.0" />\n'
                )
            rows["Votes"] += [
                f'  <row Id="{(place + 1) * 100 + number}" PostId="{place + 1}" '
                f'VoteTypeId="{3 if number % 8 == 7 else 2}" CreationDate="{date}" />\n'
                for number in range(votes)
            ]
            if post.title is not None and place > 0 and rng.random() < LINKS_PER_QUESTION:
                related = self._plan.question[rng.integers(self._plan.thread[place] + 1)]
                rows["PostLinks"].append(
                    f'  <row Id="{place + 1}" CreationDate="{date}" PostId="{place + 1}" '
                    f'RelatedPostId="{related}" LinkTypeId="{3 if place % 8 == 0 else 1}" />\n'
                )
        return rows

    def _post(self, place: int) -> ThreadPost:
        template = int(self._plan.template[self._plan.thread[place]])
        return self._known.threads[template][int(self._plan.part[place])]

    def _relations(self, place: int) -> str:
        """The attributes of a post's type and of its relations with other posts."""
        thread = self._plan.thread[place]
        if self._plan.part[place] > 0:
            return f' PostTypeId="2" ParentId="{self._plan.question[thread]}"'
        accepted = self._accepted[thread]
        tags = "".join(f"&lt;{tag}&gt;" for tag in self._post(place).tags)
        return (
            (f' AcceptedAnswerId="{accepted}"' if accepted else "")
            + f' PostTypeId="1" ViewCount="{100 + place % 9_000}" Tags="{tags}" '
            f'AnswerCount="{self._answers[thread]}"'
        )

    def _blocks(self, place: int, rng: np.random.Generator) -> list[Block]:
        """The title, paragraphs and comments of a post, some of them from other threads."""
        post = self._post(place)
        blocks = [*post.body, *post.comments]
        paragraphs = self._known.paragraphs[post.title is not None]
        for at in np.flatnonzero(rng.random(len(blocks)) < MIXED).tolist():
            if at >= len(post.body):
                blocks[at] = _any(self._known.comments, rng)
            elif blocks[at].is_paragraph:
                blocks[at] = _any(paragraphs, rng)
        return blocks if post.title is None else [post.title, *blocks]

    def _texts(self, blocks: Sequence[Block], threads: Numbers) -> list[str]:
        """The blocks as text, with those of their terms replaced that are new in a thread."""
        sizes = np.array([len(block.slots) for block in blocks])
        terms = np.concatenate([block.terms for block in blocks])
        of_thread = np.repeat(_hashed(threads.astype(np.uint64)), sizes)
        bits = _hashed(of_thread + terms.astype(np.uint64))
        changed = np.flatnonzero(_shares(bits) < self._known.renewal[terms])
        block_of = np.repeat(np.arange(len(blocks)), sizes)[changed]
        slot_of = changed - (np.cumsum(sizes) - sizes)[block_of]
        notations = _drawn(NOTATIONS_GROWTH, _hashed(of_thread[changed]))
        words = _drawn(WORDS_GROWTH, _hashed(bits[changed]))
        pieces: dict[int, list[str]] = {}
        for at, slot, term, draw, notation, word in zip(
            block_of.tolist(),
            slot_of.tolist(),
            terms[changed].tolist(),
            _hashed(bits[changed] + np.uint64(1)).tolist(),
            notations,
            words,
            strict=True,
        ):
            block = blocks[at]
            own = pieces.get(at)
            if own is None:
                own = pieces[at] = block.pieces.copy()
            own[block.slots[slot]] = (
                escaped_formula(self._new_formula(term, draw, notation), block.is_body)
                if term < len(self._known.formulas)
                else _new_word(self._known.words, word)
            )
        return ["".join(pieces.get(at, block.pieces)) for at, block in enumerate(blocks)]

    def _new_formula(self, term: int, draw: int, notation: int) -> str:
        """The formula that replaces another in a thread with that notation."""
        others = self._known.other_formulas
        other, is_other = divmod(draw, 1 << 32)
        if is_other < OTHER * (1 << 32):
            return _in_notation(others[other % len(others)], notation)
        return _in_notation(self._known.formulas[term], notation)

    def _random_users(self, count: int, rng: np.random.Generator) -> list[int]:
        """Users, of whom some write much more than others."""
        users: list[int] = (self._users ** rng.random(count)).astype(np.int64).tolist()
        return users


UNIQUE = np.uint64(1 << 40)


def _hashed(numbers: Bits) -> Bits:
    """A 64-bit hash of each number (splitmix64)."""
    x = numbers * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _shares(bits: Bits) -> NDArray[np.float64]:
    """Numbers in (0, 1), of 53 of the bits."""
    return ((bits >> np.uint64(11)).astype(np.float64) + 0.5) * 2.0**-53


def _drawn(growth: Growth, bits: Bits) -> list[int]:
    """Numbers drawn from an infinite vocabulary."""
    numbers = growth.scale * (_shares(bits) ** -growth.power - 1)
    # Numbers so large are drawn once.
    once = UNIQUE + _hashed(bits) % UNIQUE
    drawn: list[int] = (
        np.where(numbers < UNIQUE, np.minimum(numbers, UNIQUE), once).astype(np.int64).tolist()
    )
    return drawn


def _any(blocks: Sequence[Block], rng: np.random.Generator) -> Block:
    return blocks[int(rng.integers(len(blocks)))]


_ALPHABETS: tuple[Sequence[str], ...] = (
    *("ijklmn", "stuvwxyz", "abcdpqr", "fgh", "ABCDEF", "GHKLMN", "PQRSTUVWXYZ"),
    *(
        tuple(f"\\{name}" for name in names.split())
        for names in ("alpha beta gamma delta lambda mu nu", "phi psi theta rho sigma tau omega xi")
    ),
)
"""Symbols that authors use for the same kinds of things."""

_SYMBOL = re.compile(
    r"\\(?:begin|end|text\w*|math(?:rm|bf|it|sf|tt)|operatorname)\*?\s*\{[^{}]*\}"  # stays
    r"|(\\[A-Za-z]+|[A-Za-z])|\\.|(?<![\d.^_{])\d{1,3}(?![\d.])"
)
_TABLES = 1 << 12


@cache
def _symbols(table: int) -> dict[str, str]:
    """One of the ways to exchange symbols; more freely in every second one."""
    rng = random.Random(table)
    alphabets = _ALPHABETS if table % 2 else (tuple(chain(*_ALPHABETS[:4])), *_ALPHABETS[4:])
    return {
        symbol: other
        for alphabet in alphabets
        for symbol, other in zip(alphabet, rng.sample(alphabet, len(alphabet)), strict=True)
    }


def _in_notation(latex: str, notation: int) -> str:
    """The formula with other symbols and numbers, unless ``notation`` is 0."""
    if notation == 0:
        return latex
    shift, table = divmod(notation, _TABLES)
    symbols = _symbols(table)

    def changed(match: re.Match[str]) -> str:
        text = match[0]
        if match[1]:
            return symbols.get(text, text)
        return str(int(text) + (notation + shift) % 999) if text.isdecimal() else text

    return _SYMBOL.sub(changed, latex)


def _new_word(words: Sequence[str], number: int) -> str:
    """The new word with that number: a real one with an ending."""
    rest, base = divmod(number, len(words))
    ending = ""
    while rest:
        rest, letter = divmod(rest, 26)
        ending += chr(ord("a") + letter)
    return words[base] + ending


def _dates(places: Numbers, posts: int) -> list[str]:
    """The times of posts, evenly over the years of the collection."""
    seconds = places * (DAYS * 86_400) // posts
    times = np.datetime64("2010-07-20T19:09:27.200") + seconds * np.timedelta64(1000, "ms")
    dates: list[str] = np.datetime_as_string(times).tolist()
    return dates


def _tag_rows(known: Templates, plan: _Plan) -> Iterator[str]:
    threads = np.bincount(plan.template, minlength=len(known.threads)).tolist()
    counts: Counter[str] = Counter()
    for thread, count in zip(known.threads, threads, strict=True):
        counts.update(dict.fromkeys(thread[0].tags, count))
    for number, (tag, count) in enumerate(counts.items(), 1):
        yield f'  <row Id="{number}" TagName="{tag}" Count="{count}" />\n'


def _user_rows(users: int) -> Iterator[str]:
    for number in range(1, users + 1):
        yield (
            f'  <row Id="{number}" Reputation="{1 + 100_000 // number}" '
            f'CreationDate="2010-07-20T19:09:27.200" DisplayName="user {number}" />\n'
        )
