"""Any input gives a tree or a clear LatexError, in bounded time and memory."""

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from fuzz.formulas import check_latex
from porism.errors import LatexError
from porism.formula.latex import parse_latex

DOUBLING = r"\def\a{xx}" + "".join(
    rf"\def\{new}{{\{old}\{old}}}"
    for old, new in zip("abcdefghijklmnopqrstuvwxy", "bcdefghijklmnopqrstuvwxyz", strict=True)
)

BAD = {
    "empty": "",
    "white space": " \t\r\n ~ ",
    "lone closing brace": "}",
    "lone opening brace": "{",
    "lone backslash": "\\",
    "lone script": "^",
    "half an environment": r"\begin{",
    "unmatched end": r"\end{matrix}",
    "NUL": "x\0^\0",
    "lone surrogates": "\ud800 + \udfff^\ud800",
    "100,000 nested braces": "{" * 100_000 + "x" + "}" * 100_000,
    "40,000 nested braces": "{" * 40_000 + "x" + "}" * 40_000,
    "100,000 opening braces": "{" * 100_000,
    "100,000 closing braces": "}" * 100_000,
    "40,000 nested parentheses": "(" * 40_000 + ")" * 40_000,
    "15,000 left without right": r"\left(" * 15_000,
    "40,000 scripts": "x" + "^x" * 40_000,
    "90,000 primes": "x" + "'" * 90_000,
    "deep scripts": "x^{" * 10_000 + "x" + "}" * 10_000,
    "deep fractions": r"\frac{1}{1+" * 5_000 + "x" + "}" * 5_000,
    "deep fractions without braces": r"\frac1" * 10_000,
    "deep roots": r"\sqrt" * 10_000 + "x",
    "deep accents": r"\hat" * 10_000 + "x",
    "deep environments": r"\begin{matrix}" * 3_000 + r"\end{matrix}" * 3_000,
    "deep text": r"\text{$" * 10_000 + "x" + "$}" * 10_000,
    "many fractions in a row": r"1 \over " * 10_000 + "2",
    "long row": "x+" * 20_000,
    "long table": r"\begin{matrix}" + r"a&b\\" * 10_000 + r"\end{matrix}",
    "deep option": r"\sqrt[" + "{" * 70 + "}" * 70 + "]{x}",
    "deep formula in text": r"\text{$" + r"\sqrt" * 80 + "$}",
    "long word": r"\rm " + "a" * 90_000,
    "long name": r"\operatorname{" + "a" * 90_000 + "}",
    "5 MB of letters": "x" * 5_000_000,
    "5 MB of entities": "&lt;" * 1_250_000,
    "5 MB of commands": r"\alpha " * 714_286,
    "macro that calls itself": r"\def\a{\a}\a",
    "macro that doubles itself": r"\def\a{\a\a}\a",
    "macros that call each other": r"\def\a{\b}\def\b{\a}\a",
    "macros that double 25 times": DOUBLING + r"\z",
    "macro with a doubled argument": r"\def\a#1{\a{#1#1}}\a{x}",
    "macro that defines itself anew": r"\def\a{\def\a{\a\a}\a}\a",
    "macros that double inside text": "".join(
        rf"\def\{one}q{{\text{{$\{two}q\{two}q$}}}}"
        for one, two in pairwise("abcdefghijklmnopqrst")
    )
    + r"\aq",
    "macro with a long argument in many copies": (
        r"\def\a#1{" + "#1" * 20_000 + r"}\a{" + "x" * 40_000 + "}"
    ),
    "macro in many copies": r"\def\a{" + "x" * 10_000 + "}" + r"\a" * 10_000,
}


@pytest.mark.parametrize("source", BAD.values(), ids=BAD)
def test_any_input_gives_a_tree_or_a_latex_error(source: str) -> None:
    check_latex(source)


@pytest.mark.parametrize("name", ["empty", "white space"])
def test_blank_input_gives_the_empty_tree(name: str) -> None:
    tree, problems = parse_latex(BAD[name])
    assert tree.row == ()
    assert problems == ()


@pytest.mark.parametrize(
    "name", ["lone closing brace", "lone opening brace", "half an environment", "unmatched end"]
)
def test_half_a_pair_is_a_problem_and_not_an_error(name: str) -> None:
    assert parse_latex(BAD[name]).problems


@pytest.mark.parametrize(
    "name",
    ["40,000 nested braces", "deep option", "deep scripts", "deep fractions", "5 MB of letters"],
)
def test_oversized_input_is_rejected_with_its_position(name: str) -> None:
    with pytest.raises(LatexError) as caught:
        parse_latex(BAD[name])
    why, excerpt, caret = str(caught.value).splitlines()
    assert "character" in why
    assert len(excerpt) < 100
    assert caret.strip() == "^"


PROJECT = Path(__file__).parent.parent.parent
MEMORY_MB = 1000
LIMITED = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY_MB << 20}, {MEMORY_MB << 20}))
from tests.formula.test_bad_input import BAD
from fuzz.formulas import check_latex
for name, source in BAD.items():
    if "000" in name or "5 MB" in name or "macro" in name or "long" in name:
        check_latex(source)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory can be limited on Linux only")
def test_memory_is_bounded() -> None:
    """The largest of them in one process that may not use more than a gigabyte."""
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], cwd=PROJECT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr[-2000:]
