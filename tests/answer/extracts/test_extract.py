"""``extract``: a passage of the best answer, or none if no answer is close to the question."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from porism import catalog
from porism.answer.extracts import extract
from porism.answer.extracts.extract import (
    DEPTH,
    NEAREST,
    NEAREST_LENGTH,
    NOT_GOOD_ENOUGH,
    NOTHING_FOUND,
    PREFERENCE,
    AnswerChooser,
    Extract,
    answer_chooser,
)
from porism.answer.short_answer import (
    MAX_ANSWER_LENGTH,
    AnswerKind,
    Contradiction,
    ShortAnswer,
    Timings,
)
from porism.collection.sample import sample_topics
from porism.formats.topics import read_topics
from porism.model import DocId, Hit, PostKind, Ranking, Task, Topic, TopicId
from porism.query.typed_topics import typed_answer_topic
from porism.rank.filters import PostFilter
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.answer.small_indexes import index_of_notes, index_of_posts
from tests.collection.dumps import answer, question

HARMONIC = r"why does $\sum_{n=1}^\infty \frac1n$ diverge?"
SINE = r"value of $\int_0^\infty \frac{\sin x}{x} dx$"


@pytest.fixture(scope="module")
def search_index(sample_index: Path) -> Iterator[SearchIndex]:
    with open_index(sample_index) as opened:
        yield opened


@pytest.fixture
def without_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "usable_vectors", lambda search_index: None)


def typed(text: str) -> Topic:
    return typed_answer_topic(text).topic


def answered(search_index: SearchIndex, text: str) -> ShortAnswer:
    return catalog.answerer("extract", search_index).answer(typed(text))


def hits(*doc_ids: str, score: float = 1.0) -> Ranking:
    return tuple(Hit(DocId(doc_id), score) for doc_id in doc_ids)


def ids(chooser: AnswerChooser, ranking: Ranking, text: str = HARMONIC) -> list[str]:
    candidates = chooser.of_ranking(typed(text), ranking)
    return [each.post.post.id for each in candidates.every]


# Answers


def test_the_answer_is_a_passage_of_its_source(search_index: SearchIndex) -> None:
    found = answered(search_index, HARMONIC)
    source = found.sources[0]
    assert found.kind is AnswerKind.EXTRACT
    assert (found.system, found.model, found.reason) == ("extract", "", "")
    assert found.text == source.passage
    assert 0 < len(found.text) <= MAX_ANSWER_LENGTH
    assert source.kind is PostKind.ANSWER
    assert source.number == 1
    post = search_index.collection.post(source.doc_id)
    assert post.parent_id == source.thread_id
    assert source.votes == post.score
    assert source.title == search_index.collection.post(source.thread_id).title
    assert found.score == source.score


def test_topics_of_the_sample_have_answers(search_index: SearchIndex) -> None:
    answerer = catalog.answerer("extract", search_index)
    answers = [answerer.answer(topic) for topic in read_topics(sample_topics(1))]
    assert sum(bool(each.text) for each in answers) >= 10
    assert all(len(each.text) <= MAX_ANSWER_LENGTH for each in answers)


@pytest.mark.parametrize("text", ["how do I bake bread", "the of", "qwertz"])
def test_a_question_without_results_is_declined(search_index: SearchIndex, text: str) -> None:
    found = answered(search_index, text)
    assert (found.text, found.reason, found.sources) == ("", NOTHING_FOUND, ())


def test_a_formula_of_one_symbol_is_close_to_nothing(search_index: SearchIndex) -> None:
    found = answered(search_index, "white bread is baked at noon $n$")
    assert found.text == ""
    assert found.sources


def test_a_topic_without_text_is_declined(search_index: SearchIndex) -> None:
    found = catalog.answerer("extract", search_index).answer(Topic(TopicId("A.1")))
    assert (found.text, found.reason) == ("", NOTHING_FOUND)


@pytest.mark.parametrize(
    "text", ["how many people live in a large city", "where can I buy a cheap number of shoes"]
)
def test_an_unrelated_question_is_declined_with_the_nearest_results(
    search_index: SearchIndex, text: str
) -> None:
    found = answered(search_index, text)
    assert (found.text, found.reason) == ("", NOT_GOOD_ENOUGH)
    assert [each.number for each in found.sources] == list(range(1, NEAREST + 1))
    assert all(0 < len(each.passage) <= NEAREST_LENGTH for each in found.sources)


def test_a_ranking_of_the_system_gives_the_same_answer(search_index: SearchIndex) -> None:
    answerer = catalog.answerer("extract", search_index)
    assert isinstance(answerer, Extract)
    for text in (HARMONIC, SINE, "qwertz"):
        ranking = answerer.chooser.ranker.rank(typed(text), 50)
        assert answerer.of_ranking(typed(text), ranking) == answerer.answer(typed(text))


def test_the_same_question_has_the_same_answer(search_index: SearchIndex) -> None:
    assert answered(search_index, HARMONIC) == answered(search_index, HARMONIC)


def test_sources_pass_the_filter(search_index: SearchIndex) -> None:
    answerer = catalog.answerer("extract", search_index)
    accepted = answerer.answer(typed(HARMONIC), PostFilter(accepted=True).index_filter())
    assert accepted.text
    assert all(each.is_accepted for each in accepted.sources)
    nothing = answerer.answer(typed(HARMONIC), PostFilter(tag=("no-such-tag",)).index_filter())
    assert (nothing.text, nothing.reason) == ("", NOTHING_FOUND)


def test_times_of_the_steps_are_measured(search_index: SearchIndex) -> None:
    times = answered(search_index, HARMONIC).timings
    assert times.search > 0
    assert times.extract > 0
    assert times.generate == 0
    answerer = catalog.answerer("extract", search_index)
    assert isinstance(answerer, Extract)
    assert answerer.of_ranking(typed(HARMONIC), ()).timings.search == 0
    assert answered(search_index, HARMONIC) == replace(
        answered(search_index, HARMONIC), timings=Timings()
    )


def test_the_description_has_every_parameter(search_index: SearchIndex) -> None:
    described = repr(catalog.answerer("extract", search_index))
    assert f"depth={DEPTH}" in described
    assert "answer_cosine=0.25" in described
    assert "limit=1200" in described


# The choice among the first answers


@pytest.mark.usefixtures("without_vectors")
def test_votes_and_acceptance_decide_among_equal_scores(search_index: SearchIndex) -> None:
    chooser = answer_chooser(search_index)
    # 102 is accepted and has 34 votes, 103 has 15, 104 has 9, and 170 fewer than none.
    assert ids(chooser, hits("170", "104", "103", "102")) == ["102", "103", "104", "170"]


@pytest.mark.usefixtures("without_vectors")
def test_votes_and_acceptance_do_not_outweigh_a_score(search_index: SearchIndex) -> None:
    chooser = answer_chooser(search_index)
    better = hits("170", score=1.0 + 1.01 * PREFERENCE)
    assert ids(chooser, (*better, *hits("102"))) == ["170", "102"]
    worse = hits("170", score=1.0 + 0.5 * PREFERENCE)
    assert ids(chooser, (*worse, *hits("102"))) == ["102", "170"]


@pytest.mark.usefixtures("without_vectors")
def test_equal_candidates_keep_the_order_of_the_ranking(search_index: SearchIndex) -> None:
    chooser = answer_chooser(search_index)
    negative = [
        post.id
        for post in search_index.collection.posts()
        if post.kind is PostKind.ANSWER and (post.score or 0) <= 0
    ][:3]
    assert ids(chooser, hits(*negative)) == negative
    assert ids(chooser, hits(*reversed(negative))) == negative[::-1]


def test_most_of_the_cosine_with_the_answer_is_taken_off(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    chooser = answer_chooser(search_index)
    assert chooser.answer_vector > 0
    cosines = np.array([0.0, 0.0]), np.array([1.0, 0.0])
    monkeypatch.setattr(AnswerChooser, "_cosines", lambda self, topic, found: cosines)
    found = chooser.of_ranking(typed(HARMONIC), hits("103", "104"))
    assert [each.post.post.id for each in found.every] == ["104", "103"]


def test_deleted_posts_are_left_out(search_index: SearchIndex) -> None:
    chooser = answer_chooser(search_index)
    assert set(ids(chooser, hits("99999999", "102", "104"))) == {"102", "104"}
    assert ids(chooser, hits("99999999")) == []


def test_only_the_first_of_a_ranking_are_candidates(search_index: SearchIndex) -> None:
    chooser = replace(answer_chooser(search_index), depth=2)
    assert set(ids(chooser, hits("102", "104", "103"))) == {"102", "104"}


# Formulas of other answers


def test_answers_with_the_same_final_formula_are_further_sources(search_index: SearchIndex) -> None:
    found = answered(search_index, SINE)
    check = found.verification.check
    assert check is not None
    assert check.latex == r"\frac\pi2"
    assert check.agreeing == (2, 3)
    assert [each.number for each in found.sources] == [1, 2, 3]
    for source in found.sources[1:]:
        assert len(source.passage) <= NEAREST_LENGTH
        assert r"\pi" in str(search_index.collection.post(source.doc_id).body)


SQUARES = r"\sum_{n=1}^\infty \frac{1}{n^2}"
SITE = [
    question(1, f"<p>What is the value of ${SQUARES}$?</p>", AcceptedAnswerId=2),
    answer(2, 1, rf"<p>The value of the sum is ${SQUARES} = \frac{{\pi^2}}{{6}}$.</p>", Score=90),
    answer(3, 1, "<p>The value of the series of squares was found by Euler.</p>", Score=3),
    answer(4, 1, rf"<p>The value of the sum is ${SQUARES} = \frac{{\pi^2}}{{8}}$.</p>", Score=2),
    answer(5, 1, r"<p>The value is $\sum_{k=1}^\infty k^{-2} = \pi^2/6$ as a series.</p>", Score=1),
    question(6, "<p>Which continuous functions have a derivative?</p>"),
    answer(7, 6, "<p>Not all of them.</p>"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    folder = tmp_path_factory.mktemp("site")
    with open_index(index_of_posts(folder, SITE)) as opened:
        yield opened


def test_answers_with_another_value_are_reported_by_their_new_numbers(site: SearchIndex) -> None:
    found = answered(site, f"What is the value of ${SQUARES}$?")
    assert found.sources[0].doc_id == "2"
    assert found.sources[0].is_accepted
    by_id = {each.doc_id: each.number for each in found.sources}
    # Post 3 has no value, so it is no source, and has no number.
    assert sorted(by_id) == ["2", "4", "5"]
    assert sorted(by_id.values()) == [1, 2, 3]
    check = found.verification.check
    assert check is not None
    assert check.agreeing == (by_id[DocId("5")],)
    assert check.contradicting == (by_id[DocId("4")],)
    first, second = sorted((by_id[DocId("4")], by_id[DocId("5")]))
    (between,) = found.verification.contradictions
    assert isinstance(between, Contradiction)
    assert (between.first_source, between.second_source) == (first, second)


def test_an_index_without_vectors_has_answers_too(site: SearchIndex) -> None:
    assert answer_chooser(site).answer_vector == 0.0
    found = answered(site, "which functions have a derivative")
    assert found.text == "Not all of them."
    assert answered(site, "how many functions of a car need a driver").text == ""
    (note,) = catalog.ranking_notes("extract", Task.SHORT_ANSWERS, site)
    assert note.startswith("extract ranks without vectors")


def test_a_notes_collection_has_answers(tmp_path: Path) -> None:
    notes = {
        "series.md": "# Harmonic series\n\nThe harmonic series $\\sum 1/n$ diverges slowly.\n",
        "groups.md": "# Groups\n\nA group is a set with an operation.\n",
    }
    with open_index(index_of_notes(tmp_path, notes)) as opened:
        found = answered(opened, "does the harmonic series diverge")
    assert "diverges slowly" in found.text
    (source,) = found.sources
    assert (source.kind, source.doc_id, source.thread_id) == (
        PostKind.DOCUMENT,
        "notes/series.md",
        "notes/series.md",
    )
    assert (source.votes, source.is_accepted) == (None, False)


def test_the_next_candidate_is_taken_if_no_passage_of_the_best_fits(tmp_path: Path) -> None:
    long = "+".join(f"a_{{{number}}}" for number in range(400))
    posts = [
        question(1, "<p>What is the long sum?</p>", Title="Long sum"),
        answer(2, 1, f"<p>$${long}$$</p>"),
        answer(3, 1, "<p>The long sum is zero.</p>"),
    ]
    with open_index(index_of_posts(tmp_path, posts)) as opened:
        answerer = catalog.answerer("extract", opened)
        assert isinstance(answerer, Extract)
        ranking = (*hits("2", score=2.0), *hits("3"))
        found = answerer.of_ranking(typed("what is the long sum"), ranking)
        alone = answerer.of_ranking(typed("what is the long sum"), ranking[:1])
    assert found.text == "The long sum is zero."
    assert found.sources[0].doc_id == "3"
    assert (alone.text, alone.reason) == ("", NOT_GOOD_ENOUGH)
