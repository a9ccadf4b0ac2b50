"""All files of an index folder: those left over are removed, those in force are checked."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from porism.collection.checksums import CheckReport
from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.index import IndexFormatError
from porism.index.storage.array_file import UNFINISHED, file_damage
from porism.index.storage.layout import LOCK
from porism.searchindex.index_folder import (
    ANSWERS,
    FORMULAS,
    MANIFEST,
    Manifest,
    generation_folder,
    open_index_state,
    read_manifest,
)


def remove_unreferenced_files(folder: Path, contents: Manifest | None) -> None:
    """Remove everything that ``contents`` does not name: of killed processes, and of before.

    Without contents nothing of the folder is in force. Readers keep what they have mapped.
    """
    (folder / f"{UNFINISHED}{MANIFEST}").unlink(missing_ok=True)
    current = None if contents is None else generation_folder(folder, contents.generation)
    for generation in folder.glob("generation-*"):
        if contents is None or generation != current:
            shutil.rmtree(generation, ignore_errors=True)
            continue
        named = {generation / inside / file.name for inside, file in contents.files()}
        for path in generation.rglob("*"):
            if path.is_file() and path not in named and path.name != LOCK:
                path.unlink(missing_ok=True)
        for path in generation.iterdir():
            if path.is_dir() and path.name not in _FOLDERS and not path.name.startswith("forward-"):
                shutil.rmtree(path, ignore_errors=True)
        for inside in _FOLDERS:
            for path in (generation / inside).glob(f"{UNFINISHED}*"):
                shutil.rmtree(path, ignore_errors=True)


_FOLDERS = (ANSWERS, FORMULAS)


def check_index(folder: Path, watch: Watch) -> CheckReport:
    """Compare every file of an index with its checksum, then open it as a search would."""
    size = (folder / MANIFEST).stat().st_size
    try:
        contents = read_manifest(folder)
    except IndexFormatError as error:
        return CheckReport(1, size, (str(error),))
    total = size + sum(file.size for _, file in contents.files())
    reasons = tuple(_damages(folder, contents, StepProgress("checksums", size, total, 1), watch))
    if not reasons:
        try:
            open_index_state(folder)
        except PorismError as error:
            reasons = (str(error),)
    return CheckReport(1 + sum(1 for _ in contents.files()), total, reasons)


def _damages(folder: Path, contents: Manifest, start: StepProgress, watch: Watch) -> Iterator[str]:
    """A line for each damaged file or array."""
    generation = generation_folder(folder, contents.generation)
    done = start.done

    def progress(read: int) -> None:
        nonlocal done
        done += read
        watch(start._replace(done=done))

    for inside, file in contents.files():
        for damage in file_damage(generation / inside, file, progress):
            yield f"{damage}; make the index again with porism index"
