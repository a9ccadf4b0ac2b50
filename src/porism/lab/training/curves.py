"""The curves of a training, and their plot as SVG.

Importing this loads matplotlib, of the extras ``train`` and ``lab``.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

CURVES_FILE = "curves.svg"

POINTS = 200
"""Points of the curve of the loss; of more steps, means are drawn."""


@dataclass(frozen=True, slots=True)
class ValidationMeasure:
    """What validation measures; of a ``loss`` the lowest value is the best."""

    name: str
    is_loss: bool = False

    def is_better(self, value: float, than: float) -> bool:
        return value < than if self.is_loss else value > than

    def best(self, values: Sequence[float]) -> int:
        """The place of the best value, of equal ones the first."""
        return int(np.argmin(values) if self.is_loss else np.argmax(values))


MEAN_AVERAGE_PRECISION = ValidationMeasure("MAP")
TOKEN_LOSS = ValidationMeasure("loss", is_loss=True)
"""The mean negative logarithm of the probability of a token."""


@dataclass(frozen=True, slots=True)
class TrainingCurve:
    """The loss of each step, and validation before training and after each epoch of ``steps``."""

    losses: tuple[float, ...]
    validation: tuple[float, ...]
    steps: int


def curves_svg(curve: TrainingCurve, measure: ValidationMeasure) -> str:
    """Loss by step and validation by epoch, side by side; the same curve gives the same bytes."""
    with mpl.rc_context({"svg.hashsalt": "porism", "svg.fonttype": "none", "font.size": 10}):
        figure = Figure(figsize=(9, 3.2), layout="constrained")
        left, right = figure.subplots(1, 2)
        _draw_losses(left, curve)
        left.set(title="Loss in training", xlabel="epoch", ylabel="loss", ylim=(0, None))
        epochs = range(len(curve.validation))
        right.plot(epochs, curve.validation, marker="o")
        best = measure.best(curve.validation)
        right.plot([best], [curve.validation[best]], marker="o", markersize=9, color="C1")
        right.set(title=f"Validation (0: before training; best: {best})", xlabel="epoch")
        right.set_ylabel(measure.name)
        right.xaxis.set_major_locator(MaxNLocator(integer=True))
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        return out.getvalue()


def _draw_losses(axes: mpl.axes.Axes, curve: TrainingCurve) -> None:
    if not curve.losses:
        return
    size = -(-len(curve.losses) // POINTS)
    parts = [curve.losses[start : start + size] for start in range(0, len(curve.losses), size)]
    ends = np.cumsum([len(part) for part in parts]) / curve.steps
    axes.plot(ends, [float(np.mean(part)) for part in parts])
