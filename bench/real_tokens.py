"""The tokens of the real mini collection and of the labs' topics: words and L8 tuples.

One stream of tokens for each answer with its thread, for each visually distinct formula, and for
each topic. Systems analyse text with more care; here only the statistics matter: the number of
tokens per document, their rarity, and what topics share with documents.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import Stemmer

from porism.collection.store import Collection
from porism.errors import LatexError
from porism.formats.topics import read_topics
from porism.formula.features import l8
from porism.formula.latex import parse_latex
from porism.model import Content, Formula, PostKind

WORDS_WEIGHT, FORMULAS_WEIGHT = 0.82, 0.18
"""The weights of a word and a tuple of a topic, as in the system l8."""

STOP_WORDS = frozenset(
    "a about above after again all also am an and any are as at be because been before being below "
    "between both but by could d did do does doing don down during each few for from further had "
    "has have having he her here hers him his i if in into is it its just ll m me more most my no "
    "nor not now of off on once only or other our out over own re s same she should so some such t "
    "than that the their them then there these they this those through to too under until up ve "
    "very was we were when where while who whom why will with would you your".split()
)

DUPLICATES = 0.55
"""The share of duplicate tuples, ``{V!x,nn}``, that are used.

The target statistics, 539 distinct terms per document and 310,000 in the mini collection, were
measured with fewer duplicates than ours; with all of them there are 666.
"""

_WORD = re.compile(r"[A-Za-z0-9]+")
_porter = Stemmer.Stemmer("porter")


class WeightedTopic(NamedTuple):
    """A topic as a query: distinct tokens, each with its weight."""

    topic: str
    tokens: tuple[str, ...]
    weights: tuple[float, ...]


def ingest_mini(shared: Path, folder: Path) -> Path:
    """Ingest the mini collection into ``folder`` with ``porism ingest``; returns its path."""
    collection = folder / "mini"
    source = str(shared / "data/arqmath-mini")
    command = [sys.executable, "-m", "porism", "ingest", source, "-o", str(collection)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    return collection


def answer_tokens(collection: Path) -> list[list[str]]:
    """The tokens of each answer: text and comments of its question and itself, linked titles."""
    with Collection(collection) as opened:
        trees = {formula.latex: formula.layout() for formula in opened.formulas()}

        @cache
        def tuples(latex: str) -> list[str]:
            return _sampled(l8(trees[latex])) if latex in trees else _tuples(latex)

        def tokens(texts: Content) -> Iterator[str]:
            for text in texts:
                if isinstance(text, Formula):
                    yield from tuples(text.latex)
                else:
                    yield from _stems(text)

        documents = []
        for question in opened.posts(PostKind.QUESTION):
            thread = opened.thread(question.id)
            shared = [*tokens(question.title), *tokens(question.body), *_stems(*question.tags)]
            for comment in thread.comments[question.id]:
                shared += tokens(comment.text)
            for related in thread.related:
                shared += tokens(related.title)
            for answer in thread.answers:
                own = list(tokens(answer.body))
                for comment in thread.comments[answer.id]:
                    own += tokens(comment.text)
                documents.append(shared + own)
    return documents


def formula_tokens(collection: Path) -> list[list[str]]:
    """The tuples of each visually distinct formula that has any."""
    with Collection(collection) as opened:
        trees = {formula.visual_id: formula.layout() for formula in opened.formulas()}
    bags = (_sampled(l8(tree)) for tree in trees.values())
    return [bag for bag in bags if bag]


def answer_queries(shared: Path) -> list[WeightedTopic]:
    """The topics of Task 1 of all three years, without stop words."""
    return [
        _query(topic.id, [*topic.title, *topic.body, *topic.tags])
        for path in sorted((shared / "data/topics/task1").glob("*.xml"))
        for topic in read_topics(path)
    ]


def formula_queries(shared: Path) -> list[WeightedTopic]:
    """The query formulas of Task 2 of all three years, except those without tuples."""
    queries = [
        _query(topic.id, [topic.focus])
        for path in sorted((shared / "data/topics/task2").glob("*.xml"))
        for topic in read_topics(path)
        if topic.focus is not None
    ]
    return [query for query in queries if query.tokens]


def _query(topic: str, texts: list[str | Formula]) -> WeightedTopic:
    weights: defaultdict[str, float] = defaultdict(float)
    for text in texts:
        if isinstance(text, Formula):
            for token, count in Counter(_tuples(text.latex)).items():
                weights[token] += count * FORMULAS_WEIGHT
        else:
            for word in _words(text):
                if word not in STOP_WORDS:
                    weights[_porter.stemWord(word)] += WORDS_WEIGHT
    return WeightedTopic(topic, tuple(weights), tuple(weights.values()))


def _tuples(latex: str) -> list[str]:
    try:
        return _sampled(l8(parse_latex(latex).tree))
    except LatexError:  # too deep or too long: no tree, as in a collection
        return []


def _sampled(tuples: list[str]) -> list[str]:
    return [each for each in tuples if each[0] != "{" or _is_sampled(each)]


@cache
def _is_sampled(duplicate: str) -> bool:
    return crc32(duplicate.encode()) < DUPLICATES * (1 << 32)


def _stems(*texts: str) -> list[str]:
    return [stem for text in texts for stem in _porter.stemWords(_words(text)) if stem]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
