"""Commands as a user who has no home and may write nowhere, as a service runs."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0

# Reading everything is allowed, because the interpreter may lie in a folder of root's own.
_AS_NOBODY = (
    *("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"),
    *("--inh-caps=-all,+dac_read_search", "--ambient-caps=-all,+dac_read_search"),
)

needs_rights = pytest.mark.skipif(
    IS_ROOT and shutil.which("setpriv") is None, reason="root can write everywhere: needs setpriv"
)


@contextmanager
def public_folder() -> Iterator[Path]:
    """A folder that everybody can read: that of pytest is for its user alone."""
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        for each in (folder, *filter(Path.is_dir, folder.rglob("*"))):
            each.chmod(0o755)
        shutil.rmtree(folder)


def make_read_only(folder: Path) -> None:
    """Let everybody read what is in a folder, and nobody but root change it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


def run_porism(
    *arguments: str, source: Path, folder: Path, **variables: str
) -> "subprocess.CompletedProcess[str]":
    """``porism`` from ``source``, in a folder, by another user if this one is root."""
    hidden = ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    homeless = {} if IS_ROOT else {"HOME": "/dev/null/none"}  # else the user's own is found
    return subprocess.run(
        [*(_AS_NOBODY if IS_ROOT else ()), sys.executable, "-m", "porism", *arguments],
        env={**environment, **homeless, "PYTHONPATH": str(source), **variables},
        cwd=folder,
        capture_output=True,
        text=True,
    )
