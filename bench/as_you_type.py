r"""Search as you type on the mini collection: the time of each response while queries are typed.

One process of the real service, over loopback. The queries are real titles, with and without
dollars, and formulas; each is typed letter by letter, and a page asks after every few letters. Each
prefix is asked for once, so that nothing is answered from memory of the same request. Beside the
time of a response stands the processor time that the service spent on it: the two are close on a
machine that does nothing else.

    python -m bench.as_you_type
    python -m bench.as_you_type --long    pasted texts of up to 30,000 characters instead
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from bench.typed_queries import TypedQuery, indexed, title_queries
from bench.web_service import AS_YOU_TYPE, ask, running_server
from porism.collection.store import open_collection
from porism.model import PostKind, plain_text

STEP = 4
"""Letters between two requests: what is typed while a page waits for a pause."""

PER_KIND = 12
"""Queries of each kind."""

KINDS = ("title", "latex", "unicode", "plain", "typo", "lone latex", "lone unicode", "lone plain")
LENGTHS = (2_000, 10_000, 30_000)


def report() -> None:
    """Print the median, 90th and 99th percentile and maximum by kind of query."""

    def measure(index: Path, service: _Service) -> None:
        with open_collection(index.parent) as collection:
            queries = title_queries(collection, PER_KIND + 1)
        by_kind = {kind: [each for each in queries if each.kind == kind] for kind in KINDS}
        for listed in by_kind.values():
            _typed(service, listed[PER_KIND:])  # loads compiled code and maps files
        every: list[_Times] = []
        _print_head()
        for kind, listed in by_kind.items():
            times = _typed(service, listed[:PER_KIND])
            every += times
            _print_row(kind, times)
        _print_row("all", every)

    _with_service(measure)


def report_pasted() -> None:
    """Print the times of texts made of real questions, by length."""

    def measure(index: Path, service: _Service) -> None:
        with open_collection(index.parent) as collection:
            posts = (post for post in collection.posts() if post.kind is PostKind.QUESTION)
            bodies = [plain_text(post.body) for post in islice(posts, 300)]
        service.times(bodies[0])
        _print_head()
        for length in LENGTHS:
            times = [service.times(text) for text in _pasted(bodies, length)]
            _print_row(f"{length:,} characters", times)

    _with_service(measure)


def _pasted(bodies: Sequence[str], length: int) -> Iterator[str]:
    for first in range(0, 200, 20):
        yield "\n\n".join(bodies[first:])[:length]


class _Times(NamedTuple):
    """Milliseconds of a response, and of the processors meanwhile."""

    response: float
    processor: float


@dataclass(frozen=True, slots=True)
class _Service:
    port: int
    process: int

    def times(self, text: str) -> _Times:
        before = self._processor_milliseconds()
        response = ask(self.port, AS_YOU_TYPE, text)
        return _Times(response, self._processor_milliseconds() - before)

    def _processor_milliseconds(self) -> float:
        tasks = Path(f"/proc/{self.process}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e6


def _with_service(measure: Callable[[Path, _Service], None]) -> None:
    permanent = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as temporary:
        index = indexed("mini", Path(permanent or temporary))
        with running_server(index, 1) as (process, port):
            measure(index, _Service(port, process.pid))


def _typed(service: _Service, queries: Sequence[TypedQuery]) -> list[_Times]:
    return [
        service.times(query.text[:length])
        for query in queries
        for length in (*range(STEP, len(query.text), STEP), len(query.text))
    ]


def _print_head() -> None:
    print(f"{'Milliseconds':<38}{'response':<28}processor")
    print(" " * 28 + "requests" + "  median    90 %    99 %" * 2)


def _print_row(name: str, times: Sequence[_Times]) -> None:
    table = np.percentile(np.array(times), [50, 90, 99], axis=0).T
    print(f"  {name:<25} {len(times):>8}" + "".join(f"{each:8.0f}" for each in table.ravel()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--long", action="store_true", help="pasted texts instead")
    (report_pasted if parser.parse_args().long else report)()


if __name__ == "__main__":
    main()
