"""``porism serve``: what keeps it from starting is told. The pages themselves are in tests/web."""

import socket
from pathlib import Path

from click.testing import CliRunner

from porism.cli.main import porism


def test_a_port_that_is_taken_is_told(sample_index: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = CliRunner().invoke(porism, ["serve", str(sample_index), "--port", port])
    assert done.exit_code == 1
    assert "choose another with --port" in done.stderr


def test_an_index_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = CliRunner().invoke(porism, ["serve", str(tmp_path / "nothing")])
    assert done.exit_code == 1
    assert "no index" in done.stderr


def test_runs_and_judgments_go_together(sample_index: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(porism, ["serve", str(sample_index), "--runs", str(tmp_path)])
    assert done.exit_code == 2
    assert "--runs and --qrels go together" in done.stderr


def test_a_folder_of_runs_that_is_not_there_is_told(sample_index: Path, tmp_path: Path) -> None:
    runs = ["--runs", str(tmp_path / "nothing"), "--qrels", str(tmp_path / "qrels")]
    done = CliRunner().invoke(porism, ["serve", str(sample_index), *runs])
    assert done.exit_code == 1
    assert "no such folder" in done.stderr
