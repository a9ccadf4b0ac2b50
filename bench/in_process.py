"""Requests for results through the whole web application, in process and without a network.

The queries are the real topics of 2020 and 2021, cut to title and first formula, on the mini
collection. Each is new to a process when it is first sent; it is then sent again, when what is
remembered of formulas and posts is there. CPU time counts, because a busy machine changes it less
than the clock. Another checkout must read the index that this one makes.

    python -m bench.in_process
    python -m bench.in_process --before CHECKOUT    by turns with another checkout
    python -m bench.in_process --only /api/search
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import importlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch
from urllib.parse import quote

import numpy as np
from fastapi import FastAPI

from bench.shared_data import shared_folder
from bench.typed_queries import indexed
from bench.web_service import topic_queries

HERE = Path(__file__).parent.parent

ADDRESSES = {
    "/api/search": ("/api/search", "q="),
    "/api/search, system porism": ("/api/search", "system=porism&q="),
    "/api/formulas": ("/api/formulas", "q="),
    "results as you type": ("/", "fragment=results&q="),
}

STAGES = {
    "text read as words and formulas": ("porism.web.api:typed_answer_topic",),
    "corrections and other spellings": ("porism.rank.typed.typed_search:TypedSearch.read",),
    "index": ("porism.inverted.reader:Index.best", "porism.inverted.reader:Index.scores"),
    "vectors": (
        "porism.searchindex.components.vector_index:DocumentVectors.nearest",
        "porism.searchindex.components.vector_index:DocumentVectors.scores",
    ),
    "similar formulas": ("porism.rank.systems.porism_answers:SimilarityScorer.scores",),
    "titles, word order, equal formulas": ("porism.rank.typed.typed_search:_Search.posts",),
    "ranking, with the five stages above": ("porism.rank.typed.typed_search:TypedSearch.ranking",),
    "posts from SQLite": (
        "porism.collection.store:Collection.post",
        "porism.collection.store:Collection.heading",
    ),
    "passages": ("porism.rank.results:snippet",),
    "results, with posts and passages": ("porism.rank.results:describe",),
}
"""Functions of ``/api/search`` by the stages that they make up."""


class Measured(NamedTuple):
    """Milliseconds of each query, sent once and again, by the clock and of CPU time."""

    first: Sequence[float]
    again: Sequence[float]
    first_processor: Sequence[float]
    again_processor: Sequence[float]


def report(
    before: Path | None = None, rounds: int = 3, names: Sequence[str] = tuple(ADDRESSES)
) -> None:
    """Print the times of addresses and of the stages of ``/api/search``."""
    permanent = os.environ.get("PORISM_BENCH_FOLDER")
    with TemporaryDirectory() as temporary:
        index = indexed("mini", Path(permanent or temporary))
        checkouts = (
            {"": HERE} if before is None else {"before: ": before.resolve(), "after: ": HERE}
        )
        for name in names:
            runs: dict[str, list[Measured]] = defaultdict(list)
            for turn in range(rounds):
                for label in list(checkouts)[:: 1 if turn % 2 else -1]:
                    runs[label].append(Measured(**_child(checkouts[label], index, name)))
            for label in checkouts:
                print(f"{label}{name}: {_summary(runs[label])}", flush=True)
        for label, checkout in checkouts.items():
            stages = _child(checkout, index, "stages")
            print(f"{label}CPU time of a request to /api/search, mean:")
            for stage, milliseconds in stages.items():
                print(f"  {stage:<38} {milliseconds:6.2f} ms")


def _child(checkout: Path, index: Path, what: str) -> dict[str, Any]:  # Any: JSON
    path = os.pathsep.join([str(checkout / "src"), str(HERE)])
    command = [sys.executable, "-m", "bench.in_process", "--measure", str(index), what]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return measured


def _summary(runs: Sequence[Measured]) -> str:
    """Medians and 99th percentiles over queries, each query by the median of the runs."""

    def spread(column: str) -> str:
        of_queries = np.median([getattr(run, column) for run in runs], axis=0)
        return "{:.1f} and {:.1f} ms".format(*np.percentile(of_queries, (50, 99)))

    return (
        f"median and 99th percentile {spread('again')} (CPU time {spread('again_processor')}); "
        f"new queries {spread('first')} (CPU time {spread('first_processor')})"
    )


def _measure(index: Path, what: str) -> dict[str, object]:
    """The times of an address, or of the stages, in this process."""
    from porism.web.app import create_app  # of the checkout that is measured
    from porism.web.settings import SearchAppSettings

    app = create_app(SearchAppSettings(index=index, requests_a_second=0.0))
    gc.collect()
    gc.freeze()  # as the service does
    queries = topic_queries(shared_folder())
    if what == "stages":
        with _timed_stages() as spent:
            asyncio.run(_times(app, ADDRESSES["/api/search"], queries))
            spent.clear()
            _, processor = asyncio.run(_times(app, ADDRESSES["/api/search"], queries))
        stages = {stage: spent[stage] / len(queries) for stage in STAGES}
        return {**stages, "all, with HTTP and JSON": sum(processor) / len(queries)}
    first, first_processor = asyncio.run(_times(app, ADDRESSES[what], queries))
    again, again_processor = asyncio.run(_times(app, ADDRESSES[what], queries))
    return Measured(first, again, first_processor, again_processor)._asdict()


@contextmanager
def _timed_stages() -> Iterator[dict[str, float]]:
    """The milliseconds of CPU time that the functions of each stage take."""
    spent: dict[str, float] = defaultdict(float)

    def timed(stage: str, function: Callable[..., Any]) -> Callable[..., Any]:  # Any: as it is
        def call(*arguments: Any, **named: Any) -> Any:  # the function's own
            start = time.thread_time()
            try:
                return function(*arguments, **named)
            finally:
                spent[stage] += 1000 * (time.thread_time() - start)

        return call

    with ExitStack() as stack:
        for stage, places in STAGES.items():
            for place in places:
                module, _, name = place.partition(":")
                *owners, attribute = name.split(".")
                owner: Any = importlib.import_module(module)  # a module or a class
                for each in owners:
                    owner = getattr(owner, each)
                replacement = timed(stage, getattr(owner, attribute))
                stack.enter_context(patch.object(owner, attribute, replacement))
        yield spent


async def _times(
    app: FastAPI, address: tuple[str, str], queries: Sequence[str]
) -> tuple[list[float], list[float]]:
    """Milliseconds of each query by the clock, and of CPU time."""
    path, parameters = address
    clock: list[float] = []
    processor: list[float] = []
    async with app.router.lifespan_context(app):
        for query in queries:
            start, processor_start = time.perf_counter(), time.process_time()
            await _request(app, path, parameters + quote(query))
            clock.append(1000 * (time.perf_counter() - start))
            processor.append(1000 * (time.process_time() - processor_start))
    return clock, processor


async def _request(app: FastAPI, path: str, query: str) -> None:
    """Send a request to the application; any status but 200 raises."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [(b"host", b"localhost")],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "state": {},
    }
    messages = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive() -> Any:  # a message of ASGI
        if messages:
            return messages.pop()
        await asyncio.Event().wait()
        raise AssertionError("nobody sets the event")

    async def send(message: Any) -> None:  # a message of ASGI
        if message.get("status", 200) != 200:
            raise RuntimeError(f"{message['status']} for {query[:80]}")

    await app(scope, receive, send)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", type=Path, help="another checkout, measured by turns")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", choices=ADDRESSES, action="append", help="an address")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(_measure(Path(given.measure[0]), given.measure[1])))
    else:
        report(given.before, given.rounds, given.only or tuple(ADDRESSES))


if __name__ == "__main__":
    main()
