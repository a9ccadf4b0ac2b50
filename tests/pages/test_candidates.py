"""Candidates as assessors see them: formulas marked, links within the collection, what is gone."""

from collections.abc import Iterator

import pytest

from porism.assess.records import Candidate, Pool
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.store import Collection, StoredInstance, open_collection
from porism.model import DocId, Formula, Topic, TopicId
from porism.pages.candidates import candidate_view, missing_candidates, topic_view
from tests.collection.dumps import answer, comment, question, write_table

TOPIC = TopicId("B.1")

LINKS = (
    '<p><a href="https://math.stackexchange.com/questions/1/what">here</a>, '
    '<a href="https://math.stackexchange.com/a/77">gone</a>, '
    '<a href="https://en.wikipedia.org/wiki/Sum">elsewhere</a></p>'
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Collection]:
    folder = tmp_path_factory.mktemp("judged")
    posts = [
        question(1, "<p>Is $a+b$ so, and $a+b$?</p>", Title="What is $c^2$?"),
        answer(2, 1, f"<p>It is $$d_1$$</p><script>alert(1)</script>{LINKS}"),
    ]
    write_table(folder / "dump", "Posts", posts)
    write_table(folder / "dump", "Comments", [comment(5, 2, "But $e-f$?")])
    ingest(folder / "dump", folder / "collection", IngestOptions(jobs=1))
    with open_collection(folder / "collection") as opened:
        yield opened


def instances(collection: Collection, latex: str) -> list[StoredInstance]:
    return [each for each in collection.instances() if each.formula.latex == latex]


def judged_formula(instance: StoredInstance) -> Candidate:
    return Candidate(TOPIC, DocId(instance.id), instance.post_id, instance.effective_visual_id)


def test_one_instance_is_marked_and_not_its_twin(collection: Collection) -> None:
    first, second = instances(collection, "a+b")
    html = candidate_view(judged_formula(second), 2, collection).body
    before, after = html.split('<mark class="found">')
    assert 'title="a+b"' in before
    assert after.startswith('<span class="formula" title="a+b">')
    assert first.id != second.id


def test_an_instance_is_marked_in_a_title_and_in_a_comment(collection: Collection) -> None:
    (in_title,) = instances(collection, "c^2")
    shown = candidate_view(judged_formula(in_title), 2, collection)
    assert 'What is <mark class="found">' in shown.body
    assert shown.about == "Question 1"
    (in_comment,) = instances(collection, "e-f")
    shown = candidate_view(judged_formula(in_comment), 2, collection)
    assert 'But <mark class="found">' in shown.body
    assert shown.thread == f"/threads/1#formula-{in_comment.id}"
    assert 'title="e-f"' in shown.formula


def test_a_formula_without_its_post_is_found_by_itself(collection: Collection) -> None:
    (instance,) = instances(collection, "d_1")
    alone = Candidate(TOPIC, DocId(instance.id), visual_id=instance.effective_visual_id)
    assert '<mark class="found">' in candidate_view(alone, 2, collection).body


def test_an_answer_is_harmless_and_leads_to_its_place(collection: Collection) -> None:
    shown = candidate_view(Candidate(TOPIC, DocId("2")), 1, collection)
    assert "script" not in shown.body
    assert "<mark" not in shown.body
    assert shown.thread == "/threads/1#post-2"
    assert shown.about.startswith("Answer 2 to: What is ")


def test_links_to_posts_that_are_here_stay_here(collection: Collection) -> None:
    html = candidate_view(Candidate(TOPIC, DocId("2")), 1, collection).body
    assert '<a href="/threads/1">here</a>' in html
    assert 'href="https://math.stackexchange.com/a/77"' in html
    assert 'href="https://en.wikipedia.org/wiki/Sum"' in html


def test_a_formula_that_is_known_by_its_id_alone_is_no_answer(collection: Collection) -> None:
    (instance,) = instances(collection, "d_1")
    bare = Candidate(TOPIC, DocId(instance.id))
    assert '<mark class="found">' in candidate_view(bare, 2, collection).body
    assert candidate_view(Candidate(TOPIC, DocId("2")), 2, collection).is_missing


def test_what_is_missing_is_told(collection: Collection) -> None:
    there, gone, asked = (Candidate(TOPIC, DocId(each)) for each in ("2", "77", "1"))
    text = Candidate(TOPIC, DocId("x"), text="So.")
    pool = Pool(1, (), (there, gone, text, asked))
    assert missing_candidates(pool, collection) == (gone, asked)  # a question is no answer
    assert missing_candidates(pool, None) == (there, gone, asked)
    assert candidate_view(gone, 1, collection).is_missing
    assert candidate_view(gone, 1, collection).body == ""


def test_a_formula_is_missing_where_the_pool_does_not_say_it_stands(
    collection: Collection,
) -> None:
    (instance,) = instances(collection, "d_1")
    there, bare, elsewhere = (
        Candidate(TOPIC, DocId(instance.id), post) for post in (DocId("2"), None, DocId("1"))
    )
    gone = Candidate(TOPIC, DocId("123456"), DocId("2"), "9")
    pool = Pool(2, (), (there, bare, elsewhere, gone))
    assert missing_candidates(pool, collection) == (elsewhere, gone)


def test_the_formula_of_a_topic_is_marked_by_its_id() -> None:
    focus = Formula("q2", "x")
    topic = Topic(
        TOPIC, ("Is ", focus), ("Let\n", Formula("q3", "x"), ".\nThen <", focus), (), focus
    )
    shown = topic_view(topic)
    assert shown.title.count("<mark") == 1
    assert shown.body.count("<mark") == 1
    assert shown.body.startswith('<p>Let</p>\n<p><span class="display"')
    assert "Then &lt;<mark" in shown.body
    assert 'display="block"' in shown.formula


def test_a_topic_leads_to_its_question_if_that_is_known_and_there(
    collection: Collection,
) -> None:
    topic = Topic(TOPIC, ("What?",))
    known, gone = (Pool(1, (topic,), (), questions={TOPIC: DocId(each)}) for each in ("1", "77"))
    assert topic_view(topic, known, collection).thread_id == "1"
    assert topic_view(topic, gone, collection).thread_id is None
    assert topic_view(topic, known).thread_id is None
    assert topic_view(topic, Pool(1, (topic,), ()), collection).thread_id is None


def test_an_answer_of_which_nothing_is_left_says_so() -> None:
    for text in ("<svg/onload=alert(1)>", "<script>x</script>", " "):
        shown = candidate_view(Candidate(TopicId("A.1"), DocId("d"), text=text), 3, None)
        assert "Nothing of this answer can be shown" in shown.body
