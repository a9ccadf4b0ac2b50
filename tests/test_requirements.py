"""What make installs is locked: exact versions with hashes that pyproject.toml admits."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parent.parent
LOCKS = {path.stem: path for path in sorted((PROJECT / "requirements").glob("*.txt"))}
SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = (
    ("linux", "Linux", "x86_64"),
    ("linux", "Linux", "aarch64"),
    ("darwin", "Darwin", "arm64"),
)


def locked(path: Path) -> list[Requirement]:
    """The requirements of a lock, each of which must have hashes."""
    entries = re.findall(
        r"^([^ #\n].*?) \\\n((?:    --hash=.*\n)+)", path.read_text(encoding="utf-8"), re.M
    )
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", hashes) for _, hashes in entries)
    return [Requirement(name) for name, _ in entries]


def wanted(extras: tuple[str, ...]) -> list[Requirement]:
    """What pyproject.toml asks for with these extras, and what builds the package."""
    project = SETTINGS["project"]
    found = [Requirement(name) for name in SETTINGS["build-system"]["requires"]]
    found += [Requirement(name) for name in project["dependencies"]]
    for extra in extras:
        for requirement in map(Requirement, project["optional-dependencies"][extra]):
            is_own = requirement.name == project["name"]
            found += wanted(tuple(requirement.extras)) if is_own else [requirement]
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_only_exact_versions_with_hashes_and_no_registry(name: str) -> None:
    text = LOCKS[name].read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^-", text, re.M)  # options of pip, such as another index
    requirements = locked(LOCKS[name])
    # Every line that is neither comment nor hash is a requirement that was found above.
    lines = [line for line in text.splitlines() if re.match(r"[^ #]", line)]
    assert len(lines) == len(requirements)
    for requirement in requirements:
        assert re.fullmatch(r"==[^,*]+", str(requirement.specifier)), requirement
    heavy = set() if name == "train" else {"torch"}
    assert not {requirement.name for requirement in requirements} & {"porism", *heavy}


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS, ids="-".join)
@pytest.mark.parametrize(
    ("name", "extras"),
    [
        ("demo", ("generate", "lab", "vectors")),
        ("dev", ("dev",)),
        ("bench", tuple(set(SETTINGS["project"]["optional-dependencies"]) - {"train"})),
        ("train", ("train",)),
    ],
)
def test_a_lock_satisfies_pyproject_on_every_python_and_platform(
    name: str, extras: tuple[str, ...], platform: tuple[str, str, str], python: str
) -> None:
    """If this fails after a change of pyproject.toml: make lock."""
    environment = {
        **{key: str(value) for key, value in default_environment().items()},
        "python_version": python,
        "python_full_version": f"{python}.0",
        **dict(zip(("sys_platform", "platform_system", "platform_machine"), platform, strict=True)),
    }
    versions: dict[str, str] = {}
    for requirement in locked(LOCKS[name]):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            package = canonicalize_name(requirement.name)
            assert package not in versions, f"{package} is locked twice"
            versions[package] = str(requirement.specifier).removeprefix("==")
    for requirement in wanted(extras):
        version = versions.get(canonicalize_name(requirement.name), "none")
        assert requirement.specifier.contains(version), f"{requirement}: {version} is locked"


def test_locks_agree_on_versions() -> None:
    """So that make demo after make test changes nothing."""
    everything = set(map(str, locked(LOCKS["bench"])))
    for name in ("demo", "dev"):
        assert set(map(str, locked(LOCKS[name]))) <= everything


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_a_package_of_npm_with_another_sha512_is_refused(tmp_path: Path) -> None:
    """npm is a script here, that packs a file which is not the one the Makefile pins."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "axe.min.js").write_text("alert(1)")
    with tarfile.open(tmp_path / "other.tgz", "w:gz") as archive:
        archive.add(tmp_path / "package", "package")
    npm = tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    # npm pack --silent --pack-destination FOLDER NAME@VERSION
    npm.write_text(f'#!/bin/sh\ncp {tmp_path}/other.tgz "$4/$(echo "$5" | tr @ -).tgz"\n')
    npm.chmod(0o755)
    script = tmp_path / "got" / "axe.min.js"
    done = subprocess.run(
        ["make", f"BIN={Path(sys.executable).parent}", f"AXE={script}", str(script)],
        cwd=PROJECT,
        env={**os.environ, "PATH": f"{npm.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "does not have the sha512 that the Makefile pins" in done.stderr
    assert not script.exists()


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_the_demonstration_names_its_address_before_it_is_installed(tmp_path: Path) -> None:
    """What would be installed is there, and the command is a script that prints its arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, script in (
        ("python", f'exec {sys.executable} "$@"'),
        ("porism", 'echo porism "$@"'),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    stamp = tmp_path / "stamp"
    stamp.touch()
    done = subprocess.run(
        ["make", f"BIN={folder}", f"DEMO={stamp}", "demo"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    address = re.match(r"Porism will be at http://127\.0\.0\.1:(\d+)/", done.stderr)
    assert address is not None
    assert f"porism demo -o demo --port {address[1]}\n" in done.stdout


def test_an_installation_that_fails_says_why(tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text("no-such-package==1.0 --hash=sha256:00\n")
    script = PROJECT / "requirements" / "install.py"
    done = subprocess.run(
        [sys.executable, str(script), str(lock), "--no-index"], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "no-such-package" in done.stderr
