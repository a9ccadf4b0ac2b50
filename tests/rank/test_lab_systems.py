"""The systems of the lab: their queries by the equations of S4, and what they choose."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from math import log

import pytest

from porism.analysis import FormulaTokens
from porism.catalog import index_plan, ranker
from porism.collection.ingest.pipeline import IngestOptions as IngestOptions
from porism.collection.ingest.pipeline import ingest
from porism.collection.sample import sample_duplicates, sample_source, sample_topics
from porism.collection.store import open_collection
from porism.formats.topic_links import read_topic_links
from porism.formats.topics import read_topics
from porism.inverted import BM25_PLUS, Term
from porism.model import Formula, Task, Topic, TopicId
from porism.rank.query_builder import IndexRanker, formula_tokens, weighted_terms
from porism.rank.systems.holistic import Holistic, similar_formulas
from porism.rank.systems.l8 import L8Answers, L8Formulas
from porism.rank.systems.tangent_l import FULL, RawScore, TangentL
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.index_folder import SearchIndex, open_index

SQUARE = Formula("q_1", "x^2+x")
TOPIC = Topic(TopicId("A.1"), ("Roots of ", SQUARE, " and roots"), tags=("roots",))
KEYWORDS = frozenset({"root"})
NAMES = ("tangent-l", "tangent-l-holistic", "formula-base", "doc-base", "linked", "porism")


@pytest.fixture(scope="module")
def search_index(tmp_path_factory: pytest.TempPathFactory) -> SearchIndex:
    folder = tmp_path_factory.mktemp("systems")
    ingest(sample_source(), folder / "sample", IngestOptions(jobs=1))
    with open_collection(folder / "sample") as collection:
        build_index(
            collection, folder / "index", index_plan(NAMES), IndexOptions(), lambda progress: None
        )
    return open_index(folder / "index", duplicates=read_topic_links(sample_duplicates()))


def weights(terms: Sequence[Term]) -> dict[str, float]:
    return {term.token: round(term.weight, 9) for term in terms}


def test_equation_1_weighs_words_tokens_and_repetitions() -> None:
    (clause,) = TangentL(KEYWORDS, FULL, alpha=0.25, gamma=0.1)(TOPIC)
    weighted = weights(clause.terms)
    assert clause.model == BM25_PLUS
    assert weighted["root"] == pytest.approx(3 * 0.75)
    # alpha (1 - gamma) / max(gamma, 1 - gamma) is alpha, of which repetitions have a ninth
    assert weighted["(V!x,N!2,a)"] == pytest.approx(0.25)
    assert weighted["{V!x,nn}"] == pytest.approx(0.25 * 0.1 / 0.9)


def test_primary_counts_each_term_once() -> None:
    (clause,) = TangentL(KEYWORDS, FULL, 0.25, 0.1, counts_repeats=False)(TOPIC)
    weighted = weights(clause.terms)
    assert weighted["root"] == pytest.approx(0.75)
    assert {value for token, value in weighted.items() if token.startswith("(")} == {0.25}


def test_equation_2_has_no_words_and_no_alpha() -> None:
    (clause,) = RawScore(gamma=0.1)(Topic(TopicId("B.1"), focus=SQUARE))
    weighted = weights(clause.terms)
    assert weighted["(V!x,N!2,a)"] == pytest.approx(0.9)
    assert weighted["{V!x,nn}"] == pytest.approx(0.1)
    assert "root" not in weighted


def test_l8_weighs_tuples_by_alpha_and_words_by_the_rest() -> None:
    (clause,) = L8Answers(KEYWORDS)(TOPIC)
    weighted = weights(clause.terms)
    assert weighted["root"] == pytest.approx(3 * 0.82)
    assert weighted["(v!x,n!2,a)"] == pytest.approx(0.18)
    (clause,) = L8Formulas()(Topic(TopicId("B.1"), focus=Formula("q_1", r"\sin x")))
    weighted = weights(clause.terms)
    assert weighted["sin"] == pytest.approx(0.6)
    assert {value for token, value in weighted.items() if token.startswith("(")} == {0.4}


def test_similarity_of_a_formula_to_itself_is_1_and_highest(search_index: SearchIndex) -> None:
    visual_id = search_index.collection.instance("1000000013700000")
    most_similar = similar_formulas(
        search_index.formulas, Formula("q", visual_id.formula.latex), 300
    )
    assert most_similar[0] == (visual_id.formula.visual_id, 1.0)
    assert all(0 < value <= 1 for _, value in most_similar)


def test_equation_5_multiplies_the_tf_part_and_not_delta(search_index: SearchIndex) -> None:
    asking = Holistic(search_index.formulas, KEYWORDS, alpha=0.5, kappa=3)
    topic = Topic(TopicId("A.1"), (Formula("q", r"\sum_{n=1}^{\infty} n x^n"),))
    (clause,) = asking(topic)
    assert [term.weight for term in clause.terms] == [0.5] * 3
    assert clause.terms[0].similarity == 1.0
    assert clause.terms[0].token.startswith("@")
    unlike = min(clause.terms, key=lambda term: term.similarity)
    assert unlike.similarity < 1
    alone = replace(clause, terms=(unlike,))
    alike = replace(clause, terms=(unlike._replace(similarity=1.0),))
    bare = replace(alone, terms=(unlike._replace(similarity=0.0),))
    best = search_index.answers.search([alone], 1)[0].doc_id
    scores = [search_index.answers.scores([each], [best])[0] for each in (alone, alike, bare)]
    # The tf part is what the similarity multiplies; delta, 1, remains when it is 0.
    assert scores[0] - scores[2] == pytest.approx(unlike.similarity * (scores[1] - scores[2]))
    documents = search_index.answers.frequency(clause.field, unlike.token)
    assert scores[2] == pytest.approx(0.5 * log((search_index.answers.documents + 1) / documents))


def test_formula_base_takes_up_to_five_of_the_first_and_one_of_the_others(
    search_index: SearchIndex,
) -> None:
    topic = next(read_topics(sample_topics(2)))
    ranking = ranker("formula-base", Task.FORMULAS, search_index).rank(topic, 1000)
    visual_ids = [_visual_id(search_index, hit.doc_id) for hit in ranking]
    order = list(dict.fromkeys(visual_ids))
    assert all(visual_ids.count(visual_id) <= 5 for visual_id in order[:20])
    assert all(visual_ids.count(visual_id) == 1 for visual_id in order[20:])
    assert [
        visual_id for visual_id, _ in groupby(visual_ids)
    ] == order  # each formula's are together
    assert len(order) < len(visual_ids)


def test_doc_base_takes_similar_formulas_in_the_order_of_answers(search_index: SearchIndex) -> None:
    topic = next(read_topics(sample_topics(2)))
    ranking = ranker("doc-base", Task.FORMULAS, search_index).rank(topic, 1000)
    raw = IndexRanker(search_index.formulas, RawScore()).rank(topic, 10_000)
    likeness: dict[str, float] = {hit.doc_id: hit.score / raw[0].score for hit in raw}
    for hit in ranking:
        alone = len(list(search_index.collection.instances_in(hit.post_id or ""))) == 1
        assert alone or likeness[_visual_id(search_index, hit.doc_id)] >= 0.8


def _visual_id(search_index: SearchIndex, formula_id: str) -> str:
    instance = search_index.collection.instance(formula_id)
    return instance.visual_id or instance.formula.visual_id


def test_linked_ranks_answers_of_duplicates_by_votes(search_index: SearchIndex) -> None:
    topics = {topic.id: topic for topic in read_topics(sample_topics(1))}
    system = ranker("linked", Task.ANSWERS, search_index)
    ranking = system.rank(topics[TopicId("A.7")], 1000)
    votes = [search_index.collection.post(hit.doc_id).score or 0 for hit in ranking]
    assert {search_index.collection.parent(hit.doc_id) for hit in ranking} == {"509", "564"}
    assert votes == sorted(votes, reverse=True)
    assert system.rank(topics[TopicId("A.4")], 1000) == ()


def test_porism_puts_an_equal_formula_first(search_index: SearchIndex) -> None:
    latex = r"\frac{a}{b+c}+\frac{b}{c+a}+\frac{c}{a+b}\ge\frac32"
    topic = Topic(TopicId("B.1"), focus=Formula("q", latex))
    first = ranker("porism", Task.FORMULAS, search_index).rank(topic, 3)[0]
    assert first.post_id == "916"
    question = Topic(TopicId("A.1"), ("Nesbitt's inequality ", Formula("q", latex)))
    answers = ranker("porism", Task.ANSWERS, search_index).rank(question, 5)
    assert {search_index.collection.parent(hit.doc_id) for hit in answers[:3]} <= {"916", "972"}


def test_terms_of_a_query_are_counted_and_wildcards_stay() -> None:
    assert weighted_terms(["a", "b", "a"], 2.0) == (Term("a", 4.0), Term("b", 2.0))
    assert "(*,N!2,a)" in formula_tokens([Formula("q", "?x^2")], FormulaTokens.L8)
