"""What queries cost: random ones through the complete analysis, by CPU time per character.

    python -m fuzz.query_cost --queries 1000000 [--seed N] [--search-every N] [--index INDEX]

Each query is read as typed text, as a question or as a formula by turns, becomes the clauses of
the best system, and is planned over an index. Every N-th also becomes tokens in every notation and
is searched for, with its results read. The index is that of the sample unless another is named.

A query costs something however short it is, so the cost per character is that per
``max(length, 100)`` characters: a search for ``x`` is not a hundred times as bad as one for a
sentence because it takes the same millisecond. What seems to be costly is measured again, twice,
and the least counts: the machine has other work, and Python collects garbage now and then.

Prints the median, the 99th percentile and the worst, of analyses and searches apart, and exits
with 1 if the worst costs more per character than 100 times the median, or more than a second.
Ctrl+C ends it early with what was measured until then.
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
from porism.rank.ranker import Ranker
from porism.rank.results import search_results
from porism.rank.typed_topics import TypedTopic, typed_answer_topic, typed_formula_topic
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.text import PLAIN

LONGEST = 2_000
"""Characters of a query, as the web service allows them."""

SHORTEST = 100
"""Shorter queries are counted as if they had so many characters."""

MOST_TIMES, MOST_SECONDS = 100.0, 1.0
SUSPICIOUS = 10.0
"""From so many times the median on, a query is measured again."""

PROSE = """
    sum of the first prime numbers why does series converge show that every finite group ring is
    integral without antiderivative proof by induction eigenvalues matrix determinant limit real
    analysis set theory countable uncountable half-life Euler's a an in on 1 2 10 2021
    antidisestablishmentarianism
""".split()


# Queries -----------------------------------------------------------------------------------------


def queries(random: Random) -> Iterator[str]:
    """Queries without end: of all kinds, by turns of chance."""
    kinds = (_prose, _soup, _spoilt, _nested, _macros, _scripts, _long, _wildcards, _repeated)
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
        text = text[:LONGEST]
        if text.strip():
            yield text


def _prose(random: Random) -> str:
    return " ".join(random.choices(PROSE, k=random.choice((1, 3, 3, 8, 8, 20, 200))))


def _soup(random: Random) -> str:
    return random.choice(("", " ")).join(
        random.choices(WORDS, k=random.choice((3, 3, 10, 20, 20, 60, 400)))
    )


def _spoilt(random: Random) -> str:
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
    r"""Macros that use others, or themselves, as ``\def\a#1{#1#1#1}\a{\a{\a{x}}}``."""
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
    return piece * random.choice((2, 5, 5, 20, 50, 1 + LONGEST // max(1, len(piece))))


# Costs -------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Costs:
    """CPU seconds of queries of one kind, per character and in all, with the worst of them."""

    name: str
    work: Callable[[str], None]
    per_character: array[float] = field(default_factory=lambda: array("f"))
    worst: tuple[float, str] = (0.0, "")
    longest: tuple[float, str] = (0.0, "")
    _typical: float = 0.0

    def measure(self, query: str) -> None:
        """Do the work for a query and note what it takes."""
        seconds = self._seconds(query)
        characters = max(len(query), SHORTEST)
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
        begun = time.thread_time()
        self.work(query)
        return time.thread_time() - begun

    @property
    def is_bounded(self) -> bool:
        """Whether the worst is within what is allowed."""
        times = self.worst[0] / float(np.median(self.per_character))
        return times <= MOST_TIMES and self.longest[0] <= MOST_SECONDS

    def report(self) -> str:
        """The figures, and the queries behind the worst of them."""
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
    """The index, or one of the sample made for the purpose."""
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
        found = Costs("search", lambda query: _searched(library, rankers, query))
        for query in ("a sum $x+1$", "x"):  # compiled code is loaded, files are mapped
            analyses.work(query)
            found.work(query)
        stream = islice(queries(Random(options.seed)), options.queries)
        with suppress(KeyboardInterrupt):  # what was measured until then is reported
            for number, query in enumerate(stream):
                try:
                    analyses.measure(query)
                    if number % options.search_every == 0:
                        found.measure(query)
                except PorismError as error:
                    raise SystemExit(f"{error}: {_excerpt(query)}") from error
    for costs in (analyses, found):
        print(costs.report())
    sys.exit(0 if analyses.is_bounded and found.is_bounded else 1)


if __name__ == "__main__":
    main()
