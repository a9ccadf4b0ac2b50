"""Cost by size: measurements in a file, what they promise at another size, and docs/scaling.md.

``python -m bench.scaling docs`` renews the page's table and plot from docs/scaling.tsv.
"""

from __future__ import annotations

import csv
import math
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

WHOLE = 2_500_000
"""Posts of the ARQMath collection."""

Measurements = dict[str, float]
"""Values by name, ``stage.what``; sizes are in megabytes."""

ROWS = {
    "distinct formulas": ("count.formulas", 1),
    "ingest, s": ("ingest.seconds", 1),
    "ingest, s of processor time": ("ingest.processor", 1),
    "ingest, GB of memory": ("ingest.megabytes", 1000),
    "index, s": ("index.seconds", 1),
    "index, s of processor time": ("index.processor", 1),
    "index, GB of memory": ("index.megabytes", 1000),
    "index, GB of memory with mapped files": ("index.mapped", 1000),
    "archive to first result on the page, s": ("total.seconds", 1),
    "first result of a new process, s": ("first result.seconds", 1),
    "`/api/search` by title, median ms": ("search by title.median", 1),
    "`/api/search` by title, 99th percentile ms": ("search by title.p99", 1),
    "`/api/search` by whole question, median ms": ("search by question.median", 1),
    "`/api/search` by whole question, 99th percentile ms": ("search by question.p99", 1),
    "server, GB of memory": ("serve.megabytes", 1000),
    "archive, GB": ("size.archive", 1000),
    "collection, GB": ("size.collection", 1000),
    "index, GB": ("size.index", 1000),
    "of it answers, GB": ("size.index answers", 1000),
    "of it formulas, GB": ("size.index formulas", 1000),
}
"""The rows of the table: the name of a measurement, and what it is divided by."""

PANELS = {
    "seconds": ("ingest.seconds", "index.seconds", "start.seconds"),
    "megabytes on disk": ("size.archive", "size.collection", "size.index"),
    "milliseconds": ("search by title.median", "search by question.median"),
}
"""What the plot shows."""


def read_measurements(path: Path) -> dict[int, Measurements]:
    """The measurements of a file by number of posts, the smallest first; none without a file."""
    found: defaultdict[int, Measurements] = defaultdict(dict)
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t"):
                found[int(row["posts"])][row["name"]] = float(row["value"])
    return dict(sorted(found.items()))


def add_measurements(path: Path, new: Mapping[int, Measurements]) -> None:
    """Write measurements to a file; those of other sizes stay there."""
    sizes = dict(sorted({**read_measurements(path), **new}.items()))
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(("posts", "name", "value"))
        for posts, values in sizes.items():
            table.writerows((posts, name, f"{value:.5g}") for name, value in values.items())


class Growth(NamedTuple):
    """A cost of ``scale * posts ** exponent``."""

    scale: float
    exponent: float

    def at(self, posts: int) -> float:
        """The cost of that number of posts."""
        return self.scale * math.pow(posts, self.exponent)


def growth(sizes: Mapping[int, Measurements], name: str) -> Growth | None:
    """The growth of a measurement, fitted to the larger sizes, where start-up counts least.

    Nothing costs less where there is more, so a negative exponent, from noise, counts as 0. None
    if there are fewer than two sizes with it.
    """
    known = [posts for posts, values in sizes.items() if values.get(name)]
    known = [posts for posts in known if posts * RANGE >= max(known)]
    if len(known) < 2:
        return None
    values = np.log([sizes[posts][name] for posts in known])
    exponent = max(0.0, float(np.polyfit(np.log(known), values, 1)[0]))
    return Growth(float(np.exp(np.mean(values - exponent * np.log(known)))), exponent)


RANGE = 25
"""How much smaller than the largest a size may be to count for the growth."""


def write_page(docs: Path, sizes: Mapping[int, Measurements]) -> None:
    """Renew the table and the plot of docs/scaling.md."""
    page = docs / "scaling.md"
    before, begin, rest = page.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    table = "\n".join(_table(sizes))
    page.write_text(f"{before}{begin}\n{table}\n{end}{after}", encoding="utf-8")
    _draw(sizes, docs / "pictures" / "scaling.svg")


_BEGIN, _END = "<!-- measured -->", "<!-- end -->"


def _table(sizes: Mapping[int, Measurements]) -> Iterator[str]:
    heads = [*(f"{posts:,}" for posts in sizes), "exponent"]
    if WHOLE not in sizes:
        heads.append(f"{WHOLE:,}, expected")
    yield f"| posts | {' | '.join(heads)} |"
    yield "|---" * (len(heads) + 1) + "|"
    for label, (name, unit) in ROWS.items():
        cells = [_rounded(values.get(name), unit) for values in sizes.values()]
        fitted = growth(sizes, name)
        cells.append("" if fitted is None else f"{fitted.exponent:.2f}")
        if WHOLE not in sizes:
            cells.append(_rounded(fitted and fitted.at(WHOLE), unit))
        yield f"| {label} | {' | '.join(cells)} |"


def _rounded(value: float | None, unit: float) -> str:
    """Three significant digits."""
    if value is None:
        return ""
    value /= unit
    digits = max(0, 2 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:,.{digits}f}"


def _draw(sizes: Mapping[int, Measurements], path: Path) -> None:
    mpl.rcParams |= {"svg.fonttype": "none", "svg.hashsalt": "scaling"}
    figure = Figure(figsize=(11, 3.6), layout="constrained")
    for axes, (unit, names) in zip(figure.subplots(1, len(PANELS)), PANELS.items(), strict=True):
        for name, marker in zip(names, "osD", strict=False):
            known = [posts for posts, values in sizes.items() if values.get(name)]
            values = [sizes[posts][name] for posts in known]
            axes.plot(known, values, marker=marker, label=_label(name))
        axes.set(xscale="log", yscale="log", xlabel="posts", ylabel=unit)
        axes.legend(frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})


def _label(name: str) -> str:
    subject, _, what = name.partition(".")
    return what if subject == "size" else "start of the server" if subject == "start" else subject


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    write_page(folder, read_measurements(folder / "scaling.tsv"))
