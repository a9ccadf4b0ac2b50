"""Editors of files: commands, and schemes of addresses."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from urllib.parse import quote

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_FORMS = {
    "+{line} {path}": "vi vim nvim view gvim nano pico emacs emacsclient kak micro joe gedit",
    "-g {path}:{line}": "code code-insiders codium vscodium cursor windsurf",
    "{path}:{line}": "subl hx zed",
}
_ARGUMENTS = {name: form for form, names in _FORMS.items() for name in names.split()}
"""The arguments with which editors go to a line; others get the path alone."""


def is_address(editor: str) -> bool:
    """Whether an editor is given as a scheme of addresses, not as a command."""
    return _SCHEME.match(editor) is not None


def editor_address(editor: str, path: Path, line: int) -> str:
    """The address at which an editor opens a file.

    >>> editor_address("vscode://file/{path}:{line}", Path("/notes/two sums.md"), 3)
    'vscode://file/notes/two%20sums.md:3'
    """
    # Schemes are written with and without the slash with which a path begins.
    place = quote(os.fsencode(path))
    before = editor.partition("{path}")[0]
    place = place.removeprefix("/") if before.endswith("/") else place
    return editor.replace("{path}", place).replace("{line}", str(line))


def editor_command(editor: str, path: Path, line: int) -> list[str]:
    """The command by which an editor opens a file, if possible at a line.

    >>> editor_command("code --wait", Path("/notes/a.md"), 3)
    ['code', '--wait', '-g', '/notes/a.md:3']
    """
    words = shlex.split(editor)
    if "{path}" not in editor:
        words += _ARGUMENTS.get(Path(words[0]).stem, "{path}").split()
    return [word.replace("{path}", str(path)).replace("{line}", str(line)) for word in words]
