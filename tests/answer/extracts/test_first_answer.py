"""``first-answer``: the first answer of a ranking, cut at the end of a sentence."""

from pathlib import Path

import pytest

from porism import catalog
from porism.answer.extracts.extract import NOTHING_FOUND
from porism.answer.extracts.first_answer import FirstAnswer
from porism.answer.extracts.sentences import joined_text, sentences
from porism.answer.short_answer import AnswerKind
from porism.collection.sample import sample_topics
from porism.formats.topics import read_topics
from porism.model import Task
from porism.query.typed_topics import typed_answer_topic
from porism.rank.filters import PostFilter
from porism.searchindex.index_folder import open_index
from tests.answer.small_indexes import index_of_posts
from tests.collection.dumps import answer, question


def test_the_answer_is_the_beginning_of_the_first_answer_of_porism(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        ranker = catalog.ranker("porism", Task.ANSWERS, search_index)
        answerer = catalog.answerer("first-answer", search_index)
        for topic in read_topics(sample_topics(1)):
            found = answerer.answer(topic)
            (first,) = ranker.rank(topic, 1)
            (source,) = found.sources
            assert source.doc_id == first.doc_id
            assert found.score == source.score == first.score
            body = search_index.collection.post(first.doc_id).body
            assert joined_text(sentences(body)).startswith(found.text)
            assert 0 < len(found.text) <= 1_200
            assert (found.kind, found.reason) == (AnswerKind.EXTRACT, "")
            assert found.timings.search > 0


def test_the_filter_is_respected(sample_index: Path) -> None:
    topic = typed_answer_topic("harmonic series").topic
    with open_index(sample_index) as search_index:
        answerer = catalog.answerer("first-answer", search_index)
        (source,) = answerer.answer(topic, PostFilter(accepted=True).index_filter()).sources
    assert source.is_accepted


@pytest.mark.parametrize("text", ["the of", "qwertz"])
def test_without_results_there_is_no_answer(sample_index: Path, text: str) -> None:
    with open_index(sample_index) as search_index:
        found = catalog.answerer("first-answer", search_index).answer(
            typed_answer_topic(text).topic
        )
    assert (found.text, found.sources, found.reason) == ("", (), NOTHING_FOUND)


def test_a_formula_that_is_too_long_gives_a_reason(tmp_path: Path) -> None:
    posts = [
        question(1, "<p>What is the sum?</p>", Title="Sum"),
        answer(2, 1, "<p>$$a+b+c+d+e+f+g+h$$ is the sum.</p>"),
    ]
    topic = typed_answer_topic("sum").topic
    with open_index(index_of_posts(tmp_path, posts)) as search_index:
        ranker = catalog.ranker("porism", Task.ANSWERS, search_index)
        found = FirstAnswer(search_index, ranker, limit=15).answer(topic)
        assert FirstAnswer(search_index, ranker, limit=21).answer(topic).text
    assert found.text == ""
    assert found.reason == "the first answer begins with a formula that is too long"
    assert [source.doc_id for source in found.sources] == ["2"]
