"""Where compiled code is kept, so that the next process loads it instead of compiling again.

Kept code is loaded by unpickling and then run. So it is kept only where nobody but this user (and
root) can write: never in a shared temporary folder.
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
    """The folder for code compiled from the sources in ``package``; None if there is none.

    That is ``given`` (which NUMBA_CACHE_DIR names) if it can be written to, else ``__pycache__``
    beside the sources, else ``porism`` among the user's caches. Services often have neither a
    home nor the right to write to the package.
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
    """The folder of Porism among the caches of this user, by the XDG rules."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # What is not absolute must be ignored, and there is no home if the tilde is still there.
    return Path(caches, "porism") if os.path.isabs(caches) else None


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Access rights do not tell: the file system may be read-only.
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _is_private(folder: Path) -> bool:
    """Whether only this user, the members of their group and root can replace what is in it.

    A home may be a folder in which anybody may make others, such as /tmp, so all folders above
    count too: in those with the sticky bit nobody can replace what belongs to somebody else.
    """
    if not hasattr(os, "geteuid"):  # Windows, where the user's folders are private
        return True
    for place in (folder, *folder.resolve().parents):
        found = place.stat()
        is_open = found.st_mode & stat.S_IWOTH and not found.st_mode & stat.S_ISVTX
        if found.st_uid not in (0, os.geteuid()) or is_open:
            return False
    own = folder.stat()
    return own.st_uid == os.geteuid() and not own.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@cache
def _warn_once(users: Path | None) -> None:
    if multiprocessing.parent_process() is None:  # which has said so already
        where = f"nor is {users}, or others can write there" if users else "nor is there a home"
        log.warning(
            "Compiled code cannot be kept, so each start compiles it again: the package's folder "
            "is not writable, %s. Name a folder with NUMBA_CACHE_DIR.",
            where,
        )
