"""Where files are kept: the data directory, and the lab's files anywhere below it.

The lab's names have the form ``Topics_Task1_2020_V2.0.xml`` or ``qrel_task1_2020_official.tsv``: a
stem, perhaps a version, an ending.
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
    """The folder of collections and the lab's files: ``PORISM_DATA``, else the platform's place."""
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
    """A file that is looked for below a folder, in the newest version there is.

    ``stems`` are regular expressions, the best first. ``example`` is a name that would do, and
    versions below ``least`` would not. Where it is found is settled only when it is asked for.
    """

    folder: Path
    stems: tuple[str, ...]
    example: str
    least: tuple[int, ...] = ()

    def find(self) -> Path | None:
        """The file, if it is there; two that differ in more than the version are refused."""
        named = list(_named_files(self.folder))
        for stem in self.stems:
            fitting = [
                (version, path)
                for path, name, version in named
                if re.fullmatch(stem, name) and version >= self.least
            ]
            if fitting:
                self._check_alike([path for _, path in fitting])
                newest = max(version for version, _ in fitting)
                paths = [path for version, path in fitting if version == newest]
                return min(paths, key=lambda path: (len(path.parts), path))
        return None

    def path(self) -> Path:
        """The file, which has to be there."""
        found = self.find()
        if found is None:
            raise PorismError(
                f"{self.folder}: there is no {self.example} here or in a folder below; Porism does "
                f"not fetch it: put the file there ({DATA_VARIABLE} names another data directory)"
            )
        return found

    def _check_alike(self, paths: list[Path]) -> None:
        stems = {found[1] for path in paths if (found := _NAME.fullmatch(path.name))}
        if len(stems) > 1:
            names = " and ".join(sorted(path.name for path in paths))
            raise PorismError(
                f"{self.folder}: found {names}, expected one such as {self.example}: keep the one "
                "that is meant"
            )


_NAME = re.compile(r"(.+?)(?:_v(\d+(?:\.\d+)*))?\.(?:xml|tsv|txt)(?:\.gz)?", re.IGNORECASE)


def _named_files(folder: Path) -> Iterator[tuple[Path, str, tuple[int, ...]]]:
    """The files below a folder that have such names, each with its stem and version."""
    seen: set[str] = set()
    for place, folders, files in os.walk(folder, followlinks=True):
        # Links are followed, since large data is kept elsewhere; a circle of them is cut here.
        real = os.path.realpath(place)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        for file in files:
            if name := _NAME.fullmatch(file):
                version = tuple(map(int, name[2].split("."))) if name[2] else ()
                yield Path(place, file), name[1], version
