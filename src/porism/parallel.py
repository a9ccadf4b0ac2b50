"""Work on a stream by several processes, with the results in the order of the stream."""

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
"""How many items for each process are under way, so that none waits and memory does not grow."""


def map_in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int
) -> Generator[Result, None, None]:
    """``work`` of each item, in order, done by ``jobs`` processes or, if that is 1, by this one.

    At most a few items for each process are ahead of what has been taken from the iterator.
    ``work`` and the items are pickled, so an item should be worth the trip: a chunk, not a record.
    """
    if jobs == 1:
        yield from map(work, items)
        return
    # Forking is quicker by a tenth of a second, but a pool has threads, and a fork may then hang.
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
            "a process ended before its work was done, perhaps for want of memory; "
            "try again with fewer jobs"
        ) from error
    finally:
        pool.shutdown(cancel_futures=True)


def reduce_garbage_collection() -> None:
    """Look for cyclic garbage less often in this process, which is here to work on a stream.

    Records and trees are tuples without cycles, freed when they are done with, and looking through
    millions of them in vain took a tenth of the time.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _follow_parent() -> None:
    """Leave Ctrl-C to the process that started this one, and end when it ends, however it ends.

    A pool is ended by its owner; one that was killed cannot, and its processes would wait for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    reduce_garbage_collection()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
