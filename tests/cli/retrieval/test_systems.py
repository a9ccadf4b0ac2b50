"""``porism systems``: the list, and one system with its figures."""

import json

import pytest
from click.testing import CliRunner

from porism.catalog import DEFAULT, SYSTEMS, Family, RequirementKind
from porism.cli.main import porism
from porism.cli.retrieval.systems import MARKS
from porism.lab import system_scores
from porism.lab.system_scores import SystemScore


def lines(*arguments: str) -> list[str]:
    done = CliRunner().invoke(porism, ["systems", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def test_every_system_is_in_the_table_below_its_family() -> None:
    table = lines()
    assert table[0].split() == ["name", "tasks", "needs", "what"]
    rows = [line for line in table[1:-2] if line and not line.endswith(":")]
    assert [line.split()[0] for line in rows] == list(SYSTEMS)
    assert next(line for line in table if "(the default)" in line).startswith(DEFAULT)
    headings = [line.removesuffix(":") for line in table[1:-2] if line.endswith(":")]
    assert headings == [str(family) for family in Family]


def test_marks_say_what_a_system_needs() -> None:
    table = lines()
    by_name = {line.split()[0]: line.split() for line in table if line and " " in line}
    assert by_name["minilm"][2] == "v"
    assert by_name["porism"][3] == "(v)"
    assert by_name["tangent-cft"][2] == "t"
    assert by_name["zbmath"][2] == "m"
    assert by_name["linked"][2] == "o"
    assert by_name["l8"][3] == "MathDowsers"
    assert all(f"{mark} {meaning}" in table[-2] for mark, meaning in MARKS.items())
    assert set(MARKS) == {str(kind) for kind in RequirementKind}


def test_json_has_tasks_descriptions_families_and_needs() -> None:
    (line,) = lines("--json")
    by_name = {each["name"]: each for each in json.loads(line)["systems"]}
    assert list(by_name) == list(SYSTEMS)
    assert by_name["linked"]["tasks"] == [1]
    assert by_name["doc-base"]["tasks"] == [2]
    assert by_name["l8"]["what"] == SYSTEMS["l8"].description
    assert by_name["l8"]["needs"] == []
    assert by_name["l8"]["family"] == "MathDowsers"
    assert by_name["porism"]["is_default"]
    assert by_name["porism"]["needs"] == ["vectors (optional)"]
    assert by_name["tangent-cft"]["needs"] == ["trained embedding cft"]
    assert by_name["zbmath"]["needs"] == ["concepts"]
    assert by_name["linked"]["needs"] == ["duplicates of the topics"]
    assert by_name["tangent-l"]["source"] == "S4 2, 3.2"


OURS = SystemScore(
    *("tangent-l", 1, "2020", 58, 3395, "", ""), {"nDCG'": 0.779}, {"nDCG'": 0.382}, 5.0
)


def test_one_system_has_published_figures_and_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_scores, "our_scores", lambda: (OURS,))
    text = lines("tangent-l")
    assert text[0] == f"tangent-l: {SYSTEMS['tangent-l'].description}"
    assert "source   S4 2, 3.2" in text
    row = next(line for line in text if line.startswith("S4") and " 2021 " in line)
    assert "MathDowsers  duplicateTerms  0.462  0.187  0.241" in row
    assert any(
        "over the mini collection of 3,395 answers, which is not comparable" in line
        for line in text
    )
    assert any(line.split()[:2] == ["1", "2020"] and "0.779" in line for line in text)


def test_one_system_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_scores, "our_scores", lambda: (OURS,))
    (line,) = lines("tangent-l", "--json")
    record = json.loads(line)
    assert record["name"] == "tangent-l"
    assert record["ours"][0]["scores"] == {"nDCG'": 0.779}
    assert {each["run"] for each in record["published"]} == {"duplicateTerms"}
    assert {each["paper"] for each in record["published"]} == {"S4"}


def test_a_system_without_figures_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_scores, "our_scores", lambda: ())
    text = "\n".join(lines("porism"))
    assert "No paper of the lab has figures for it." in text
    assert "Ours have not been measured" in text
    assert "learned  its weights, from the judgments of 2020, 2021, links" in text
    assert "queries made by hand" in "\n".join(lines("approach0"))


def test_an_unknown_name_is_refused_with_close_ones() -> None:
    done = CliRunner().invoke(porism, ["systems", "tangentl"])
    assert done.exit_code == 1
    assert "did you mean tangent-l" in done.stderr
