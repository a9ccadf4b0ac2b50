"""The soft cosine systems: equality with a slow reference, golden scores, filters, explanations."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import log, log2, sqrt
from pathlib import Path

import pytest

from porism.analysis import Document, FieldSpec, document_tokens, prefix_text
from porism.catalog import index_plan, ranker, ranking_notes
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source, sample_topics
from porism.collection.store import Collection, open_collection
from porism.embed import open_encoder
from porism.embed.words.word_models import read_word_model, write_word_model
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.inverted import Filter
from porism.model import Formula, PostKind, Task, Topic, TopicId
from porism.rank.explanations import nodes
from porism.rank.soft_cosine.scm_systems import BETA, TEXT_ALPHA, scm, scm_2022
from porism.rank.soft_cosine.similarity_matrix import TermSimilarities, open_similarities
from porism.rank.soft_cosine.soft_fields import JOINT, TEXT, TUPLES
from porism.rank.soft_cosine.soft_ranking import SoftCosineRanker
from porism.searchindex.builder import IndexOptions, build_index
from porism.searchindex.components.vector_index import question_text
from porism.searchindex.formula_table import stored_tokens
from porism.searchindex.index_folder import SearchIndex, open_index
from porism.searchindex.indexing import VectorChoice, index_collection
from porism.searchindex.model_roles import ModelRole, VectorRole
from porism.searchindex.thread_documents import thread_documents
from tests.embed.words.tiny_word_models import collection_fasttext, tiny_doc2vec

TOPICS = tuple(read_topics(sample_topics(Task.ANSWERS)))[:4]
FIELDS = (JOINT, TEXT, TUPLES)


@pytest.fixture(scope="module")
def search_index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SearchIndex]:
    folder = tmp_path_factory.mktemp("soft")
    ingest(sample_source(), folder / "sample", IngestOptions(jobs=1))
    with open_collection(folder / "sample") as collection:
        write_word_model(folder / "model", collection_fasttext(collection))
        options = IndexOptions(models={ModelRole.FASTTEXT: str(folder / "model")})
        build_index(collection, folder / "index", FIELDS, options, lambda progress: None)
    with open_index(folder / "index") as opened:
        yield opened


Weights = Mapping[str, float]


class SlowField:
    """All documents of a field as dictionaries, and the scores of topics by the definition."""

    def __init__(
        self, search_index: SearchIndex, spec: FieldSpec, similarities: TermSimilarities
    ) -> None:
        texts = dict(_documents(search_index.collection, spec))
        self.counts = {doc_id: Counter(tokens) for doc_id, tokens in texts.items()}
        self.frequencies = Counter(token for of in self.counts.values() for token in of)
        self.average = sum(map(len, texts.values())) / len(texts)
        self.spec = spec
        self.similar = {
            term: {
                similarities.terms[similarities.columns[cell]]: float(similarities.values[cell])
                for cell in range(similarities.starts[row], similarities.starts[row + 1])
            }
            for row, term in enumerate(similarities.terms)
        }

    def idf(self, term: str) -> float:
        number, having = len(self.counts), self.frequencies[term]
        if self.spec is JOINT:
            return log2(number / having)
        return log(1 + (number - having + 0.5) / (having + 0.5))

    def document(self, doc_id: str) -> Weights:
        counts = self.counts[doc_id]
        share = sum(counts.values()) / self.average
        norm = self.spec.k1 * (1 - self.spec.b + self.spec.b * share)
        if self.spec is JOINT:
            return {
                term: (1 + log2(1 + log2(count))) * self.idf(term) / norm
                for term, count in counts.items()
            }
        return {term: count / (count + norm) * self.idf(term) for term, count in counts.items()}

    def topic(self, tokens: Sequence[str]) -> Weights:
        counts = Counter(tokens)
        if self.spec is JOINT:
            return {
                term: (1 + log2(1 + log2(count))) * self.idf(term)
                for term, count in counts.items()
                if self.frequencies[term]
            }
        return counts

    def product(self, one: Weights, two: Weights) -> float:
        """The sum of x_i S_ij y_j."""
        return sum(
            weight
            * (
                two.get(term, 0.0)
                + sum(
                    value * two.get(other, 0.0)
                    for other, value in self.similar.get(term, {}).items()
                )
            )
            for term, weight in one.items()
        )

    def ratio(self, vector: Weights) -> float:
        """What keeps the length of a vector."""
        soft = self.product(vector, vector)
        return sqrt(sum(weight**2 for weight in vector.values()) / soft) if soft else 1.0

    def score(self, tokens: Sequence[str], doc_id: str) -> float:
        one, two = self.topic(tokens), self.document(doc_id)
        return self.product(one, two) * self.ratio(one) * self.ratio(two)


def _documents(collection: Collection, spec: FieldSpec) -> Iterator[tuple[str, list[str]]]:
    def tokens_of(formula: Formula, kind: str) -> list[str]:
        (wanted,) = spec.formula_tokens
        return list(stored_tokens(collection, int(formula.number or 0), wanted) or ())

    def of(documents: Iterator[Document]) -> Iterator[tuple[str, list[str]]]:
        for document in documents:
            yield document.id, document_tokens(spec, document, tokens_of)

    for post in collection.posts():
        if post.kind is not PostKind.ANSWER:
            yield from of(thread_documents(collection.thread(post.id)))


def soft_ranker(made: object) -> SoftCosineRanker:
    assert isinstance(made, SoftCosineRanker)
    return made


@pytest.mark.parametrize("make", [scm, scm_2022])
def test_scores_are_those_of_the_definition(search_index: SearchIndex, make: object) -> None:
    assert callable(make)
    system = soft_ranker(make(search_index))
    fields = [SlowField(search_index, each.spec, each.similarities) for each in system.fields]
    for topic in TOPICS[:1]:
        ranking = system.rank(topic, 10_000)
        expected = {
            doc_id: sum(
                each.weight * slow.score(each.topic_tokens(topic), doc_id)
                for each, slow in zip(system.fields, fields, strict=True)
            )
            for doc_id in fields[0].counts
        }
        assert {hit.doc_id: hit.score for hit in ranking} == pytest.approx(
            {doc_id: score for doc_id, score in expected.items() if score}, rel=1e-5
        )
        assert system.rank(topic, 3) == ranking[:3]


def test_golden_scores(search_index: SearchIndex) -> None:
    golden = {
        name: [
            (hit.doc_id, round(hit.score, 3))
            for hit in ranker(name, Task.ANSWERS, search_index).rank(TOPICS[0], 3)
        ]
        for name in ("scm", "scm-2022")
    }
    assert golden == {
        "scm": [("955", 405.551), ("138", 376.769), ("189", 369.027)],
        "scm-2022": [("138", 103.388), ("140", 97.612), ("102", 87.246)],
    }


def test_the_title_and_the_tags_of_a_topic(search_index: SearchIndex) -> None:
    topic = Topic(TopicId("A.1"), ("Sum ", Formula("1", "x")), ("root",), tags=("real-analysis",))
    (joint,) = soft_ranker(scm(search_index)).fields
    assert joint.topic_tokens(topic) == ["sum", "V!x", "root", "real", "analysis"]
    text, tuples = soft_ranker(scm_2022(search_index)).fields
    assert text.topic_tokens(topic) == ["sum", "sum", "root"]
    assert Counter(tuples.topic_tokens(topic)) == {"(V!x,!0)": 5, "(V!x,!0,-)": 5}
    assert (text.weight, tuples.weight) == (BETA, 1 - BETA)


def test_a_filter_and_explanations(search_index: SearchIndex) -> None:
    for name in ("scm", "scm-2022"):
        system = ranker(name, Task.ANSWERS, search_index)
        ranking = system.rank(TOPICS[1], 5)
        some = frozenset(hit.doc_id for hit in ranking[1::2])
        within = Filter(documents=some)
        assert system.rank(TOPICS[1], 5, within) == tuple(ranking[1::2])
        assert system.rank(replace(TOPICS[1], title=(), body=(), tags=()), 5) == ()
        for hit, explained in zip(
            ranking, system.explain(TOPICS[1], [hit.doc_id for hit in ranking]), strict=True
        ):
            assert explained.value == pytest.approx(hit.score, rel=1e-5)
            for node in nodes(explained):
                if node.details:
                    assert node.value == pytest.approx(sum(each.value for each in node.details))
        assert system.tokens(TOPICS[1])


def test_spelling_and_vectors_are_combined(search_index: SearchIndex) -> None:
    folder = str(search_index.model(ModelRole.FASTTEXT))
    semantic, both = (open_similarities(folder, "words", alpha) for alpha in (0.0, TEXT_ALPHA))
    model = read_word_model(Path(folder), "fasttext")
    assert len(both.values) > len(semantic.values)
    total = 0.3 * semantic.values.sum() + 0.7 * model.arrays["words-lexical-values"].sum()
    assert both.values.sum() == pytest.approx(total)
    assert open_similarities(folder, "words", 0.0) is semantic


def test_an_index_without_a_model_is_refused(search_index: SearchIndex, tmp_path: Path) -> None:
    with open_collection(search_index.collection_path) as collection:
        build_index(collection, tmp_path, FIELDS, IndexOptions(), lambda progress: None)
    with open_index(tmp_path) as without:
        message = (
            r"scm needs a model of the role fasttext.*porism train fasttext .* -o MODEL, then "
            r"porism index .* --model fasttext=MODEL"
        )
        with pytest.raises(PorismError, match=message):
            ranker("scm", Task.ANSWERS, without)
        with pytest.raises(PorismError, match=r"porism train doc2vec .* --model formula2vec=MODEL"):
            ranker("formula2vec", Task.ANSWERS, without)
    assert ranking_notes("scm", Task.ANSWERS, search_index) == ()


def test_formula2vec_ranks_by_the_vectors_of_a_doc2vec_model(
    search_index: SearchIndex, tmp_path: Path
) -> None:
    words = ["sum", "series", "converge", "integral", "sup", "plus", "x", "n", "the"]
    write_word_model(tmp_path / "model", tiny_doc2vec(words))
    choice = VectorChoice(is_used=False, models={VectorRole.FORMULA2VEC: str(tmp_path / "model")})
    with open_collection(search_index.collection_path) as collection:
        plan = index_plan(["formula2vec"])
        index_collection(
            collection, tmp_path / "index", plan, choice, IndexOptions(), lambda progress: None
        )
        encoder = open_encoder(str(tmp_path / "model"))
        with open_index(tmp_path / "index") as opened:
            system = ranker("formula2vec", Task.ANSWERS, opened)
            ranking = system.rank(TOPICS[0], 3)
            query = encoder.encode(
                [question_text(TOPICS[0].title, TOPICS[0].body, VectorRole.FORMULA2VEC)]
            )[0]
            for hit in ranking:
                text = prefix_text(collection.post(hit.doc_id).body)
                assert hit.score == pytest.approx(
                    float(query @ encoder.encode([text])[0]), abs=0.02
                )
    assert len(ranking) == 3
