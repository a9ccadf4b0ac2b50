"""``porism train ltr``, and an index that uses what it writes."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.lab.train_ltr import ltr
from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics
from porism.errors import PorismError
from porism.lab import formula_learning
from porism.rank.structure.ltr import formula_weights, read_formula_weights
from porism.searchindex.index_folder import open_index


def trained(index: Path, *arguments: str | Path) -> Result:
    files = ("--topics", sample_topics(2), "--qrels", sample_qrels(2))
    return CliRunner().invoke(ltr, [str(index), *map(str, (*files, *arguments))])


def test_weights_are_learned_recorded_and_used(sample_index: Path, tmp_path: Path) -> None:
    output = tmp_path / "ltr.json"
    result = trained(sample_index, "--folds", "3", "-o", output)
    assert result.exit_code == 0, result.exception
    assert "held out" in result.output
    assert "layout edit distance" in result.output
    weights = read_formula_weights(output)
    assert weights.training["folds"] == "3"
    assert [each["measure"] for each in weights.training["scores"]] == ["nDCG'", "MAP"]
    again = tmp_path / "again.json"
    record = trained(sample_index, "--folds", "3", "--json", "-o", again)
    assert json.loads(record.stdout)["without_vectors"] == weights.without_vectors
    assert output.read_bytes() == again.read_bytes()

    shutil.copytree(sample_index.parent, tmp_path / "sample")
    index = tmp_path / "sample" / "index"
    arguments = ["index", str(index.parent), "-o", str(index), "--systems", "ltr"]
    used = CliRunner().invoke(porism, [*arguments, "--weights", str(output)])
    assert used.exit_code == 0, used.output
    with open_index(index) as search_index:
        assert formula_weights(search_index) == weights


def test_an_interrupted_training_writes_nothing(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(formula_learning, "learned_formula_weights", interrupted)
    result = trained(sample_index, "--folds", "2", "-o", tmp_path / "ltr.json")
    assert result.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_judgments_of_another_collection_are_refused(sample_index: Path, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.tsv"
    topic = next(line for line in sample_qrels(2).read_text().splitlines()).split("\t")[0]
    qrels.write_text(f"{topic}\t0\t999999999\t3\n")
    files = ["--topics", str(sample_topics(2)), "--qrels", str(qrels)]
    output = ["-o", str(tmp_path / "ltr.json")]
    result = CliRunner().invoke(ltr, [str(sample_index), *files, *output])
    assert isinstance(result.exception, PorismError)
    assert "no topic has a relevant formula" in str(result.exception)
    assert not (tmp_path / "ltr.json").exists()


def test_topics_are_required(sample_index: Path, tmp_path: Path) -> None:
    output = ["-o", str(tmp_path / "ltr.json")]
    result = CliRunner().invoke(ltr, [str(sample_index), *output])
    assert result.exit_code == 2
    assert "expected one file of --qrels per file of --topics" in result.output
