"""Porism's folder among the caches of this user, and whether others can write to it."""

import os
import stat
import tempfile
from pathlib import Path


def users_folder() -> Path | None:
    """Return Porism's folder among the caches of this user, by the XDG rules."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    # XDG says to ignore a relative path; a tilde that is still there means there is no home.
    return Path(caches, "porism") if os.path.isabs(caches) else None


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
