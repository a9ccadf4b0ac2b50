"""``porism formula show``."""

import json

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.formula.forms import ConversionTarget


def show(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(porism, ["formula", "show", *arguments], input=stdin)


def test_both_trees_are_drawn() -> None:
    result = show("x^2+y")
    assert result.exit_code == 0
    assert "Layout tree\n  ┬ V!x\n  │ └─a── N!2\n  ├ +\n  └ V!y\n" in result.stdout
    assert "Operator tree\n  ─ U!plus\n" in result.stdout
    assert "Problems" not in result.stdout


def test_problem_has_a_caret_under_its_place() -> None:
    lines = show(r"x + \nosuchthing").stdout.splitlines()
    place = lines.index(r"    x + \nosuchthing")
    assert lines[place - 2] == "Problems (1)"
    assert lines[place + 1] == "        ^"


def test_json_has_every_form_by_its_name() -> None:
    record = json.loads(show("--json", "x^2").stdout)
    assert set(record) == {"source", "problems", *(target.value for target in ConversionTarget)}
    assert record["slt"] == "[V!x,a[N!2]]"
    assert record["source"] == "x^2"
    assert record["problems"] == []


def test_wildcards_are_read_in_a_query_only() -> None:
    assert "─ ?a" in show("--query", "?a").stdout
    assert "─ ?a" not in show("?a").stdout


def test_json_has_problems() -> None:
    (problem,) = json.loads(show("--json", r"\nosuchthing").stdout)["problems"]
    assert problem["offset"] == 0


@pytest.mark.parametrize("formula", ["-x", "-1+x", "-"])
def test_formula_can_start_with_a_minus_sign(formula: str) -> None:
    record = json.loads(show("--json", formula, stdin="-").stdout)
    assert record["slt"].startswith("[-")


def test_formula_from_standard_input() -> None:
    assert json.loads(show("--json", "-", stdin="x^2\n").stdout)["source"] == "x^2"


@pytest.mark.parametrize("formula", ["", "  "])
def test_empty_formula_is_shown_as_empty(formula: str) -> None:
    result = show(formula)
    assert result.exit_code == 0
    assert "Layout tree\n  (nothing)\n" in result.stdout


def test_refused_formula_fails_with_one_message() -> None:
    result = show("{" * 10_000)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert "Traceback" not in result.stderr
    assert len(result.stderr) < 500


def test_control_characters_do_not_reach_the_terminal() -> None:
    result = show("x\x1b[31m\x07")
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout


def test_long_formula_is_cut() -> None:
    result = show("+".join(f"x_{{{number}}}" for number in range(1000)))
    assert result.exit_code == 0
    assert "more nodes" in result.stdout
    assert "more\n" in result.stdout


def test_two_formulas_are_compared() -> None:
    expected = "matches ?a^{2}+b with x^{2}+y\nrenamed b → y\nwildcards ?a → x\nmissing =1\n"
    assert show("?a^2+b=1", "x^2+y").stdout == expected
    # The same without a collection, where people look for it.
    result = CliRunner().invoke(porism, ["show", "formula", "?a^2+b=1", "x^2+y"])
    assert result.stdout == expected


def test_comparison_as_json() -> None:
    record = json.loads(show("--json", "a+b", "x+y+1").stdout)
    assert record["parts"] == [{"query": "a+b", "result": "x+y"}]
    assert record["renamed"] == [
        {"query": "a", "result": "x"},
        {"query": "b", "result": "y"},
    ]
    assert (record["missing"], record["extra"]) == ([], ["+1"])


def test_formulas_without_anything_in_common() -> None:
    assert show("x", "7").stdout == "nothing in common\nmissing x\nextra 7\n"


def test_two_large_formulas_are_not_aligned() -> None:
    assert show("+".join("a" * 100), "-".join("b" * 100)).stdout.startswith("not aligned")
