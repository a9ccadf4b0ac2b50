"""Times of this checkout beside those of another, such as the commit before a change.

    git worktree add /tmp/before COMMIT
    python -m bench.before_after /tmp/before [--rounds 3]

Ingest, index, run and evaluate are commands of both checkouts on the mini collection, by turns, so
that both meet the same noise. The CPU time of a command with its child processes counts, because a
busy machine changes it less than the clock. Exits with 1 if a step is more than 5 % slower.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from bench.shared_data import shared_folder

HERE = Path(__file__).parent.parent
SLOWER = 1.05
SYSTEMS = ("l8", "porism")


def steps(folder: Path, shared: Path) -> Iterator[tuple[str, list[str]]]:
    """The commands by the name of what they measure, in the order in which they depend."""
    collection, index = str(folder / "mini"), str(folder / "index")
    topics = str(next((shared / "data/topics/task1").glob("Topics_Task1_2021_*.xml")))
    qrels = str(shared / "data/qrels/qrel_task1_2021_official.tsv")
    runs = [str(folder / f"{system}.tsv") for system in SYSTEMS]
    source = str(shared / "data/arqmath-mini")
    yield "ingest", ["ingest", source, "-o", collection, "--jobs", "1"]
    yield "index", ["index", collection, "-o", index, "--systems", "l8,porism", "--jobs", "1"]
    for system, run in zip(SYSTEMS, runs, strict=True):
        options = ["--system", system, "--task", "1", "--topics", topics, "-o", run]
        yield f"search with {system}", ["run", index, *options]
    yield "evaluate", ["evaluate", "--qrels", qrels, *runs]


def cpu_seconds(checkout: Path, arguments: list[str]) -> float:
    """The CPU time of a ``porism`` command of a checkout, with its child processes."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "porism", *arguments], capture_output=True, env=environment
    )
    if done.returncode:
        raise SystemExit(f"{checkout}: porism {' '.join(arguments)}\n{done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("before", type=Path, help="the other checkout")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    shared = shared_folder()
    checkouts = (arguments.before.resolve(), HERE)
    times: dict[str, tuple[list[float], list[float]]] = {}
    for turn in range(arguments.rounds):
        with TemporaryDirectory() as before, TemporaryDirectory() as after:
            folders = (Path(before), Path(after))
            both = [list(steps(folder, shared)) for folder in folders]
            for (name, first), (_, second) in zip(*both, strict=True):
                for which in (0, 1) if turn % 2 == 0 else (1, 0):
                    seconds = cpu_seconds(checkouts[which], (first, second)[which])
                    times.setdefault(name, ([], []))[which].append(seconds)
    slower = False
    for name, (first_times, second_times) in times.items():
        ratio = median(second_times) / median(first_times)
        slower |= ratio > SLOWER
        print(
            f"{name:20} {median(first_times):7.2f} s before, {median(second_times):7.2f} s after, "
            f"{ratio:.3f} times"
        )
    raise SystemExit(slower)


if __name__ == "__main__":
    main()
