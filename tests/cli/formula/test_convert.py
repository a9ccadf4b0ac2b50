"""``porism formula convert``."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from porism.formula.forms import ConversionTarget, FormulaForm

LINE = '{"id": 1, "latex": "x^2"}\n'
ANSWER = '{"id": 1, "slt": "[V!x,a[N!2]]", "problems": []}\n'


def convert(*arguments: str, stdin: str = "", form: str = "latex", target: str = "slt") -> Result:
    command = ["formula", "convert", "--from", form, "--to", target, *arguments]
    return CliRunner().invoke(porism, command, input=stdin)


def test_standard_input_to_standard_output() -> None:
    result = convert(stdin=LINE)
    assert (result.exit_code, result.stdout, result.stderr) == (0, ANSWER, "")


@pytest.mark.parametrize("target", ConversionTarget)
def test_the_key_is_the_name_of_the_target(target: ConversionTarget) -> None:
    result = convert(stdin=LINE, target=target.value)
    assert list(json.loads(result.stdout)) == ["id", target.value, "problems"]


def test_file_to_file(tmp_path: Path) -> None:
    (tmp_path / "in").write_text(LINE)
    result = convert(str(tmp_path / "in"), "-o", str(tmp_path / "out"))
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / "out").read_text() == ANSWER


def test_parallel_writes_the_same(tmp_path: Path) -> None:
    lines = [json.dumps({"id": number, "latex": f"x^{number}"}) for number in range(1200)]
    (tmp_path / "in").write_text("\n".join(lines))
    one = convert(str(tmp_path / "in"))
    two = convert(str(tmp_path / "in"), "--jobs", "2")
    assert one.exit_code == two.exit_code == 0
    assert one.stdout == two.stdout
    assert one.stdout.count("\n") == 1200


def test_bad_line_is_reported_and_the_rest_converted() -> None:
    result = convert(stdin="nonsense\n" + LINE)
    assert result.exit_code == 1
    bad, good = result.stdout.splitlines(keepends=True)
    assert json.loads(bad)["id"] is None
    assert good == ANSWER
    assert ":1: not a line of JSON" in result.stderr
    assert "1 lines could not be read" in result.stderr


def test_refused_formula_exits_with_0() -> None:
    result = convert(stdin=json.dumps({"id": 1, "latex": "{" * 100_000}) + "\n" + LINE)
    assert result.exit_code == 0
    assert list(json.loads(result.stdout.splitlines()[0])) == ["id", "error"]
    assert "1 formulas refused" in result.stderr


@pytest.mark.parametrize("target", ["slt", "latex", "mathml", "l8", "tangent-l", "visual-id"])
def test_layout_of_content_mathml_is_misuse(target: str) -> None:
    result = convert(form=FormulaForm.CONTENT_MATHML.value, target=target)
    assert result.exit_code == 2
    assert "content-mathml, opt, paths" in result.stderr


@pytest.mark.parametrize(
    "arguments", [["no-such-file"], ["--jobs", "0"], ["--jobs", "two"], ["-o", "."]]
)
def test_misuse(arguments: list[str]) -> None:
    assert convert(*arguments).exit_code == 2


def test_output_that_cannot_be_written_fails_with_a_message(tmp_path: Path) -> None:
    result = convert("-o", str(tmp_path / "no" / "out"), stdin=LINE)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")


def test_failed_run_leaves_the_old_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "out").write_text("old")

    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("porism.formula.jsonl.convert", broken)
    result = convert("-o", str(tmp_path / "out"), stdin=LINE)
    assert result.exit_code == 1
    assert (tmp_path / "out").read_text() == "old"
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]


def test_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    (tmp_path / "in").write_text(LINE * 20_000)
    command = f"'{sys.executable}' -m porism formula convert --from latex --to slt in | head -n 1"
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (ANSWER, "")


def test_device_is_written_to_and_not_replaced() -> None:
    assert convert("-o", "/dev/null", stdin=LINE).exit_code == 0
    assert Path("/dev/null").is_char_device()
