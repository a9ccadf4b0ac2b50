"""The list of runs to draw a pool from: a tab-separated file with a line per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from porism.assess.pools.depths import PoolDepths, is_depth
from porism.assess.records import PooledRun, RunKind
from porism.errors import FormatError
from porism.formats.tab_separated import TabbedRow, read_tabbed
from porism.formats.text_lines import file_stem
from porism.model import Task

THREAD, DUPLICATES = "thread", "duplicates"
"""The names of enrichments: answers that no run contributed. No run may have these names."""

_REQUIRED = ("team", "kind", "mode")
_OPTIONAL = ("name", "task", "depth")
_MODES = {"automatic": False, "manual": True}
_EXPECTED = "expected a header with file, team, kind and mode, and optionally name, task and depth"


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run of the list; ``task`` and ``depth`` are None if not specified."""

    name: str
    path: Path
    team: str
    kind: RunKind
    is_manual: bool
    task: int | None = None
    depth: int | None = None

    def pooled(self, task: int, depths: PoolDepths) -> PooledRun:
        """The run as recorded in a pool; its own depth takes precedence over that of its kind.

        A run of Task 3 has one answer per topic, which is taken whatever the depths are.
        """
        depth = self.depth
        if depth is None:
            depth = 1 if task == Task.SHORT_ANSWERS else depths.for_run(self.kind, self.is_manual)
        return PooledRun(self.name, self.team, self.kind, self.is_manual, task, depth)


def read_run_list(path: Path) -> tuple[ListedRun, ...]:
    """The runs in the order of the file, whose header is ``file team kind mode``.

    ``file`` is relative to the list; ``kind`` is primary, alternate or baseline; ``mode`` is
    automatic or manual. Optional columns are ``name``, by default that of the file, ``task`` (1, 2
    or 3) and ``depth``. Without the column ``file``, ``name`` is the file too. A repeated name or
    file is refused, and so is a missing file.
    """
    rows = read_tabbed(path)
    places = _places([name.strip().lower() for name in next(rows).cells], path)
    listed: list[ListedRun] = []
    for row in rows:
        if not any(cell.strip() for cell in row.cells):
            continue
        try:
            run = _listed(row, places, path.parent)
            _check_new(run, listed)
        except ValueError as error:
            raise FormatError(str(path), row.line, str(error)) from None
        listed.append(run)
    if not listed:
        raise FormatError(str(path), 1, f"the file has no runs: {_EXPECTED}, then runs")
    return tuple(listed)


def _places(header: Sequence[str], path: Path) -> dict[str, int]:
    places = {name: place for place, name in enumerate(header)}
    missing = [name for name in _REQUIRED if name not in places]
    if "file" not in places and "name" not in places:
        missing.insert(0, "file")
    unknown = [name for name in header if name not in ("file", *_REQUIRED, *_OPTIONAL)]
    if missing or unknown or len(places) < len(header):
        why = f"found the columns {', '.join(header)[:200]}"
        for what, names in (("without", missing), ("with the unknown", unknown)):
            why += f", {what} {', '.join(names)}" if names else ""
        raise FormatError(str(path), 1, f"{why}: {_EXPECTED}, each once")
    return places


def _listed(row: TabbedRow, places: dict[str, int], folder: Path) -> ListedRun:
    """The run of a line; raises ValueError."""

    def cell(name: str) -> str:
        return row.cells[places[name]].strip() if name in places else ""

    file = cell("file") or cell("name")
    if not file:
        raise ValueError("found no file: expected the file of the run")
    path = folder / file
    if not path.is_file():
        raise ValueError(f"there is no file {path}: expected a run; paths are relative to the list")
    name = (cell("name") if "file" in places else "") or file_stem(path)
    if name in (THREAD, DUPLICATES):
        raise ValueError(f"found the name {name}, which is reserved: choose another")
    if not cell("team"):
        raise ValueError(f"found no team for {name}: expected one; baselines need one, too")
    kinds = [str(kind) for kind in RunKind]
    kind = _one_of(cell("kind"), kinds, "kind")
    mode = _one_of(cell("mode"), list(_MODES), "mode")
    task = _one_of(cell("task"), ["1", "2", "3"], "task") if cell("task") else None
    return ListedRun(
        name,
        path,
        cell("team"),
        RunKind(kind),
        _MODES[mode],
        None if task is None else int(task),
        _depth(cell("depth")),
    )


def _one_of(text: str, choices: Sequence[str], what: str) -> str:
    if text.lower() not in choices:
        raise ValueError(f"found the {what} {text!r}: expected {' or '.join(choices)}")
    return text.lower()


def _depth(text: str) -> int | None:
    if not text:
        return None
    if not is_depth(text):
        raise ValueError(f"found the depth {text!r}: expected a whole number or nothing")
    return int(text)


def _check_new(run: ListedRun, others: Sequence[ListedRun]) -> None:
    for other in others:
        if other.name == run.name:
            raise ValueError(
                f"found a second run called {run.name}: expected each name once; name it otherwise "
                "in a column called name"
            )
        if other.path.resolve() == run.path.resolve():
            raise ValueError(f"found the file of {other.name} again: expected each run once")
