"""SQL on a collection is written in package collection alone."""

import ast
from pathlib import Path

import porism

SOURCE = Path(porism.__file__).parent
DATABASES = ("collection/", "assess/", "locking.py")
"""Packages with a database of their own, and the lock, which is one."""

REPORTS_ERRORS = "cli/main.py"
"""Catches the errors of every database."""


def uses_of_sql(source: str) -> set[str]:
    """The names of imports and calls by which a module uses a database."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & {"sqlite3"}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or ""} & {"sqlite3"}
        elif isinstance(node, ast.Attribute):
            found |= {node.attr} & {"execute", "executemany", "executescript", "_connection"}
    return found


def test_uses_of_sql_are_noticed() -> None:
    assert uses_of_sql("import sqlite3\nopened._connection.execute('')") == {
        "sqlite3",
        "_connection",
        "execute",
    }


def test_no_other_package_runs_sql_on_a_collection() -> None:
    modules = {path.relative_to(SOURCE).as_posix(): path for path in SOURCE.rglob("*.py")}
    used = {
        name: found
        for name, path in modules.items()
        if not name.startswith(DATABASES) and (found := uses_of_sql(path.read_text("utf-8")))
    }
    assert used == {REPORTS_ERRORS: {"sqlite3"}}
