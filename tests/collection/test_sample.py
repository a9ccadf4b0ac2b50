"""The sample collection: large enough, and consistent."""

from collections import Counter
from pathlib import Path

import pytest

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.ingest.report import IngestReport
from porism.collection.sample import sample_qrels, sample_source, sample_topics
from porism.collection.store import Collection, open_collection
from porism.formats.qrels import read_qrels
from porism.formats.topics import read_topics
from porism.model import Formula, PostKind


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Collection, IngestReport]:
    folder = tmp_path_factory.mktemp("sample")
    report = ingest(sample_source(), folder, IngestOptions(jobs=1))
    return open_collection(folder), report


def test_the_sample_has_enough_of_everything(made: tuple[Collection, IngestReport]) -> None:
    _, report = made
    assert report.questions >= 60
    assert report.answers >= 130
    assert report.instances >= 900
    assert report.comments > 0
    assert report.links > 0


def test_every_formula_is_parsed(made: tuple[Collection, IngestReport]) -> None:
    collection, report = made
    assert [each.latex for each in collection.formulas() if each.problem] == []
    assert report.left_out == 0


def test_prices_are_not_formulas(made: tuple[Collection, IngestReport]) -> None:
    collection, _ = made
    latex = {each.latex for each in collection.formulas()}
    prose = " ".join(
        piece for post in collection.posts() for piece in post.body if isinstance(piece, str)
    )
    assert "$10" in prose
    assert not any(formula.endswith((" and", " and ", " or ")) for formula in latex)


def test_a_dozen_fields_and_duplicates(made: tuple[Collection, IngestReport]) -> None:
    collection, _ = made
    tags = Counter(tag for post in collection.posts(PostKind.QUESTION) for tag in post.tags)
    assert len(tags) >= 12
    duplicates = collection._connection.execute("SELECT count(*) FROM links WHERE kind = 3")
    assert duplicates.fetchone()[0] >= 5


def test_every_judged_answer_is_there(made: tuple[Collection, IngestReport]) -> None:
    collection, _ = made
    qrels = read_qrels(sample_qrels(1))
    topics = list(read_topics(sample_topics(1)))
    assert len(topics) == 12
    assert {topic.id for topic in topics} == set(qrels.grades)
    for grades in qrels.grades.values():
        assert {0, 3} <= set(grades.values())
        assert all(collection.post(doc_id).kind is PostKind.ANSWER for doc_id in grades)


def test_every_judged_formula_is_there(made: tuple[Collection, IngestReport]) -> None:
    collection, _ = made
    qrels = read_qrels(sample_qrels(2))
    topics = list(read_topics(sample_topics(2)))
    assert len(topics) == 12
    assert {topic.id for topic in topics} == set(qrels.grades)
    for grades in qrels.grades.values():
        assert max(grades.values()) == 3
        for formula_id in grades:
            assert collection.instance(formula_id).formula.latex


def test_formula_topics_are_from_the_same_questions(tmp_path: Path) -> None:
    answers, formulas = (list(read_topics(sample_topics(task))) for task in (1, 2))
    for answer_topic, formula_topic in zip(answers, formulas, strict=True):
        assert answer_topic.body == formula_topic.body
        pieces = (*formula_topic.title, *formula_topic.body)
        focus = formula_topic.focus
        assert focus is not None
        assert (focus.id, focus.latex) in {
            (piece.id, piece.latex) for piece in pieces if isinstance(piece, Formula)
        }
