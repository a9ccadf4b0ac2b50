"""``porism export``."""

from pathlib import Path

from click.testing import CliRunner, Result

from porism.cli.main import porism
from tests.collection.small_site import ingested_site


def export(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, ["export", *map(str, arguments)])


def test_the_files_are_written_and_counted(tmp_path: Path) -> None:
    result = export(ingested_site(tmp_path), "--arqmath", tmp_path / "files")
    assert result.exit_code == 0, result.stderr
    assert "  Posts.V1.3.xml            4\n" in result.stdout
    assert "  slt_representation_v3/    8\n" in result.stdout
    assert (tmp_path / "files" / "latex_representation_v3" / "1.tsv").is_file()


def test_files_can_be_gzipped(tmp_path: Path) -> None:
    assert export(ingested_site(tmp_path), "--arqmath", tmp_path / "files", "--gzip").exit_code == 0
    files = [path.name for path in (tmp_path / "files").rglob("*") if path.is_file()]
    assert files
    assert all(name.endswith(".gz") for name in files)


def test_folder_in_use_is_an_error(tmp_path: Path) -> None:
    result = export(ingested_site(tmp_path), "--arqmath", tmp_path)
    assert result.exit_code == 1
    assert "not an empty folder" in result.stderr


def test_missing_collection_is_an_error(tmp_path: Path) -> None:
    result = export(tmp_path / "nothing", "--arqmath", tmp_path / "files")
    assert result.exit_code == 1
    assert "no collection" in result.stderr
    assert not (tmp_path / "files").exists()


def test_arqmath_is_required(tmp_path: Path) -> None:
    assert export(tmp_path).exit_code == 2
