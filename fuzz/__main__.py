"""A long fuzz run: targets in turn, with new seeds, until time is up.

    python -m fuzz [TARGET ...] [--minutes N] [--seed S]

Stops at the first input that breaks a property and prints the smallest such input; the last printed
seed reproduces it. Some targets are separate commands, which get the seed of their turn.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import partial
from itertools import cycle
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from fuzz import formulas, html_texts, http_requests, notebooks, notes, runs, topics
from fuzz.properties import Property, bounded_cost

EXAMPLES = 300
"""Values per property in one turn."""

PROPERTIES: dict[str, tuple[Property, ...]] = {
    "formulas": formulas.PROPERTIES,
    "html": html_texts.PROPERTIES,
    "topics": topics.PROPERTIES,
    "runs": runs.PROPERTIES,
    "notes": notes.PROPERTIES,
    "notebooks": notebooks.PROPERTIES,
}

HTTP = "http"
"""The target that needs running applications."""

COMMANDS: dict[str, tuple[str, ...]] = {
    "index": ("fuzz.corruption", "--trials", "20", "--seed"),
    "query-cost": ("fuzz.query_cost", "--queries", "500", "--seed"),
}
"""Targets that are separate commands, with the seed as last argument."""

TESTS = "tests"
"""The property tests of the suite with random values, one file per turn."""


def check(one: Property, seed: int) -> None:
    """Check a property with random values, the same for the same seed."""

    def checked(value: object) -> None:
        with bounded_cost(one.size(value)):
            one.check(value)

    many = settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    seeded(seed)(many(given(one.strategy)(checked)))()


def run_command(module: str, *arguments: str) -> None:
    """Run a module; exit if it fails."""
    done = subprocess.run([sys.executable, "-m", module, *arguments])
    if done.returncode:
        sys.exit(f"python -m {module} {' '.join(arguments)} failed")


def explore_tests(seed: int) -> None:
    """Run the property tests of one file, chosen by the seed, with many random values."""
    files = sorted(Path("tests").rglob("test_*.py"))
    file = random.Random(seed).choice([each for each in files if "\n@given" in each.read_text()])
    explore = ("-m", "hypothesis", "--hypothesis-profile=explore", f"--hypothesis-seed={seed}")
    run_command("pytest", "-q", *explore, str(file))


def turns(names: Iterable[str], stack: ExitStack) -> dict[str, Callable[[int], None]]:
    """The function to run in a turn of each target, given a seed."""
    functions: dict[str, Callable[[int], None]] = {}
    for name in names:
        if name in PROPERTIES:
            functions[name] = partial(_check_all, PROPERTIES[name])
        elif name == HTTP:
            functions[name] = partial(
                _check_all, stack.enter_context(http_requests.open_properties())
            )
        elif name == TESTS:
            functions[name] = explore_tests
        elif importlib.util.find_spec(COMMANDS[name][0]) is not None:
            functions[name] = partial(_run_with_seed, COMMANDS[name])
    return functions


def _check_all(properties: tuple[Property, ...], seed: int) -> None:
    for each in properties:
        check(each, seed)


def _run_with_seed(command: tuple[str, ...], seed: int) -> None:
    run_command(*command, str(seed))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__.splitlines()[0])
    every = [*PROPERTIES, HTTP, *COMMANDS, TESTS]
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"any of: {' '.join(every)}")
    parser.add_argument("--minutes", type=float, default=10, help="duration (default 10)")
    parser.add_argument("--seed", type=int, help="run each target once with this seed")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.targets if name not in every]
    if unknown:
        parser.error(f"no target {unknown[0]}; there are {' '.join(every)}")
    logging.disable(logging.CRITICAL)
    with ExitStack() as stack:
        functions = turns(arguments.targets or every, stack)
        end = time.monotonic() + 60 * arguments.minutes
        for number, (name, turn) in enumerate(cycle(functions.items())):
            has_seed = arguments.seed is not None
            is_done = number >= len(functions) if has_seed else time.monotonic() > end
            if is_done:
                print(f"{number:,} turns without a failure")
                return
            seed = random.randrange(1 << 32) if arguments.seed is None else arguments.seed
            print(f"{name}, seed {seed}", flush=True)
            turn(seed)


if __name__ == "__main__":
    main()
