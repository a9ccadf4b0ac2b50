"""Porism's folders among the caches and the states of this user, and whether others can write."""

import os
import stat
import tempfile
from pathlib import Path


def cache_folder() -> Path | None:
    """Return Porism's folder among the caches of this user, by the XDG rules."""
    return _own_folder("XDG_CACHE_HOME", "~/.cache")


def state_folder() -> Path | None:
    """Return Porism's folder for what this user did last, by the XDG rules."""
    return _own_folder("XDG_STATE_HOME", "~/.local/state")


def _own_folder(variable: str, otherwise: str) -> Path | None:
    parent = os.environ.get(variable) or os.path.expanduser(otherwise)
    # XDG says to ignore a relative path; a tilde that is still there means there is no home.
    return Path(parent, "porism") if os.path.isabs(parent) else None


def is_writable(folder: Path) -> bool:
    """Whether files can be created in a folder, which is created if necessary."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Access rights are not enough: the file system may be read-only.
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def is_private(folder: Path) -> bool:
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
