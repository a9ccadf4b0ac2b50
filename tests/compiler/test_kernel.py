"""Compiled functions: stored machine code runs without Numba, and is renewed when it must be."""

import json
import logging
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from porism.compiler import Array, IntLike, code_cache, compiled, inlined, kernel
from porism.compiler.argument_types import argument_type, type_text
from porism.compiler.code_stamp import source_stamp
from porism.compiler.machine_code import MachineCode, loaded
from tests.other_user import make_read_only

LOOPS = """
from typing import NamedTuple

import numpy as np

from porism.compiler import compiled, inlined
from steps import STEP, next_value


class Pair(NamedTuple):
    values: object
    factor: int


@inlined
def scaled(pair, at):
    return pair.values[at] * pair.factor


@compiled
def total(pair, out):
    room = np.zeros(len(out))
    for at in range(len(out)):
        room[at] = next_value(scaled(pair, at))
        out[at] = room[at]
    return room.sum(), len(out)


@compiled
def at_most(limit, value):
    if value > limit:
        raise ValueError("above the limit")
    return value
"""
STEPS = """
from porism.compiler import compiled

STEP = 1.0


@compiled
def next_value(value):
    return value + STEP
"""
CALLS = """
import json, sys
import numpy as np
import loops

values = np.arange(4.0)
values.flags.writeable = False
out = np.zeros(4)
answer = {"total": loops.total(loops.Pair(values, 3), out), "out": out.tolist()}
try:
    loops.at_most(2, loops.at_most(2, 1) + 2)
except ValueError as error:
    answer["error"] = str(error)
else:
    answer["error"] = None
loops.at_most(2, 1)
print(json.dumps(answer))
"""
RESULT = {"total": [22.0, 4], "out": [1.0, 4.0, 7.0, 10.0], "error": "above the limit"}


def run_loops(folder: Path, calls: str = CALLS, **variables: str) -> dict[str, Any]:
    """What the loops in a folder return in a new process, and whether it imported Numba."""
    source = str(Path(code_cache.__file__).parents[2])
    watched = "import atexit, sys\natexit.register(lambda: print('numba' in sys.modules))\n"
    done = subprocess.run(
        [sys.executable, "-c", watched + calls],
        env={**os.environ, "PYTHONPATH": f"{folder}:{source}", **variables},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    answer, imported = done.stdout.splitlines()
    return {**json.loads(answer), "numba": imported == "True", "errors": done.stderr}


@pytest.fixture(scope="module")
def compiled_loops(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("loops")
    (folder / "loops.py").write_text(LOOPS)
    (folder / "steps.py").write_text(STEPS)
    first = run_loops(folder)
    assert first.items() >= RESULT.items()
    assert first["numba"]
    return folder


@pytest.fixture
def loops(compiled_loops: Path, tmp_path: Path) -> Path:
    """A copy of the loops with their machine code."""
    return Path(shutil.copytree(compiled_loops, tmp_path / "loops"))


NO_ERROR = CALLS.replace("loops.at_most(2, 1) + 2", "1")
"""Numba is imported to raise exceptions of compiled code, so without any."""


def test_stored_code_runs_without_numba(loops: Path) -> None:
    again = run_loops(loops, NO_ERROR)
    assert again["total"] == RESULT["total"]
    assert again["out"] == RESULT["out"]
    assert not again["numba"]


def test_stored_code_raises_exceptions(loops: Path) -> None:
    assert run_loops(loops).items() >= RESULT.items()


def test_functions_called_only_by_others_are_not_stored_apart(loops: Path) -> None:
    stored = {path.name.partition("-")[0] for path in loops.glob("__pycache__/*.code")}
    assert stored == {"loops.total", "loops.at_most"}


@pytest.mark.parametrize(
    ("file", "old", "new", "total"),
    [
        ("steps.py", "STEP = 1.0", "STEP = 2.0", 26.0),
        ("steps.py", "value + STEP", "value - STEP", 14.0),
        ("loops.py", "* pair.factor", "* pair.factor * 2", 40.0),
        ("loops.py", "np.zeros", "np.ones", 22.0),
    ],
)
def test_code_is_renewed_when_a_function_or_what_it_uses_changes(
    file: str, old: str, new: str, total: float, loops: Path
) -> None:
    source = (loops / file).read_text()
    assert old in source
    (loops / file).write_text(source.replace(old, new))
    changed = run_loops(loops, NO_ERROR)
    assert changed["total"] == [total, 4]
    assert changed["numba"]
    assert not run_loops(loops, NO_ERROR)["numba"]


def test_comments_and_other_functions_leave_code_in_force(loops: Path) -> None:
    (loops / "steps.py").write_text(f"# A comment.\n{STEPS}\n\ndef other(): ...\n")
    assert not run_loops(loops, NO_ERROR)["numba"]


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "no facts", "other facts"])
def test_damaged_code_is_compiled_again(damage: str, loops: Path) -> None:
    for path in loops.glob("__pycache__/*.code"):
        content = path.read_bytes()
        path.write_bytes(
            {
                "cut": content[:-10],
                "changed": content[:-10] + bytes(10),
                "empty": b"",
                "no facts": content.partition(b"\n")[2],
                "other facts": b"[]\n",
            }[damage]
        )
    again = run_loops(loops, NO_ERROR)
    assert again["total"] == RESULT["total"]
    assert again["numba"]


def test_processes_that_compile_at_once_agree(loops: Path) -> None:
    shutil.rmtree(loops / "__pycache__")
    source = str(Path(code_cache.__file__).parents[2])
    environment = {**os.environ, "PYTHONPATH": f"{loops}:{source}"}
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", CALLS], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    assert [json.loads(run.communicate()[0]) for run in runs] == [RESULT] * 3
    assert {path.suffix for path in loops.glob("__pycache__/*")} <= {".code", ".pyc"}
    assert not run_loops(loops, NO_ERROR)["numba"]


def test_a_read_only_installation_loads_the_code_that_it_has(loops: Path) -> None:
    make_read_only(loops)
    try:
        assert not run_loops(loops, NO_ERROR, XDG_CACHE_HOME="/dev/null/none")["numba"]
    finally:
        loops.chmod(0o755)
        (loops / "__pycache__").chmod(0o755)


def test_the_configured_folder_is_used(loops: Path, tmp_path: Path) -> None:
    given = tmp_path / "given"
    shutil.rmtree(loops / "__pycache__")
    assert run_loops(loops, NO_ERROR, NUMBA_CACHE_DIR=str(given))["numba"]
    assert not list(loops.glob("__pycache__/*.code"))
    assert not run_loops(loops, NO_ERROR, NUMBA_CACHE_DIR=str(given))["numba"]


def test_without_a_folder_it_works_with_one_warning(loops: Path) -> None:
    shutil.rmtree(loops / "__pycache__")
    (loops / "__pycache__").write_text("a file, and no folder")
    nowhere = {"XDG_CACHE_HOME": "/dev/null/none", "HOME": "/dev/null/none"}
    alone = run_loops(loops, **nowhere)
    assert alone.items() >= RESULT.items()
    (warning,) = alone["errors"].splitlines()
    assert "NUMBA_CACHE_DIR" in warning


def test_numba_can_be_switched_off(loops: Path) -> None:
    shutil.rmtree(loops / "__pycache__")
    plain = run_loops(loops, NUMBA_DISABLE_JIT="1")
    assert plain.items() >= RESULT.items()
    assert not plain["numba"]


def test_code_for_other_settings_of_numba_is_not_used(loops: Path) -> None:
    assert run_loops(loops, NO_ERROR, NUMBA_BOUNDSCHECK="1")["numba"]


@compiled
def last(values: Array) -> IntLike:
    return values[len(values) - 1]


@inlined
def doubled(value: IntLike) -> IntLike:
    return 2 * value


@compiled
def doubled_last(values: Array) -> IntLike:
    return doubled(last(values))


def test_each_combination_of_types_has_its_own_code() -> None:
    assert last(np.array([1, 2], np.uint8)) == 2
    assert last(np.array([1.5])) == 1.5
    assert last(np.arange(10)[::2]) == 8
    assert doubled_last(np.array([1.5])) == 3.0
    frozen = np.array([7])
    frozen.flags.writeable = False
    assert last(frozen) == 7


def test_what_is_no_number_or_array_is_refused() -> None:
    for value in ([1], "text", object()):
        with pytest.raises(TypeError, match="numbers and arrays"):
            last(value)  # type: ignore[arg-type]  # that is the point


class Point(NamedTuple):
    x: int
    y: float


class Place(NamedTuple):
    y: int
    x: float


def test_types_that_differ_have_different_texts() -> None:
    frozen = np.zeros(3)
    frozen.flags.writeable = False
    numbers = (1, 1 << 63, 1.0, True, np.int32(1), np.float32(1))
    tuples = ((1, 1.0), (1.0, 1), ((1,), 1), (), Point(1, 1.0), Place(1, 1.0))
    dtypes = (np.zeros(3), np.zeros(3, "f4"), np.zeros(3, ">f8"))
    layouts = (np.zeros((3, 1)), np.zeros((3, 2)).T, np.zeros(6)[::2], frozen)
    values: tuple[object, ...] = (*numbers, *tuples, *dtypes, *layouts)
    texts = [type_text(argument_type(value)) for value in values]
    assert len(set(texts)) == len(texts)


def test_equal_types_of_python_and_numpy_are_one() -> None:
    assert argument_type(1) == argument_type(np.int64(1))
    assert argument_type(1.0) == argument_type(np.float64(1))
    assert argument_type(True) == argument_type(np.True_)


def test_the_stamp_of_a_function_depends_on_how_it_is_compiled() -> None:
    as_kernel: Any = last
    other = kernel.Kernel(as_kernel.function, {"fastmath": {"contract"}})
    assert source_stamp(as_kernel) != source_stamp(other)


def test_code_that_needs_unknown_symbols_is_not_loaded() -> None:
    assert loaded(MachineCode("entry", "environment", ("no_such_symbol",), b""), len) is None


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    monkeypatch.setattr(code_cache, "_WARNED", [])


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    code = MachineCode("entry", "environment", (), b"code")
    as_kernel: Any = last
    with caplog.at_level(logging.WARNING):
        code_cache.write_code(as_kernel, ("int64",), code)
    (record,) = caplog.records
    assert "No space left" in record.getMessage()
    assert not list(tmp_path.iterdir())
