"""``porism search``."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from porism.analysis import Unit
from porism.cli.main import porism
from porism.collection.schema import DATABASE
from porism.inverted.layout import IndexMeta
from porism.searchindex.components.inverted_index import unit_index
from porism.searchindex.manifest import (
    MANIFEST,
    MANIFEST_VERSION,
    read_manifest,
    write_manifest,
)


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(porism, ["search", *map(str, arguments)], input=stdin)


def searched(*arguments: str | Path) -> dict[str, Any]:
    """The JSON record of a search."""
    result = run(*arguments, "--json", "--system", "l8")
    assert result.exit_code == 0, result.stderr
    record: dict[str, Any] = json.loads(result.stdout)
    return record


HARMONIC = r"harmonic series $\sum_{n=1}^\infty \frac1n$"


def test_results_have_metadata_and_matches(sample_index: Path) -> None:
    result = run(sample_index, HARMONIC, "--system", "l8", "-k", "2")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    assert result.stdout.startswith(" 1. ")
    assert "\n 2. " in result.stdout
    assert "\n 3. " not in result.stdout
    assert "\n    score " in result.stdout
    assert " votes, 20" in result.stdout
    assert "sequences-and-series" in result.stdout
    assert "«series»" in result.stdout or "«harmonic»" in result.stdout
    assert f"\n    porism show {sample_index.parent} thread " in result.stdout


def test_json_has_all_fields(sample_index: Path) -> None:
    record = searched(sample_index, HARMONIC, "-k", "3")
    assert record["words"][:2] == ["harmon", "seri"]
    assert record["formulas"] == [r"\sum_{n=1}^\infty \frac1n"]
    assert record["problems"] == []
    assert set(record["milliseconds"]) == {"start", "search", "read"}
    assert [each["rank"] for each in record["results"]] == [1, 2, 3]
    first = record["results"][0]
    assert first["kind"] == "answer"
    assert first["score"] >= record["results"][1]["score"]
    assert "sequences-and-series" in first["tags"]
    assert any(piece["is_matched"] for piece in first["snippet"])
    assert "explanation" not in first


def test_the_parts_of_a_score_sum_to_it(sample_index: Path) -> None:
    for result in searched(sample_index, HARMONIC, "--explain")["results"]:
        explanation = result["explanation"]
        assert set(explanation) == {"label", "value", "details"}
        assert explanation["value"] == pytest.approx(result["score"], rel=1e-6)
        parts = [part["value"] for part in explanation["details"]]
        assert sum(parts) == pytest.approx(result["score"], rel=1e-6)


def test_an_explanation_is_an_indented_tree(sample_index: Path) -> None:
    result = run(sample_index, "harmonic", "--system", "l8", "-k", "1", "--explain")
    whole, term = (line.removeprefix(" " * 4) for line in result.stdout.splitlines()[-2:])
    assert whole.endswith("  terms in field l8")
    assert re.fullmatch(r"   +[\d.]+  harmon \(×\d+, in \d+ documents\)", term)


def test_every_stage_of_a_system_is_explained(sample_index: Path) -> None:
    arguments = ("harmonic series", "-k", "1", "--explain", "--system")
    proximity = run(sample_index, *arguments, "tangent-l-proximity").stdout
    assert "in place of the first score" in proximity
    text = run(sample_index, *arguments, "porism").stdout
    assert "first stage and re-ranking" in text
    assert "terms in field words" in text


def test_of_many_terms_the_largest_are_shown_and_the_others_summed_up(sample_index: Path) -> None:
    text = run(sample_index, HARMONIC, "--system", "l8", "-k", "1", "--explain").stdout
    lines = [line.split("  ") for line in text.splitlines() if "(×" in line]
    values = [float(next(filter(None, line))) for line in lines]
    assert len(values) == 20
    assert values == sorted(values, reverse=True)
    assert text.rstrip().endswith(" others")


def test_formulas_are_found_in_their_posts(sample_index: Path) -> None:
    record = searched(sample_index, "--formulas", r"\sum_{n=1}^\infty \frac{1}{n^2}", "-k", "2")
    first = record["results"][0]
    assert first["formula"]["latex"] == r"\sum_{n=1}^{\infty} \frac{1}{n^2}"
    marked = [piece["text"] for piece in first["snippet"] if piece["is_matched"]]
    assert r"$\sum_{n=1}^{\infty} \frac{1}{n^2}$" in marked
    text = run(sample_index, "--formulas", r"$\sum_{n=1}^\infty \frac{1}{n^2}$", "-k", "1").stdout
    assert f"formula {first['formula']['id']} in {first['kind']} {first['post_id']}" in text


def test_formulas_are_explained_too(sample_index: Path) -> None:
    (result,) = searched(sample_index, "--formulas", "x^2+1", "-k", "1", "--explain")["results"]
    assert result["explanation"]["value"] == pytest.approx(result["score"], rel=1e-6)


def test_wildcard_matches_any_symbol(sample_index: Path) -> None:
    assert searched(sample_index, "--formulas", "?a^2 + ?b^2", "-k", "1")["results"]


def test_formula_can_start_with_a_minus_sign(sample_index: Path) -> None:
    assert searched(sample_index, "--formulas", "-x + 1")["formulas"] == ["-x + 1"]


def test_filter_by_tag_and_year(sample_index: Path) -> None:
    everything = searched(sample_index, "matrix", "-k", "100")["results"]
    some = searched(sample_index, "matrix", "-k", "100", "--tag", "determinant", "--since", "2014")
    expected = [
        each["post_id"]
        for each in everything
        if "determinant" in each["tags"] and each["created"] >= "2014"
    ]
    assert [each["post_id"] for each in some["results"]] == expected
    assert 0 < len(expected) < len(everything)


def test_filter_by_votes_years_and_acceptance(sample_index: Path) -> None:
    everything = searched(sample_index, "matrix", "-k", "1000")["results"]
    years = searched(sample_index, "matrix", "-k", "1000", "--since", "2013", "--until", "2015")
    assert [each["post_id"] for each in years["results"]] == [
        each["post_id"] for each in everything if "2013" <= each["created"][:4] <= "2015"
    ]
    voted = searched(sample_index, "matrix", "-k", "1000", "--votes", "20")["results"]
    assert [each["post_id"] for each in voted] == [
        each["post_id"] for each in everything if each["votes"] >= 20
    ]
    accepted = searched(sample_index, "matrix", "-k", "1000", "--accepted")["results"]
    assert 0 < len(accepted) < len(everything)
    assert {each["thread_id"] for each in accepted} <= {each["thread_id"] for each in everything}
    threads = [each["thread_id"] for each in accepted]
    assert len(set(threads)) == len(threads)  # a question has one accepted answer


def test_formula_is_shown_in_a_post_that_passes_the_filter(sample_index: Path) -> None:
    narrowed = ("--votes", "20", "--until", "2012", "--accepted")
    results = searched(sample_index, "--formulas", "x^2", "-k", "5", *narrowed)["results"]
    assert len(results) == 5
    for each in results:
        assert each["kind"] == "answer"
        assert each["votes"] >= 20
        assert each["created"] < "2013"


def test_two_tags_must_both_match(sample_index: Path) -> None:
    both = ("--tag", "determinant", "--tag", "linear-algebra")
    results = searched(sample_index, "matrix", *both)["results"]
    assert results
    assert all({"determinant", "linear-algebra"} <= set(each["tags"]) for each in results)


def test_text_from_standard_input(sample_index: Path) -> None:
    piped = run(sample_index, "-", "--json", "--system", "l8", stdin="harmonic\n")
    assert json.loads(piped.stdout)["words"] == ["harmon"]
    assert run(sample_index, "-", stdin=b"\xff\xfe harmonic").exit_code == 0


def test_every_system_that_finds_answers_searches(sample_index: Path) -> None:
    for system in ("tfidf", "tfidf-words", "bm25", "tangent-l", "tangent-l-holistic"):
        result = run(sample_index, HARMONIC, "--system", system, "-k", "2", "--explain")
        assert result.exit_code == 0, result.stderr
        assert " 2. " in result.stdout


def test_notes_are_found_by_their_names(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "two sums.md").write_text("# Harmonic sums\n\nWe add $x^2 + 1$.\n", "utf-8")
    for arguments in (
        ["ingest", str(notes), "-o", str(tmp_path / "made"), "--format", "documents"],
        ["index", str(tmp_path / "made"), "--systems", "l8"],
    ):
        done = CliRunner().invoke(porism, [*arguments, "--jobs", "1"])
        assert done.exit_code == 0, done.stderr
    index = tmp_path / "made" / "index"
    (result,) = searched(index, "harmonic $x^2$")["results"]
    assert (result["kind"], result["post_id"]) == ("document", "notes/two sums.md")
    text = run(index, "harmonic $x^2$", "--system", "l8").stdout
    assert "«x² + 1»" in text
    assert text.endswith(f"porism show {tmp_path / 'made'} thread 'notes/two sums.md'\n")
    (formula,) = searched(index, "--formulas", "x^2")["results"]
    assert formula["formula"]["latex"] == "x^2 + 1"


# Bad input.


@pytest.mark.parametrize("formulas", [(), ("--formulas",)])
def test_broken_latex_is_searched_as_far_as_understood(
    sample_index: Path, formulas: tuple[str, ...]
) -> None:
    broken = r"$\frac{1}{n^2 + \nosuch$"
    record = searched(sample_index, broken, *formulas)
    messages = [problem["message"] for problem in record["problems"]]
    assert messages == [r"unknown command \nosuch, read as a symbol", "brace is not closed"]
    assert record["results"]
    output = run(sample_index, broken, *formulas, "--system", "l8")
    assert output.exit_code == 0
    assert "brace is not closed (at character 8)\n" in output.stderr
    assert "        ^" in output.stderr


def test_unclosed_dollar_starts_a_formula(sample_index: Path) -> None:
    record = searched(sample_index, r"harmonic $\frac1n")
    assert record["formulas"] == [r"\frac1n"]
    assert "a dollar sign is not closed" in record["problems"][0]["message"]


def test_latex_outside_of_dollars_is_a_formula(sample_index: Path) -> None:
    record = searched(sample_index, r"harmonic \frac{1}{n}")
    assert record["formulas"] == [r"\frac{1}{n}"]
    assert record["problems"] == []


@pytest.mark.parametrize("text", ["", "  \n", "-"])
def test_empty_text_is_an_error(sample_index: Path, text: str) -> None:
    result = run(sample_index, text, stdin="")
    assert result.exit_code == 1
    assert "nothing to search for: the query is empty" in result.stderr


@pytest.mark.parametrize(
    "text",
    ["harmonic series " * 6250, "$" + "x+" * 50_000 + "$", "$" * 100_000, r"\frac{" * 17_000],
    ids=["words", "formula", "dollars", "braces"],
)
def test_100_kilobytes_are_searched_or_refused(sample_index: Path, text: str) -> None:
    for arguments in ((sample_index, "-"), (sample_index, "--formulas", "-")):
        result = run(*arguments, "--system", "l8", "-k", "1", stdin=text)
        assert result.exit_code == 0, result.stderr
        assert result.stdout or "no results" in result.stderr


def test_only_stop_words_are_not_searchable(sample_index: Path) -> None:
    result = run(sample_index, "what is the of and", "--system", "l8")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "no searchable terms" in result.stderr
    assert "no results" in result.stderr
    record = searched(sample_index, "what is the of and")
    assert record["results"] == []
    assert "no searchable terms" in record["problems"][0]["message"]


def test_unknown_system_suggests_similar_names(sample_index: Path) -> None:
    result = run(sample_index, "x", "--system", "tangent-1")
    assert result.exit_code == 1
    assert "there is no system 'tangent-1'; did you mean tangent-" in result.stderr


def test_system_without_formula_search_is_an_error(sample_index: Path) -> None:
    result = run(sample_index, "--formulas", "x", "--system", "tangent-l-primary")
    assert result.exit_code == 1
    assert "does not do Task 2; these do: tfidf" in result.stderr


def test_unknown_tag_is_reported(sample_index: Path) -> None:
    result = run(sample_index, "matrix", "--tag", "cooking", "--system", "l8")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "no post has the tag cooking\nno results\n" in result.stderr


@pytest.mark.parametrize("year", ["yesterday", "15", "20155"])
def test_since_is_a_year(sample_index: Path, year: str) -> None:
    result = run(sample_index, "matrix", "--since", year)
    assert result.exit_code == 2
    assert "--since" in result.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--until", "15"), "--until"),
        (("--votes", "many"), "--votes"),
        (("--votes", "-1"), "--votes"),
        (("--votes", "101"), "101 is not in the range 0<=x<=100"),
        (("--since", "2016", "--until", "2015"), "the year range from 2016 to 2015 is empty"),
    ],
)
def test_impossible_filters_are_misuse(
    sample_index: Path, options: tuple[str, ...], message: str
) -> None:
    result = run(sample_index, "matrix", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_since_a_future_year_finds_nothing(sample_index: Path) -> None:
    result = run(sample_index, "matrix", "--since", "9999", "--system", "l8")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "no results\n")


def test_folder_without_index_is_an_error(tmp_path: Path, sample_index: Path) -> None:
    result = run(tmp_path, "x")
    assert result.exit_code == 1
    assert "no index; make one with porism index COLLECTION -o" in result.stderr
    shutil.copy(sample_index.parent / DATABASE, tmp_path)
    result = run(tmp_path, "x")
    assert result.exit_code == 1
    assert "a collection, not an index; make one with porism index" in result.stderr


def test_a_collection_with_an_index_is_searched(sample_index: Path) -> None:
    result = run(sample_index.parent, "harmonic series")
    assert result.exit_code == 0
    assert result.stdout == run(sample_index, "harmonic series").stdout


def test_index_of_another_version_is_an_error(tmp_path: Path, sample_index: Path) -> None:
    copy = tmp_path / "index"
    shutil.copytree(sample_index, copy)
    manifest = copy / MANIFEST
    version = f'"version": {MANIFEST_VERSION}'
    manifest.write_text(manifest.read_text("utf-8").replace(version, '"version": 99'), "utf-8")
    result = run(copy, "x")
    assert result.exit_code == 1
    assert "an index of version 99" in result.stderr
    assert "make it again with porism index" in result.stderr


@pytest.mark.parametrize("damage", ["", "[]", '{"version": 3}', '{"version": 3, "labels": [3]}'])
def test_damaged_index_is_an_error(tmp_path: Path, damage: str) -> None:
    (tmp_path / MANIFEST).write_text(damage, "utf-8")
    result = run(tmp_path, "x")
    assert result.exit_code == 1
    assert "make it again with porism index" in result.stderr
    assert isinstance(result.exception, SystemExit)


def test_postings_of_another_format_are_an_error(
    tmp_path: Path, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "index"
    shutil.copytree(sample_index, copy)
    contents = read_manifest(copy)
    record = {**unit_index(contents.components, Unit.ANSWERS).meta.record(), "format": 99}
    monkeypatch.setattr(IndexMeta, "record", lambda meta: record)
    write_manifest(copy, contents)
    monkeypatch.undo()
    result = run(copy, "x", "--collection", sample_index.parent)
    assert result.exit_code == 1
    assert "has format 99" in result.stderr
    assert "index again" in result.stderr


def test_a_collection_that_has_moved_is_named(tmp_path: Path, sample_index: Path) -> None:
    copy = tmp_path / "elsewhere" / "index"
    shutil.copytree(sample_index, copy)
    result = run(copy, "harmonic", "--system", "l8")
    assert result.exit_code == 1
    assert "no collection" in result.stderr
    moved = run(copy, "harmonic", "--system", "l8", "--collection", sample_index.parent)
    assert moved.exit_code == 0
    assert moved.stdout == run(sample_index, "harmonic", "--system", "l8").stdout


def test_index_deleted_meanwhile_is_an_error(tmp_path: Path, sample_index: Path) -> None:
    collection = tmp_path / "sample"
    shutil.copytree(sample_index.parent, collection)
    command = [sys.executable, "-m", "porism", "search", str(collection / "index"), "-"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        shutil.rmtree(collection / "index")
        _, output = process.communicate(b"harmonic")
    assert process.returncode == 1
    assert b"Traceback" not in output
    assert b"no index" in output
