"""Topics made of links."""

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.questions import question_links
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.formats.link_pairs import read_link_pairs
from porism.formats.qrels import read_qrels
from porism.formats.topic_links import read_topic_links
from porism.formats.topics import read_topics
from porism.lab.topics.link_topics import (
    LinkTopics,
    link_topics,
    topic_records,
    write_link_topics,
)
from porism.model import Content, DocId, Formula, LinkKind, Topic, TopicId
from tests.collection.dumps import answer, question, write_table

POSTS = [
    question(1, '<p>Is <span class="math-container" id="51">x&lt;1</span>?</p>', Tags="<sets>"),
    answer(12, 1),
    question(2),
    answer(22, 2),
    answer(21, 2),
    question(3),
    answer(31, 3),
    question(4),
    question(10),
    question(6),
    answer(61, 6),
]
LINKS = [
    (1, 2, 3),
    (1, 2, 1),  # linked twice: the higher grade counts
    (3, 1, 1),  # a link to a topic counts as one from it
    (1, 1, 1),  # with itself
    (4, 2, 1),  # a question without answers is a topic
    (10, 4, 3),  # nothing to find for either of them
    (6, 99, 3),  # not in the collection
]


def collection(folder: Path, links: list[tuple[int, int, int]]) -> Path:
    rows = [
        {"Id": number, "PostId": one, "RelatedPostId": other, "LinkTypeId": kind}
        for number, (one, other, kind) in enumerate(links, start=1)
    ]
    write_table(folder / "dump", "Posts", POSTS)
    write_table(folder / "dump", "PostLinks", rows)
    ingest(folder / "dump", folder / "site", IngestOptions(jobs=1))
    return folder / "site"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    with open_collection(collection(tmp_path_factory.mktemp("links"), LINKS)) as opened:
        yield opened


def grades(made: LinkTopics) -> dict[TopicId, dict[DocId, int]]:
    return {each.id: dict(each.grades) for each in made.topics}


def pairs(made: LinkTopics) -> list[tuple[str, str, str]]:
    return [(link.post_id, link.related_id, link.kind) for link in made.links]


def test_answers_of_linked_questions_are_relevant_in_both_directions(site: Collection) -> None:
    made = link_topics(site)
    assert grades(made) == {
        "L.1": {"21": 3, "22": 3, "31": 2},
        "L.2": {"12": 3},
        "L.3": {"12": 2},
        "L.4": {"21": 2, "22": 2},
    }
    assert list(made.topics[0].grades) == ["21", "22", "31"]
    assert {each.id: each.own_posts for each in made.topics} == {
        "L.1": ("12",),
        "L.2": ("21", "22"),
        "L.3": ("31",),
        "L.4": (),
    }
    assert made.candidates == 4


def test_links_are_between_two_questions_of_the_collection(site: Collection) -> None:
    every = [(link.post_id, link.related_id, link.kind) for link in question_links(site)]
    assert every == [
        ("1", "2", "duplicate"),
        ("1", "2", "related"),
        ("3", "1", "related"),
        ("4", "2", "related"),
        ("10", "4", "duplicate"),
    ]
    assert pairs(link_topics(site)) == every


def test_only_links_of_the_given_kinds_are_judgments(site: Collection) -> None:
    made = link_topics(site, frozenset({LinkKind.DUPLICATE}))
    assert grades(made) == {"L.1": {"21": 3, "22": 3}, "L.2": {"12": 3}}
    # The other kind would still put the titles of topics into documents of other questions.
    assert ("3", "1", "related") in pairs(made)


def test_a_sample_is_the_same_for_the_same_seed(site: Collection) -> None:
    samples = {seed: tuple(grades(link_topics(site, limit=2, seed=seed))) for seed in range(9)}
    assert samples == {
        seed: tuple(grades(link_topics(site, limit=2, seed=seed))) for seed in range(9)
    }
    assert len(set(samples.values())) > 1
    assert all(len(sample) == 2 for sample in samples.values())
    assert grades(link_topics(site, limit=9)) == grades(link_topics(site))
    only = link_topics(site, limit=1, seed=0)
    assert all(only.topics[0].question_id in pair[:2] for pair in pairs(only))
    assert only.candidates == 4


def test_topics_have_the_text_of_their_questions(site: Collection) -> None:
    (first, *_) = topic_records(site, link_topics(site))
    assert first.tags == ("sets",)
    assert first.title == ("Question 1",)
    assert [piece for piece in first.body if isinstance(piece, Formula)] == [Formula("51", "x<1")]


def test_the_files_can_be_read(site: Collection, tmp_path: Path) -> None:
    made = link_topics(site)
    names = write_link_topics(tmp_path / "out", site, made, {"seed": 0})
    assert names == (
        "links.json",
        "links.tsv",
        "own_posts.tsv",
        "qrels_task1.tsv",
        "topics_task1.xml",
    )
    out = tmp_path / "out"
    assert list(read_topics(out / "topics_task1.xml")) == list(topic_records(site, made))
    assert read_qrels(out / "qrels_task1.tsv").grades == grades(made)
    assert read_topic_links(out / "own_posts.tsv")[TopicId("L.2")] == ("21", "22")
    assert list(read_link_pairs(out / "links.tsv")) == [pair[:2] for pair in pairs(made)]
    assert json.loads((out / "links.json").read_text()) == {
        "settings": {"seed": 0},
        "candidates": 4,
        "topics": 4,
        "judgments": {"3": 3, "2": 4},
        "own_posts": 4,
        "links": {"duplicate": 2, "related": 3},
    }
    with pytest.raises(PorismError, match="already exists"):
        write_link_topics(out, site, made, {})


@pytest.mark.parametrize(
    ("links", "kinds", "message"),
    [
        ([], frozenset(LinkKind), "no two questions are linked with each other"),
        ([(6, 99, 3)], frozenset(LinkKind), "no two questions are linked with each other"),
        ([(1, 2, 1)], frozenset({LinkKind.DUPLICATE}), "none of 1 links between questions is of"),
        ([(4, 10, 1)], frozenset(LinkKind), "no linked question has answers"),
    ],
)
def test_a_collection_without_such_links_is_refused(
    tmp_path: Path,
    links: list[tuple[int, int, int]],
    kinds: frozenset[LinkKind],
    message: str,
) -> None:
    with (
        open_collection(collection(tmp_path, links)) as opened,
        pytest.raises(PorismError, match=message),
    ):
        link_topics(opened, kinds)


def _link_rows(path: Path) -> set[tuple[str, str, str]]:
    row = r'<row PostId="(\d+)" RelatedPostId="(\d+)" LinkTypeId="(\d)"'
    return set(re.findall(row, gzip.decompress(path.read_bytes()).decode()))


def _with_ids_of(ours: Content, theirs: Content) -> Content:
    """Our content without the ids that ingest gave to formulas that have none in the source."""
    return tuple(
        replace(own, id="") if isinstance(own, Formula) and not other.id else own
        for own, other in zip(
            ours,
            (each if isinstance(each, Formula) else Formula("any", "") for each in theirs),
            strict=True,
        )
    )


def test_links_of_the_mini_collection_make_the_shared_topics(
    mini_collection: Path, shared: Path, tmp_path: Path
) -> None:
    data = shared / "data" / "link-topics"
    out = tmp_path / "out"
    with open_collection(mini_collection) as mini:
        made = link_topics(mini)
        write_link_topics(out, mini, made, {})
    expected = list(read_topics(data / "Topics_Links.xml.gz"))
    written = [
        Topic(
            ours.id,
            _with_ids_of(ours.title, theirs.title),
            _with_ids_of(ours.body, theirs.body),
            ours.tags,
        )
        for ours, theirs in zip(read_topics(out / "topics_task1.xml"), expected, strict=True)
    ]
    assert written == expected
    assert len(written) == 341
    qrels = (out / "qrels_task1.tsv").read_text()
    assert qrels == (data / "qrels_links.tsv").read_text()
    assert qrels.count("\n") == 1_108
    own_posts = data / "own_posts.tsv"
    assert (out / "own_posts.tsv").read_text() == "topic\tpost\n" + own_posts.read_text()
    assert read_topic_links(own_posts) == read_topic_links(out / "own_posts.tsv")
    types = {LinkKind.RELATED: "1", LinkKind.DUPLICATE: "3"}
    used = {(link.post_id, link.related_id, types[link.kind]) for link in made.links}
    name = "PostLinks.V1.3.xml.gz"
    assert used == _link_rows(shared / "data" / "arqmath-mini" / name) - _link_rows(data / name)
