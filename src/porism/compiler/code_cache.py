"""Where compiled code is cached, so that the next process loads it instead of compiling again.

Cached code is unpickled and run. So it is cached only where nobody but this user (and root) can
write: never in a shared temporary folder.
"""

import logging
import multiprocessing
from functools import cache
from pathlib import Path

from porism.user_folders import cache_folder, is_private, is_writable

log = logging.getLogger(__name__)


@cache
def code_folder(package: Path, given: str) -> Path | None:
    """Return the folder for code compiled from the sources in ``package``; None if there is none.

    That is ``given`` (from NUMBA_CACHE_DIR) if it is writable, else ``__pycache__`` beside the
    sources, else ``porism`` in the user's cache folder. Services often have neither a home nor
    the right to write to the package.
    """
    beside = package / "__pycache__"
    if given and is_writable(Path(given)):
        return Path(given)
    if is_writable(beside):
        return beside
    users = cache_folder()
    if users is not None and is_writable(users) and is_private(users):
        return users
    _warn_once(users)
    return None


@cache
def _warn_once(users: Path | None) -> None:
    if multiprocessing.parent_process() is None:  # the parent process has logged it
        reason = f"nor is {users}, or others can write there" if users else "nor is there a home"
        log.warning(
            "Compiled code cannot be cached, so each start compiles it again: the package's folder "
            "is not writable, %s. Name a folder with NUMBA_CACHE_DIR.",
            reason,
        )
