"""Candidates as HTML: marked formulas, links within the collection, missing documents."""

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


def test_only_the_judged_instance_of_a_formula_is_marked(collection: Collection) -> None:
    first, second = instances(collection, "a+b")
    html = candidate_view(judged_formula(second), 2, collection).body
    before, after = html.split('<mark class="found">')
    assert 'data-latex="a+b"' in before
    assert after.startswith('<span class="formula" title="a+b" data-latex="a+b">')
    assert first.id != second.id


def test_instances_in_titles_and_comments_are_marked(collection: Collection) -> None:
    (in_title,) = instances(collection, "c^2")
    view = candidate_view(judged_formula(in_title), 2, collection)
    assert 'What is <mark class="found">' in view.body
    assert view.about == "Question 1"
    (in_comment,) = instances(collection, "e-f")
    view = candidate_view(judged_formula(in_comment), 2, collection)
    assert 'But <mark class="found">' in view.body
    assert view.thread == f"/threads/1#formula-{in_comment.id}"
    assert 'data-latex="e-f"' in view.formula


def test_a_formula_candidate_without_a_post_is_found(collection: Collection) -> None:
    (instance,) = instances(collection, "d_1")
    alone = Candidate(TOPIC, DocId(instance.id), visual_id=instance.effective_visual_id)
    assert '<mark class="found">' in candidate_view(alone, 2, collection).body


def test_an_answer_is_safe_and_links_to_its_thread(collection: Collection) -> None:
    view = candidate_view(Candidate(TOPIC, DocId("2")), 1, collection)
    assert "script" not in view.body
    assert "<mark" not in view.body
    assert view.thread == "/threads/1#post-2"
    assert view.about.startswith("Answer 2 to: What is ")


def test_links_to_posts_of_the_collection_are_local(collection: Collection) -> None:
    html = candidate_view(Candidate(TOPIC, DocId("2")), 1, collection).body
    assert '<a href="/threads/1">here</a>' in html
    assert 'href="https://math.stackexchange.com/a/77"' in html
    assert 'href="https://en.wikipedia.org/wiki/Sum"' in html


def test_formula_and_post_ids_are_not_confused(collection: Collection) -> None:
    (instance,) = instances(collection, "d_1")
    bare = Candidate(TOPIC, DocId(instance.id))
    assert '<mark class="found">' in candidate_view(bare, 2, collection).body
    assert candidate_view(Candidate(TOPIC, DocId("2")), 2, collection).is_missing


def test_posts_that_the_collection_lacks_are_missing(collection: Collection) -> None:
    stored, gone, question = (Candidate(TOPIC, DocId(each)) for each in ("2", "77", "1"))
    text = Candidate(TOPIC, DocId("x"), text="So.")
    pool = Pool(1, (), (stored, gone, text, question))
    assert missing_candidates(pool, collection) == (gone, question)  # a question is no answer
    assert missing_candidates(pool, None) == (stored, gone, question)
    assert candidate_view(gone, 1, collection).is_missing
    assert candidate_view(gone, 1, collection).body == ""


def test_a_formula_that_is_not_in_its_candidates_post_is_missing(
    collection: Collection,
) -> None:
    (instance,) = instances(collection, "d_1")
    stored, without_post, in_other_post = (
        Candidate(TOPIC, DocId(instance.id), post) for post in (DocId("2"), None, DocId("1"))
    )
    gone = Candidate(TOPIC, DocId("123456"), DocId("2"), "9")
    pool = Pool(2, (), (stored, without_post, in_other_post, gone))
    assert missing_candidates(pool, collection) == (in_other_post, gone)


def test_the_formula_of_a_topic_is_marked_by_its_id() -> None:
    focus = Formula("q2", "x")
    topic = Topic(
        TOPIC, ("Is ", focus), ("Let\n", Formula("q3", "x"), ".\nThen <", focus), (), focus
    )
    view = topic_view(topic)
    assert view.title.count("<mark") == 1
    assert view.body.count("<mark") == 1
    assert view.body.startswith('<p>Let</p>\n<p><span class="display"')
    assert "Then &lt;<mark" in view.body
    assert 'display="block"' in view.formula


def test_a_topic_links_to_its_question_if_the_collection_has_it(
    collection: Collection,
) -> None:
    topic = Topic(TOPIC, ("What?",))
    known, gone = (Pool(1, (topic,), (), questions={TOPIC: DocId(each)}) for each in ("1", "77"))
    assert topic_view(topic, known, collection).thread_id == "1"
    assert topic_view(topic, gone, collection).thread_id is None
    assert topic_view(topic, known).thread_id is None
    assert topic_view(topic, Pool(1, (topic,), ()), collection).thread_id is None


def test_an_answer_without_displayable_content_says_so() -> None:
    for text in ("<svg/onload=alert(1)>", "<script>x</script>", " "):
        view = candidate_view(Candidate(TopicId("A.1"), DocId("d"), text=text), 3, None)
        assert "This answer has no displayable content" in view.body
