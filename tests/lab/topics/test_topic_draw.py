"""Topics drawn from a collection: criteria, samples and files."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from porism.assess.pools.pool_folder import read_pool, write_pool
from porism.assess.records import Pool
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.questions import question_stats
from porism.collection.sample import sample_source, sample_topics
from porism.collection.store import Collection, open_collection
from porism.errors import PorismError
from porism.formats.qrels import TopicInformation, read_topic_information
from porism.formats.topic_links import read_topic_links
from porism.formats.topics import read_topics
from porism.lab.pools.known_answers import enriched_pool, with_questions
from porism.lab.pools.topic_posts import read_topic_posts
from porism.lab.topics.criteria import QuestionStatistic, RequiredLinks, TopicCriteria, ValueRange
from porism.lab.topics.strata import Allocation
from porism.lab.topics.topic_draw import (
    BalanceFactor,
    TopicDraw,
    TopicSample,
    TopicSource,
    draw_topics,
)
from porism.lab.topics.topic_files import LABELS, write_topic_draw
from porism.model import Formula, Topic, TopicId
from porism.pages.candidates import topic_view
from tests.collection.small_site import Row, write_table


def question(number: int, year: int | None, title: str, body: str, **more: str | int) -> Row:
    dated: Row = {} if year is None else {"CreationDate": f"{year}-01-01T00:00:00.000"}
    tags = {"Tags": "<algebra>"}
    return {"Id": number, "PostTypeId": 1, "Title": title, "Body": body, **tags, **dated, **more}


def link(first: int, second: int, kind: int) -> Row:
    return {"PostId": first, "RelatedPostId": second, "LinkTypeId": kind}


POSTS: list[Row] = [
    question(1, 2018, "Sum of $1+2+\\cdots+n$", "<p>What is it?</p>", Score=9, OwnerUserId=7),
    {"Id": 11, "PostTypeId": 2, "ParentId": 1, "Body": "<p>It is $n(n+1)/2$.</p>"},
    question(2, 2021, "How do I add numbers up?", "<p>All of $1,\\dots,n$.</p>", Score=2),
    question(3, 2021, "No formula is here", "<p>Really none.</p>", Score=1),
    question(4, 2021, "$x$", "<p>$y$</p>", Score=1),
    question(5, 2021, "Roots of $x^2-2x+1=0$", "<p>How are these found?</p>"),
    question(6, None, "Is $x^2$ ever negative?", "<p>$x$ is real.</p>", Score=3),
    question(7, 2021, "Unlinked with $a+b+c$", "<p>Nobody knows why.</p>", Score=1),
]
LINKS = [
    link(2, 1, 3),
    link(3, 1, 1),
    link(4, 1, 1),
    link(5, 1, 1),
    link(6, 1, 1),
    link(7, 99, 3),
]
USERS: list[Row] = [{"Id": 7, "Reputation": 120, "DisplayName": "Emmy"}]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("topics")
    (folder / "site").mkdir()
    write_table(folder / "site" / "Posts.xml", "posts", POSTS)
    write_table(folder / "site" / "PostLinks.xml", "postlinks", LINKS)
    write_table(folder / "site" / "Users.xml", "users", USERS)
    ingest(folder / "site", folder / "collection", IngestOptions(jobs=1))
    with open_collection(folder / "collection") as opened:
        yield opened


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("topics") / "sample"
    ingest(sample_source(), folder, IngestOptions(jobs=1))
    with open_collection(folder) as opened:
        yield opened


def drawn(
    collection: Collection,
    criteria: TopicCriteria,
    wanted: TopicSample | None = None,
    searched: Collection | None = None,
) -> TopicDraw:
    source = TopicSource(collection, searched or collection)
    return draw_topics(source, question_stats(collection), criteria, wanted or TopicSample())


def posts(draw: TopicDraw) -> list[str]:
    return sorted(each.candidate.id for each in draw.topics)


def test_a_question_counts_for_the_first_criterion_that_it_fails(site: Collection) -> None:
    draw = drawn(
        site,
        TopicCriteria(frozenset({2021}), ranges={QuestionStatistic.SCORE: ValueRange(1, None)}),
    )
    tallies = [(each.criterion, each.removed, each.unknown, each.left) for each in draw.removed]
    assert draw.questions == 7
    assert tallies == [
        ("asked in 2021", 2, 1, 5),  # 1 is of 2018, 6 of nobody knows when
        ("score 1 or more", 1, 1, 4),  # 5 has none
        ("a duplicate or related question", 1, 0, 3),  # 99 is not here
        ("a formula in title or body", 1, 0, 2),
        ("text", 1, 0, 1),
    ]
    assert posts(draw) == ["2"]


def test_links_count_in_both_directions_and_by_kind(site: Collection) -> None:
    assert posts(drawn(site, TopicCriteria())) == ["1", "5", "6"]  # 2 repeats 1
    assert drawn(site, TopicCriteria()).similar == 1
    assert drawn(site, TopicCriteria(links=RequiredLinks.DUPLICATES)).candidates == 2
    assert "7" in posts(drawn(site, TopicCriteria(links=RequiredLinks.UNNEEDED)))


def test_links_must_lead_into_the_searched_collection(site: Collection, sample: Collection) -> None:
    with pytest.raises(PorismError, match="a duplicate or related question: removed 7, left 0"):
        drawn(site, TopicCriteria(), searched=sample)


def test_ranges_are_inclusive(site: Collection) -> None:
    for statistic, value in (
        (QuestionStatistic.REPUTATION, 120),
        (QuestionStatistic.SCORE, 9),
        (QuestionStatistic.ANSWERS, 1),
    ):
        only = TopicCriteria(ranges={statistic: ValueRange(value, value)})
        assert posts(drawn(site, only)) == ["1"], statistic
    words = TopicCriteria(ranges={QuestionStatistic.WORDS: ValueRange(None, 5)})
    assert posts(drawn(site, words)) == ["1", "6"]  # 6 has "is ever negative is real"


def test_earlier_topics_are_excluded(site: Collection) -> None:
    earlier = Topic(TopicId("A.1"), ("How do I add numbers up",))
    draw = drawn(site, TopicCriteria(earlier=(earlier,)))
    assert posts(draw) == ["1", "5", "6"]
    assert draw.removed[-1].criterion == "no title of an earlier topic"
    assert draw.removed[-1].removed == 1


def test_the_error_says_how_many_each_criterion_removed(site: Collection) -> None:
    criteria = TopicCriteria(
        frozenset({1999}), ranges={QuestionStatistic.VIEWS: ValueRange(1, None)}
    )
    with pytest.raises(PorismError, match=r"none of 7 questions(.|\n)*1999: removed 7 \(1 of"):
        drawn(site, criteria)


def test_formulas_are_numbered_over_all_topics(site: Collection) -> None:
    draw = drawn(site, TopicCriteria(), TopicSample(first_number=301))
    ids = [
        part.id
        for each in draw.topics
        for part in (*each.topic.title, *each.topic.body)
        if isinstance(part, Formula)
    ]
    assert ids == [f"q_{number}" for number in range(1, len(ids) + 1)]
    assert [each.topic.id for each in draw.topics] == ["A.301", "A.302", "A.303"]
    roots = next(each for each in draw.topics if each.candidate.id == "5")
    assert roots.formula_topic is not None
    assert roots.formula_topic.focus == roots.topic.title[1]
    assert roots.formula_topic.id == roots.topic.id.replace("A", "B")
    square = next(each for each in draw.topics if each.candidate.id == "6")
    assert square.formula_topic is None  # neither x nor x^2 is worth a search


def test_own_posts_are_those_of_the_searched_collection(site: Collection) -> None:
    only = TopicCriteria(ranges={QuestionStatistic.SCORE: ValueRange(9, 9)})
    assert drawn(site, only).topics[0].own_posts == ("1", "11")


def test_the_seed_determines_the_draw(sample: Collection) -> None:
    first, again, other = (
        posts(drawn(sample, TopicCriteria(), TopicSample(10, seed=s))) for s in (1, 1, 2)
    )
    assert first == again
    assert first != other


def test_a_sample_is_balanced_over_three_factors(sample: Collection) -> None:
    factors = (BalanceFactor.TAGS, BalanceFactor.FORMULAS, BalanceFactor.READING_EASE)
    draw = drawn(sample, TopicCriteria(), TopicSample(12, factors, Allocation.EVEN))
    assert len(draw.topics) == 12
    assert len({each.candidate.tags for each in draw.topics}) >= 8
    assert {each.formula.complexity for each in draw.topics if each.formula} == {
        "low",
        "medium",
        "high",
    }


def test_written_topics_read_back_equal(sample: Collection, tmp_path: Path) -> None:
    draw = drawn(sample, TopicCriteria(), TopicSample(8))
    names = write_topic_draw(tmp_path / "out", draw, {"seed": 0})
    assert names == (
        "draw.json",
        "duplicates.tsv",
        "own_posts.tsv",
        "topic_information.csv",
        "topics_task1.xml",
        "topics_task2.xml",
        "topics_task3.xml",
    )
    folder = tmp_path / "out"
    assert list(read_topics(folder / "topics_task1.xml")) == [each.topic for each in draw.topics]
    assert list(read_topics(folder / "topics_task2.xml")) == [
        each.formula_topic for each in draw.topics if each.formula_topic
    ]
    first, third = (folder / f"topics_task{task}.xml" for task in (1, 3))
    assert first.read_bytes() == third.read_bytes()
    assert read_topic_links(folder / "duplicates.tsv") == {
        each.topic.id: each.candidate.duplicates
        for each in draw.topics
        if each.candidate.duplicates
    }


def test_pools_have_the_questions_that_topics_were_drawn_from(
    sample: Collection, tmp_path: Path
) -> None:
    draw = drawn(sample, TopicCriteria(), TopicSample(3))
    write_topic_draw(tmp_path / "out", draw, {})
    topics = tuple(read_topics(tmp_path / "out" / "topics_task1.xml"))
    own_posts = read_topic_links(tmp_path / "out" / "own_posts.tsv")
    pool = enriched_pool(Pool(1, topics, ()), sample, own_posts, {}).pool
    write_pool(tmp_path / "pool", pool)
    read = read_pool(tmp_path / "pool")
    assert [topic_view(topic, read, sample).thread_id for topic in read.topics] == [
        each.candidate.id for each in draw.topics
    ]


def test_formula_topics_have_the_posts_of_their_questions(
    sample: Collection, tmp_path: Path
) -> None:
    draw = drawn(sample, TopicCriteria(), TopicSample(3))
    write_topic_draw(tmp_path / "out", draw, {})
    topics = tuple(read_topics(tmp_path / "out" / "topics_task2.xml"))
    own_posts = read_topic_posts(tmp_path / "out" / "own_posts.tsv")
    pool = with_questions(Pool(2, topics, ()), sample, own_posts)
    questions_of_formulas = {
        each.formula_topic.id: each.candidate.id for each in draw.topics if each.formula_topic
    }
    assert questions_of_formulas
    assert pool.questions == questions_of_formulas
    assert all(
        own_posts[topic_id][0] == question for topic_id, question in questions_of_formulas.items()
    )


def test_a_completed_sheet_is_topic_information(sample: Collection, tmp_path: Path) -> None:
    write_topic_draw(tmp_path / "out", drawn(sample, TopicCriteria(), TopicSample(3)), {})
    sheet = tmp_path / "out" / "topic_information.csv"
    assert [each[1:] for each in read_topic_information(sheet)] == [("", "", "", "")] * 3
    with sheet.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row.update(zip(LABELS, ("Proof", "Hard", "Both", "No"), strict=True))
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert next(read_topic_information(sheet)) == TopicInformation(
        TopicId("A.1"), "Proof", "High", "Both", "No"
    )


def test_an_existing_folder_is_unchanged(sample: Collection, tmp_path: Path) -> None:
    draw = drawn(sample, TopicCriteria(), TopicSample(1))
    with pytest.raises(PorismError, match="already exists"):
        write_topic_draw(tmp_path, draw, {})
    with pytest.raises(PorismError, match="there is no folder"):
        write_topic_draw(tmp_path / "no" / "out", draw, {})
    with pytest.raises(TypeError):
        write_topic_draw(tmp_path / "out", draw, {"unwritable": object()})
    assert list(tmp_path.iterdir()) == []


def test_files_of_a_concurrent_draw_are_unchanged(sample: Collection, tmp_path: Path) -> None:
    other = tmp_path / ".out.unfinished"
    other.mkdir()
    write_topic_draw(tmp_path / "out", drawn(sample, TopicCriteria(), TopicSample(1)), {})
    assert other.is_dir()


def test_the_samples_own_topics_can_be_excluded(sample: Collection) -> None:
    earlier = tuple(read_topics(sample_topics(1)))
    removed = {each.criterion: each.removed for each in drawn(sample, TopicCriteria()).removed}
    assert "no title of an earlier topic" not in removed
    draw = drawn(sample, TopicCriteria(earlier=earlier), TopicSample(100))
    titles = {topic.title for topic in earlier}
    assert not titles & {each.topic.title for each in draw.topics}


def test_topics_of_a_real_collection(shared: Path, mini_collection: Path, tmp_path: Path) -> None:
    earlier = tuple(read_topics(shared / "data/topics/task1/Topics_Task1_2020_V2.0.xml"))
    criteria = TopicCriteria(links=RequiredLinks.ANY, earlier=earlier)
    factors = (BalanceFactor.TAGS, BalanceFactor.READING_EASE)
    with open_collection(mini_collection) as mini:
        draw = drawn(mini, criteria, TopicSample(100, factors))
        with pytest.raises(
            PorismError, match="score 0 or more: removed 2,769 \\(2,769 of them unknown"
        ):
            drawn(mini, TopicCriteria(ranges={QuestionStatistic.SCORE: ValueRange(0, None)}))
    assert len(draw.topics) == 100
    write_topic_draw(tmp_path / "out", draw, {})
    assert list(read_topics(tmp_path / "out" / "topics_task1.xml")) == [
        each.topic for each in draw.topics
    ]
