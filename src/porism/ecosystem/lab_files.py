"""The data directory, and the lab's files in it.

The lab's names have the form ``Topics_Task1_2020_V2.0.xml`` or ``qrel_task1_2020_official.tsv``: a
stem, an optional version, an extension.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from porism.errors import PorismError

DATA_VARIABLE = "PORISM_DATA"


def data_directory() -> Path:
    """The folder of collections and the lab's files: ``PORISM_DATA``, or the platform's default."""
    if chosen := os.environ.get(DATA_VARIABLE):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        place = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        place = Path.home() / "Library" / "Application Support"
    else:
        place = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(place) / "porism"


@dataclass(frozen=True, slots=True)
class LabFile:
    """The newest version of a file below a folder, searched for on use.

    ``stems`` are regular expressions in order of preference, ``example`` is a matching name.
    Versions below ``least`` do not match.
    """

    folder: Path
    stems: tuple[str, ...]
    example: str
    least: tuple[int, ...] = ()

    def find(self) -> Path | None:
        """The file, if there is one; files that differ in more than the version are refused."""
        named = list(_named_files(self.folder))
        for stem in self.stems:
            matching = [
                (version, path)
                for path, name, version in named
                if re.fullmatch(stem, name) and version >= self.least
            ]
            if matching:
                self._check_stems([path for _, path in matching])
                newest = max(version for version, _ in matching)
                paths = [path for version, path in matching if version == newest]
                return min(paths, key=lambda path: (len(path.parts), path))
        return None

    def path(self) -> Path:
        """The file; an error if there is none."""
        path = self.find()
        if path is None:
            raise PorismError(
                f"{self.folder}: there is no {self.example} in this folder or below; Porism does "
                f"not download it: put the file there ({DATA_VARIABLE} sets the data directory)"
            )
        return path

    def _check_stems(self, paths: list[Path]) -> None:
        stems = {name[1] for path in paths if (name := _NAME.fullmatch(path.name))}
        if len(stems) > 1:
            names = " and ".join(sorted(path.name for path in paths))
            raise PorismError(
                f"{self.folder}: found {names}, expected one file such as {self.example}: remove "
                "the others"
            )


_NAME = re.compile(r"(.+?)(?:_v(\d+(?:\.\d+)*))?\.(?:xml|tsv|txt)(?:\.gz)?", re.IGNORECASE)


def _named_files(folder: Path) -> Iterator[tuple[Path, str, tuple[int, ...]]]:
    """The files below a folder with names of this form, with stem and version."""
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        # Symbolic links are followed, since large data may be elsewhere; cycles are cut here.
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        for file in files:
            if name := _NAME.fullmatch(file):
                version = tuple(map(int, name[2].split("."))) if name[2] else ()
                yield Path(place, file), name[1], version
