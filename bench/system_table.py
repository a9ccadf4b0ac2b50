"""Tables of all systems, from what ``porism reproduce systems -o`` wrote.

    python -m bench.system_table SCORES...

Task 1 of 2020, 2021 and topics from links in one table, Task 2 in another. All scores together are
what ``src/porism/lab/our_scores.tsv`` has.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from bench.quality import probability
from porism.catalog import SYSTEMS
from porism.lab.system_scores import SystemScore, read_scores

SETS = {1: ("2020", "2021", "links"), 2: ("2020", "2021")}
"""The sets of topics of each task, in the order of the columns."""

PRIMED = "nDCG'"

Scores = Mapping[tuple[str, str], SystemScore]
"""Scores by system and set."""


def main() -> None:
    """Print the tables of the files in the arguments."""
    files = [Path(name) for name in sys.argv[1:]]
    if not files:
        raise SystemExit(__doc__)
    scores = [score for file in files for score in read_scores(file)]
    for task in SETS:
        for line in table(task, scores):
            print(line)
        print()


def table(task: int, scores: Sequence[SystemScore]) -> Iterator[str]:
    """The lines of the table of a task; a system has a row if it has scores of every set."""
    known = {(each.system, each.topics): each for each in scores if each.task == task}
    years = [each for each in SETS[task] if each != "links"]
    yield (
        f"| system | model | {PRIMED} | MAP{' and links' if task == 1 else ''} | P@10 | "
        f"p of {PRIMED} | p of MAP | ms |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for name in SYSTEMS:
        if any((name, each) in known for each in years):
            yield _row(name, known, years, SETS[task])


def _row(name: str, known: Scores, years: Sequence[str], sets: Sequence[str]) -> str:
    found = next(known[name, each] for each in sets if (name, each) in known)
    model = "; ".join(filter(None, (found.model, found.trained)))
    cells = [
        f"`{name}`",
        model,
        _joined(known, name, years, lambda each: _value(each.measures.get(PRIMED))),
        _joined(known, name, sets, lambda each: _value(each.measures.get("MAP"))),
        _joined(known, name, sets, lambda each: _value(each.measures.get("P@10"))),
        _joined(known, name, years, lambda each: _chance(each.p.get(PRIMED))),
        _joined(known, name, sets, lambda each: _chance(each.p.get("MAP"))),
        f"{found.milliseconds:.0f}",
    ]
    return f"| {' | '.join(cells)} |"


def _joined(
    known: Scores, name: str, sets: Sequence[str], cell: Callable[[SystemScore], str]
) -> str:
    values = [cell(known[name, each]) if (name, each) in known else "–" for each in sets]
    return " / ".join(values) if any(values) else ""


def _value(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _chance(value: float | None) -> str:
    return "" if value is None else probability(value)


if __name__ == "__main__":
    main()
