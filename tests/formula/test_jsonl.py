"""Formulas in JSON Lines."""

import json
from collections.abc import Iterable, Iterator

import pytest

from porism.formula.forms import ConversionTarget, FormulaForm
from porism.formula.jsonl import CHUNK_LINES, LineConversion, LineOutcome, converted_lines

TO_SLT = LineConversion(FormulaForm.LATEX, ConversionTarget.SLT, "in.jsonl")


def records(
    lines: Iterable[bytes], conversion: LineConversion = TO_SLT, jobs: int = 1
) -> list[object]:
    return [json.loads(answer.text) for answer in converted_lines(lines, conversion, jobs)]


def test_each_line_gives_one_line() -> None:
    assert records([b'{"id": 7, "latex": "x^2", "more": []}\n']) == [
        {"id": 7, "slt": "[V!x,a[N!2]]", "problems": []}
    ]


def test_problems_have_their_offset() -> None:
    (record,) = records([rb'{"id": 1, "latex": "x \\nosuchthing"}'])
    assert isinstance(record, dict)
    (problem,) = record["problems"]
    assert problem["offset"] == 2
    assert "nosuchthing" in problem["message"]


def test_rejected_formula_is_reported_and_the_rest_converted() -> None:
    deep = json.dumps({"id": "deep", "latex": "{" * 100_000}).encode()
    answers = list(converted_lines([deep, b'{"id": 2, "latex": "x"}'], TO_SLT))
    assert [answer.outcome for answer in answers] == [LineOutcome.REFUSED, LineOutcome.CONVERTED]
    assert json.loads(answers[0].text) == {"id": "deep", "error": answers[0].error}


@pytest.mark.parametrize(
    ("line", "formula_id", "why"),
    [
        (b"nonsense", None, "not a line of JSON"),
        (b'"x^2"', None, "expected a JSON object"),
        (b'{"id": 3}', 3, 'expected the formula as a string under "latex"'),
        (b'{"id": 3, "latex": 5}', 3, 'expected the formula as a string under "latex"'),
        (b'{"id": [1], "latex": "x"}', None, "expected a string or a number as id"),
        (b'{"id": NaN, "latex": "x"}', None, "NaN is not a JSON number"),
        (b'{"id": 1e999, "latex": "x"}', None, "1e999 is not a JSON number"),
        (b'{"id": 1, "latex": "\xff"}', None, "not a line of JSON"),
        (b'{"id": ' + b"[" * 100_000, None, "nested too deeply"),
    ],
)
def test_unreadable_line_is_reported_with_file_and_number(
    line: bytes, formula_id: object, why: str
) -> None:
    answers = list(converted_lines([b"\n", line, b'{"id": 2, "latex": "x"}'], TO_SLT))
    assert [answer.outcome for answer in answers] == [LineOutcome.UNREADABLE, LineOutcome.CONVERTED]
    record = json.loads(answers[0].text)
    assert record == {"id": formula_id, "error": answers[0].error}
    assert record["error"].startswith("in.jsonl:2: ")
    assert why in record["error"]


def test_lone_surrogates_and_nul_are_written_as_json() -> None:
    (record,) = records([rb'{"id": "\ud800\u0000", "latex": "\ud800\u0000"}'])
    assert isinstance(record, dict)
    assert record["id"] == "\ud800\0"


def test_letters_stay_readable() -> None:
    (answer,) = converted_lines(['{"id": "é", "latex": "α"}'.encode()], TO_SLT)
    assert answer.text == '{"id": "é", "slt": "[V!α]", "problems": []}'.encode()


@pytest.mark.parametrize("key", ["content-mathml", "mathml"])
def test_content_mathml_is_read_from_either_key(key: str) -> None:
    line = json.dumps({"id": 1, key: "<math><ci>x</ci></math>"}).encode()
    (record,) = records([line], LineConversion(FormulaForm.CONTENT_MATHML, ConversionTarget.OPT))
    assert record == {"id": 1, "opt": "[V!x]", "problems": []}


def test_parallel_equals_serial() -> None:
    lines = [
        json.dumps({"id": number, "latex": f"x_{{{number}}}"}).encode()
        for number in range(2 * CHUNK_LINES)
    ]
    lines[5] = b"\n"
    lines[-3] = b"nonsense"
    assert records(lines, jobs=2) == records(lines)


def test_parallel_conversion_reads_few_lines_ahead() -> None:
    taken = 0

    def endless() -> Iterator[bytes]:
        nonlocal taken
        while True:
            taken += 1
            yield b'{"id": 1, "latex": "x"}'

    answers = converted_lines(endless(), TO_SLT, jobs=2)
    for _ in range(10):
        next(answers)
    answers.close()
    assert taken <= 10 * CHUNK_LINES


def test_no_lines_give_no_output() -> None:
    assert records([]) == []
    assert records([], jobs=2) == []
