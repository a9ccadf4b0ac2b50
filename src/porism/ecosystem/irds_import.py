"""The package ir_datasets, or a word on how to have it."""

from __future__ import annotations

from importlib import import_module

try:
    # The package has no types, so nothing is lost by not naming it in an import statement.
    ir_datasets = import_module("ir_datasets")
except ModuleNotFoundError as error:
    raise ImportError(
        f"porism.ecosystem.irds needs ir_datasets ({error}): pip install 'porism[ir-datasets]'"
    ) from error
