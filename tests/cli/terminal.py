"""Commands run in a terminal of their own, a pseudo-terminal of which a test reads the output."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping, Sequence


def run_in_terminal(
    command: Sequence[str],
    rows: int = 24,
    columns: int = 80,
    variables: Mapping[str, str] | None = None,
    typed: str = "",
) -> str:
    """What a command shows in a terminal of that size, until it ends, with line feeds alone."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm", **(variables or {})}
    for name in ("COLUMNS", "LINES"):
        environment.pop(name, None)
    process = subprocess.Popen(
        command,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
        close_fds=True,
    )
    os.close(slave)
    os.write(master, typed.encode())
    shown = b""
    while True:
        try:
            read = os.read(master, 65536)
        except OSError:  # Linux reports the end of a terminal as an error
            break
        if not read:
            break
        shown += read
    os.close(master)
    process.wait()
    return shown.decode().replace("\r\n", "\n")
