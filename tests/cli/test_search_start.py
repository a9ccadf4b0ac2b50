"""What a search loads: little, so that it answers soon after its process has started."""

import subprocess
import sys
from pathlib import Path

UNNEEDED = (
    "numba",
    "scipy",
    "fastapi",
    "jinja2",
    "porism.catalog.families",
    "porism.cli.demo",
    "porism.web",
    "urllib.request",
)
"""Each takes longer to import than the search itself, or comes with what does."""


def test_a_search_loads_neither_numba_nor_other_commands_and_systems(
    sample_index: Path,
) -> None:
    code = (
        "import sys\n"
        "from porism.cli.main import porism\n"
        f"for query in ('prime', 'why is $x^2$ even?'):\n"
        f"    porism(['search', {str(sample_index)!r}, query], standalone_mode=False)\n"
        f"loaded = [name for name in {UNNEEDED!r} if name in sys.modules]\n"
        "print('loaded:', *loaded)\n"
    )
    command = [sys.executable, "-c", code]
    subprocess.run(command, check=True, capture_output=True)  # compiles what is not compiled yet
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "loaded:"
