"""The documents say what is there: every command, option and dependency, and examples that run."""

import doctest
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from porism.catalog import SYSTEMS
from porism.cli.main import porism

PROJECT = Path(__file__).parent.parent
PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").glob("*.md"))]
COMMANDS = (PROJECT / "docs" / "commands.md").read_text(encoding="utf-8")


def _commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command below this one that does something, with its full name."""
    if isinstance(command, click.Group):
        for child in command.commands.values():
            yield from _commands(child, f"{name} {child.name}")
    else:
        yield name, command


EVERY_COMMAND = dict(_commands(porism, "porism"))


def _section(name: str) -> str:
    """What docs/commands.md says under the heading of a command."""
    found = re.search(rf"^## `{re.escape(name)}`$(.*?)(?=^## |\Z)", COMMANDS, re.M | re.S)
    assert found, f"docs/commands.md has no section ## `{name}`"
    return found[1]


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_and_option_is_described(name: str) -> None:
    section = _section(name)
    for parameter in EVERY_COMMAND[name].params:
        for spelling in parameter.opts if isinstance(parameter, click.Option) else ():
            assert f"`{spelling}" in section, f"{spelling} of {name}"
        if isinstance(parameter, click.Argument):
            assert parameter.make_metavar(click.Context(porism)).strip("[]") in section
        if isinstance(parameter.type, click.Choice):
            for choice in parameter.type.choices:
                assert f"`{choice}`" in section, f"{choice} of {name}"


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_every_command_helps_with_examples(name: str) -> None:
    command = EVERY_COMMAND[name]
    text = command.get_help(click.Context(command, info_name=name))
    assert f"Usage: {name}" in text
    assert "Examples:" in text
    assert command.help


def test_no_command_is_described_that_is_not_there() -> None:
    assert set(re.findall(r"^## `(porism .*)`$", COMMANDS, re.M)) == set(EVERY_COMMAND)


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(name for extra in project["project"]["optional-dependencies"].values() for name in extra),
    ]
    page = (PROJECT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    written = set(re.findall(r"^- \*\*([\w-]+)\*\*:", page, re.M))
    # An extra may take in another of our own.
    assert written == {re.split(r"[<>=~! \[]", name)[0] for name in wanted} - {"porism"}


def test_every_system_is_described_with_its_tasks() -> None:
    page = (PROJECT / "docs" / "systems.md").read_text(encoding="utf-8")
    section = page.partition("## Every system")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w-]+)` \| ([123, ]+) \|", section, re.M)
    tasks = {
        name: ", ".join(str(task) for task in system.tasks) for name, system in SYSTEMS.items()
    }
    assert rows == list(tasks.items())


def _code(page: Path, language: str) -> list[str]:
    """The code blocks of a page in one language."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_in_the_documents_runs(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The blocks of a page go on from each other, as somebody reads them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for block in _code(page, "python"):
        test = doctest.DocTestParser().get_doctest(block, names, page.name, None, None)
        assert test.examples, "a block of Python shows what it prints, behind >>>"
        assert runner.run(test, clear_globs=False).failed == 0
        names = test.globs


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_in_the_documents_print_what_stands_there(page: Path, tmp_path: Path) -> None:
    """A line ``$ command`` is run by the shell; the lines up to the next are what it prints.

    The blocks of a page go on from each other, in one folder.
    """
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT / "src"),
        "PYTHONIOENCODING": "utf-8",
        "PYTHON": sys.executable,
    }
    blocks = "".join(_code(page, "console"))
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", blocks, re.M):
        shell = f'porism() {{ "$PYTHON" -m porism "$@"; }}\n{command}'
        done = subprocess.run(
            ["sh", "-c", shell], cwd=tmp_path, env=environment, capture_output=True
        )
        assert (done.stdout + done.stderr).decode() == expected, command
