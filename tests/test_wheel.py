"""The wheel is all of Porism: installed in an empty environment, it serves its pages."""

import importlib.metadata
import os
import re
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

from porism.web.server.guard import STATIC

PROJECT = Path(__file__).parent.parent
FONT = re.compile(r'url\("(fonts/[^"]+)"\)')


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of these files."""
    folder = tmp_path_factory.mktemp("wheel")
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=PROJECT)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and, as links, the packages that the wheel requires.

    Nothing is fetched, and nothing else that is installed here can be imported there.
    """
    folder = tmp_path_factory.mktemp("empty") / "environment"
    venv.create(folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(folder)]
    _run(*pip, "install", "-qq", "--no-deps", "--no-index", str(wheel), cwd=folder)
    for entry in sorted(_entries(_required_by(wheel))):
        (packages / entry.name).symlink_to(entry)
    return folder


def _run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=_bare_variables())
    assert done.returncode == 0, done.stderr
    return done.stdout


def _bare_variables() -> dict[str, str]:
    """The environment variables without those that let Python import more."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def _required_by(wheel: Path) -> set[str]:
    """The names of the packages that pip would install with the wheel, without any extra."""
    folder = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info/"
    metadata = importlib.metadata.PathDistribution(zipfile.Path(wheel, folder))
    waiting = [(Requirement(each), "") for each in metadata.requires or ()]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        for each in {(requirement.name, extra) for extra in ("", *requirement.extras)} - seen:
            seen.add(each)
            needed = importlib.metadata.requires(requirement.name) or ()
            waiting.extend((Requirement(text), each[1]) for text in needed)
    return {name for name, _ in seen}


def _entries(names: set[str]) -> set[Path]:
    """The files and folders of packages, at the top of the folder where they are installed."""
    files = [file for name in names for file in importlib.metadata.files(name) or ()]
    return {
        Path(str(file.locate())).parents[len(file.parts) - 1] / file.parts[0]
        for file in files
        if file.parts[0] not in ("..", "__pycache__")
    }


@pytest.fixture(scope="module")
def address(
    environment: Path, sample_index: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where the command of the environment serves the sample."""
    process = subprocess.Popen(
        [environment / "bin" / "porism", "serve", sample_index, "--port", "0"],
        cwd=tmp_path_factory.mktemp("elsewhere"),
        env=_bare_variables(),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as output:
        try:
            yield output.readline().split("is at ")[1].split("/ ")[0]
        finally:
            process.terminate()
            process.wait()


def test_the_wheel_has_every_file_of_the_pages_and_every_licence(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    static = {
        str(path.relative_to(PROJECT / "src")) for path in STATIC.rglob("*") if path.is_file()
    }
    assert static <= names
    licences = {name.partition("/licenses/")[2] for name in names} - {""}
    web = "src/porism/web/static"
    assert licences == {
        "LICENSE",
        f"{web}/fonts/OFL-source-code-pro.txt",
        f"{web}/fonts/OFL-source-sans-3.txt",
        f"{web}/fonts/OFL-stix-two-math.txt",
        f"{web}/mathlive/LICENSE.txt",
        f"{web}/mathlive/OFL-katex.txt",
    }


def test_the_environment_has_porism_from_the_wheel_and_only_what_it_requires(
    environment: Path,
) -> None:
    python = str(environment / "bin" / "python")
    code = "import porism; print(porism.__file__)"
    assert Path(_run(python, "-c", code, cwd=environment).strip()).is_relative_to(environment)
    code = "from importlib.util import find_spec as f; print(f('pytest'), f('matplotlib'))"
    assert _run(python, "-c", code, cwd=environment) == "None None\n"


def test_pages_of_the_wheel_have_their_scripts_styles_fonts_and_formula_editor(
    address: str,
) -> None:
    with urlopen(f"{address}/?q=Gaussian+integral+%24e%5E%7B-x%5E2%7D%24") as response:
        page = response.read().decode()
    assert "<article" in page
    linked = set(re.findall(r'(?:href|src)="(/static/[^"]+)"', page))
    assert any(each.endswith(".css") for each in linked)
    assert any(each.endswith(".js") for each in linked)
    with urlopen(f"{address}/static/fonts.css") as response:
        fonts = set(FONT.findall(response.read().decode()))
    assert fonts
    editor = STATIC / "mathlive"
    files = {f"/static/{path.relative_to(STATIC)}" for path in editor.rglob("*") if path.is_file()}
    for path in sorted(linked | files | {f"/static/{font}" for font in fonts}):
        with urlopen(address + path) as response:
            assert response.status == 200
            assert response.read() == (STATIC.parent / path.partition("?")[0][1:]).read_bytes()
