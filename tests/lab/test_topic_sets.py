"""Sets of topics, read with their judgments and the posts to leave out."""

from pathlib import Path

import pytest

from porism.errors import FormatError, PorismError
from porism.formats.topics import write_topics
from porism.lab.topic_sets import (
    TopicSetFiles,
    read_topic_set,
    read_topic_sets,
    read_topics_of_task,
)
from porism.model import Formula, Topic, TopicId


def files(folder: Path, name: str, topics: str, qrels: str) -> TopicSetFiles:
    folder.mkdir(exist_ok=True)
    paths = TopicSetFiles(folder / f"{name}.xml", folder / f"{name}.tsv")
    write_topics(paths.topics, [Topic(TopicId(each), ("Why?",)) for each in topics.split()])
    paths.qrels.write_text(qrels)
    return paths


@pytest.fixture
def lab(tmp_path: Path) -> TopicSetFiles:
    return files(tmp_path, "lab", "A.1 A.2 A.3", "A.1 0 7 3\nA.1 0 8 0\nA.3 0 7 1\n")


@pytest.fixture
def links(tmp_path: Path) -> TopicSetFiles:
    return files(tmp_path, "links", "L.5", "L.5 0 9 2\n")


def test_topics_without_judgments_are_counted(lab: TopicSetFiles) -> None:
    read = read_topic_set(lab, 1)
    assert (read.name, read.topic_ids, read.unjudged) == ("lab.xml", ("A.1", "A.3"), 1)
    assert read.qrels.grades == {"A.1": {"7": 3, "8": 0}, "A.3": {"7": 1}}
    assert read.has_nonrelevant


def test_posts_to_leave_out_go_to_the_set_of_their_topic(
    lab: TopicSetFiles, links: TopicSetFiles, tmp_path: Path
) -> None:
    own, more = tmp_path / "own.tsv", tmp_path / "more.tsv"
    own.write_text("topic\tpost\nL.5\t50\nA.2\t20\nA.1\t10\n")
    more.write_text("topic\tpost\nL.5\t51\n")
    first, second = read_topic_sets([lab, links], 1, [own, more])
    assert first.leave_out.posts == {"A.1": ("10",)}
    assert second.leave_out.posts == {"L.5": ("50", "51")}
    assert not second.has_nonrelevant
    more.write_text("topic\tpost\nA.77\t51\n")
    with pytest.raises(PorismError, match=r"more.tsv has posts of .*A.77, but of no topic"):
        read_topic_sets([lab, links], 1, [own, more])


def test_names_are_unique(lab: TopicSetFiles, tmp_path: Path) -> None:
    other = files(tmp_path / "b", "lab", "A.9", "A.9 0 7 3\n")
    names = [each.name for each in read_topic_sets([lab, other], 1)]
    assert names == ["lab.xml", str(tmp_path / "b" / "lab.xml")]


def test_a_topic_of_two_sets_is_refused(lab: TopicSetFiles, tmp_path: Path) -> None:
    other = files(tmp_path / "b", "lab", "A.3", "A.3 0 7 3\n")
    with pytest.raises(PorismError, match=r"topic A.3 is in another file too"):
        read_topic_sets([lab, other], 1)


def test_judgments_of_other_topics_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no topic \(A.1, ...\) has judgments \(A.9, ...\)"):
        read_topic_set(files(tmp_path, "lab", "A.1", "A.9 0 7 3\n"), 1)


def test_topics_of_another_task_are_refused(lab: TopicSetFiles, tmp_path: Path) -> None:
    assert len(read_topics_of_task(lab.topics, 3)) == 3
    with pytest.raises(FormatError, match=r"found topics of Task 1 \(A.1\): expected .* Task 2"):
        read_topics_of_task(lab.topics, 2)
    formulas = tmp_path / "formulas.xml"
    write_topics(formulas, [Topic(TopicId("B.1"), ("Why?",), focus=Formula("q_1", "x"))])
    with pytest.raises(FormatError, match=r"found topics of Task 2"):
        read_topics_of_task(formulas, 1)
