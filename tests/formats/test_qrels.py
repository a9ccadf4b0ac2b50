"""Judgments and the tables published with them."""

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porism.errors import FormatError, PorismError
from porism.formats import text_lines
from porism.formats.qrels import (
    RunAnswerId,
    TopicInformation,
    VisualIdRow,
    read_answer_ids,
    read_qrels,
    read_topic_information,
    read_visual_ids,
    write_qrels,
)
from porism.model import DocId, Qrels, TopicId

IDS = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n\ufeff"), min_size=1).filter(
    lambda text: text == text.strip()
)
QRELS = st.builds(
    Qrels,
    st.dictionaries(
        IDS.map(TopicId),
        st.dictionaries(IDS.map(DocId), st.integers(-2, 6), min_size=1, max_size=4),
        min_size=1,
        max_size=4,
    ),
)


def written(folder: Path, text: str | bytes) -> Path:
    path = folder / "file.tsv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "A.1\t0\t77\t2\nA.1\t0\t78\t0\n",
        "A.1\t0\t77\t2\r\nA.1\t0\t78\t0\r\n",
        "A.1 0 77 2\nA.1  0  78  0",
        "A.1 xxx 77 2.0\n\nA.1 xxx 78 0.0\n\n",
        "\ufeffA.1\t0\t77\t2\nA.1\t0\t78\t0\n",
        "A.1\t0\t77\t2\nA.1\t0\t78\t0\nA.1\t0\t77\t2\n",
        gzip.compress(b"A.1\t0\t77\t2\nA.1\t0\t78\t0\n", mtime=0),
    ],
    ids=["tabs", "crlf", "blanks", "fractions", "mark", "twice", "gzip"],
)
def test_every_form_is_read(tmp_path: Path, text: str | bytes) -> None:
    assert read_qrels(written(tmp_path, text)).grades == {"A.1": {"77": 2, "78": 0}}


def test_grades_are_unchanged(tmp_path: Path) -> None:
    path = written(tmp_path, "A.1\t0\td_248\t5\nA.1\t0\td_3\t6\nA.1\t0\td_4\t-1\n")
    assert read_qrels(path).grades == {"A.1": {"d_248": 5, "d_3": 6, "d_4": -1}}


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("A.1\t0\t7\t2\nA.1\t0\t7\t3\n", 2, "document 7 of topic A.1 is graded 3 here and 2 above"),
        ("A.1\t0\t7\t2\n\nA.1\t0\t8\thigh\n", 3, "whose grade is not an integer"),
        ("A.1\t0\t7\t0.5\n", 1, "whose grade is not an integer"),
        ("A.1\t0\t7\tnan\n", 1, "whose grade is not an integer"),
        ("A.1\t0\t\t2\n", 1, "whose ids are empty"),
        ("A.1\tQ0\t7\t1\t0.5\tmine\n", 1, "a line of 6 columns, as in a run"),
        ("A.1\t7\t1\t0.5\tmine\n", 1, "a line of 5 columns, as in a run"),
        ("A.1\t7\t0.5\n", 1, "a line of 3 columns, as in a run"),
        ("Topic,post_id,AssessorID,#Answers,H\n", 1, "found topic information separated by commas"),
        ("mine\tA.1\td_1\n", 1, "found a line of 3 columns: expected qrels"),
        ("", 1, "the file has no judgments"),
        (b"A.1\t0\t7\t2\nA.1\t0\t\xe9\t2\n", 2, "the byte 0xe9 at 6 of this line: expected UTF-8"),
        (gzip.compress(b"A.1\t0\t7\t2\n" * 100, mtime=0)[:-9], 1, "truncated or damaged"),
    ],
)
def test_errors_are_reported_with_their_line(
    tmp_path: Path, text: str | bytes, line: int, why: str
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FormatError) as caught:
        read_qrels(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert why in caught.value.why


def test_endless_line_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_lines, "MAX_LINE", 100)
    with pytest.raises(FormatError, match="not text"):
        read_qrels(written(tmp_path, b"x" * 200))


def test_qrels_are_written_as_the_lab_writes_them(tmp_path: Path) -> None:
    path = tmp_path / "qrels.tsv"
    write_qrels(path, Qrels({TopicId("A.1"): {DocId("7"): 2, DocId("8"): 0}}))
    assert path.read_bytes() == b"A.1\t0\t7\t2\nA.1\t0\t8\t0\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(QRELS)
def test_qrels_read_back_equal(tmp_path: Path, qrels: Qrels) -> None:
    path = tmp_path / "qrels.tsv.gz"
    write_qrels(path, qrels)
    back = read_qrels(path)
    assert back == qrels
    assert [*back.grades] == [*qrels.grades]


@pytest.mark.parametrize("bad", ["", "a\tb", "a\n", " a", "\ud800"])
def test_unreadable_id_is_rejected_and_nothing_changes(tmp_path: Path, bad: str) -> None:
    path = written(tmp_path, "as it was")
    with pytest.raises(PorismError):
        write_qrels(path, Qrels({TopicId("A.1"): {DocId("7"): 1, DocId(bad): 2}}))
    assert path.read_text() == "as it was"
    assert [*tmp_path.iterdir()] == [path]


def test_topic_information_of_all_years_uses_the_same_words(tmp_path: Path) -> None:
    old = "Topic,post_id,TopicType,Difficulty,Dependence\r\nA.1,5,Calculation,Easy,Formula\r\n"
    new = "Topic,Category,Difficulty,Dependency,Multi-Part\nA.1,Computation,Low,Formula,No\n"
    expected = TopicInformation(TopicId("A.1"), "Computation", "Low", "Formula")
    assert [*read_topic_information(written(tmp_path, old))] == [expected]
    assert [*read_topic_information(written(tmp_path, new))] == [expected._replace(multi_part="No")]


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("A.1\t0\t7\t2\n", 1, "expected topic information with Topic, Category or TopicType"),
        ("", 1, "expected topic information"),
        ("Topic,Category,Difficulty,Dependency\nA.1,Proof,Low\n", 2, "found 3 values: expected 4"),
        ('Topic,Category,Difficulty,Dependency\nA.1,"Proof\n', 2, "cannot be split into cells"),
    ],
)
def test_other_tables_are_rejected_as_topic_information(
    tmp_path: Path, text: str, line: int, why: str
) -> None:
    with pytest.raises(FormatError) as caught:
        list(read_topic_information(written(tmp_path, text)))
    assert caught.value.line == line
    assert why in caught.value.why


def test_malformed_answer_ids_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="expected run, topic and answer id"):
        list(read_answer_ids(written(tmp_path, "A.1\t0\t7\t2\n")))


def test_visual_id_has_a_tree_or_latex(tmp_path: Path) -> None:
    path = written(tmp_path, "1\tNone\tx^2\r\n2\t[V!x]\tNone\r\n")
    assert [*read_visual_ids(path)] == [VisualIdRow("1", "", "x^2"), VisualIdRow("2", "[V!x]", "")]


@pytest.mark.parametrize("line", ["1\tNone\tNone", "x\t[V!x]\tNone", "1\t[V!x]"])
def test_malformed_visual_ids_are_rejected(tmp_path: Path, line: str) -> None:
    with pytest.raises(FormatError, match="expected visual id"):
        list(read_visual_ids(written(tmp_path, line)))


@pytest.mark.parametrize(
    ("name", "topics", "judgments"),
    [
        ("qrels/qrel_task1_2020_official.tsv", 77, 39_124),
        ("qrels/qrel_task1_2021_all.tsv", 89, 40_288),
        ("qrels/qrel_task1_2021_official.tsv", 71, 31_788),
        ("qrels/qrel_task2_2020_formula_id_all.tsv", 74, 19_391),
        ("qrels/qrel_task2_2020_formula_id_official.tsv", 45, 12_115),
        ("qrels/qrel_task2_2020_visual_id_v1.tsv", 45, 6_437),
        ("qrels/qrel_task2_2020_visual_id_v2.tsv", 45, 6_069),
        ("qrels/qrel_task2_2020_visual_id_v3.tsv", 45, 6_074),
        ("qrels/qrel_task2_2021_formula_id_all.tsv", 70, 12_508),
        ("qrels/qrel_task2_2021_visual_id_v2.tsv", 58, 8_108),
        ("qrels/qrel_task2_2021_visual_id_v3.tsv", 58, 8_115),
        ("qrels/qrel_task3_2022_official_complete.tsv", 78, 792),
        ("ntcir12/qrels.ntcir12-math-browsing-concrete.txt", 20, 1_202),
        ("ntcir12/qrels.ntcir12-math-browsing.txt", 40, 2_687),
    ],
)
def test_real_qrels_are_read_completely(
    shared: Path, name: str, topics: int, judgments: int
) -> None:
    grades = read_qrels(shared / "data" / name).grades
    assert (len(grades), sum(map(len, grades.values()))) == (topics, judgments)


def test_real_judgments_have_the_content_of_the_file(shared: Path) -> None:
    folder = shared / "data" / "qrels"
    posts = read_qrels(folder / "qrel_task1_2020_official.tsv").grades
    judged = [(topic, *pair) for topic, of_topic in posts.items() for pair in of_topic.items()]
    assert judged[0] == ("A.1", "2190525", 0)
    assert judged[9] == ("A.1", "12598", 0)
    assert judged[-1] == ("A.99", "3046525", 0)
    visual = read_qrels(folder / "qrel_task2_2020_visual_id_v1.tsv").grades
    assert visual[TopicId("B.1")][DocId("1")] == 2
    answers = read_qrels(folder / "qrel_task3_2022_official_complete.tsv").grades
    assert answers[TopicId("A.399")][DocId("d_964")] == 5


def test_other_real_files_are_rejected_as_qrels(shared: Path) -> None:
    folder = shared / "data" / "qrels"
    others = [path for path in folder.iterdir() if not path.name.startswith("qrel_")]
    assert len(others) == 8
    for path in [*others, *(shared / "data" / "runs").glob("*/*")]:
        with pytest.raises(FormatError, match="expected qrels"):
            read_qrels(path)


@pytest.mark.parametrize(("year", "count"), [(1, 77), (2, 71), (3, 78)])
def test_real_topic_information_uses_few_words(shared: Path, year: int, count: int) -> None:
    path = shared / "data" / "qrels" / f"Task1_ARQMath{year}_Topic_Information.csv"
    topics = [*read_topic_information(path)]
    assert len(topics) == count
    assert {word for topic in topics for word in topic.category.split(" & ")} == {
        "Computation",
        "Concept",
        "Proof",
    }
    assert {topic.difficulty for topic in topics} == {"Low", "Medium", "High"}
    assert {topic.dependency for topic in topics} == {"Text", "Formula", "Both"}


def test_real_topic_information_has_the_content_of_the_file(shared: Path) -> None:
    path = shared / "data" / "qrels" / "Task1_ARQMath2_Topic_Information.csv"
    topics = [*read_topic_information(path)]
    assert topics[0] == ("A.201", "Proof", "Low", "Text", "")
    assert topics[9] == ("A.212", "Computation", "Medium", "Formula", "")
    assert topics[-1] == ("A.300", "Concept", "Low", "Both", "")


def test_real_answer_ids_are_read(shared: Path) -> None:
    answers = [*read_answer_ids(shared / "data" / "qrels" / "task3_2022_teams_answer_id.tsv")]
    assert len(answers) == 1_399
    assert answers[0] == RunAnswerId(
        "approach0-task3-run1-manual-both-extract-A", TopicId("A.301"), DocId("d_1")
    )
    assert answers[9][1:] == ("A.310", "d_10")
    assert answers[-1] == ("TU_DBS-task3-shortest-auto-both-generate-P", "A.400", "d_943")


def test_real_visual_ids_are_read(shared: Path) -> None:
    path = shared / "data" / "qrels" / "task2_2020_visual_id_v1_file.tsv.gz"
    visual_ids = [*read_visual_ids(path)]
    assert len(visual_ids) == len({row.visual_id for row in visual_ids}) == 9_926
    assert sum(bool(row.slt) for row in visual_ids) == 1_443
    assert VisualIdRow("1", "", r"y=\frac{x^2-x+c}{x^2+x+2c}") in visual_ids
