"""The threads of the mini collection as templates of synthetic ones.

Each text is cut into blocks, and each block into text that stays and rare formulas and words that
a synthetic thread may replace.

The mini collection has longer threads than the whole one, so threads have weights that give the
whole one's averages.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bench.shared_data import post_formulas
from porism.formats.dumps.rows import CommentRow, PostRow
from porism.formats.dumps.stack_exchange import read_comments, read_posts
from porism.formats.dumps.tables import find_tables
from porism.formats.markup import find_formulas
from porism.model import PostKind

INSTANCES_PER_POST = 28 / 2.5
ANSWERS_PER_QUESTION = 1.4 / 1.1
"""Averages of the whole ARQMath collection; instances include those in comments."""

RARE = 0.01
"""Terms with a smaller chance to be replaced are not."""

Numbers = NDArray[np.int64]


class Block(NamedTuple):
    """A paragraph, title or comment, ready to be written.

    The ``pieces`` at ``slots`` are rare formulas and words, whose numbers are ``terms``.
    """

    pieces: list[str]
    slots: list[int]
    terms: Numbers
    is_paragraph: bool  # and may change places with others
    is_body: bool  # HTML, where formulas are escaped twice


@dataclass(frozen=True, slots=True)
class ThreadPost:
    """A post of a real thread."""

    title: Block | None
    body: tuple[Block, ...]
    tags: tuple[str, ...]
    comments: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Templates:
    """Real threads, question first, and the vocabulary of their terms.

    Terms are numbered, formulas before words; ``renewal`` is the chance of each to be replaced.
    """

    threads: tuple[tuple[ThreadPost, ...], ...]
    weights: NDArray[np.float64]
    formulas: list[str]
    words: list[str]
    renewal: NDArray[np.float64]
    other_formulas: list[str]
    paragraphs: dict[bool, list[Block]]  # by whether they are of a question
    comments: list[Block]


@cache
def templates(shared: Path) -> Templates:
    """The threads of the mini collection."""
    tables = find_tables(shared / "data/arqmath-mini")
    posts = list(read_posts(tables["Posts"][0]))
    comments: defaultdict[int, list[CommentRow]] = defaultdict(list)
    for comment in read_comments(tables["Comments"][0]):
        comments[comment.post_id].append(comment)
    threads: defaultdict[int, list[PostRow]] = defaultdict(list)
    for post in sorted(posts, key=lambda post: post.kind is not PostKind.QUESTION):
        threads[post.parent_id or post.id].append(post)
    vocabulary = _Vocabulary(threads, comments)
    made = tuple(
        tuple(_thread_post(post, comments[post.id], vocabulary) for post in thread)
        for thread in threads.values()
    )
    return Templates(
        threads=made,
        weights=_weights(made, vocabulary.instances),
        formulas=list(vocabulary.formulas),
        words=list(vocabulary.words),
        renewal=vocabulary.renewal,
        other_formulas=post_formulas(shared),
        paragraphs={
            is_question: [
                block
                for thread in made
                for post in thread
                for block in post.body
                if block.is_paragraph and (post.title is not None) is is_question
            ]
            for is_question in (True, False)
        },
        comments=[block for thread in made for post in thread for block in post.comments],
    )


class _Vocabulary:
    """The numbered formulas and words of threads, and the chance of each to be replaced."""

    def __init__(
        self, threads: dict[int, list[PostRow]], comments: dict[int, list[CommentRow]]
    ) -> None:
        formulas: Counter[str] = Counter()
        words: Counter[str] = Counter()
        self.instances: list[int] = []
        """Those of each thread."""
        for thread in threads.values():
            texts = [text for post in thread for text in (post.title or "", post.body or "")]
            texts += [comment.text for post in thread for comment in comments[post.id]]
            parts = [part for text in texts for part in _parts(text)]
            latex = [part for is_formula, part in parts if is_formula]
            self.instances.append(len(latex))
            formulas.update(set(latex))
            words.update(
                {word for is_formula, part in parts if not is_formula for word in _words(part)}
            )
        self.formulas = {formula: number for number, formula in enumerate(formulas)}
        self.words = {word: number for number, word in enumerate(words, len(formulas))}
        self.renewal = np.concatenate([_renewal(formulas), _renewal(words)])
        self.rare = set(np.flatnonzero(self.renewal > RARE).tolist())


def _renewal(frequencies: Counter[str]) -> NDArray[np.float64]:
    threads = np.array(list(frequencies.values()))
    return np.count_nonzero(threads == 1) / len(threads) / threads


def _parts(markup: str) -> list[tuple[bool, str]]:
    """Formulas, which are marked so, and the markup between them."""
    parts: list[tuple[bool, str]] = []
    at = 0
    for formula in find_formulas(markup):
        parts += [(False, markup[at : formula.start]), (True, formula.latex)]
        at = formula.end
    return [*parts, (False, markup[at:])]


_WORD = re.compile(r"<[^>]*>|&[#\w]+;|([a-z]{3,})")


def _words(markup: str) -> Iterator[str]:
    return (match[1] for match in _WORD.finditer(markup) if match[1])


def _thread_post(post: PostRow, comments: Iterable[CommentRow], known: _Vocabulary) -> ThreadPost:
    return ThreadPost(
        title=None if post.title is None else _block(post.title, known),
        body=tuple(
            _block(part, known, is_body=True) for part in re.split(r"(?<=</p>)\s+", post.body or "")
        ),
        tags=post.tags,
        comments=tuple(_block(comment.text, known) for comment in comments),
    )


_PARAGRAPH = re.compile(r"<p>(?:(?!</?(?:p|li|ul|ol|div|blockquote|table)\b).)*</p>", re.DOTALL)


def _block(markup: str, known: _Vocabulary, is_body: bool = False) -> Block:
    opening, closing = ('<span class="math-container">$', "$</span>") if is_body else ("$", "$")
    pieces: list[str] = []
    slots: list[int] = []
    terms: list[int] = []

    def add(number: int, text: str) -> None:
        if number in known.rare:
            slots.append(len(pieces))
            terms.append(number)
        pieces.append(text)

    for is_formula, part in _parts(markup):
        if is_formula:
            pieces.append(_escaped(opening))
            add(known.formulas[part], escaped_formula(part, is_body))
            pieces.append(_escaped(closing))
            continue
        at = 0
        for match in _WORD.finditer(part):
            if match[1]:
                pieces.append(_escaped(part[at : match.start()]))
                add(known.words[match[1]], match[1])
                at = match.end()
        pieces.append(_escaped(part[at:]))
    is_paragraph = is_body and _PARAGRAPH.fullmatch(markup) is not None
    block = Block(pieces, slots, np.array(terms, np.int64), is_paragraph, is_body)
    return _joined(block)


def _joined(block: Block) -> Block:
    """The block with each run of fixed pieces joined into one."""
    pieces: list[str] = []
    at = 0
    for slot in block.slots:
        pieces += ["".join(block.pieces[at:slot]), block.pieces[slot]]
        at = slot + 1
    pieces.append("".join(block.pieces[at:]))
    return block._replace(pieces=pieces, slots=list(range(1, len(pieces), 2)))


_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#xA;"})


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)


def escaped_formula(latex: str, is_body: bool) -> str:
    if is_body:
        latex = latex.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return latex.translate(_ESCAPES)


def _weights(
    threads: Sequence[tuple[ThreadPost, ...]], instances: Sequence[int]
) -> NDArray[np.float64]:
    """Chances of threads that give the averages of the whole collection.

    Of all such chances they are closest to equal ones: exponential tilting, by Newton's method.
    """
    answers = np.array([len(thread) - 1 for thread in threads], np.float64)
    surplus = np.array(
        [
            np.array(instances) - INSTANCES_PER_POST * (answers + 1),
            answers - ANSWERS_PER_QUESTION,
        ]
    )
    tilt = np.zeros(2)
    for _ in range(50):
        weights: NDArray[np.float64] = np.exp(tilt @ surplus)
        weights /= weights.sum()
        mean = surplus @ weights
        covariance = (surplus - mean[:, None]) * weights @ (surplus - mean[:, None]).T
        tilt -= np.linalg.solve(covariance, mean)
    assert np.abs(mean).max() < 1e-6
    return weights
