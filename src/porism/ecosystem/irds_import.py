"""The package ir_datasets, or an error that says how to install it."""

from __future__ import annotations

from importlib import import_module

try:
    # The package has no types, which an import statement would need.
    ir_datasets = import_module("ir_datasets")
except ModuleNotFoundError as error:
    raise ImportError(
        f"porism.ecosystem.irds needs ir_datasets ({error}): pip install 'porism[ir-datasets]'"
    ) from error
