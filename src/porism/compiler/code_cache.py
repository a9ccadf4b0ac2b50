"""Where compiled code is cached, so that the next process loads it instead of compiling again.

Cached code is unpickled and run. So it is cached only where nobody but this user (and root) can
write: never in a shared temporary folder.
"""

import logging
import multiprocessing
import os
import stat
import tempfile
from functools import cache
from pathlib import Path

log = logging.getLogger(__name__)


@cache
def code_folder(package: Path, given: str) -> Path | None:
    """Return the folder for code compiled from the sources in ``package``; None if there is none.

    That is ``given`` (from NUMBA_CACHE_DIR) if it is writable, else ``__pycache__`` beside the
    sources, else ``porism`` in the user's cache folder. Services often have neither a home nor
    the right to write to the package.
    """
    beside = package / "__pycache__"
    if given and _is_writable(Path(given)):
        return Path(given)
    if _is_writable(beside):
        return beside
    users = _users_folder()
    if users is not None and _is_writable(users) and _is_private(users):
        return users
    _warn_once(users)
    return None


def _users_folder() -> Path | None:
    """Return Porism's folder among the caches of this user, by the XDG rules."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # XDG says to ignore a relative path; a tilde that is still there means there is no home.
    return Path(caches, "porism") if os.path.isabs(caches) else None


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Access rights are not enough: the file system may be read-only.
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether only this user, the members of their group and root can replace what is in it.

    A home may be in a folder where anybody can create others, such as /tmp, so the parent folders
    count too: in those with the sticky bit nobody can replace what belongs to somebody else.
    """
    if not hasattr(os, "geteuid"):  # Windows, where the user's folders are private
        return True
    for place in (folder, *folder.resolve().parents):
        status = place.stat()
        is_open = status.st_mode & stat.S_IWOTH and not status.st_mode & stat.S_ISVTX
        if status.st_uid not in (0, os.geteuid()) or is_open:
            return False
    own = folder.stat()
    return own.st_uid == os.geteuid() and not own.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@cache
def _warn_once(users: Path | None) -> None:
    if multiprocessing.parent_process() is None:  # the parent process has logged it
        reason = f"nor is {users}, or others can write there" if users else "nor is there a home"
        log.warning(
            "Compiled code cannot be cached, so each start compiles it again: the package's folder "
            "is not writable, %s. Name a folder with NUMBA_CACHE_DIR.",
            reason,
        )
