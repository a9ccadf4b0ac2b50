"""What is said when an index cannot be written, which most often means that the disk is full."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from porism.errors import PorismError

DISK_FULL_CODES = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def index_write_errors(folder: Path) -> Iterator[None]:
    """Turn a failure of the system into one that says what has become of the index."""
    try:
        yield
    except OSError as error:
        # NumPy tells a write that was cut short without a number.
        is_full = error.errno in DISK_FULL_CODES or error.errno is None
        why = "there is no more room on the disk" if is_full else "cannot be written"
        raise PorismError(
            f"{folder}: {why} ({error}); see to it and run the same command again; an index that "
            "was there before is as it was"
        ) from error
