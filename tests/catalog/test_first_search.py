"""The search is compiled while a collection is indexed, so that the first search need not wait."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from porism.catalog import first_search

SEARCH = """
import sys
from porism.cli.main import porism
index = sys.argv[1]
porism(['search', index, 'why is $x^2$ even?'], standalone_mode=False)
porism(['search', index, '--formulas', 'x + 1'], standalone_mode=False)
print('compiled' if 'numba' in sys.modules else 'loaded')
"""


@pytest.mark.slow
def test_the_first_search_after_indexing_compiles_nothing(
    sample_collection: Path, tmp_path: Path
) -> None:
    (tmp_path / "code").mkdir()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "code")}
    index = str(tmp_path / "index")
    for command in (
        ["-m", "porism", "index", str(sample_collection), "-o", index, "--systems", "porism"],
        ["-c", SEARCH, index],
    ):
        done = subprocess.run(
            [sys.executable, *command], env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "loaded"


def fail() -> None:
    raise AssertionError("nothing is to be compiled")


def test_a_compiled_search_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_search, "is_stored", lambda function: True)
    monkeypatch.setattr(first_search, "_compile_alone", fail)
    with first_search.search_compiled_meanwhile() as compiled:
        compiled()


def test_without_a_folder_for_code_none_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_search, "is_stored", lambda function: False)
    monkeypatch.setattr(first_search, "code_folder_of", lambda function: None)
    monkeypatch.setattr(first_search, "_compile_alone", fail)
    with first_search.search_compiled_meanwhile() as compiled:
        compiled()
