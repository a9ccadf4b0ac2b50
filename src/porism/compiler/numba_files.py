"""Parts of Numba that are used without importing Numba."""

from __future__ import annotations

import sys
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import find_spec, module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType


@cache
def numba_folder() -> Path:
    """The folder of the package, which is located but not imported."""
    spec = find_spec("numba")
    if spec is None or spec.origin is None:
        raise ImportError("Numba is not installed")
    return Path(spec.origin).parent


def extension(name: str) -> ModuleType:
    """A module of Numba that is written in C.

    It is the module that Numba imports, if it does later: Python loads a shared library once.
    """
    whole = f"numba.{name}"
    if whole in sys.modules:
        return sys.modules[whole]
    stem = numba_folder().joinpath(*name.split("."))
    for suffix in EXTENSION_SUFFIXES:
        path = stem.with_name(stem.name + suffix)
        if path.exists():
            loader = ExtensionFileLoader(whole, str(path))
            spec = spec_from_loader(whole, loader)
            assert spec is not None
            module = module_from_spec(spec)
            loader.exec_module(module)
            return module
    raise ImportError(f"{whole} is not found")
