"""The command that compiles the search before anybody searches."""

import pytest
from click.testing import CliRunner

from porism.catalog import first_search
from porism.cli.main import porism


def test_it_says_where_the_code_is() -> None:
    result = CliRunner().invoke(porism, ["compile"])
    assert result.exit_code == 0, result.stderr
    assert f"stored in {first_search.compiled_code_folder()}" in result.stdout


def test_without_a_folder_for_code_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_search, "code_folder_of", lambda function: None)
    result = CliRunner().invoke(porism, ["compile"])
    assert result.exit_code == 1
    assert "NUMBA_CACHE_DIR" in result.stderr
