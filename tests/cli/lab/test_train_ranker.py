"""``porism train ranker``, and an index that uses what it writes."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.lab.train_ranker import RANKERS, ranker
from porism.cli.main import porism
from porism.collection.sample import sample_qrels, sample_topics
from porism.errors import PorismError
from porism.formats.json_values import read_json
from porism.lab import ranker_learning
from porism.rank.question_matching.ranker_weights import (
    REGRESSION,
    SVM,
    RankerWeights,
    parsed_ranker_weights,
    ranker_weights,
)
from porism.searchindex.index_folder import open_index
from tests.searchindex.hash_encoder import HashEncoder

JUDGED = ("--topics", sample_topics(1), "--qrels", sample_qrels(1))


def test_the_option_names_every_ranker_that_learns() -> None:
    assert tuple(ranker_learning.RANKERS) == RANKERS


def trained(index: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(ranker, [str(index), *map(str, arguments)])


def weights_in(path: Path) -> RankerWeights:
    return parsed_ranker_weights(read_json(path, ""), path.name)


def test_weights_are_learned_recorded_and_used(
    hash_index: Path, hash_encoder: HashEncoder, tmp_path: Path
) -> None:
    output, again = tmp_path / "svm.json", tmp_path / "again.json"
    result = trained(hash_index, *JUDGED, "--folds", "3", "-o", output)
    assert result.exit_code == 0, result.exception
    assert "dprl-svm, Task 1: minilm-questions, weights learned without" in result.output
    assert "question similarity" in result.output
    weights = weights_in(output)
    assert weights.system == SVM
    assert weights.training["folds"] == "3"
    assert weights.training["model"]["name"] == hash_encoder.identity.name
    assert [each["measure"] for each in weights.training["scores"]] == ["nDCG'", "MAP"]
    record = trained(hash_index, *JUDGED, "--folds", "3", "--json", "-o", again)
    assert json.loads(record.stdout)["weights"] == weights.weights
    assert output.read_bytes() == again.read_bytes()


def test_a_collection_with_an_index_learns_from_its_links(
    sample_index: Path, tmp_path: Path
) -> None:
    output = tmp_path / "regression.json"
    arguments = ("--system", REGRESSION, "-o", output)
    result = trained(sample_index.parent, *arguments)
    assert result.exit_code == 0, result.exception
    assert "have the titles of linked questions" in result.stderr
    weights = weights_in(output)
    assert weights.system == REGRESSION
    assert [each["name"] for each in weights.training["sets"]] == ["links"]
    assert [each["measure"] for each in weights.training["scores"]] == ["MAP"]

    shutil.copytree(sample_index.parent, tmp_path / "sample")
    index = tmp_path / "sample" / "index"
    command = ["index", str(index.parent), "-o", str(index), "--systems", REGRESSION]
    used = CliRunner().invoke(porism, [*command, "--weights", str(output)])
    assert used.exit_code == 0, used.output
    with open_index(index) as search_index:
        assert ranker_weights(search_index, REGRESSION) == weights
    updated = CliRunner().invoke(porism, ["update", str(index)])
    assert updated.exit_code == 0, updated.output
    with open_index(index) as search_index:
        assert ranker_weights(search_index, REGRESSION) == weights


def test_an_interrupted_training_writes_nothing(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ranker_learning, "learned_weights", interrupted)
    result = trained(
        sample_index, *JUDGED, "--system", REGRESSION, "-o", tmp_path / "regression.json"
    )
    assert result.exit_code == 1
    assert list(tmp_path.iterdir()) == []


def test_too_little_to_learn_from_is_refused(sample_index: Path, tmp_path: Path) -> None:
    qrels = tmp_path / "qrels.tsv"
    lines = sample_qrels(1).read_text().splitlines(keepends=True)
    qrels.write_text("".join(line for line in lines if line.startswith(("A.1\t", "A.2\t"))))
    output = tmp_path / "regression.json"
    result = trained(
        sample_index,
        *("--topics", sample_topics(1), "--qrels", qrels),
        *("--folds", "2", "--system", REGRESSION, "-o", output),
    )
    assert isinstance(result.exception, PorismError)
    assert "too little to learn from: 2 of 2 topics" in str(result.exception)
    assert not output.exists()


def test_a_collection_without_links_or_topics_is_refused(tmp_path: Path) -> None:
    source, collection = tmp_path / "source", tmp_path / "notes"
    source.mkdir()
    (source / "note.md").write_text("A note on $x^2$.")
    for command in (
        ["ingest", str(source), "-o", str(collection), "--jobs", "1"],
        ["index", str(collection), "--systems", REGRESSION, "--jobs", "1"],
    ):
        done = CliRunner().invoke(porism, command)
        assert done.exit_code == 0, done.output
    result = trained(collection, "--system", REGRESSION, "-o", tmp_path / "w.json")
    assert isinstance(result.exception, PorismError)
    assert "no two questions are linked" in str(result.exception)
    assert not (tmp_path / "w.json").exists()


def test_an_index_without_what_the_ranker_needs_is_refused(
    sample_index: Path, tmp_path: Path
) -> None:
    small = tmp_path / "small"
    made = CliRunner().invoke(
        porism,
        ["index", str(sample_index.parent), "-o", str(small), "--systems", "bm25", "--jobs", "1"],
    )
    assert made.exit_code == 0, made.output
    for system in (SVM, REGRESSION):
        result = trained(small, *JUDGED, "--system", system, "-o", tmp_path / "w.json")
        assert isinstance(result.exception, PorismError)
        assert f"--systems {system}" in str(result.exception)


def test_qrels_belong_to_topics(sample_index: Path, tmp_path: Path) -> None:
    result = trained(sample_index, "--qrels", sample_qrels(1), "-o", tmp_path / "w.json")
    assert result.exit_code == 2
    assert "expected one file of --qrels per file of --topics" in result.output
