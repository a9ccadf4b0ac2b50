"""Documents: the parts of answers and notes, and their labels."""

from dataclasses import replace

import pytest

from porism.analysis import DocumentPart, answer_document, note_document, question_parts
from porism.model import Comment, Content, DocId, Formula, Location, Post, PostKind

X = Formula("1", "x")
QUESTION = Post(
    DocId("7"),
    PostKind.QUESTION,
    title=("Roots of ", X),
    body=("How many?",),
    tags=("roots", "real-analysis"),
    created="2014-01-02T00:00:00",
)
ANSWER = Post(
    DocId("9"),
    PostKind.ANSWER,
    body=("Two.",),
    parent_id=DocId("7"),
    created="2015-03-04T00:00:00",
    score=3,
)


def comment(*text: str | Formula) -> Comment:
    """A comment that says this."""
    return Comment("1", DocId("7"), text)


def test_an_answer_has_all_its_context_in_reading_order() -> None:
    document = answer_document(
        QUESTION,
        ANSWER,
        question_comments=[comment("Why?"), comment("See ", X)],
        answer_comments=[comment("Thanks")],
        duplicate_titles=[("Zeros",), ("Zeros of ", X)],
        related_titles=[("Poles",)],
    )
    assert document.id == "9"
    assert list(document.parts.items()) == [
        (DocumentPart.TITLE, ("Roots of ", X)),
        (DocumentPart.PAGE_TITLE, ("Roots of  x",)),
        (DocumentPart.QUESTION, ("How many?",)),
        (DocumentPart.TAGS, ("roots", "real-analysis")),
        (DocumentPart.QUESTION_COMMENTS, ("Why?", "See ", X)),
        (DocumentPart.ANSWER, ("Two.",)),
        (DocumentPart.ANSWER_COMMENTS, ("Thanks",)),
        (DocumentPart.DUPLICATE_TITLES, ("Zeros", "Zeros of ", X)),
        (DocumentPart.RELATED_TITLES, ("Poles",)),
    ]


def test_labels_of_an_answer_are_its_own_year_and_votes_and_its_questions_tags() -> None:
    assert answer_document(QUESTION, ANSWER).labels == (
        "kind:answer",
        "tag:roots",
        "tag:real-analysis",
        "year:2015",
        "votes:3",
    )


@pytest.mark.parametrize(("accepted", "is_accepted"), [("9", True), ("8", False), (None, False)])
def test_an_answer_is_accepted_if_its_question_says_so(
    accepted: str | None, is_accepted: bool
) -> None:
    question = replace(QUESTION, accepted_id=None if accepted is None else DocId(accepted))
    assert ("accepted" in answer_document(question, ANSWER).labels) is is_accepted


def test_empty_parts_are_left_out() -> None:
    assert list(answer_document(QUESTION, ANSWER).parts) == [
        DocumentPart.TITLE,
        DocumentPart.PAGE_TITLE,
        DocumentPart.QUESTION,
        DocumentPart.TAGS,
        DocumentPart.ANSWER,
    ]


def test_an_answer_without_its_question_has_its_own_parts() -> None:
    document = answer_document(None, ANSWER)
    assert document.parts == {DocumentPart.ANSWER: ("Two.",)}
    assert document.labels == ("kind:answer", "year:2015", "votes:3")


def test_answers_share_the_parts_of_their_question() -> None:
    shared = question_parts(QUESTION, [comment("Why?")], [("Zeros",)])
    whole = answer_document(QUESTION, ANSWER, [comment("Why?")], (), [("Zeros",)])
    assert shared == {
        part: content for part, content in whole.parts.items() if part is not DocumentPart.ANSWER
    }


@pytest.mark.parametrize("body", [(), ("Add up ", X)])
def test_the_body_of_a_note_is_its_answer_part(body: Content) -> None:
    note = Post(DocId("sums.md"), PostKind.DOCUMENT, ("Sums",), body, tags=("series", "series"))
    document = note_document(note)
    assert document.parts == {
        DocumentPart.TITLE: ("Sums",),
        DocumentPart.PAGE_TITLE: ("Sums",),
        DocumentPart.TAGS: ("series", "series"),
        **({DocumentPart.ANSWER: body} if body else {}),
    }
    assert document.labels == ("kind:document", "tag:series", "title:sums")


def test_a_section_is_searched_with_its_file_and_the_headings_above_it() -> None:
    location = Location("notes/algebra/Galois theory.md", ("Fields", "Examples"), "examples", 7)
    note = Post(
        DocId("notes/algebra/Galois theory.md#examples"),
        PostKind.DOCUMENT,
        ("Examples",),
        ("Take roots.",),
        location=location,
    )
    assert note_document(note).parts[DocumentPart.QUESTION] == ("Galois theory\nFields",)
