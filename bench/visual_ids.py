"""How well our visual ids cluster the formulas of arqmath-mini as the official ids do.

    python -m bench.visual_ids [--show N]

Prints, from the official MathML and from LaTeX: the share of official ids with several instances
whose instances have one key of ours, and the share of our keys with several instances whose
instances have one official id. ``--show`` prints disagreements.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from bench.shared_data import mini_formulas, shared_folder, table
from porism.errors import PorismError
from porism.formula.latex import parse_latex
from porism.formula.visual_ids import visual_id, visual_id_of_mathml


class Agreement(NamedTuple):
    """Shares of the clusters with several instances that the other side keeps whole."""

    official_whole: float
    ours_whole: float


def report(shown: int = 0) -> None:
    """Print both shares of both sources, and ``shown`` disagreements of each sort."""
    shared = shared_folder()
    print("Visual ids on the mini collection: official ids with one key, keys with one official id")
    for name, representation, key in (
        ("from MathML", "slt", visual_id_of_mathml),
        ("from LaTeX", "latex", visual_id_of_latex),
        ("from LaTeX, colours left out", "latex", layout_of_latex),
    ):
        keys = list(official_and_ours(shared, representation, key))
        found = agreement(keys)
        print(f"  {name:32} {100 * found.official_whole:.2f} %  {100 * found.ours_whole:.2f} %")
        print_disagreements(keys, shown)


def visual_id_of_latex(latex: str, _: str) -> str:
    return visual_id(parse_latex(latex).tree, latex)


def layout_of_latex(latex: str, _: str) -> str:
    return visual_id(parse_latex(latex).tree, "")


def official_and_ours(
    shared: Path, representation: str, key: Callable[[str, str], str]
) -> Iterator[tuple[str, str]]:
    """The official visual id of each formula and ours; what is refused has its LaTeX for a key."""
    latex = mini_formulas(shared, "latex")
    path = shared / f"data/arqmath-mini/{representation}_representation_v3/1.tsv.gz"
    known: dict[str, str] = {}  # the same formula occurs many times over
    for row in table(path):
        text = row["formula"]
        if text not in known:
            try:
                known[text] = key(text, latex[row["id"]])
            except PorismError:
                known[text] = "".join(latex[row["id"]].split())
        yield row["visual_id"], known[text]


def agreement(keys: Iterable[tuple[str, str]]) -> Agreement:
    """How far two clusterings agree, given each instance's cluster in the one and in the other.

    >>> agreement([("1", "x"), ("1", "x"), ("2", "y"), ("2", "z"), ("3", "y")])
    Agreement(official_whole=0.5, ours_whole=0.5)
    """
    pairs = list(keys)
    return Agreement(_whole(pairs), _whole((ours, official) for official, ours in pairs))


def _whole(pairs: Iterable[tuple[str, str]]) -> float:
    clusters: dict[str, list[str]] = defaultdict(list)
    for cluster, other in pairs:
        clusters[cluster].append(other)
    several = [others for others in clusters.values() if len(others) > 1]
    return sum(len(set(others)) == 1 for others in several) / max(1, len(several))


def print_disagreements(keys: list[tuple[str, str]], count: int) -> None:
    """Print clusters of each side that the other side splits, largest first."""
    for name, pairs in (
        ("official", keys),
        ("ours", [(ours, official) for official, ours in keys]),
    ):
        clusters: dict[str, Counter[str]] = defaultdict(Counter)
        for cluster, other in pairs:
            clusters[cluster][other] += 1
        split = [(cluster, others) for cluster, others in clusters.items() if len(others) > 1]
        split.sort(key=lambda item: -item[1].total())
        for cluster, others in split[:count]:
            print(f"  {name} {cluster[:200]}: {str(dict(others))[:400]}")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--show", type=int, default=0, help="disagreements to print of each sort")
    report(options.parse_args().show)
