"""Process a stream with several processes, with the results in the order of the stream."""

from __future__ import annotations

import gc
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TypeVar

from porism.errors import PorismError

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 3
"""Items in flight per process: enough that none waits, few enough to bound memory."""


def map_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Generator[Result, None, None]:
    """``work`` of each item, in order, computed by ``jobs`` processes, or by this one if 1.

    At most ``AHEAD`` items per process are read ahead. ``work`` and the items are pickled, so an
    item should be worth the overhead: a chunk, not a record.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    # Forking is a tenth of a second faster, but a pool has threads, and a fork may then hang.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_follow_parent)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= AHEAD * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool as error:
        raise PorismError(
            "a worker process died, possibly because it ran out of memory; "
            "try again with fewer jobs"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def reduce_garbage_collection() -> None:
    """Run the garbage collector less often in this process, which works on a stream.

    Records and trees are tuples without cycles, freed by reference counting; scanning millions of
    them for cycles took a tenth of the time.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _follow_parent() -> None:
    """Leave Ctrl-C to the parent process, and exit when it exits, for whatever reason.

    A parent shuts its pool down; one that was killed cannot, and its workers would wait forever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reduce_garbage_collection()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
