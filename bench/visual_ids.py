"""Agreement of our visual ids with the official ones on the formulas of arqmath-mini.

    python -m bench.visual_ids [--show N]

Prints, from the official MathML and from LaTeX: the share of official ids with several instances
whose instances share one of our ids, and the reverse. ``--show`` prints disagreements.
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
    """The shares of clusters with several instances that the other clustering does not split."""

    official_whole: float
    ours_whole: float


def report(examples: int = 0) -> None:
    """Print both shares for each source, and some disagreements of each kind."""
    shared = shared_folder()
    print("Visual ids on the mini collection: official ids with one of ours, and the reverse")
    for name, representation, key in (
        ("from MathML", "slt", visual_id_of_mathml),
        ("from LaTeX", "latex", visual_id_of_latex),
        ("from LaTeX, without colours", "latex", layout_of_latex),
    ):
        keys = list(official_and_ours(shared, representation, key))
        shares = agreement(keys)
        print(f"  {name:32} {100 * shares.official_whole:.2f} %  {100 * shares.ours_whole:.2f} %")
        print_disagreements(keys, examples)


def visual_id_of_latex(latex: str, _: str) -> str:
    return visual_id(parse_latex(latex).tree, latex)


def layout_of_latex(latex: str, _: str) -> str:
    return visual_id(parse_latex(latex).tree, "")


def official_and_ours(
    shared: Path, representation: str, key: Callable[[str, str], str]
) -> Iterator[tuple[str, str]]:
    """The official visual id of each formula and ours; a refused formula has its LaTeX as id."""
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
    """The agreement of two clusterings, given each instance's cluster in both.

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
    """Print clusters of each side that the other splits, largest first."""
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
    options.add_argument("--show", type=int, default=0, help="disagreements to print of each kind")
    report(options.parse_args().show)
