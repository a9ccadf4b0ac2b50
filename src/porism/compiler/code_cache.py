"""Where machine code is stored, so that the next process loads it instead of compiling again.

Stored code is run. So it is loaded only from folders to which nobody but this user (and root) can
write, or whoever can write the sources: never from a shared temporary folder.

A file holds a function for given types on a given machine: its facts as a line of JSON, then the
object code. It is replaced when the function changes. Files are renamed into place, so processes
that compile at the same time do no harm.
"""

from __future__ import annotations

import hashlib
import json
import logging
import multiprocessing
import os
import tempfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from porism.compiler.argument_types import ArgumentType, type_text
from porism.compiler.code_stamp import machine, source_stamp
from porism.compiler.machine_code import MachineCode
from porism.user_folders import cache_folder, is_private, is_writable

if TYPE_CHECKING:
    from porism.compiler.kernel import Kernel

log = logging.getLogger(__name__)


def read_code(kernel: Kernel, types: tuple[ArgumentType, ...]) -> MachineCode | None:
    """Stored code of a function as it is now; None if there is none, or it is damaged."""
    name = _file_name(kernel, types)
    folders = _trusted_folders(source_folder(kernel))
    return _first_code(kernel, (folder / name for folder in folders))


def has_code(kernel: Kernel) -> bool:
    """Whether there is stored code of a function as it is now, for whatever types."""
    folders = _trusted_folders(source_folder(kernel))
    names = f"{_stem(kernel)}-*.code"
    return _first_code(kernel, (path for each in folders for path in each.glob(names))) is not None


def _first_code(kernel: Kernel, paths: Iterable[Path]) -> MachineCode | None:
    stamp = source_stamp(kernel)
    for path in paths:
        try:
            head, _, code = path.read_bytes().partition(b"\n")
            facts = json.loads(head)
            if facts["stamp"] == stamp and facts["sha256"] == hashlib.sha256(code).hexdigest():
                return MachineCode(facts["entry"], facts["environment"], facts["needs"], code)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def write_code(kernel: Kernel, types: tuple[ArgumentType, ...], code: MachineCode) -> None:
    """Store the code of a function if there is a folder and room for it."""
    folder = code_folder(source_folder(kernel), given_folder())
    if folder is None:
        return
    facts = {
        "stamp": source_stamp(kernel),
        "sha256": hashlib.sha256(code.file).hexdigest(),
        "entry": code.entry,
        "environment": code.environment,
        "needs": code.needs,
    }
    whole = json.dumps(facts).encode() + b"\n" + code.file
    temporary = None
    try:
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            temporary = file.name
            file.write(whole)
        os.replace(temporary, folder / _file_name(kernel, types))
    except OSError as error:
        _warn_once(f"{folder}: {error.strerror}")
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _file_name(kernel: Kernel, types: tuple[ArgumentType, ...]) -> str:
    return f"{_stem(kernel)}-{_digest(', '.join(map(type_text, types)))}.code"


def _stem(kernel: Kernel) -> str:
    """The beginning of the names of files for a function on this machine."""
    function = kernel.function
    name = f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}"
    return f"{name}-{_digest(f'{function.__module__} {machine()}')}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def source_folder(kernel: Kernel) -> Path:
    """The folder of the package that a function belongs to."""
    return Path(kernel.function.__code__.co_filename).parent


def given_folder() -> str:
    """The folder that NUMBA_CACHE_DIR names, or nothing."""
    return os.environ.get("NUMBA_CACHE_DIR", "")


def _trusted_folders(package: Path) -> list[Path]:
    """Folders from which code is loaded: those of ``code_folder``, writable or not.

    Who can write beside the sources can change these too. A configured folder stands alone.
    """
    if given_folder() and Path(given_folder()).is_dir():
        return [Path(given_folder())]
    users = cache_folder()
    is_trusted = users is not None and users.is_dir() and is_private(users)
    return [package / "__pycache__", *([users] if users is not None and is_trusted else [])]


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
    reason = f"nor is {users}, or others can write there" if users else "nor is there a home"
    _warn_once(f"the package's folder is not writable, {reason}")
    return None


def _warn_once(reason: str) -> None:
    if not _WARNED and multiprocessing.parent_process() is None:  # the parent process has logged it
        log.warning(
            "Compiled code cannot be stored, so each start compiles it again: %s. Name a folder "
            "with NUMBA_CACHE_DIR.",
            reason,
        )
    _WARNED.append(reason)


_WARNED: list[str] = []
