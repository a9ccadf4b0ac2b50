"""Errors of writing an index, usually a full disk."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from porism.errors import PorismError

DISK_FULL_CODES = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def index_write_errors(folder: Path) -> Iterator[None]:
    """Turn an ``OSError`` into an error that says what happened to the index."""
    try:
        yield
    except OSError as error:
        # NumPy reports a short write without an error number.
        is_full = error.errno in DISK_FULL_CODES or error.errno is None
        why = "the disk is full" if is_full else "cannot be written"
        raise PorismError(
            f"{folder}: {why} ({error}); solve that and run the command again; an existing "
            "index is unchanged"
        ) from error
