"""``porism systems``."""

import json

from click.testing import CliRunner

from porism.catalog import DEFAULT, SYSTEMS
from porism.cli.main import porism


def test_every_system_is_in_the_table() -> None:
    lines = CliRunner().invoke(porism, ["systems"]).stdout.splitlines()
    assert lines[0].split() == ["name", "tasks", "what"]
    assert [line.split()[0] for line in lines[1:]] == list(SYSTEMS)
    assert next(line for line in lines if "(the default)" in line).startswith(DEFAULT)


def test_json_has_tasks_and_descriptions() -> None:
    listed = json.loads(CliRunner().invoke(porism, ["systems", "--json"]).stdout)["systems"]
    by_name = {each["name"]: each for each in listed}
    assert list(by_name) == list(SYSTEMS)
    assert by_name["linked"]["tasks"] == [1]
    assert by_name["doc-base"]["tasks"] == [2]
    assert by_name["l8"]["what"] == SYSTEMS["l8"].description
