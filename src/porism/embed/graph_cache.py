"""Exported models in the user's cache, so that the next process loads them.

A file that others could replace is never used. If the cache cannot be written, each process exports
its models again.
"""

from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from porism.user_folders import cache_folder, is_private, is_writable

log = logging.getLogger(__name__)


def graph_path(name: str) -> Path | None:
    """The place of a graph in the cache; None if there is no private and writable cache."""
    users = cache_folder()
    if users is None:
        return None
    folder = users / "models"
    return folder / name if is_writable(folder) and is_private(folder) else None


def write_graph(path: Path | None, make: Callable[[], bytes]) -> bytes:
    """Make a graph and put it into the cache, replacing what is there; the graph is returned.

    Processes that do so at the same time do not disturb each other.
    """
    graph = make()
    if path is None:
        log.warning(
            "The exported model cannot be cached, so each start exports it again: there is no"
            " private cache folder. Name one with XDG_CACHE_HOME."
        )
        return graph
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        try:
            with open(handle, "wb") as file:
                file.write(graph)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        log.warning("%s: the exported model cannot be cached (%s)", path, error.strerror or error)
    return graph
