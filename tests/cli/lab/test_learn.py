"""``porism tune --learn``, and an index that uses what it writes."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.lab.tune import tune
from porism.cli.retrieval.index import index as index_command
from porism.cli.retrieval.run import run
from porism.collection.sample import sample_qrels, sample_topics
from porism.collection.store import open_collection
from porism.errors import PorismError
from porism.formats.topics import write_topics
from porism.lab.topics.link_topics import link_topics, write_link_topics
from porism.model import Topic, TopicId
from porism.rank import vector_ranking
from porism.rank.answer_weights import answer_weights, read_weights, shipped_weights
from porism.searchindex.index_folder import open_index
from tests.searchindex.hash_encoder import IDENTITY, HashEncoder

pytestmark = pytest.mark.usefixtures("hash_encoder")

Arguments = tuple[str | Path, ...]


def sample() -> Arguments:
    return ("--topics", sample_topics(1), "--qrels", sample_qrels(1))


@pytest.fixture
def links(sample_collection: Path, tmp_path: Path) -> Arguments:
    """Options for topics from links, as porism topics links writes them."""
    folder = tmp_path / "links"
    with open_collection(sample_collection) as collection:
        write_link_topics(folder, collection, link_topics(collection, limit=8), {})
    return (
        *("--topics", folder / "topics_task1.xml", "--qrels", folder / "qrels_task1.tsv"),
        *("--leave-out", folder / "own_posts.tsv"),
    )


def learned(index: Path, *arguments: str | Path) -> Result:
    return CliRunner().invoke(tune, [str(index), "--learn", *map(str, arguments)])


def refusal(result: Result) -> str:
    """The error message of the command."""
    assert isinstance(result.exception, PorismError), (result.output, result.exception)
    return str(result.exception)


def test_weights_are_learned_from_several_sets_and_recorded(
    hash_index: Path, links: Arguments, tmp_path: Path
) -> None:
    output = tmp_path / "weights.json"
    result = learned(hash_index, *sample(), *links, "--folds", "3", "--json", "-o", output)
    assert result.exit_code == 0, result.exception
    record = json.loads(result.stdout)
    assert record == json.loads(output.read_text())
    weights = read_weights(output)
    assert weights.record() == record
    assert weights.with_vectors != shipped_weights().with_vectors
    assert weights.without_vectors.question_vector == 0.0
    training = record["training"]
    assert training["model"]["name"] == IDENTITY.name
    assert (training["index"], training["folds"], training["seed"]) == ("index", "3", 0)
    assert training["measure"] == "MAP"  # links name no document that is not relevant
    assert [(each["name"], each["topics"]) for each in training["sets"]] == [
        ("Topics_Task1_sample.xml", 12),
        ("topics_task1.xml", 8),
    ]
    assert [each["name"] for each in training["files"]] == [
        "Topics_Task1_sample.xml",
        "topics_task1.xml",
        sample_qrels(1).name,
        "qrels_task1.tsv",
        "own_posts.tsv",
    ]
    assert all(len(each["sha256"]) == 64 for each in training["files"])
    for scores in training["scores"].values():
        assert 0 < scores["held_out"] <= 1
        assert 0 < scores["unchanged"] <= 1
        assert 0 < scores["other_sets"] <= 1
        assert 0 < scores["p"] <= 1


def test_a_report_shows_held_out_scores_and_weights(hash_index: Path, tmp_path: Path) -> None:
    output = tmp_path / "weights.json"
    result = learned(hash_index, *sample(), "--folds", "2", "-o", output)
    assert result.exit_code == 0, result.exception
    lines = result.stdout.splitlines()
    assert lines[0].startswith("porism, Task 1, nDCG': the weights of the index, weights learned")
    assert lines[2].split()[:4] == ["set", "topics", "unchanged", "held"]
    assert lines[3].split()[:2] == ["Topics_Task1_sample.xml", "12"]
    assert "with vectors " in result.stdout
    assert "without vectors " in result.stdout
    assert f"porism index COLLECTION -o {hash_index} --weights {output}" in result.stderr


def test_an_index_without_vectors_teaches_the_weights_for_that(
    hash_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_ranking, "is_installed", lambda model: False)
    output = tmp_path / "weights.json"
    result = learned(hash_index, *sample(), "-o", output)
    assert result.exit_code == 0, result.exception
    assert "Note: learning without vectors: " in result.stderr
    weights = read_weights(output)
    assert weights.with_vectors == shipped_weights().with_vectors
    assert weights.without_vectors != shipped_weights().without_vectors
    assert weights.training["model"] is None
    assert "\nwith vectors" not in result.stdout


def test_an_index_uses_learned_weights_and_a_run_records_the_model(
    hash_index: Path, tmp_path: Path
) -> None:
    shutil.copytree(hash_index.parent, tmp_path / "site")
    site, index, output = tmp_path / "site", tmp_path / "site" / "index", tmp_path / "weights.json"
    assert learned(index, *sample(), "-o", output).exit_code == 0
    manifest = json.loads((index / "index.json").read_text())
    result = CliRunner().invoke(index_command, [str(site), "--weights", str(output), "--jobs", "1"])
    assert result.exit_code == 0, result.exception
    with_weights = json.loads((index / "index.json").read_text())
    assert with_weights["generation"] == manifest["generation"]
    with open_index(index) as search_index:
        assert answer_weights(search_index) == read_weights(output)
    run_file = tmp_path / "run.tsv"
    arguments = ["--system", "porism", "--topics", str(sample_topics(1)), "-o", str(run_file)]
    ran = CliRunner().invoke(run, [str(index), "--task", "1", *arguments])
    assert ran.exit_code == 0, ran.exception
    sidecar = json.loads((tmp_path / "run.tsv.json").read_text())
    assert sidecar["model"]["name"] == IDENTITY.name
    assert f"weight={read_weights(output).with_vectors.formulas}" in sidecar["ranker"]
    # The index has these weights now, so that they are what learning starts from.
    again = learned(index, *sample(), "-o", tmp_path / "again.json", "--json")
    scores = json.loads(again.stdout)["training"]["scores"]["Topics_Task1_sample.xml"]
    assert scores["unchanged"] >= scores["held_out"]


def test_topics_without_relevant_documents_here_are_left_out_with_a_note(
    hash_index: Path, tmp_path: Path
) -> None:
    topics, qrels = tmp_path / "others.xml", tmp_path / "others.tsv"
    write_topics(topics, [Topic(TopicId(f"X.{number}"), ("Sums?",)) for number in (1, 2)])
    qrels.write_text("X.1 0 999999991 3\nX.2 0 999999992 3\n")
    others = ("--topics", topics, "--qrels", qrels)
    output = tmp_path / "weights.json"
    result = learned(hash_index, *sample(), *others, "-o", output, "--json")
    assert result.exit_code == 0, result.exception
    assert "Note: 2 of 2 topics of others.xml have no relevant document in" in result.stderr
    (only,) = json.loads(result.stdout)["training"]["sets"]
    assert only["topics"] == 12
    alone = learned(hash_index, *others, "-o", output)
    assert "no topic has a relevant document in" in refusal(alone)


def test_too_many_folds_are_refused_before_the_work(
    hash_index: Path, tmp_path: Path, hash_encoder: HashEncoder
) -> None:
    result = learned(hash_index, *sample(), "--folds", "13", "-o", tmp_path / "weights.json")
    assert "13 folds of 12 topics" in refusal(result)
    assert not hash_encoder.encoded
    assert not (tmp_path / "weights.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (sample(), "--learn writes the weights to a file: name it with -o"),
        ((*sample(), "-o", "w", "--system", "l8"), "it takes no --system, --set or --list"),
        ((*sample(), "-o", "w", "--set", "alpha=1"), "it takes no --system, --set or --list"),
        ((*sample(), "-o", "w", "--task", "2"), "no task but 1"),
        (("-o", "w"), "expected one file of --qrels per file of --topics"),
        ((*sample(), "-o", "w", "--folds", "years"), "needs several files of --topics"),
        ((*sample(), "-o", "w", "--folds", "few"), "expected a number, or years"),
    ],
)
def test_misuse_exits_with_2(hash_index: Path, arguments: Arguments, message: str) -> None:
    result = learned(hash_index, *arguments)
    assert result.exit_code == 2, result.exception
    assert message in " ".join(result.stderr.split())


def test_an_output_without_learning_is_refused(hash_index: Path) -> None:
    result = CliRunner().invoke(tune, [str(hash_index), "--system", "l8", "--task", "1", "-o", "w"])
    assert result.exit_code == 2
    assert "-o is for the weights of --learn" in result.stderr


def test_bad_weights_leave_the_index_unchanged(hash_index: Path, tmp_path: Path) -> None:
    bad = tmp_path / "weights.json"
    bad.write_text("{}")
    before = (hash_index / "index.json").read_bytes()
    result = CliRunner().invoke(index_command, [str(hash_index.parent), "--weights", str(bad)])
    assert "not a file of weights" in refusal(result)
    assert (hash_index / "index.json").read_bytes() == before
