"""zbMATH 2020: formula concepts of a table."""

import shutil
from pathlib import Path

import pytest

from porism.catalog import index_plan, ranker, ranking_notes
from porism.collection.sample import sample_topics
from porism.collection.store import open_collection
from porism.errors import FormatError, PorismError
from porism.formats.topics import read_topics
from porism.inverted import Filter
from porism.model import Formula, Task, Topic, TopicId
from porism.rank.ensembles.formula_concepts import FormulaConcept, read_concepts
from porism.rank.explanations import Explanation
from porism.rank.systems.l8 import L8Answers, l8
from porism.searchindex.builder import IndexOptions, build_index, set_rankers
from porism.searchindex.index_folder import open_index
from porism.searchindex.model_roles import ModelRole

TABLE = Path(__file__).with_name("concepts.tsv")


def topic(*content: str | Formula, tags: tuple[str, ...] = ()) -> Topic:
    return Topic(TopicId("A.1"), body=content, tags=tags)


def linked(*content: str | Formula) -> list[str]:
    return [each.concept.name for each in read_concepts(TABLE).linked(topic(*content))]


@pytest.fixture(scope="module")
def index(sample_collection: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample for l8, with the table of concepts."""
    folder = tmp_path_factory.mktemp("zbmath")
    options = IndexOptions(models={ModelRole.CONCEPTS: str(TABLE)})
    with open_collection(sample_collection) as collection:
        build_index(collection, folder, index_plan(["zbmath"]), options, lambda progress: None)
    return folder


@pytest.fixture(scope="module")
def topics() -> dict[str, Topic]:
    return {each.id: each for each in read_topics(sample_topics(1))}


def test_rows_of_one_concept_are_joined() -> None:
    assert read_concepts(TABLE).concepts[3] == FormulaConcept(
        "Q4", (r"e^{i\pi}=-1", r"e^{i\pi}+1=0"), ("Euler's identity",)
    )


def test_formulas_link_concepts_up_to_the_order_of_operands_and_renamed_variables() -> None:
    assert linked(Formula("q", "(p-1)!+1")) == ["Q1"]
    assert linked(Formula("q", "1+(n-1)!")) == ["Q1"]
    assert linked(Formula("q", r"\frac{x}{y+z}+\frac{y}{z+x}+\frac{z}{x+y}")) == ["Q2"]
    assert linked(Formula("q", "(p-2)!+1")) == []
    assert linked(Formula("q", "(p-1)!+1+x")) == []


def test_names_link_concepts_as_phrases() -> None:
    assert linked("Is this Wilson's theorem?") == ["Q1"]
    assert linked("a sticker for the album") == []
    table = read_concepts(TABLE)
    assert [each.evidence for each in table.linked(topic(tags=("coupon-collector",)))] == []
    (by_name,) = table.linked(topic("two sticker albums"))
    assert (by_name.concept.name, by_name.evidence) == ("Q3", "the name sticker album")
    assert linked("sticker", Formula("q", "x"), "album") == []


def test_a_concept_adds_names_and_formulas_that_the_topic_lacks(
    index: Path, topics: dict[str, Topic]
) -> None:
    with open_index(index) as search_index:
        system = ranker("zbmath", Task.ANSWERS, search_index)
        (own,) = L8Answers(search_index.keywords)(topics["A.12"])
        before = {term.token for term in own.terms}
        added = [token for token in system.tokens(topics["A.12"]) or () if token not in before]
        assert added[0] == "nesbitt"
        assert any("v!a" in token for token in added)
        assert set(system.tokens(topics["A.1"]) or ()) == {
            term.token
            for clause in L8Answers(search_index.keywords)(topics["A.1"])
            for term in clause.terms
        }


def test_a_topic_without_concepts_is_ranked_as_by_l8(index: Path, topics: dict[str, Topic]) -> None:
    with open_index(index) as search_index:
        system = ranker("zbmath", Task.ANSWERS, search_index)
        assert system.rank(topics["A.1"], 50) == l8(search_index).rank(topics["A.1"], 50)


def test_explanations_name_the_concept_and_sum_to_the_score(
    index: Path, topics: dict[str, Topic]
) -> None:
    with open_index(index) as search_index:
        system = ranker("zbmath", Task.ANSWERS, search_index)
        labels: list[str] = []
        for each in topics.values():
            found = system.rank(each, 30)
            explained = system.explain(each, [hit.doc_id for hit in found])
            assert [one.value for one in explained] == pytest.approx(
                [hit.score for hit in found], rel=1e-5
            )
            labels += [label for one in explained for label in _concepts(one)]
        assert any(label.startswith("concept Q2, by the formula ") for label in labels)
        assert any(label == "concept Q3, by the name sticker album" for label in labels)


def _concepts(explained: Explanation) -> list[str]:
    return [each.label for each in explained.details if each.label.startswith("concept")]


def test_filters_count(index: Path, topics: dict[str, Topic]) -> None:
    with open_index(index) as search_index:
        system = ranker("zbmath", Task.ANSWERS, search_index)
        found = system.rank(topics["A.12"], 10)
        within = Filter(documents=frozenset({found[3].doc_id}))
        assert system.rank(topics["A.12"], 10, within) == (found[3],)


def test_an_index_without_a_table_is_refused_with_the_option(
    sample_index: Path, tmp_path: Path
) -> None:
    copied = shutil.copytree(sample_index.parent, tmp_path / "sample") / sample_index.name
    set_rankers(copied, IndexOptions(models={ModelRole.CONCEPTS: ""}))
    with (
        open_index(copied) as search_index,
        pytest.raises(PorismError, match=r"zbmath needs .* --model concepts="),
    ):
        ranker("zbmath", Task.ANSWERS, search_index)


def test_notes_are_about_what_is_missing(index: Path) -> None:
    with open_index(index) as search_index:
        assert ranking_notes("zbmath", Task.ANSWERS, search_index) == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: the file is empty"),
        ("concept\tformula\n", ":1: found the columns concept, formula: expected one named names"),
        ("concept\tformula\tnames\n", ":2: the table has no rows"),
        ("concept\tformula\tnames\nQ1\tx\n", ":2: found 2 cells: expected 3"),
        ("concept\tformula\tnames\n\tx\ta\n", ":2: found no concept"),
        (
            "concept\tformula\tnames\nQ1\tx\ta\nQ2\t\t | \n",
            ":3: Q2 has neither a formula nor a name",
        ),
        (
            "concept\tformula\tnames\nQ1\t\\frac{1}{x\ta\n",
            ":2: the formula .* cannot be read: brace",
        ),
        ("concept\tformula\tnames\nQ1\t{}\ta\n", ":2: the formula '{}' has no symbols"),
        ("concept\tformula\tnames\nQ1\tx\t--\n", ":2: the name '--' has no words"),
        ("concept\tformula\tnames\nQ1\tx\t\0\n", ":2: found a NUL"),
    ],
)
def test_bad_tables_are_refused_with_line_and_reason(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "table.tsv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_concepts(path)


def test_a_folder_is_not_a_table(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="this is not a file"):
        read_concepts(tmp_path)
