"""``porism reproduce``: tables of printed numbers and ours."""

import json
from pathlib import Path

from click.testing import CliRunner

from porism.cli.main import porism

DOCS = Path(__file__).parents[3] / "docs"


def _a_run(folder: Path) -> None:
    (folder / "qrel_task1_2020_official.tsv").write_text("A.1\t0\ta\t3\nA.1\t0\tb\t0\n")
    (folder / "psu-task1-auto-both-A.tsv").write_text("A.1\ta\t1\t2\tx\nA.1\tu\t2\t1\tx\n")


def test_unexplained_difference_exits_with_1(tmp_path: Path) -> None:
    _a_run(tmp_path)
    done = CliRunner().invoke(porism, ["reproduce", str(tmp_path), "--paper", "S1"])
    assert done.exit_code == 1
    lines = done.stdout.splitlines()
    assert lines[1].split() == "S1 A1 2020 PSU PSU1 nDCG' 0.263 1.0000 +0.737 different".split()
    assert lines[-1].startswith("0 exact, 0 explained, 3 different, 0 cannot be computed, ")


def test_json_has_all_fields(tmp_path: Path) -> None:
    _a_run(tmp_path)
    done = CliRunner().invoke(porism, ["reproduce", str(tmp_path), "--json"])
    first = json.loads(done.stdout)[0]
    assert (first["measure"], first["printed"], first["ours"]) == ("nDCG'", "0.263", 1.0)
    assert first["difference"] == 0.737


def test_all_includes_missing_runs(tmp_path: Path) -> None:
    _a_run(tmp_path)
    done = CliRunner().invoke(porism, ["reproduce", str(tmp_path), "--all", "--tsv"])
    assert len(done.stdout.splitlines()) > 900


def test_folder_without_runs_is_an_error(tmp_path: Path) -> None:
    done = CliRunner().invoke(porism, ["reproduce", str(tmp_path)])
    assert done.exit_code == 1
    assert "found no run with published numbers" in done.stderr


def test_the_page_in_the_documents_is_what_the_command_prints(shared: Path) -> None:
    done = CliRunner().invoke(porism, ["reproduce", str(shared / "data"), "--markdown"])
    assert done.exit_code == 0
    assert done.stdout in (DOCS / "reproduction.md").read_text(encoding="utf-8")
