"""A process of low priority for large uploaded runs.

Scored in a thread of the server, a run of 20 MB would compete with searches for Python's
interpreter lock for seconds.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import ParamSpec, TypeVar

TIMEOUT = 300.0
NICENESS = 5

Result = TypeVar("Result")
_Arguments = ParamSpec("_Arguments")


class ScoringProcessFailed(Exception):
    """The process did not start, or died."""


def run_in_process(
    work: Callable[_Arguments, Result], *args: _Arguments.args, **named: _Arguments.kwargs
) -> Result:
    """The result of a module's function, computed by another process.

    Raises ``TimeoutError`` after ``TIMEOUT`` seconds, and ``ScoringProcessFailed``.
    """
    # Not by multiprocessing, which would wait forever for a process that dies while it starts.
    command = [sys.executable, "-P", "-m", "porism.web.runs.scoring_process"]
    call = pickle.dumps((work, args, named))
    try:
        done = subprocess.run(
            command, input=call, stdout=subprocess.PIPE, timeout=TIMEOUT, check=True
        )
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"scoring took more than {TIMEOUT:g} seconds") from error
    except (OSError, subprocess.CalledProcessError) as error:
        raise ScoringProcessFailed(str(error)) from error
    result: Result = pickle.loads(done.stdout)
    return result


if __name__ == "__main__":
    os.nice(NICENESS)
    work, args, named = pickle.load(sys.stdin.buffer)
    pickle.dump(work(*args, **named), sys.stdout.buffer)
