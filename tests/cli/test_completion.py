"""Completion in real shells, by the scripts that docs/commands.md has people load."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.terminal import run_in_terminal


@pytest.fixture
def porism_on_path(tmp_path: Path) -> str:
    """A path of folders with the command, as an environment that is active has it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "porism"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m porism "$@"\n')
    command.chmod(0o755)
    return f"{folder}:/usr/local/bin:/usr/bin:/bin"


def script(shell: str, path: str) -> str:
    """What the documented command prints for a shell."""
    done = subprocess.run(
        ["sh", "-c", f"_PORISM_COMPLETE={shell}_source porism"],
        capture_output=True,
        text=True,
        env={"PATH": path, "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(shell: str, porism_on_path: str) -> None:
    text = script(shell, porism_on_path)
    assert f"_PORISM_COMPLETE={shell}_complete" in text
    if executable := shutil.which(shell):
        done = subprocess.run([executable, "-n"], input=text, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes_commands_options_and_choices(porism_on_path: str, tmp_path: Path) -> None:
    """Typed in an interactive shell: a tab where there is one continuation inserts it."""
    (tmp_path / "complete").write_text(script("bash", porism_on_path))
    typed = (
        f'. {tmp_path}/complete; PS1=; porism() {{ echo "[$*]"; }}\n'
        "porism sea\tX\n"
        "porism search --formu\tX\n"
        "porism search --color alw\tX\n"
        "porism formula con\tX\n"
        "exit\n"
    )
    shown = run_in_terminal(
        ["bash", "--norc", "--noprofile", "-i"],
        columns=200,
        variables={"PATH": porism_on_path, "PYTHONPATH": ":".join(sys.path), "HISTFILE": ""},
        typed=typed,
    )
    assert "[search X]" in shown
    assert "[search --formulas X]" in shown
    assert "[search --color always X]" in shown
    assert "[formula convert X]" in shown
