"""Porism: a math-aware search engine and the research lab around it.

    import porism

    index = porism.open("math/index")
    for result in index.search(r"Why is $\\sum 1/n^2 = \\pi^2/6$?", k=10):
        print(result.title, result.score)

docs/python.md describes every name. Importing ``porism`` loads nothing else: each name is imported
when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from porism.api import OpenIndex, Result, Results, index, ingest, open, run, update
    from porism.errors import PorismError
    from porism.evaluation import evaluate
    from porism.model import Formula, Qrels, Run, Topic

__version__ = "0.1.0"

__all__ = [
    "Formula",
    "OpenIndex",
    "PorismError",
    "Qrels",
    "Result",
    "Results",
    "Run",
    "Topic",
    "evaluate",
    "index",
    "ingest",
    "open",
    "run",
    "update",
]

_HOME = {
    **dict.fromkeys(("OpenIndex", "Result", "Results"), "porism.api"),
    **dict.fromkeys(("index", "ingest", "open", "run", "update"), "porism.api"),
    **dict.fromkeys(("Formula", "Qrels", "Run", "Topic"), "porism.model"),
    "PorismError": "porism.errors",
    "evaluate": "porism.evaluation",
}
"""The module that defines each public name."""


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME])
