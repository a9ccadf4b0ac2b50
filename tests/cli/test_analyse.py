"""``porism analyse``.

``pytest tests/cli/test_analyse.py --update-golden`` writes the golden tables anew.
"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.lab.proximity import proximity
from porism.cli.lab.retrieval_times import times
from porism.collection.sample import sample_qrels, sample_topics
from porism.errors import PorismError
from porism.rank.proximity import ProximityMeasure

GOLDEN = Path(__file__).parent / "golden" / "proximity.txt"


def near(index: Path, *arguments: str | Path) -> Result:
    fixed = [str(index), "--topics", str(sample_topics(1)), "--qrels", str(sample_qrels(1))]
    return CliRunner().invoke(proximity, [*fixed, *map(str, arguments)])


def timed(*arguments: str | Path) -> Result:
    return CliRunner().invoke(times, list(map(str, arguments)))


def test_proximity_of_the_sample_equals_the_golden_file(
    sample_index: Path, request: pytest.FixtureRequest
) -> None:
    result = near(sample_index)
    assert result.exit_code == 0, result.exception
    if request.config.getoption("--update-golden"):
        GOLDEN.write_text(result.stdout, encoding="utf-8")
    assert result.stdout == GOLDEN.read_text(encoding="utf-8")
    assert result.stderr == ""


def test_json_has_every_measure_beside_the_papers(sample_index: Path) -> None:
    record = json.loads(near(sample_index, "--json").stdout)
    judged = sample_qrels(1).read_text().splitlines()
    assert sum(record["documents"].values()) == len(judged)
    assert (record["topics"], record["absent"], record["ungraded"]) == (12, 0, 0)
    assert len(record["measures"]) == 2 * len(ProximityMeasure)
    span = record["measures"][2]
    assert (span["measure"], span["by_length"]) == ("normalised-span", False)
    assert span["paper"]["HR,NR"] == -0.72
    means = span["means"]
    expected = (means["HR"] - means["NR"]) / (0.5 * (means["HR"] + means["NR"]))
    assert span["differences"]["HR,NR"] == pytest.approx(expected)


def test_means_over_topics_differ(sample_index: Path) -> None:
    by = {
        average: json.loads(near(sample_index, "--json", "--average", average).stdout)
        for average in ("documents", "topics")
    }
    assert by["documents"]["documents"] == by["topics"]["documents"]
    assert by["documents"]["measures"] != by["topics"]["measures"]


def test_absent_documents_and_other_grades_are_reported(sample_index: Path, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.tsv"
    # 101 is a question, which is no document of the index.
    qrels.write_text("A.1\t0\t102\t3\nA.1\t0\t101\t2\nA.1\t0\t999999\t2\nA.1\t0\t121\t6\n")
    result = near(sample_index, "--qrels", qrels)
    assert result.exit_code == 0, result.exception
    assert "1 judged documents of 1 topics" in result.stdout
    assert "left out: 11 topics without judgments" in result.stderr
    assert "left out: 2 judged documents that the index does not have" in result.stderr
    assert "left out: 1 documents with a grade other than 0 to 3" in result.stderr


def test_proximity_refuses_formula_topics(sample_index: Path) -> None:
    result = near(sample_index, "--topics", sample_topics(2))
    assert isinstance(result.exception, PorismError)
    assert "expected topics of Task 1" in str(result.exception)


def sidecar(folder: Path) -> Path:
    path = folder / "mine.tsv.json"
    record = {"run": "mine", "milliseconds": {"topics": {"A.1": 30.0, "A.2": 10.0}}}
    path.write_text(json.dumps(record))
    return path


def test_times_of_a_run_are_listed_above_those_of_the_papers(tmp_path: Path) -> None:
    result = timed(sidecar(tmp_path))
    lines = result.stdout.splitlines()
    assert lines[2].split() == "mine mine.tsv.json 0.0100 A.2 0.0300 A.1 0.0200 0.0100".split()
    assert lines[3].split() == "TF-IDF (Terrier) S1 0.3160 A.42 1.2780 A.1 0.7330 0.1680".split()
    assert lines[-1].split() == "docBase S4 16.5000 B.209 122.0000 B.221 56.5000 -".split()


def test_systems_are_measured(sample_index: Path, tmp_path: Path) -> None:
    measured = ("--index", sample_index, "--task", "2", "--topics", sample_topics(2))
    result = timed(sidecar(tmp_path), *measured, "--systems", "l8,tfidf", "-k", "5", "--json")
    record = json.loads(result.stdout)
    names = [(each["system"], each["source"]) for each in record["times"]]
    assert names == [("mine", "mine.tsv.json"), ("l8", "measured"), ("tfidf", "measured")]
    for each in record["times"]:
        assert 0 < each["minimum"] <= each["mean"] <= each["maximum"]
    assert [each["system"] for each in record["papers"]][:2] == ["TF-IDF (Terrier)", "Tangent-S"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "expected a RUN, or --index"),
        (("--index", "x"), "--index needs --task, --topics and --systems"),
        (("x.json", "--task", "1"), "need --index"),
    ],
)
def test_misuse_of_times(tmp_path: Path, arguments: tuple[str, ...], message: str) -> None:
    given = [str(sidecar(tmp_path)) if each == "x.json" else each for each in arguments]
    result = timed(*given)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_run_without_times_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text("{}")
    result = timed(tmp_path / "run.json")
    assert isinstance(result.exception, PorismError)
    assert "expected RUN.json as porism run writes it" in str(result.exception)
