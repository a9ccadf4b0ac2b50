"""What ``porism search`` prints for people: readable formulas, colours, and pages."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from tests.cli.terminal import run_in_terminal

BASEL = r"\sum_{n=1}^\infty \frac{1}{n^2}"
BOLD, DIM, MATCH = "\x1b[1m", "\x1b[2m", "\x1b[32m\x1b[1m"


def run(*arguments: str | Path) -> Result:
    done = CliRunner().invoke(porism, ["search", *map(str, arguments), "--system", "l8"])
    assert done.exit_code == 0, done.stderr
    return done


def in_terminal(
    index: Path, *arguments: str, rows: int = 24, variables: Mapping[str, str] | None = None
) -> str:
    command = [sys.executable, "-m", "porism", "search", str(index), *arguments, "--system", "l8"]
    return run_in_terminal(command, rows=rows, variables=variables)


def test_formulas_are_readable(sample_index: Path) -> None:
    text = run(sample_index, "--formulas", BASEL, "-k", "1").stdout
    assert text.startswith(" 1. Accessible proofs of ζ(2) = π²/6\n")
    assert "«∑ₙ₌₁^∞ 1/n²»" in text
    assert "matches ∑ₙ₌₁^∞ 1/n²\n" in text
    assert "$" not in text


def test_formulas_are_printed_as_latex_on_request(sample_index: Path) -> None:
    text = run(sample_index, "--formulas", BASEL, "-k", "1", "--latex").stdout
    assert text.startswith(" 1. Accessible proofs of $\\zeta(2) = \\frac{\\pi^2}{6}$\n")
    assert r"«$\sum_{n=1}^{\infty} \frac{1}{n^2}$»" in text


def test_a_formula_that_no_line_can_show_is_latex(sample_index: Path) -> None:
    text = run(sample_index, "--formulas", r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}").stdout
    assert r"\begin{" in text


def test_output_that_lacks_the_characters_has_latex(sample_index: Path) -> None:
    runner = CliRunner(charset="ascii")
    done = runner.invoke(porism, ["search", str(sample_index), "--formulas", BASEL, "-k", "1"])
    assert done.stdout.startswith(" 1. Accessible proofs of $\\zeta(2)")


def test_colours_are_chosen(sample_index: Path) -> None:
    plain = run(sample_index, "harmonic series", "-k", "1")
    assert "\x1b" not in plain.stdout
    assert "«" in plain.stdout
    coloured = run(sample_index, "harmonic series", "-k", "1", "--color", "always").stdout
    assert coloured.startswith(f"{BOLD} 1. ")
    assert MATCH in coloured
    assert f"    {DIM}porism show " in coloured
    assert "«" not in coloured
    never = run(sample_index, "harmonic series", "-k", "1", "--color", "never")
    assert never.stdout == plain.stdout


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)],
)
def test_a_terminal_has_colours_unless_somebody_does_not_want_them(
    sample_index: Path, variables: dict[str, str], is_coloured: bool
) -> None:
    text = in_terminal(sample_index, "harmonic series", "-k", "1", variables=variables)
    assert (BOLD in text) == is_coloured
    assert "1 result; started in" in text


def test_lines_are_as_wide_as_the_terminal(sample_index: Path) -> None:
    text = in_terminal(sample_index, "harmonic series", "-k", "3", "--color", "never", rows=99)
    passages = [line for line in text.splitlines() if line.startswith("    ")]
    assert any(60 < len(line) <= 80 for line in passages)
    is_fixed = ("    score ", "    porism show ")
    assert not [line for line in passages if len(line) > 80 and not line.startswith(is_fixed)]


def test_long_results_go_to_the_pager(sample_index: Path, tmp_path: Path) -> None:
    """The pager is a script that says that it got the results."""
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho paged by $1\nexec cat\n")
    pager.chmod(0o755)
    arguments = (sample_index, "harmonic series", "-k", "9")
    paged = in_terminal(*arguments, variables={"PAGER": f"{pager} me"})
    assert paged.startswith("paged by me\n")
    assert "\n 9. " in paged
    variables = {"PAGER": str(pager)}
    assert "paged" not in in_terminal(*arguments, "--no-pager", variables=variables)
    assert "paged" not in in_terminal(*arguments, rows=400, variables=variables)


def test_results_are_numbered_in_their_order(sample_index: Path) -> None:
    text = run(sample_index, "harmonic series", "-k", "12").stdout
    numbers = re.findall(r"^ ?(\d+)\. ", text, re.M)
    assert numbers == [str(number) for number in range(1, 13)]
