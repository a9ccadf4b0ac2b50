"""``porism run``.

``pytest tests/cli/retrieval/test_run.py --update-golden`` writes the golden runs anew.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism import __version__
from porism.catalog import SYSTEMS, uses_vectors
from porism.cli.demo_scores import MEASURES, sample_evaluations
from porism.cli.main import porism
from porism.collection.sample import sample_duplicates, sample_topics
from porism.formats.answer_runs import read_answer_run
from porism.formats.runs import RunForm, read_run, run_form
from porism.formats.topics import read_topics
from porism.model import Task
from porism.searchindex.components.formula_vectors import FormulaVectorSpec
from porism.searchindex.index_folder import open_index
from tests.generation.openai_server import OpenAIServer, fails, says

GOLDEN = Path(__file__).parent.parent / "golden"
BY_FORMULA_VECTORS = {
    "ltr",
    *(
        name
        for name, system in SYSTEMS.items()
        if any(isinstance(spec, FormulaVectorSpec) for spec in system.needs)
    ),
}


def run(index: Path, task: int, output: Path, *arguments: str | Path) -> Result:
    topics = sample_topics(task)
    fixed = ["--task", str(task), "--topics", str(topics), "-o", str(output)]
    system = [] if "--system" in arguments else ["--system", "l8"]
    return CliRunner().invoke(porism, ["run", str(index), *fixed, *system, *map(str, arguments)])


@pytest.mark.parametrize("task", [1, 2])
def test_run_of_the_sample_equals_the_golden_file(
    sample_index: Path, tmp_path: Path, task: int, request: pytest.FixtureRequest
) -> None:
    name = f"l8_task{task}.tsv"
    result = run(sample_index, task, tmp_path / name, "-k", "20")
    assert result.exit_code == 0, result.stderr
    if request.config.getoption("--update-golden"):
        GOLDEN.mkdir(exist_ok=True)
        shutil.copyfile(tmp_path / name, GOLDEN / name)
    assert (tmp_path / name).read_bytes() == (GOLDEN / name).read_bytes()


def test_a_run_of_the_lab_has_its_columns(sample_index: Path, tmp_path: Path) -> None:
    for task, form in ((1, RunForm.TASK1), (2, RunForm.TASK2)):
        output = tmp_path / f"{task}.tsv"
        result = run(sample_index, task, output, "-k", "5", "--run-name", "mine")
        assert result.stdout == f"{output}: 60 results for 12 topics\n"
        assert run_form(output) is form
        read = read_run(output)
        assert read.name == "mine"
        assert all(len(ranking) == 5 for ranking in read.rankings.values())


def test_a_run_for_trec_eval(sample_index: Path, tmp_path: Path) -> None:
    for task in (1, 2):
        run(sample_index, task, tmp_path / "lab.tsv")
        run(sample_index, task, tmp_path / "trec", "--run-format", "trec")
        assert run_form(tmp_path / "trec") is RunForm.TREC
        theirs, ours = read_run(tmp_path / "trec"), read_run(tmp_path / "lab.tsv")
        assert [
            [(hit.doc_id, hit.score) for hit in ranking] for ranking in theirs.rankings.values()
        ] == [[(hit.doc_id, hit.score) for hit in ranking] for ranking in ours.rankings.values()]


def test_run_json_records_how_the_run_was_made(sample_index: Path, tmp_path: Path) -> None:
    result = run(sample_index, 1, tmp_path / "run.tsv", "--json")
    record = json.loads((tmp_path / "run.tsv.json").read_text("utf-8"))
    assert json.loads(result.stdout) == record
    assert record["system"] == "l8"
    assert record["ranker"] == "IndexRanker(query_builder=L8Answers(alpha=0.18))"
    assert record["porism"] == __version__
    assert record["topics"] == "Topics_Task1_sample.xml"
    with open_index(sample_index) as search_index:
        assert record["index"] == search_index.fingerprint
    times = record["milliseconds"]
    assert set(times["topics"]) == {f"A.{number}" for number in range(1, 13)}
    assert 0 < times["median"] <= times["max"]
    assert times["mean"] <= times["max"]


@pytest.fixture
def resources(tmp_path: Path) -> Iterator[tuple[str | Path, ...]]:
    """What a system may need besides an index: duplicates, queries by hand, a language model."""
    queries = tmp_path / "queries.tsv"
    lines = [f"{topic.id}\tsum $x^2$\n" for topic in read_topics(sample_topics(1))]
    queries.write_text("topic\tquery\n" + "".join(lines))
    with OpenAIServer(says("It is so [1].")) as server:
        yield (
            *("--duplicates", sample_duplicates(), "--queries", queries),
            *("--endpoint", server.url, "--model", "test-model"),
        )


def test_every_system_runs(
    sample_index: Path, tmp_path: Path, resources: tuple[str | Path, ...]
) -> None:
    listed = json.loads(CliRunner().invoke(porism, ["systems", "--json"]).stdout)["systems"]
    for system in listed:
        for task in system["tasks"]:
            output = tmp_path / f"{system['name']}-{task}"
            arguments = ("--system", system["name"], "-k", "10", *resources)
            result = run(sample_index, task, output, *arguments)
            assert result.exit_code == 0, (system, result.stderr)
            if task == Task.SHORT_ANSWERS:
                answers = read_answer_run(output).answers.values()
                assert len(answers) >= 10
                assert all(0 < len(answer.text) <= 1_200 for answer in answers)
                record = json.loads(Path(f"{output}.json").read_text("utf-8"))
                is_generated = "a language model (--model)" in system["needs"]
                assert record["language_model"] == ("test-model" if is_generated else None)
            else:
                # MIaS finds only formulas that have all of the query's as a part.
                least = 5 if system["name"] == "mias" else 10
                assert len(read_run(output).rankings) >= least


@pytest.mark.parametrize("task", [1, 2])
def test_topics_of_the_other_task_are_refused(
    sample_index: Path, tmp_path: Path, task: int
) -> None:
    other = 3 - task
    output = tmp_path / "run"
    topics = ("--topics", sample_topics(other))
    result = run(sample_index, task, output, *topics)
    assert result.exit_code == 1
    assert f"found topics of Task {other}" in result.stderr
    assert f"expected topics of Task {task}" in result.stderr
    assert not output.exists()


def test_file_without_topics_is_an_error(sample_index: Path, tmp_path: Path) -> None:
    (tmp_path / "topics.xml").write_text("A.1\tx\n", encoding="utf-8")
    result = run(sample_index, 1, tmp_path / "run", "--topics", tmp_path / "topics.xml")
    assert result.exit_code == 1
    assert "topics.xml:1: not well-formed XML" in result.stderr
    result = run(sample_index, 1, tmp_path / "run", "--topics", tmp_path / "nowhere.xml")
    assert result.exit_code == 1
    assert "nowhere.xml" in result.stderr


def test_oracle_needs_duplicates(sample_index: Path, tmp_path: Path) -> None:
    result = run(sample_index, 1, tmp_path / "run", "--system", "linked")
    assert result.exit_code == 1
    assert "linked returned nothing for any topic" in result.stderr
    assert "--duplicates" in result.stderr


def test_index_without_needed_fields_is_an_error(sample_index: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    collection = sample_index.parent
    made = CliRunner().invoke(
        porism, ["index", str(collection), "-o", str(small), "--systems", "tfidf", "--jobs", "1"]
    )
    assert made.exit_code == 0
    result = run(small, 1, tmp_path / "run")
    assert result.exit_code == 1
    assert "lacks what l8 needs (l8)" in result.stderr
    assert "--systems l8" in result.stderr


def test_missing_folder_is_an_error(sample_index: Path, tmp_path: Path) -> None:
    result = run(sample_index, 1, tmp_path / "no" / "run")
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr


def test_scores_of_every_system_equal_the_golden_file(
    sample_index: Path, request: pytest.FixtureRequest
) -> None:
    """Vectors differ a little between processors, and with them the scores of their systems."""
    with open_index(sample_index) as search_index:
        rows = [
            [str(scored.evaluation.task), run.run, *(f"{run.mean(m):.3f}" for m in MEASURES)]
            for scored in sample_evaluations(search_index, SYSTEMS)
            for run in scored.evaluation.runs
        ]
    path = GOLDEN / "scores.tsv"
    if request.config.getoption("--update-golden"):
        path.write_text("".join("\t".join(row) + "\n" for row in rows))
    golden = [line.split("\t") for line in path.read_text().splitlines()]
    assert [row[:2] for row in rows] == [row[:2] for row in golden]
    for (_, name, *scores), (_, _, *expected) in zip(rows, golden, strict=True):
        is_approximate = uses_vectors([name]) or name in BY_FORMULA_VECTORS
        tolerance = 0.01 if is_approximate else 0.0
        assert list(map(float, scores)) == pytest.approx(
            list(map(float, expected)), abs=tolerance, rel=0.0
        ), name


@pytest.mark.parametrize("task", [1, 2])
def test_posts_are_left_out_and_others_take_their_place(
    sample_index: Path, tmp_path: Path, task: int
) -> None:
    run(sample_index, task, tmp_path / "all.tsv", "-k", "30")
    before = read_run(tmp_path / "all.tsv").rankings
    topic_id, ranking = next(iter(before.items()))
    gone = {str(hit.post_id or hit.doc_id) for hit in ranking[:3]}
    leave_out = tmp_path / "own_posts.tsv"
    lines = "".join(f"{topic_id}\t{post}\n" for post in sorted(gone))
    leave_out.write_text(f"topic\tpost\n{lines}")
    result = run(
        sample_index, task, tmp_path / "run.tsv", "-k", "10", "--leave-out", leave_out, "--json"
    )
    assert result.exit_code == 0, result.stderr
    assert json.loads(result.stdout)["leave_out"] == "own_posts.tsv"
    after = read_run(tmp_path / "run.tsv").rankings
    assert all(len(each) == 10 for each in after.values())
    left = [hit.doc_id for hit in ranking if (hit.post_id or hit.doc_id) not in gone]
    assert [hit.doc_id for hit in after[topic_id]][: len(left)] == left[:10]
    for other in list(before)[1:]:
        assert [hit.doc_id for hit in after[other]] == [hit.doc_id for hit in before[other]][:10]


def test_posts_of_other_topics_are_not_left_out_silently(
    sample_index: Path, tmp_path: Path
) -> None:
    leave_out = tmp_path / "own_posts.tsv"
    leave_out.write_text("topic\tpost\nL.1\t2\n")
    result = run(sample_index, 1, tmp_path / "run.tsv", "--leave-out", leave_out)
    assert result.exit_code == 1
    assert "has posts of L.1, but of no topic of Topics_Task1_sample.xml" in result.stderr
    result = run(sample_index, 3, tmp_path / "run", "--system", "passage", "--leave-out", leave_out)
    assert result.exit_code == 2
    assert "--leave-out: not available for --task 3" in result.stderr


def test_a_system_that_needs_a_model_says_how_to_name_one(
    sample_index: Path, tmp_path: Path
) -> None:
    result = run(sample_index, 3, tmp_path / "run.tsv", "--system", "generate")
    assert result.exit_code == 1
    assert "generate needs a language model: name an endpoint" in result.stderr
    assert not (tmp_path / "run.tsv").exists()


def test_what_a_model_wrote_before_it_failed_is_kept(sample_index: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.tsv"
    with OpenAIServer([says("It is so [1]."), fails(400, "out of memory")]) as server:
        options = ("--endpoint", server.url, "--model", "test-model")
        result = run(sample_index, 3, output, "--system", "generate", *options)
    assert result.exit_code == 1
    assert "out of memory" in result.stderr
    assert "failed for 3 topics; topics after these were not tried" in result.stderr
    assert len(read_answer_run(output).answers) == 1


def test_a_model_that_fails_at_once_leaves_no_run(sample_index: Path, tmp_path: Path) -> None:
    output = tmp_path / "run.tsv"
    with OpenAIServer(fails(400, "out of memory")) as server:
        options = ("--endpoint", server.url, "--model", "test-model")
        result = run(sample_index, 3, output, "--system", "generate", *options)
    assert result.exit_code == 1
    assert "out of memory" in result.stderr
    assert not output.exists()


def test_the_columns_of_trec_eval_are_not_those_of_answers(
    sample_index: Path, tmp_path: Path
) -> None:
    options = ("--system", "extract", "--run-format", "trec")
    result = run(sample_index, 3, tmp_path / "run.tsv", *options)
    assert result.exit_code == 2
    assert "short answers have only the columns of the lab" in result.stderr
