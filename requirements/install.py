"""Installs the packages of a lock with pip, exactly these files, and shows how far it is.

Run by make: python install.py LOCK [OPTION OF PIP ...]. Nothing but the standard library is needed.
"""

import re
import subprocess
import sys
from pathlib import Path

PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--progress-bar=off")
PACKAGE = re.compile(r"(?:Collecting|Requirement already satisfied:) ([\w.-]+)")
LAST_LINES = 30


def install(lock: Path, options: list[str]) -> int:
    """Install a lock; pip's exit status, after its last lines if it failed."""
    total = len(re.findall(r"^[\w.-]+(?:\[.*\])?==", lock.read_text(encoding="utf-8"), re.M))
    command = [*PIP, "--require-hashes", "-r", str(lock), *options]
    lines: list[str] = []
    seen: set[str] = set()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            lines.append(line)
            if found := PACKAGE.match(line):
                seen.add(found[1].lower())
                show(f"{len(seen)} of up to {total} packages, {found[1]}")
            elif line.startswith("Installing collected packages"):
                show("unpacking")
    show("", end="")
    if pip.returncode:
        sys.stderr.writelines(lines[-LAST_LINES:])
    return pip.returncode


def show(message: str, end: str = "") -> None:
    """Show a step in a line that the next one replaces, if somebody watches."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{message and '  '}{message}", end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(install(Path(sys.argv[1]), sys.argv[2:]))
