"""The cost of random queries through the complete analysis, in CPU time per character.

    python -m fuzz.query_cost --queries 1000000 [--seed N] [--search-every N] [--index INDEX]

Each query is parsed as typed text, alternately as a question or a formula, and converted to the
tokens that the best system searches with. Every N-th is also converted to all kinds of formula
tokens and searched, with its results read. The default index is that of the sample.

Every query has a fixed cost, so the cost per character is per ``max(length, 100)`` characters: a
search for ``x`` is not a hundred times as bad as one for a sentence that takes the same
millisecond. Queries that seem costly are measured twice more, and the minimum counts, because of
other load and garbage collection.

Prints the median, the 99th percentile and the worst, separately for analyses and searches, and
exits with 1 if the worst costs more per character than 100 times the median, or more than a second.
Ctrl+C ends it early with the measurements so far.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from random import Random

import numpy as np

from fuzz.strategies import FORMULAS, WORDS
from porism import catalog
from porism.analysis import FormulaTokens, keyword_query, query_formulas, query_tokens
from porism.cli.main import porism
from porism.errors import PorismError
from porism.model import Formula, Task
from porism.query.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.rank.ranker import Ranker
from porism.rank.results import search_results
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.text import PLAIN

MAX_LENGTH = 2_000
"""Maximum length of a query, as in the web service."""

MIN_LENGTH = 100
"""Shorter queries count as this long."""

MAX_RATIO, MAX_SECONDS = 100.0, 1.0
SUSPICIOUS = 10.0
"""From this multiple of the median on, a query is measured again."""

PROSE = """
    sum of the first prime numbers why does series converge show that every finite group ring is
    integral without antiderivative proof by induction eigenvalues matrix determinant limit real
    analysis set theory countable uncountable half-life Euler's a an in on 1 2 10 2021
    antidisestablishmentarianism
""".split()


# Queries -----------------------------------------------------------------------------------------


def queries(random: Random) -> Iterator[str]:
    """An infinite stream of random queries of all kinds."""
    kinds = (_prose, _soup, _mutated, _nested, _macros, _scripts, _long, _wildcards, _repeated)
    while True:
        text = random.choice(kinds)(random)
        form = random.randrange(4)
        if form == 0:
            text = f"${text}$"
        elif form == 1:
            text = f"{_prose(random)} ${text}$ {_prose(random)} ${random.choice(FORMULAS)}$"
        elif form == 2 and len(text) < 200:
            several = random.choice((2, 2, 2, 5, 5, 100))
            text = " ".join(f"${text}{number}$" for number in range(several))
        text = text[:MAX_LENGTH]
        if text.strip():
            yield text


def _prose(random: Random) -> str:
    return " ".join(random.choices(PROSE, k=random.choice((1, 3, 3, 8, 8, 20, 200))))


def _soup(random: Random) -> str:
    return random.choice(("", " ")).join(
        random.choices(WORDS, k=random.choice((3, 3, 10, 20, 20, 60, 400)))
    )


def _mutated(random: Random) -> str:
    source = random.choice(FORMULAS)
    for _ in range(random.randrange(6)):
        start = random.randrange(len(source) + 1)
        end = start + random.randrange(8)
        piece = random.choice(("", source[start:end] * 2, random.choice(WORDS)))
        source = source[:start] + piece + source[end:]
    return source


def _nested(random: Random) -> str:
    opening = "".join(random.choices(WORDS, k=random.randrange(1, 4)))
    depth = random.choice((2, 2, 10, 10, 50, 58, 300))
    closing = random.choice(("}", ")", r"\right)", r"\end{matrix}", "]", ""))
    inner = random.choice(("x", "xy" * 100, "x+1"))
    return opening * depth + inner + closing * random.choice((0, depth, 2 * depth))


def _macros(random: Random) -> str:
    r"""Macros that use others or themselves, such as ``\def\a#1{#1#1#1}\a{\a{\a{x}}}``."""
    names = random.sample("abcdef", random.randrange(1, 4))
    defined = ""
    for name in names:
        pieces = ("#1", "x", "+", "^", "_", "{#1}", *_uses(names))
        body = "".join(random.choices(pieces, k=random.choice((1, 2, 4, 9))))
        defined += random.choice((rf"\def\{name}#1{{{body}}}", rf"\newcommand\{name}[1]{{{body}}}"))
    used = "".join(random.choice(_uses(names)).replace("#1", "") + "{" for _ in range(20))
    depth = random.randrange(1, 20)
    return defined + used[: 3 * depth] + "xyzw" + "}" * depth


def _uses(names: list[str]) -> list[str]:
    return [rf"\{name}" for name in names]


def _scripts(random: Random) -> str:
    signs = random.choices(
        ("^{", "_{", "^", "_", "'", "^{x}_{"), k=random.choice((3, 3, 10, 30, 58))
    )
    return "".join(f"{random.choice('xyzabc12')}{sign}" for sign in signs) + "n" + "}" * len(signs)


def _long(random: Random) -> str:
    letter = random.choice(
        ("a", "ab", "0", "1,", "é", "-", "a-", "\\", "$", "&amp;", "<", "?", "'")
    )
    before = random.choice(("", r"\mathrm{", r"\text{", r"\operatorname{", r"\begin{"))
    return (
        before + letter * random.choice((10, 10, 100, 100, 1000, 2000)) + random.choice(("", "}"))
    )


def _wildcards(random: Random) -> str:
    signs, number = "+ - = ^ _ / , ( ) { }".split(), random.choice((2, 5, 9, 20, 400))
    return "".join(f"?{random.choice('abxyz')}{random.choice(signs)}" for _ in range(number))


def _repeated(random: Random) -> str:
    piece = "".join(random.choices(WORDS, k=random.randrange(1, 5))) or "x"
    return piece * random.choice((2, 5, 5, 20, 50, 1 + MAX_LENGTH // max(1, len(piece))))


# Costs -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Costs:
    """CPU seconds of queries of one kind, per character and in total, with the worst queries."""

    name: str
    work: Callable[[str], None]
    per_character: array[float] = field(default_factory=lambda: array("f"))
    worst: tuple[float, str] = (0.0, "")
    longest: tuple[float, str] = (0.0, "")
    _typical: float = 0.0

    def measure(self, query: str) -> None:
        """Process a query and record its cost."""
        seconds = self._seconds(query)
        characters = max(len(query), MIN_LENGTH)
        if self._typical and seconds / characters > SUSPICIOUS * self._typical:
            seconds = min(seconds, self._seconds(query), self._seconds(query))
        cost = seconds / characters
        self.per_character.append(cost)
        self.worst = max(self.worst, (cost, query))
        self.longest = max(self.longest, (seconds, query))
        if len(self.per_character) in (100, 1_000, 10_000):
            self._typical = float(np.median(self.per_character))

    def _seconds(self, query: str) -> float:
        query_formulas.clear_caches()
        start = time.thread_time()
        self.work(query)
        return time.thread_time() - start

    @property
    def is_bounded(self) -> bool:
        """Whether the worst queries are within the limits."""
        ratio = self.worst[0] / float(np.median(self.per_character))
        return ratio <= MAX_RATIO and self.longest[0] <= MAX_SECONDS

    def report(self) -> str:
        """The statistics, with the worst queries."""
        median, late = np.percentile(self.per_character, (50, 99))
        return (
            f"{self.name}: {len(self.per_character):,} queries; CPU per character: median "
            f"{1e6 * median:.2f} us, 99th percentile {1e6 * late:.2f} us, worst "
            f"{1e6 * self.worst[0]:.2f} us ({self.worst[0] / median:.0f} times the median)\n"
            f"  worst per character: {_excerpt(self.worst[1])}\n"
            f"  longest: {1e3 * self.longest[0]:.0f} ms for {_excerpt(self.longest[1])}"
        )


def _excerpt(query: str) -> str:
    text = ascii(query)
    return text if len(text) <= 400 else f"{text[:400]}... ({len(query):,} characters)"


def _typed(query: str, task: Task) -> TypedTopic:
    return (typed_answer_topic if task == Task.ANSWERS else typed_formula_topic)(query)


TASKS = (Task.ANSWERS, Task.FORMULAS)


def _analysed(rankers: dict[Task, Ranker], query: str) -> None:
    task = TASKS[len(query) % 2]
    topic = _typed(query, task).topic
    rankers[task].tokens(topic)


def _searched(library: SearchIndex, rankers: dict[Task, Ranker], query: str) -> None:
    for task in TASKS:
        typed = _typed(query, task)
        search_results(library, rankers[task], typed, 10)
        keyword_query(typed.topic, library.keywords, PLAIN)
    for piece in typed.topic.title:
        if isinstance(piece, Formula):
            for notation in FormulaTokens:
                query_tokens(notation, piece.latex, piece.macros)


@contextmanager
def _index(index: Path | None) -> Iterator[SearchIndex]:
    """The given index, or a new one of the sample."""
    if index is not None:
        with open_index(index) as library:
            yield library
        return
    with tempfile.TemporaryDirectory() as folder:
        collection = str(Path(folder) / "sample")
        for arguments in (["ingest", "sample", "-o", collection], ["index", collection]):
            porism.main([*arguments, "--jobs", "1"], standalone_mode=False)
        with open_index(Path(collection) / "index") as library:
            yield library


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz.query_cost", description=__doc__)
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--search-every", type=int, default=50, metavar="N")
    parser.add_argument("--index", type=Path)
    options = parser.parse_args()
    with _index(options.index) as library:
        rankers = {task: catalog.default_ranker(task, library)[1] for task in TASKS}
        analyses = Costs("analysis", lambda query: _analysed(rankers, query))
        searches = Costs("search", lambda query: _searched(library, rankers, query))
        for query in ("a sum $x+1$", "x"):  # loads compiled code and maps files
            analyses.work(query)
            searches.work(query)
        stream = islice(queries(Random(options.seed)), options.queries)
        with suppress(KeyboardInterrupt):  # the measurements so far are reported
            for number, query in enumerate(stream):
                try:
                    analyses.measure(query)
                    if number % options.search_every == 0:
                        searches.measure(query)
                except PorismError as error:
                    raise SystemExit(f"{error}: {_excerpt(query)}") from error
    for costs in (analyses, searches):
        print(costs.report())
    sys.exit(0 if analyses.is_bounded and searches.is_bounded else 1)


if __name__ == "__main__":
    main()
