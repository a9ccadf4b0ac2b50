"""A long fuzz run: the same strategies as in the tests, with ever new seeds, until time is up.

Ends with status 1 and the smallest formula found as soon as one breaks a rule.
"""

import argparse
import random
import sys
import time

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded

from fuzz.checks import check
from fuzz.strategies import formulas

EXAMPLES = 2000
"""Formulas for one seed."""


def run(seed: int) -> None:
    """Check some formulas; the same ones for the same seed."""

    @seeded(seed)
    @settings(
        max_examples=EXAMPLES,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    @given(formulas())
    def every_formula_is_answered(source: str) -> None:
        check(source)

    every_formula_is_answered()


def main() -> None:
    parser = argparse.ArgumentParser(description="Feed random formulas to the parser.")
    parser.add_argument("--minutes", type=float, default=10, help="how long (default 10)")
    parser.add_argument("--seed", type=int, help="run this seed only, to see a failure again")
    arguments = parser.parse_args()
    if arguments.seed is not None:
        run(arguments.seed)
        return
    end = time.monotonic() + 60 * arguments.minutes
    rounds = 0
    while rounds == 0 or time.monotonic() < end:
        seed = random.randrange(1 << 32)
        try:
            run(seed)
        except BaseException:
            print(f"Again with: python -m fuzz.fuzz_formula --seed {seed}", file=sys.stderr)
            raise
        rounds += 1
        print(f"{rounds * EXAMPLES:,} formulas answered", file=sys.stderr)


if __name__ == "__main__":
    main()
