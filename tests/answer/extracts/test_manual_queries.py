"""``approach0-manual``: answers that queries written by hand find, and the file of the queries."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism import catalog
from porism.answer.answerer import AnswerTools
from porism.answer.extracts.extract import NOTHING_FOUND
from porism.answer.extracts.manual_queries import FIRST, LIMIT, ManualQueries, read_queries
from porism.answer.extracts.sentences import joined_text, sentences
from porism.cli.main import porism
from porism.collection.sample import sample_topics
from porism.errors import FormatError, PorismError
from porism.formats.answer_runs import read_answer_run
from porism.model import Formula, Topic, TopicId
from porism.query.typed_topics import typed_answer_topic
from porism.rank.filters import PostFilter
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder

QUERIES = (
    "topic\tquery\nA.1\tharmonic series $\\sum_{n=1}^\\infty \\frac1n$\nA.3\tdeterminant of $J$\n"
)
HARMONIC = "why does $\\sum_{n=1}^\\infty \\frac1n$ diverge?"


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


def written(folder: Path, text: str = QUERIES) -> Path:
    path = folder / "queries.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def typed(text: str, topic_id: str = "A.1") -> Topic:
    return replace(typed_answer_topic(text).topic, id=TopicId(topic_id))


def answerer(
    search_index: SearchIndex, queries: dict[TopicId, Topic] | None = None
) -> ManualQueries:
    made = catalog.answerer("approach0-manual", search_index, AnswerTools(queries=queries or {}))
    assert isinstance(made, ManualQueries)
    return made


# The file


def test_queries_are_words_and_formulas_by_topic(tmp_path: Path) -> None:
    queries = read_queries(written(tmp_path))
    assert list(queries) == ["A.1", "A.3"]
    assert queries[TopicId("A.1")].title == (
        "harmonic series ",
        Formula("", r"\sum_{n=1}^\infty \frac1n"),
    )


def test_columns_may_be_in_any_order_and_more(tmp_path: Path) -> None:
    queries = read_queries(written(tmp_path, "query\tauthor\ttopic\nlimit\tme\tA.7\n"))
    assert queries[TopicId("A.7")].title == ("limit",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("number\tquery\nA.1\tx\n", "queries.tsv:1: .* expected one named topic"),
        ("topic\ttext\nA.1\tx\n", "queries.tsv:1: .* expected one named query"),
        ("topic\tquery\nA.1\t \n", r"queries.tsv:2: found an empty query for topic A.1: expected "),
        ("topic\tquery\nA.1\tx\nA.2\ty\nA.1\tz\n", r":4: found a second query for topic A.1"),
    ],
)
def test_wrong_lines_are_refused_with_their_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_queries(written(tmp_path, text))


def test_a_file_without_queries_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="has no queries; each line has a topic, a tab"):
        read_queries(written(tmp_path, "topic\tquery\n"))
    with pytest.raises(PorismError):
        read_queries(written(tmp_path, ""))
    with pytest.raises((PorismError, OSError)):
        read_queries(tmp_path / "nowhere.tsv")


# Answers


def test_the_query_finds_and_the_topic_orders(search_index: SearchIndex) -> None:
    query = typed(r"$\sum_{n=1}^\infty \frac1n$")
    found = answerer(search_index, {TopicId("A.1"): query}).answer(typed(HARMONIC))
    assert found.text
    assert len(found.text) <= LIMIT
    assert 1 <= len(found.sources) <= FIRST
    assert [each.number for each in found.sources] == list(range(1, len(found.sources) + 1))
    assert (found.system, found.model, found.reason) == ("approach0-manual", "minilm", "")
    other = answerer(search_index, {TopicId("A.1"): query}).answer(typed("about $x^2$ and cats"))
    assert other.score != found.score


def test_a_topic_without_a_query_has_no_answer(search_index: SearchIndex) -> None:
    queries = {TopicId("A.2"): typed("series")}
    found = answerer(search_index, queries).answer(typed(HARMONIC))
    assert (found.text, found.sources) == ("", ())
    assert found.reason == "there is no query for topic A.1"


def test_without_queries_a_topic_is_its_own_query(search_index: SearchIndex) -> None:
    topic = typed(HARMONIC)
    own = answerer(search_index).answer(topic)
    assert own.text
    assert own == answerer(search_index, {topic.id: topic}).answer(topic)


def test_a_short_answer_is_taken_whole(search_index: SearchIndex) -> None:
    found = answerer(search_index).answer(typed(HARMONIC))
    body = search_index.collection.post(found.sources[0].doc_id).body
    assert found.text == joined_text(sentences(body))
    assert len(found.sources) == 1


def test_of_long_answers_the_sentences_most_similar_to_the_topic_are_taken(
    search_index: SearchIndex,
) -> None:
    topic = typed(HARMONIC)
    short = replace(answerer(search_index), limit=200)
    found = short.answer(topic)
    assert 0 < len(found.text) <= 200
    bodies = [search_index.collection.post(each.doc_id).body for each in found.sources]
    rest = found.text
    for sentence in (each for body in bodies for each in sentences(body)):
        rest = rest.replace(sentence.text, "", 1)
    assert rest.strip() == ""
    assert short.answer(topic) == found


def test_the_filter_is_respected(search_index: SearchIndex) -> None:
    accepted = PostFilter(accepted=True).index_filter()
    found = answerer(search_index).answer(typed(HARMONIC), accepted)
    assert found.sources
    assert all(each.is_accepted for each in found.sources)
    nothing = answerer(search_index).answer(typed("qwertz"))
    assert (nothing.text, nothing.reason) == ("", NOTHING_FOUND)


# porism run


def run(index: Path, output: Path, *arguments: str | Path) -> Result:
    options = ["--system", "approach0-manual", "--task", "3", "--topics", sample_topics(1)]
    every = ["run", index, *options, "-o", output, *arguments]
    return CliRunner().invoke(porism, list(map(str, every)))


@pytest.mark.usefixtures("hash_encoder")
def test_a_run_has_answers_for_topics_with_queries(hash_index: Path, tmp_path: Path) -> None:
    done = run(hash_index, tmp_path / "run.tsv", "--queries", written(tmp_path), "--json")
    assert done.exit_code == 0, done.stderr
    answers = read_answer_run(tmp_path / "run.tsv").answers
    assert list(answers) == ["A.1", "A.3"]
    assert all(0 < len(each.text) <= LIMIT for each in answers.values())
    record = json.loads(done.stdout)
    assert (record["queries"], record["results"]) == ("queries.tsv", 2)
    assert record["language_model"] is None


@pytest.mark.usefixtures("hash_encoder")
def test_a_run_needs_queries(hash_index: Path, tmp_path: Path) -> None:
    done = run(hash_index, tmp_path / "run.tsv")
    assert done.exit_code == 2
    assert "approach0-manual needs --queries: a query for each topic" in done.stderr
    done = run(hash_index, tmp_path / "run.tsv", "--queries", tmp_path / "nowhere.tsv")
    assert done.exit_code != 0
    assert "nowhere.tsv" in done.stderr
    other = written(tmp_path, "topic\tquery\nB.1\tseries\n")
    done = run(hash_index, tmp_path / "run.tsv", "--queries", other)
    assert done.exit_code == 1
    assert "approach0-manual returned nothing for any topic" in done.stderr
    assert "--duplicates" not in done.stderr
    assert not (tmp_path / "run.tsv").exists()
