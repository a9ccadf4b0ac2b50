"""The names of models, what is imported when, and downloads that must be asked for."""

import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from porism.embed import is_installed, open_encoder
from porism.embed.hub import downloaded
from porism.embed.models import local_model
from porism.errors import PorismError
from tests.embed.tiny_models import write_model


def test_a_folder_is_installed_and_other_names_are_not(tmp_path: Path) -> None:
    assert is_installed(str(tmp_path))
    assert not is_installed(str(tmp_path / "absent"))
    assert not is_installed("hub:sentence-transformers/all-mpnet-base-v2")


def test_nothing_is_installed_without_onnxruntime(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    assert not is_installed("minilm")
    assert not is_installed(str(tmp_path))


def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "porism.embed.onnx_encoder", raising=False)
    monkeypatch.delitem(sys.modules, "porism.embed.network", raising=False)
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(PorismError, match=r"onnxruntime.*pip install 'porism\[vectors\]'"):
        open_encoder(str(tmp_path))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(PorismError, match="minilm3: there is no such model folder"):
        open_encoder("minilm3")


def test_importing_the_package_loads_no_model_library() -> None:
    code = (
        "import sys, porism.embed; porism.embed.is_installed('minilm');"
        "print(sorted({'onnx', 'onnxruntime', 'tokenizers', 'safetensors'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


class Hub(types.ModuleType):
    """A hub that has the models of one folder and notes what was downloaded."""

    def __init__(self, folder: Path) -> None:
        super().__init__("huggingface_hub")
        self.folder = folder
        self.patterns: list[list[str]] = []

    def snapshot_download(self, name: str, allow_patterns: list[str]) -> str:
        self.patterns.append(allow_patterns)
        if not (self.folder / name).is_dir():
            raise OSError(f"404: {name}")
        return str(self.folder / name)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Hub:
    made = Hub(tmp_path)
    monkeypatch.setitem(sys.modules, "huggingface_hub", made)
    return made


def test_a_model_of_the_hub_is_downloaded_and_opened(hub: Hub) -> None:
    write_model(hub.folder / "lab" / "tiny", "bert")
    encoder = open_encoder("hub:lab/tiny", "float32")
    assert encoder.identity.name == "hub:lab/tiny"
    expected = open_encoder(str(hub.folder / "lab" / "tiny"), "float32").encode(["a b"])
    np.testing.assert_array_equal(encoder.encode(["a b"]), expected)
    assert all("model.safetensors" in patterns for patterns in hub.patterns)


def test_pickled_weights_are_never_downloaded(hub: Hub) -> None:
    (hub.folder / "pickled").mkdir()
    assert downloaded("pickled") == hub.folder / "pickled"
    first, second = hub.patterns
    assert "model.onnx" in second
    assert not any("bin" in pattern for pattern in first + second)


def test_other_processes_do_not_download_again(hub: Hub) -> None:
    write_model(hub.folder / "tiny", "bert")
    folder = local_model("hub:tiny")
    assert open_encoder(folder, "float32").encode(["a", "b"]).shape == (2, 6)
    assert len(hub.patterns) == 1


def test_a_failed_download_says_what_to_do(hub: Hub) -> None:
    with pytest.raises(PorismError, match=r"hub:absent: cannot be downloaded: 404.*its folder"):
        open_encoder("hub:absent")


def test_the_hub_needs_a_package_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(PorismError, match="pip install huggingface_hub"):
        open_encoder("hub:lab/tiny")
