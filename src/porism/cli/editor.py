"""The user's editor: a command, or the scheme of addresses that it opens."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import click

from porism.cli.browser import has_display
from porism.cli.options.inputs import CommandDecorator
from porism.editors import editor_address, editor_command, is_address
from porism.errors import PorismError


def editor_option(text: str) -> CommandDecorator:
    return click.option("--editor", metavar="COMMAND|URL", callback=_checked, help=text)


def _checked(context: click.Context, option: click.Parameter, editor: str | None) -> str | None:
    if editor is None:
        return None
    if is_address(editor) and "{path}" not in editor:
        raise click.BadParameter(
            f"found {editor!r}: an address needs {{path}}, and may have {{line}}, as in "
            "vscode://file/{path}:{line}"
        )
    try:
        words = shlex.split(editor)
    except ValueError as error:
        raise click.BadParameter(f"found {editor!r}: {error}") from error
    if not words:
        raise click.BadParameter("found nothing: expected a command such as code")
    return editor


def open_in_editor(path: Path, line: int, editor: str | None = None) -> bool:
    """Open a file in ``editor``, else in that of ``VISUAL`` or ``EDITOR``; whether there is one."""
    chosen = editor or os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not chosen:
        return has_display() and click.launch(str(path)) == 0
    if is_address(chosen):
        return click.launch(editor_address(chosen, path, line)) == 0
    command = editor_command(chosen, path, line)
    try:
        return subprocess.run(command).returncode == 0
    except OSError as error:
        raise PorismError(
            f"the editor {command[0]!r} cannot be started ({error.strerror}); name another with "
            "--editor or the variable EDITOR"
        ) from error
