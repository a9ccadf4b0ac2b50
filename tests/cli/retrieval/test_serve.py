"""``porism serve``: errors before it starts; tests/web has the pages."""

import socket
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from porism.cli.main import porism
from porism.cli.retrieval.serve import origins_of, serve


def test_port_in_use_is_an_error(sample_index: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(porism, ["serve", str(sample_index), "--port", port])
    assert done.exit_code == 1
    assert "choose another with --port" in done.stderr


def test_missing_index_is_an_error(tmp_path: Path) -> None:
    done = CliRunner().invoke(porism, ["serve", str(tmp_path / "nothing")])
    assert done.exit_code == 1
    assert "there is no such file or folder; expected an index" in done.stderr


def test_runs_and_qrels_need_each_other(sample_index: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(porism, ["serve", str(sample_index), "--runs", str(tmp_path)])
    assert done.exit_code == 2
    assert "--runs and --qrels need each other" in done.stderr


@pytest.mark.parametrize(
    "site",
    [
        "example.org",
        "*",
        "ftp://example.org",
        "https://example.org/a",
        "https://e.org:x",
        "https://",
    ],
)
def test_invalid_origin_is_an_error(tmp_path: Path, site: str) -> None:
    done = CliRunner().invoke(porism, ["serve", str(tmp_path), "--origin", site])
    assert done.exit_code == 2
    assert repr(site) in done.stderr
    assert "https://example.org" in done.stderr


@pytest.mark.parametrize(
    ("site", "origin"),
    [
        ("https://example.org/", "https://example.org"),
        ("HTTP://Localhost:3000", "http://localhost:3000"),
        ("http://[::1]:80/", "http://[::1]"),
        ("http://example.org:443", "http://example.org:443"),
    ],
)
def test_origin_is_normalised_as_browsers_send_it(site: str, origin: str) -> None:
    context, option = click.Context(serve), serve.params[0]
    assert origins_of(context, option, (site,)) == (origin,)


def test_missing_folder_of_runs_is_an_error(sample_index: Path, tmp_path: Path) -> None:
    runs = ["--runs", str(tmp_path / "nothing"), "--qrels", str(tmp_path / "qrels")]
    done = CliRunner().invoke(porism, ["serve", str(sample_index), *runs])
    assert done.exit_code == 1
    assert "no such folder" in done.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--model", "missing.gguf"], "no such file"),
        (["--model", "unheard-of"], "unknown language model"),
        (["--endpoint", "http://me:secret@localhost/v1", "--model", "x"], "user name or password"),
    ],
)
def test_a_language_model_that_cannot_be_opened_is_refused_at_the_start(
    sample_index: Path, options: list[str], message: str
) -> None:
    done = CliRunner().invoke(porism, ["serve", str(sample_index), "--port", "0", *options])
    assert done.exit_code == 1
    assert message in done.stderr
    assert "secret" not in done.stderr
