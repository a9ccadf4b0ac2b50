"""Copies of runs that come through a pipe, because runs are read more than once."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def regular_files(paths: Sequence[Path]) -> Iterator[tuple[Path, ...]]:
    """The same paths, with temporary files for pipes and for ``-``."""
    with TemporaryDirectory(prefix="porism-") as folder:
        yield tuple(_regular(path, Path(folder) / str(n)) for n, path in enumerate(paths, start=1))


def _regular(path: Path, folder: Path) -> Path:
    is_standard_input = str(path) == "-"
    if not is_standard_input and (not path.exists() or path.is_file() or path.is_dir()):
        return path
    folder.mkdir()
    copy = folder / ("standard input" if is_standard_input else path.name)
    with copy.open("wb") as file:
        if is_standard_input:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with path.open("rb") as pipe:
                shutil.copyfileobj(pipe, file)
    return copy
