"""The command as a whole: help, version, and how it fails."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from porism import __version__
from porism.cli.demo import FORMULAS
from porism.cli.main import porism


def test_version() -> None:
    result = CliRunner().invoke(porism, ["--version"])
    assert result.exit_code == 0
    assert result.output == f"porism, version {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["--nothing"],
        ["formula", "nothing"],
        ["formula", "show"],
        ["formula", "convert"],
    ],
)
def test_misuse_exits_with_2_and_a_message(arguments: list[str]) -> None:
    result = CliRunner().invoke(porism, arguments)
    assert result.exit_code == 2
    assert "Usage: " in result.stderr
    assert "Error: " in result.stderr


def test_help_loads_neither_parser_nor_engine() -> None:
    """Tables, lxml and Numba would take several times as long to load."""
    code = (
        "import sys; from porism.cli.main import porism;"
        "porism(['formula', 'convert', '--help'], standalone_mode=False);"
        "heavy = {'lxml', 'multiprocessing', 'numpy', 'numba', 'porism.formula.latex'};"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--jobs" in done.stdout


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "porism", "--version"], capture_output=True, text=True
    )
    assert done.stdout == f"porism, version {__version__}\n"


def test_demo_makes_a_collection_and_self_contained_pages(tmp_path: Path) -> None:
    for _ in range(2):  # the second time everything exists already
        result = CliRunner().invoke(porism, ["demo", "-o", str(tmp_path), "--no-serve"])
        assert result.exit_code == 0, result.stderr
        assert "questions" in result.stdout
        assert str(tmp_path / "thread.html") in result.stdout
    formulas = (tmp_path / "formulas.html").read_text(encoding="utf-8")
    assert formulas.count("<math ") == len(FORMULAS)
    assert "unknown command" in formulas
    thread = (tmp_path / "thread.html").read_text(encoding="utf-8")
    assert thread.count("<math ") > 20
    report = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert report.count("<svg") > 3
    assert "<math " in report
    for written in (formulas, thread):
        assert not re.search(r"src=|@import|url\(", written)
    assert "Answers to: How do I evaluate" in result.stdout
    assert "«∑ₙ₌₁^∞ 1/n²»" in result.stdout
    scores = re.findall(r"^  ([12])     ([\w-]+) +(0\.\d{3})  (0\.\d{3})$", result.stdout, re.M)
    by_system = {(int(task), name): float(ndcg) for task, name, ndcg, _ in scores}
    assert by_system[1, "l8"] > by_system[1, "linked"] > 0.5
    assert by_system[2, "l8"] > 0.9
    assert f"porism search {tmp_path / 'sample' / 'index'}" in result.stdout
