"""Short answers: the passage of the best answer, and runs of Task 3."""

import json
from pathlib import Path

from click.testing import CliRunner

from porism import catalog
from porism.cli.main import porism
from porism.collection.sample import sample_topics
from porism.formats.answer_runs import read_answer_run
from porism.formats.topics import read_topics
from porism.model import Task, Topic, TopicId
from porism.searchindex.index_folder import open_index


def test_the_answer_is_a_passage_of_the_best_answer(sample_index: Path) -> None:
    (topic, *_) = read_topics(sample_topics(1))
    with open_index(sample_index) as search_index:
        answer = catalog.answerer("passage", search_index).answer(topic)
        _, ranker = catalog.default_ranker(Task.ANSWERS, search_index)
        best = ranker.rank(topic, 1)[0].doc_id
    (source,) = answer.sources
    assert source.doc_id == best
    assert source.number == 1
    assert answer.text == source.passage != ""
    assert answer.score == source.score
    assert answer.reason == ""


def test_nothing_to_search_for_has_no_answer(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        answer = catalog.answerer("passage", search_index).answer(Topic(TopicId("A.1")))
    assert answer.text == ""
    assert answer.reason == "nothing was found"
    assert answer.sources == ()


def test_a_run_of_task_3_reads_back(sample_index: Path, tmp_path: Path) -> None:
    output = tmp_path / "passage.tsv"
    options = ["--system", "passage", "--task", "3", "--topics", str(sample_topics(1))]
    result = CliRunner().invoke(porism, ["run", str(sample_index), *options, "-o", str(output)])
    assert result.exit_code == 0, result.output
    run = read_answer_run(output)
    assert run.name == "passage"
    assert list(run.answers) == [topic.id for topic in read_topics(sample_topics(1))]
    with open_index(sample_index) as search_index:
        answerer = catalog.answerer("passage", search_index)
        for topic in read_topics(sample_topics(1)):
            answer = answerer.answer(topic)
            written = run.answers[topic.id]
            assert (written.text, written.score) == (answer.text, answer.score)
            assert written.sources == answer.sources[0].doc_id
    assert json.loads((tmp_path / "passage.tsv.json").read_text())["task"] == 3


def test_a_system_without_answers_is_refused(sample_index: Path, tmp_path: Path) -> None:
    options = ["--system", "l8", "--task", "3", "--topics", str(sample_topics(1))]
    arguments = ["run", str(sample_index), *options, "-o", str(tmp_path / "run.tsv")]
    result = CliRunner().invoke(porism, arguments)
    assert result.exit_code == 1
    assert "l8 does not do Task 3; these do: gpt3-prompt, " in result.stderr
