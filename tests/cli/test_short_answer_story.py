"""Short answers from topics to scores: run, validate, pool, judge, export and evaluate."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from porism.assess.judgments.store import JudgmentStore
from porism.assess.pools.pool_folder import read_pool
from porism.assess.records import Assessor, BatchKind, Choice, NewJudgment
from porism.cli.main import porism
from porism.collection.sample import sample_topics
from porism.formats.answer_runs import is_answer_run, read_answer_run
from porism.formats.qrels import read_answer_ids, read_qrels

SYSTEMS = ("extract", "first-answer")
TOPICS = str(sample_topics(1))


def done(*arguments: str | Path) -> str:
    """Run a command that succeeds, and return what it prints."""
    result = CliRunner().invoke(porism, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def folder(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs, the pool, and the judgments of an assessor."""
    folder = tmp_path_factory.mktemp("story")
    for system in SYSTEMS:
        options = ("--task", "3", "--system", system, "--topics", TOPICS)
        done("run", sample_index, *options, "-o", folder / f"{system}.tsv")
    rows = [
        "file\tteam\tkind\tmode",
        *(f"{each}.tsv\t{each}\tprimary\tautomatic" for each in SYSTEMS),
    ]
    (folder / "runs.tsv").write_text("\n".join(rows) + "\n")
    runs = ("--runs", folder / "runs.tsv", "--preset", "2022", "--topics", TOPICS)
    done("pool", "--task", "3", *runs, "-o", folder / "pool")
    store = JudgmentStore(folder / "judgments.db")
    pool = read_pool(folder / "pool")
    store.add_batch("pool", BatchKind.OFFICIAL, pool)
    store.add_assessor("Ann")
    # Extracts are judged highly relevant, except to the first topic.
    extracts = read_answer_run(folder / "extract.tsv").answers
    for topic in {each.topic_id for each in pool.candidates}:
        store.assign("pool", topic, "Ann", is_second=False)
    for number, each in enumerate(pool.candidates):
        assert each.text
        is_extract = (
            extracts[each.topic_id].text == each.text if each.topic_id in extracts else False
        )
        is_good = is_extract and each.topic_id != "A.1"
        key = f"judgment {number}"
        store.record(
            Assessor("Ann"),
            NewJudgment(
                key,
                "pool",
                each.topic_id,
                each.doc_id,
                Choice.HIGH if is_good else Choice.NOT_RELEVANT,
                20.0,
                "",
            ),
        )
    done("assess", "export", "--db", folder / "judgments.db", "-o", folder / "export")
    return folder


@pytest.mark.parametrize("system", SYSTEMS)
def test_runs_are_valid(folder: Path, system: str) -> None:
    run = folder / f"{system}.tsv"
    text = done("validate", run, "--task", "3", "--topics", TOPICS)
    assert "0 errors" in text or "no errors" in text or "no faults" in text, text
    assert is_answer_run(run)
    record = json.loads((folder / f"{system}.tsv.json").read_text("utf-8"))
    assert (record["system"], record["task"], record["queries"]) == (system, 3, None)
    assert record["language_model"] is None
    assert record["results"] == len(read_answer_run(run).answers)


def test_sources_of_a_run_are_posts(folder: Path) -> None:
    for answer in read_answer_run(folder / "extract.tsv").answers.values():
        assert all(each.isdecimal() for each in answer.sources.split(","))


def test_the_pool_has_every_answer_once(folder: Path) -> None:
    pool = read_pool(folder / "pool")
    texts = {
        (topic, answer.text)
        for system in SYSTEMS
        for topic, answer in read_answer_run(folder / f"{system}.tsv").answers.items()
    }
    assert len(pool.candidates) == len({(topic, " ".join(text.split())) for topic, text in texts})
    assert pool.topics[0].title


def test_the_export_has_judgments_and_the_answer_of_each_run(folder: Path) -> None:
    judged = read_qrels(folder / "export" / "qrels_short_answers.tsv")
    ids = list(read_answer_ids(folder / "export" / "answers.tsv"))
    assert {run for run, _, _ in ids} == set(SYSTEMS)
    assert all(answer in judged.grades[topic] for _, topic, answer in ids)


def test_judged_answers_are_scored_by_grade_and_by_similarity(folder: Path) -> None:
    export = folder / "export"
    judged = ("--qrels", export / "qrels_short_answers.tsv", "--answers", export / "answers.tsv")
    runs = tuple(folder / f"{system}.tsv" for system in SYSTEMS)
    record = json.loads(done("evaluate", "--task", "3", *judged, *runs, "--json"))
    by_run = {run["run"]: run for run in record["runs"]}
    topics = len(by_run["extract"]["by_topic"]["AR"])
    assert by_run["extract"]["means"]["AR"] == pytest.approx(3 * (topics - 1) / topics)
    assert by_run["extract"]["means"]["P@1"] == pytest.approx((topics - 1) / topics)
    assert by_run["first-answer"]["means"]["AR"] < by_run["extract"]["means"]["AR"]
    assert 0 < by_run["first-answer"]["means"]["LO"] <= 1
    text = done("evaluate", "--task", "3", *judged, *runs)
    header, *_ = text.splitlines()
    assert header.split()[:4] == ["run", "topics", "AR", "P@1"]
    # Without files, the runs of the map are scored by grade alone.
    by_name = json.loads(done("evaluate", "--task", "3", *judged, "--json"))
    assert {run["run"] for run in by_name["runs"]} == set(SYSTEMS)


def test_new_answers_are_compared_with_relevant_ones(
    folder: Path, sample_index: Path, tmp_path: Path
) -> None:
    new = tmp_path / "passage.tsv"
    options = ("--task", "3", "--system", "passage", "--topics", TOPICS)
    done("run", sample_index, *options, "-o", new)
    export = folder / "export"
    judged = ("--qrels", export / "qrels_short_answers.tsv", "--answers", export / "answers.tsv")
    references = (
        "--references",
        folder / "extract.tsv",
        "--references",
        folder / "first-answer.tsv",
    )
    record = json.loads(done("evaluate", "--task", "3", *judged, *references, new, "--json"))
    (run,) = record["runs"]
    assert run["run"] == "passage"
    assert run["means"]["AR"] is None
    assert 0 < run["means"]["LO"] <= 1
    text = done("evaluate", "--task", "3", *judged, *references, new)
    assert "not judged" in text
