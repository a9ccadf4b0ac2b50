"""``porism topics links``, and an index without these links."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.cli.main import porism
from tests.collection.dumps import answer, question, write_table


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(porism, list(map(str, arguments)))


def made(collection: Path, folder: Path, *arguments: str) -> Result:
    return run("topics", "links", collection, "-o", folder, *arguments)


def test_topics_are_written_and_counted(sample_collection: Path, tmp_path: Path) -> None:
    result = made(sample_collection, tmp_path / "out")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.splitlines() == [
        f"{tmp_path / 'out'} has",
        "  topics                                  65",
        "  answers to duplicates, grade 3          63",
        "  answers to related questions, grade 2  184",
        "  own answers to leave out               169",
        "  links to leave out of an index          47",
    ]
    assert "--without-links" in result.stderr


def test_json_is_the_record_of_the_folder(sample_collection: Path, tmp_path: Path) -> None:
    options = ("--kinds", "duplicate", "--limit", "5", "--seed", "3", "--json")
    result = made(sample_collection, tmp_path / "out", *options)
    record = json.loads(result.stdout)
    assert record == json.loads((tmp_path / "out" / "links.json").read_text())
    assert record["topics"] == 5
    assert record["candidates"] > 5
    assert record["judgments"]["2"] == 0
    assert record["settings"] == {
        "collection": str(sample_collection),
        "kinds": ["duplicate"],
        "limit": 5,
        "seed": 3,
    }
    made(sample_collection, tmp_path / "again", *options)
    for path in (tmp_path / "out").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--kinds", "duplicate,linked"), "found linked: expected duplicate or related, or both"),
        (("--limit", "0"), "0 is not in the range"),
    ],
)
def test_wrong_options_are_misuse(
    sample_collection: Path, tmp_path: Path, arguments: tuple[str, str], message: str
) -> None:
    result = made(sample_collection, tmp_path / "out", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


def test_an_existing_folder_is_left_alone(sample_collection: Path, tmp_path: Path) -> None:
    result = made(sample_collection, tmp_path)
    assert result.exit_code == 2
    assert "exists already" in result.stderr


def test_a_collection_without_links_is_refused(tmp_path: Path) -> None:
    write_table(tmp_path / "dump", "Posts", [question(1), answer(2, 1)])
    assert run("ingest", tmp_path / "dump", "-o", tmp_path / "site", "--jobs", "1").exit_code == 0
    result = made(tmp_path / "site", tmp_path / "out")
    assert result.exit_code == 1
    assert "no two questions are linked with each other" in result.stderr
    assert not (tmp_path / "out").exists()


def test_an_index_without_these_links(sample_collection: Path, tmp_path: Path) -> None:
    made(sample_collection, tmp_path / "out")
    arguments = ("index", sample_collection, "--systems", "l8", "--jobs", "1")
    links = tmp_path / "out" / "links.tsv"
    result = run(*arguments, "--without-links", links, "-o", tmp_path / "index")
    assert result.exit_code == 0, result.stderr
    assert "without the links between 47 pairs of questions" in result.stdout
    record = run(*arguments, "--without-links", links, "-o", tmp_path / "index", "--json")
    assert json.loads(record.stdout)["without_links"] == 47
    assert "is up to date" in run("update", tmp_path / "index").stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("question\tlinked\n101\t102\n", "none of its 1 links is in"),
        ("question\tlinked\n9999\t101\n", "none of its 1 links is in"),
        ("question\tlinked\n", "none of its 0 links is in"),
        ("L.1\t2\n", "expected one named question"),
    ],
)
def test_links_of_another_collection_are_refused(
    sample_collection: Path, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "links.tsv"
    path.write_text(text)
    result = run("index", sample_collection, "--without-links", path, "-o", tmp_path / "index")
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (tmp_path / "index").exists()
