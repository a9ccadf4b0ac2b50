"""Output of data: standard output, or a file that appears when it is complete."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from porism.errors import PorismError
from porism.formats.partial_outputs import partial_file


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Standard output for ``-``, else a file that gets its name when everything is written.

    If the command fails, an older file of that name is unchanged. Pipes and devices are written to
    directly.
    """
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()  # a closed pipe is an error that is handled only here
        return
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as out:
            yield out
        return
    if not target.parent.is_dir():
        raise PorismError(f"{path}: the folder {target.parent} does not exist")
    with partial_file(target) as partial:
        with partial.open("wb") as out:
            yield out
        partial.replace(target)
