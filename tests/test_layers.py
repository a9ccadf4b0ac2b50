"""The table of docs/architecture.md: which package may import which, and how imports look."""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent.parent / "src" / "porism"
DOCS = Path(__file__).parent.parent / "docs"

# Every package of the design, also those that are still to come: its level and what it builds on.
# It may import those packages and whatever they may import; ... means every lower level.
TABLE: tuple[tuple[int, str, tuple[str, ...]], ...] = (
    (0, "errors", ()),
    (0, "editors", ()),
    (0, "user_folders", ()),
    (1, "model", ("errors",)),
    (1, "hashing", ("errors",)),
    (1, "filters", ("errors",)),
    (1, "parallel", ("errors",)),
    (1, "locking", ("errors",)),
    (1, "deadlines", ("errors",)),
    (1, "storage", ("errors",)),
    (1, "packaged_models", ("errors",)),
    (1, "extras", ("errors",)),
    (1, "compiler", ("errors", "user_folders")),
    (2, "formula", ("model", "parallel")),
    (2, "text", ("model",)),
    (2, "formats", ("model",)),
    (
        2,
        "inverted",
        ("model", "hashing", "parallel", "locking", "deadlines", "storage", "compiler"),
    ),
    (
        2,
        "embed",
        (
            "model",
            "hashing",
            "parallel",
            "storage",
            "extras",
            "packaged_models",
            "compiler",
            "user_folders",
        ),
    ),
    (2, "generation", ("deadlines", "extras", "packaged_models")),
    (2, "vectors", ("model", "hashing", "deadlines", "storage", "compiler")),
    (3, "collection", ("formats", "formula", "hashing", "locking")),
    (3, "evaluation", ("formats", "embed")),
    (3, "assess", ("formats", "locking")),
    (3, "analysis", ("model", "hashing", "formula", "text", "deadlines", "filters")),
    (3, "structure", ("formula", "embed", "deadlines")),
    (4, "searchindex", ("analysis", "structure", "inverted", "vectors", "embed", "collection")),
    (4, "ecosystem", ("collection",)),
    (4, "query", ("analysis", "formats")),
    (5, "rank", ("searchindex", "query")),
    (6, "answer", ("rank", "generation", "evaluation")),
    (6, "lab", ("rank", "generation", "evaluation", "assess")),
    (6, "pages", ("collection", "evaluation", "assess", "formula")),
    (7, "catalog", ("...",)),
    (8, "api", ("...",)),
    (8, "web", ("...",)),
    (8, "cluster", ("...",)),
    (9, "cli", ("...",)),
    (10, "__main__", ("cli",)),
)


def _allowed() -> dict[str, frozenset[str]]:
    allowed: dict[str, frozenset[str]] = {}
    for level, name, builds_on in TABLE:
        lower = {below for other, below, _ in TABLE if other < level}
        direct = lower if builds_on == ("...",) else set(builds_on)
        allowed[name] = frozenset(direct.union(*(allowed[below] for below in direct)))
    return allowed


ALLOWED = _allowed()
# What is imported where it is used, by which package, and the reason: it takes long to import, and
# a search does not need it.
DEFERRED = {
    ("compiler", "porism.compiler.numba_compilation"): "Numba: 0.2 s",
    ("catalog", "porism.catalog.families.EVERY_SYSTEM"): "all systems but the default: 0.06 s",
}

FILES = sorted(SOURCE.rglob("*.py"))
VAGUE = {"utils", "util", "common", "base", "helpers", "helper", "misc"}


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def _package_of(path: Path) -> str:
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def _imports(tree: ast.AST) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    """Each import statement with each module that it names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            module = node.module or ""
            if module == "porism":  # "from porism import formula" names a package too
                for alias in node.names:
                    yield node, f"porism.{alias.name}"
            else:
                yield node, module


def _own_package(module: str) -> str | None:
    """The package of ours that an import names; None for what is not ours and for our version."""
    first, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    return name if first == "porism" and name not in ("", "__version__") else None


def forbidden_imports(package: str, source: str) -> list[str]:
    """What the imports of a module of ``package`` do against the rules."""
    tree = ast.parse(source)
    at_top = {id(node) for node in _module_level(tree)}
    faults = []
    for node, module in _imports(tree):
        where = f"line {node.lineno}: {module}"
        own = _own_package(module)
        whole = f"{module}.{node.names[0].name}" if isinstance(node, ast.ImportFrom) else module
        if isinstance(node, ast.ImportFrom) and node.level:
            faults.append(f"{where}: a relative import")
        elif id(node) not in at_top and package != "cli" and (package, whole) not in DEFERRED:
            faults.append(f"{where}: not at the top of the file")
        elif id(node) in at_top and package == "cli" and own == "web":
            faults.append(f"{where}: web is imported only inside the sub-commands that serve")
        if own is not None and own != package:
            if own not in ALLOWED:
                faults.append(f"{where}: {own} is not in the table")
            elif package != "__init__" and own not in ALLOWED[package]:
                faults.append(f"{where}: {package} may not import {own}")
            elif package == "__init__" and node in tree.body:
                faults.append(f"{where}: importing porism imports nothing else")
    return faults


def _module_level(tree: ast.Module) -> Iterator[ast.stmt]:
    """Statements that run when the module is imported; ``if TYPE_CHECKING:`` counts as the top."""
    for statement in tree.body:
        yield statement
        if isinstance(statement, ast.If):
            yield from statement.body


def test_every_package_builds_on_lower_levels() -> None:
    levels = {name: level for level, name, _ in TABLE}
    for level, name, _ in TABLE:
        assert all(levels[below] < level for below in ALLOWED[name]), name


def test_the_architecture_page_has_the_same_levels() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    written = re.findall(r"^\| (\d+) \| `?(\w+)`? \|", page, flags=re.MULTILINE)
    assert [(int(level), name) for level, name in written] == [
        (level, name) for level, name, _ in TABLE if name != "__main__"
    ]


def test_imports_go_down_the_levels() -> None:
    faults = [
        f"{_name(path)}: {fault}"
        for path in FILES
        for fault in forbidden_imports(_package_of(path), path.read_text(encoding="utf-8"))
    ]
    assert faults == []


def test_module_names_are_specific_and_shadow_nothing() -> None:
    for path in FILES:
        assert not VAGUE.intersection(path.relative_to(SOURCE).with_suffix("").parts), _name(path)
    packages = {_package_of(path) for path in FILES}
    assert packages <= {"__init__", *ALLOWED}
    assert not packages.intersection(sys.stdlib_module_names)


@pytest.mark.parametrize(
    ("package", "source", "fault"),
    [
        ("formula", "from porism.formats import posts", "formula may not import formats"),
        ("formula", "from porism import inverted", "formula may not import inverted"),
        ("inverted", "import porism.formula.tree", "inverted may not import formula"),
        ("text", "from .model import Post", "a relative import"),
        ("text", "def f():\n    import json", "not at the top of the file"),
        ("cli", "from porism.web import app", "only inside the sub-commands that serve"),
        ("rank", "import porism.misc", "misc is not in the table"),
        ("__init__", "import porism.model", "importing porism imports nothing else"),
    ],
)
def test_the_rules_catch(package: str, source: str, fault: str) -> None:
    assert any(found.endswith(fault) for found in forbidden_imports(package, source))


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("rank", "from porism.formula.tree import Tree\nfrom porism.collection import store"),
        ("cli", "def serve():\n    from porism.web import app"),
        ("formula", "from porism.formula.tree import Tree\nimport lxml.etree"),
        ("cli", "from porism import __version__"),
        ("__init__", "if TYPE_CHECKING:\n    from porism.api import search"),
    ],
)
def test_the_rules_allow(package: str, source: str) -> None:
    assert forbidden_imports(package, source) == []
