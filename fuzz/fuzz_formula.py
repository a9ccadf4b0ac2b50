"""A long fuzz run: the same strategies as in the tests, with ever new seeds, until time is up.

Ends with an error and the smallest formula found as soon as one breaks a rule; the seed printed
last finds it again.
"""

import argparse
import random
import time

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from fuzz.checks import check_latex, check_markup
from fuzz.strategies import formulas, markup

EXAMPLES = 2000
"""Formulas for one seed."""


def run(seed: int) -> None:
    """Check some formulas; the same ones for the same seed."""
    many = settings(
        max_examples=EXAMPLES // 2,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    seeded(seed)(many(given(formulas())(check_latex)))()
    seeded(seed)(many(given(markup())(check_markup)))()


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed random formulas to the parser.")
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--seed", type=int, help="run only this seed, to see its failure again")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        run(arguments.seed)
        return
    end = time.monotonic() + 60 * arguments.minutes
    rounds = 0
    while rounds == 0 or time.monotonic() < end:
        seed = random.randrange(1 << 32)
        print(f"seed {seed}, after {rounds * EXAMPLES:,} formulas", flush=True)
        run(seed)
        rounds += 1
    print(f"{rounds * EXAMPLES:,} formulas, each answered")


if __name__ == "__main__":
    main()
