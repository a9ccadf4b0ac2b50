"""Where a command writes its data: standard output, or a file that appears complete."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from porism.errors import PorismError
from porism.formats.partial_outputs import partial_file


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Standard output for ``-``, else a file that takes its name only when all is written.

    If the work fails, an older file of that name is still there and nothing of the new one. What
    is no ordinary file, such as a pipe or a device, is written to as it is.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()  # here, where a closed pipe is still told from a fault
        return
    wanted = Path(path).resolve()
    if wanted.exists() and not wanted.is_file():
        with wanted.open("wb") as out:
            yield out
        return
    if not wanted.parent.is_dir():
        raise PorismError(f"{path}: there is no folder {wanted.parent} to write to")
    with partial_file(wanted) as partial:
        with partial.open("wb") as out:
            yield out
        partial.replace(wanted)
