"""The files of an index folder: removal of leftovers, and the check of those in force."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from porism.collection.checksums import CheckReport
from porism.collection.progress import StepProgress, Watch
from porism.errors import PorismError
from porism.inverted import IndexFormatError
from porism.inverted.layout import LOCK
from porism.searchindex.index_folder import open_index_state
from porism.searchindex.manifest import (
    MANIFEST,
    OLD_MANIFEST,
    Manifest,
    generation_folder,
    index_path,
    manifest_path,
    read_manifest,
)
from porism.storage.array_file import UNFINISHED, file_damage


def remove_unreferenced_files(folder: Path, manifest: Manifest | None) -> None:
    """Remove everything that the manifest does not name: left by killed processes, or replaced.

    Without a manifest nothing in the folder is in force. Readers keep what they have mapped.
    """
    (folder / f"{UNFINISHED}{MANIFEST}").unlink(missing_ok=True)
    if manifest is not None:
        (folder / OLD_MANIFEST).unlink(missing_ok=True)
    current = None if manifest is None else generation_folder(folder, manifest.generation)
    for generation in folder.glob("generation-*"):
        if manifest is None or generation != current:
            shutil.rmtree(generation, ignore_errors=True)
            continue
        named = {generation / inside / file.name for inside, file in manifest.files()}
        for path in generation.rglob("*"):
            if path.is_file() and path not in named and path.name != LOCK:
                path.unlink(missing_ok=True)
        folders = {component.name for component in manifest.components}
        for path in generation.iterdir():
            if path.is_dir() and path.name not in folders:
                shutil.rmtree(path, ignore_errors=True)
        for path in generation.glob(f"*/{UNFINISHED}*"):
            shutil.rmtree(path, ignore_errors=True)


def check_index(folder: Path, watch: Watch) -> CheckReport:
    """Compare every file of an index with its checksum, then open it as a search would."""
    folder = index_path(folder)
    size = manifest_path(folder).stat().st_size
    try:
        manifest = read_manifest(folder)
    except IndexFormatError as error:
        return CheckReport(1, size, (str(error),))
    total = size + sum(file.size for _, file in manifest.files())
    damages = tuple(_damages(folder, manifest, StepProgress("checksums", size, total, 1), watch))
    if not damages:
        try:
            open_index_state(folder)
        except PorismError as error:
            damages = (str(error),)
    return CheckReport(1 + sum(1 for _ in manifest.files()), total, damages)


def _damages(folder: Path, manifest: Manifest, start: StepProgress, watch: Watch) -> Iterator[str]:
    """Yield a line for each damaged file or array."""
    generation = generation_folder(folder, manifest.generation)
    done = start.done

    def progress(read: int) -> None:
        nonlocal done
        done += read
        watch(start._replace(done=done))

    for inside, file in manifest.files():
        for damage in file_damage(generation / inside, file, progress):
            yield f"{damage}; make the index again with porism index"
