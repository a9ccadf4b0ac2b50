"""MathAMR: the sentences around formulas, re-ranking by them, and graphs of another parser."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from porism.analysis.sentence_graphs import GraphNode, RuleParser, formula_node, linearised
from porism.catalog import ranker
from porism.collection.sample import sample_topics
from porism.collection.schema import InstancePlace
from porism.errors import PorismError
from porism.formats.topics import read_topics
from porism.model import Content, DocId, Formula, Hit, Task, Topic, TopicId
from porism.rank.rerank import Rerank
from porism.rank.structure import amr_parser
from porism.rank.structure.amr_parser import AmrParser, penman_graph, sentence_parser
from porism.rank.structure.approach0 import APPROACH0_FORMULAS
from porism.rank.structure.math_amr import DEPTH, WEIGHT, MathAmrScorer, graph_lines
from porism.searchindex.index_folder import SearchIndex, open_index
from tests.searchindex.hash_encoder import HashEncoder


@pytest.fixture
def search_index(hash_index: Path, hash_encoder: HashEncoder) -> Iterator[SearchIndex]:
    with open_index(hash_index) as opened:
        yield opened


def topics() -> list[Topic]:
    return list(read_topics(sample_topics(2)))


def test_scores_are_those_of_the_first_stage_and_the_cosines(search_index: SearchIndex) -> None:
    system = ranker("math-amr", Task.FORMULAS, search_index)
    first = APPROACH0_FORMULAS.make(search_index)
    scorer = MathAmrScorer(search_index, graph_lines(search_index))
    for topic in topics()[:3]:
        candidates = first.rank(topic, DEPTH)
        cosines = dict(
            zip(
                (hit.doc_id for hit in candidates),
                scorer.scores(topic, candidates).tolist(),
                strict=True,
            )
        )
        assert all(0 <= cosine <= 1.001 for cosine in cosines.values())
        best = candidates[0].score
        ranking = system.rank(topic, 20)
        for hit in ranking:
            own = next(each.score for each in candidates if each.doc_id == hit.doc_id)
            assert hit.score == pytest.approx(own / best + WEIGHT * cosines[hit.doc_id], abs=1e-5)
        explained = system.explain(topic, [hit.doc_id for hit in ranking])
        assert [each.value for each in explained] == pytest.approx(
            [hit.score for hit in ranking], rel=1e-5
        )


def test_lines_are_of_the_text_that_has_the_formula(search_index: SearchIndex) -> None:
    scorer = MathAmrScorer(search_index, graph_lines(search_index))
    places: dict[InstancePlace, str] = {}
    for instance in search_index.collection.instances():
        places.setdefault(instance.place, instance.id)
    assert set(places) == set(InstancePlace)
    for formula_id in places.values():
        formula = search_index.collection.instance(formula_id).formula
        own = linearised(formula_node(Formula("", formula.latex, macros=formula.macros)))
        assert own in scorer._occurrence_line(formula_id)


def test_vectors_of_lines_are_remembered(
    search_index: SearchIndex, hash_encoder: HashEncoder
) -> None:
    system = ranker("math-amr", Task.FORMULAS, search_index)
    topic = topics()[0]
    once = system.rank(topic, 10)
    hash_encoder.encoded.clear()
    assert system.rank(topic, 10) == once
    assert hash_encoder.encoded == []


def test_topics_without_formulas_or_hits_have_no_scores(search_index: SearchIndex) -> None:
    system = ranker("math-amr", Task.FORMULAS, search_index)
    assert isinstance(system, Rerank)
    nothing = Topic(TopicId("B.1"), ("words",))
    hits = (Hit(DocId(next(search_index.collection.instances()).id), 1.0),)
    assert system.scorer.scores(nothing, hits).tolist() == [0.0]
    assert system.rank(nothing, 5) == ()
    typed = Topic(TopicId("B.2"), focus=Formula("q", "x^2"))
    assert len(system.scorer.scores(typed, hits)) == 1
    assert system.scorer.scores(typed, ()).tolist() == []


SENTENCE: Content = ("Find the roots of ", Formula("7", "x^2"), ".")
MATH = formula_node(Formula("", "x^2"))


class FakeModel:
    """What amrlib would load."""

    def __init__(self, *graphs: str | None) -> None:
        self.graphs, self.sentences = graphs, list[str]()

    def parse_sents(self, sents: list[str], add_metadata: bool = True) -> list[str | None]:
        assert not add_metadata
        self.sentences += sents
        return list(self.graphs)


def test_operator_trees_replace_formulas_in_graphs_of_amr() -> None:
    model = FakeModel("(f / find-01\n   :ARG1 (r / root :poss (e / eqx0eqx)))")
    (graph,) = AmrParser(model, "folder").graphs([SENTENCE])
    assert model.sentences == ["Find the roots of eqx0eqx ."]
    assert linearised(graph) == "find :arg1 root :poss math sup x 2"


@pytest.mark.parametrize(
    "penman", [None, "", "(f / find-01", "(f find)", "(f / find) x", "(f / find :a)", "()" * 9]
)
def test_what_is_no_graph_is_parsed_by_rules(penman: str | None) -> None:
    (graph,) = AmrParser(FakeModel(penman), "folder").graphs([SENTENCE])
    assert graph == RuleParser().graphs([SENTENCE])[0]


def test_a_formula_that_the_parser_lost_is_at_the_root() -> None:
    (graph,) = AmrParser(FakeModel("(f / find-01)"), "folder").graphs([SENTENCE])
    assert graph == GraphNode("find", ((":math", MATH),))


def test_names_and_repeated_variables_are_resolved() -> None:
    graph = penman_graph('(a / and :op1 (n / name :op1 "EQX0EQX") :op2 n)', {"0": MATH})
    assert linearised(graph) == "and :op1 name :op1 math sup x 2 :op2 name"


def test_a_deep_graph_is_refused() -> None:
    with pytest.raises(ValueError, match="not complete"):
        penman_graph("(a / b :c " * 500 + "d" + ")" * 500, {})


def test_without_a_model_graphs_are_made_by_rules() -> None:
    assert sentence_parser(None) == RuleParser()


def test_a_model_without_amrlib_or_of_another_kind_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "amrlib", None)
    with pytest.raises(PorismError, match="pip install amrlib"):
        sentence_parser(str(tmp_path / "one"))

    def missing(model_dir: str) -> None:
        raise FileNotFoundError(2, "No such file", model_dir)

    monkeypatch.setitem(sys.modules, "amrlib", SimpleNamespace(load_stog_model=missing))
    with pytest.raises(PorismError, match=r"cannot be opened as a model of amrlib.*amrlib_meta"):
        sentence_parser(str(tmp_path / "two"))
    loaded = SimpleNamespace(load_stog_model=lambda model_dir: FakeModel())
    monkeypatch.setitem(sys.modules, "amrlib", loaded)
    parser = sentence_parser(str(tmp_path / "three"))
    assert repr(parser) == f"AmrParser({str(tmp_path / 'three')!r})"
    assert sentence_parser(str(tmp_path / "three")) is parser
    amr_parser._opened.cache_clear()
