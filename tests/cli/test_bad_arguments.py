"""Every command exits with a message, never a traceback, on bad arguments and streams.

One path of each command at a time is wrong, in every possible way; the others are right.
"""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
import uvicorn
from click.testing import CliRunner, Result

from porism.assess.judgments.store import JudgmentStore
from porism.assess.records import BatchKind
from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics
from tests.assess.judgment_samples import pool_of
from tests.collection.dumps import Row, write_table
from tests.other_user import IS_ROOT

PROJECT = Path(__file__).parents[2]
OUTPUTS = ("output", "arqmath")
POSTS: list[Row] = [
    {"Id": 1, "PostTypeId": 1, "Title": "A prime", "Body": "<p>Is $p$ a prime?</p>"},
    {"Id": 2, "PostTypeId": 2, "ParentId": 1, "Body": "<p>It is a prime number.</p>"},
]


def commands(command: click.Command, names: tuple[str, ...]) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        for child in command.commands.values():
            yield from commands(child, (*names, child.name or ""))
    else:
        yield " ".join(names), command


COMMANDS = dict(commands(porism, ()))


class Runner(CliRunner):
    """With the output of the real command, which can print every file name."""

    @contextmanager
    def isolation(self, *args: Any, **named: Any) -> Iterator[Any]:  # as the class above has them
        with super().isolation(*args, **named) as streams:
            assert isinstance(sys.stdout, io.TextIOWrapper)
            sys.stdout.reconfigure(errors="replace")
            yield streams


def invoked(*arguments: str | Path) -> Result:
    return Runner().invoke(porism, [os.fspath(each) for each in arguments])


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | Path]:
    """For each required parameter a value with which the command works, or nearly."""
    folder = tmp_path_factory.mktemp("right")
    write_table(folder / "dump", "Posts", POSTS)
    collection = folder / "collection"
    for arguments in (
        ("ingest", folder / "dump", "-o", collection),
        ("index", collection, "--systems", "bm25"),
    ):
        done = invoked(*arguments, "--jobs", "1")
        assert done.exit_code == 0, done.stderr
    run = folder / "run.tsv"
    run.write_text("A.1\t2\t1\t2.5\tmine\n")
    (folder / "runs.tsv").write_text("file\tteam\tkind\tmode\nrun.tsv\tours\tprimary\tautomatic\n")
    pool = ("pool", "--task", "1", "--runs", folder / "runs.tsv", "--depths", "primary=2")
    done = invoked(*pool, "-o", folder / "pool")
    assert done.exit_code == 0, done.stderr
    store = JudgmentStore(folder / "judgments.db")
    store.add_batch("pool", BatchKind.OFFICIAL, pool_of("1", "2"))
    store.add_assessor("ann")
    store.close()
    return {
        "arqmath": folder / "arqmath",
        "collection": collection,
        "db": folder / "judgments.db",
        "folder": folder / "pool",
        "folders": folder,
        "id_": "1",
        "index": collection / "index",
        "latex": "x",
        "name": "ann",
        "output": folder / "output",
        "qrels": sample_qrels(1),
        "results": run,
        "runs": run,
        "runs of pool": folder / "runs.tsv",
        "source": folder / "dump",
        "system": "bm25",
        "systems": "bm25",
        "text": "prime",
        "topics": sample_topics(1),
    }


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | Path]:
    folder = tmp_path_factory.mktemp("wrong")
    (folder / "file").write_text("text\n")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "locked").write_text("text\n")
    (folder / "locked").chmod(0)
    return {
        "empty": "",
        "missing": folder / "none" / "none",
        "a folder": folder / "folder",
        "a file": folder / "file",
        "below a file": folder / "file" / "below",
        "a loop": folder / "loop",
        "no UTF-8": os.fsdecode(b"\xff"),
        # Root can read every file of a disk, but not all that looks like one.
        "unreadable": Path("/proc/self/mem") if IS_ROOT else folder / "locked",
    }


def line(
    name: str, bad: click.Parameter, value: str | Path, right: dict[str, str | Path]
) -> list[str | Path]:
    """The command with ``value`` for one parameter, and its other required parameters."""
    made: list[str | Path] = [*name.split()]
    last: list[str | Path] = []
    for parameter in COMMANDS[name].params:
        if parameter is not bad and not parameter.required:
            continue
        key = f"{parameter.name} of {name}"
        given = right.get(key, right.get(parameter.name or ""))
        if isinstance(parameter.type, click.Choice):
            given = "thread" if "thread" in parameter.type.choices else parameter.type.choices[0]
        given = value if parameter is bad else given
        assert given is not None, f"this test has no value for {parameter.name} of {name}"
        if isinstance(parameter, click.Argument):
            last.append(given)
        else:
            made += [parameter.opts[0], given]
    if name in ("evaluate", "compare") and bad.name != "runs":
        last += [right["runs"], right["runs"]]
    if any(parameter.name == "jobs" for parameter in COMMANDS[name].params):
        made += ["--jobs", "1"]
    return [*made, *(["--no-serve"] if name == "demo" else []), *last]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_wrong_path_gives_a_traceback(
    name: str,
    right: dict[str, str | Path],
    wrong: dict[str, str | Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets=None: None)
    for parameter in COMMANDS[name].params:
        is_path = isinstance(parameter.type, click.Path) or parameter.name == "source"
        for kind, value in wrong.items() if is_path else ():
            if name == "demo" and kind in ("missing", "a folder", "no UTF-8"):
                continue  # it would work, and run for long
            done = invoked(*line(name, parameter, value, right))
            where = f"{parameter.name}: {kind}: {done.output}"
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                raise AssertionError(where) from done.exception
            assert done.exit_code in (0, 1, 2), where
            assert done.exit_code == 0 or done.output.strip(), where
            if kind == "empty" and isinstance(parameter.type, click.Path):
                assert done.exit_code == 2, where
                assert "found an empty path" in done.stderr, where
            for made in (right["output"], right["arqmath"]):
                shutil.rmtree(made, ignore_errors=True)
                if Path(made).is_file():
                    Path(made).unlink()


@pytest.mark.parametrize("name", ["serve", "assess serve"])
def test_host_that_is_not_text_is_refused(name: str, right: dict[str, str | Path]) -> None:
    host = next(each for each in COMMANDS[name].params if each.name == "host")
    done = invoked(*line(name, host, os.fsdecode(b"\xff"), right), "--port", "0")
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code == 1
    assert "is not a host name" in done.stderr


def shell(redirection: str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """The real command with streams as a shell redirects them."""
    return subprocess.run(
        ["sh", "-c", f'exec "$0" -m porism "$@" {redirection}', sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": str(PROJECT / "src")},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize("redirection", [">&-", "<&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(redirection: str, right: dict[str, str | Path]) -> None:
    done = shell(redirection, "stats", right["collection"])
    assert (done.returncode, done.stderr) == (0, "")


def test_closed_input_is_empty(right: dict[str, str | Path]) -> None:
    done = shell("<&-", "formula", "convert", "--from", "latex", "--to", "opt")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    done = shell("<&-", "evaluate", "--qrels", right["qrels"], "-")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert "Traceback" not in done.stderr


def test_file_does_not_reuse_the_descriptor_of_closed_output(
    right: dict[str, str | Path], tmp_path: Path
) -> None:
    thread = ("show", right["collection"], "thread", "1", "--html", "-o", tmp_path / "thread.html")
    done = shell(">&-", *thread)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "thread.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("name", ["stats", "--help", "systems", "formula convert"])
def test_closed_pipe_is_no_error(name: str, right: dict[str, str | Path]) -> None:
    """As with ``| head -1``, but nothing is read at all."""
    arguments: dict[str, tuple[str | Path, ...]] = {
        "stats": ("stats", right["collection"]),
        "formula convert": ("formula", "convert", "--from", "latex", "--to", "opt"),
    }
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "porism", *arguments.get(name, (name,))],
        env={**os.environ, "PYTHONPATH": str(PROJECT / "src")},
        input='{"id": 1, "latex": "x"}\n' * 1000,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


def test_help_of_every_command_needs_no_output() -> None:
    code = (
        "import sys\n"
        "from porism.cli.main import main\n"
        "for name in sys.argv[1:]:\n"
        "    sys.argv = ['porism', *name.split(), '--help']\n"
        "    try:\n"
        "        main()\n"
        "    except SystemExit as left:\n"
        "        assert not left.code, name\n"
    )
    done = subprocess.run(
        ["sh", "-c", 'exec "$0" -c "$@" >&-', sys.executable, code, *COMMANDS],
        env={**os.environ, "PYTHONPATH": str(PROJECT / "src")},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
