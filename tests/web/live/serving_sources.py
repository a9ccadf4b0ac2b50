"""``porism serve`` of a source, in a process with a cache of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import urlopen

from tests.web.serving import until


class ServedSource:
    """A server of a source: its process, and its address."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address

    def json(self, path: str) -> Any:
        with urlopen(self.address + path) as response:
            return json.load(response)

    def health(self) -> str:
        return str(self.json("/api/health")["status"])

    def found(self, text: str) -> list[str]:
        """The ids of the posts that a search finds."""
        results = self.json(f"/api/search?q={quote(text)}&k=100")["results"]
        return [result["post_id"] for result in results]

    def until_ready(self) -> None:
        until(lambda: self.health() == "ok")


@contextmanager
def serving(
    source: Path | str, cache: Path, *options: str, **variables: str
) -> Iterator[ServedSource]:
    """Serve a source without vectors until this ends."""
    process = started(source, cache, *options, **variables)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        yield ServedSource(process, line.split("is at ")[1].split("/ ")[0])
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def started(
    source: Path | str, cache: Path, *options: str, **variables: str
) -> subprocess.Popen[str]:
    """The command, with its output as text."""
    command = [sys.executable, "-m", "porism", "serve", str(source), "--port", "0", "--no-vectors"]
    return subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "XDG_CACHE_HOME": str(cache), **variables},
    )


def is_gone(address: str) -> bool:
    """Whether nobody listens at an address."""
    try:
        urlopen(address).close()
    except URLError:
        return True
    return False
