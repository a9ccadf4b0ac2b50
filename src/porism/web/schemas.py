"""What the REST interface takes and gives, typed, with examples for its description."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict, JsonValue

from porism.analysis.labels import MAX_VOTES
from porism.formula.forms import ConversionTarget, FormulaForm
from porism.model import LinkKind
from porism.rank.filters import FIRST_YEAR, LAST_YEAR
from porism.web.search.search_request import LONGEST_TAG, LONGEST_TEXT, MOST_TAGS
from porism.web.server.problems import ProblemType

LONGEST_FORMULA = 10_000
MOST_RESULTS = 100
MOST_EXPLAINED = 20


def _example(**values: JsonValue) -> ConfigDict:
    """What makes a record of these values the example of a model."""
    return ConfigDict(json_schema_extra={"examples": [values]})


class SearchQuery(BaseModel):
    """What a search asks for."""

    q: str = Field(
        min_length=1,
        max_length=LONGEST_TEXT,
        description="words, and formulas between dollars; of formulas one may stand alone",
        examples=[r"sum of $\frac{1}{n^2}$"],
    )
    k: int = Field(10, ge=1, le=MOST_RESULTS, description="how many results", examples=[3])
    tag: list[Annotated[str, Field(max_length=LONGEST_TAG)]] = Field(
        [],
        max_length=MOST_TAGS,
        description="only posts that have all of these",
        examples=[["calculus", "sequences-and-series"]],
    )
    since: int | None = Field(
        None,
        ge=FIRST_YEAR,
        le=LAST_YEAR,
        description="only posts of that year or later",
        examples=[2012],
    )
    until: int | None = Field(
        None,
        ge=FIRST_YEAR,
        le=LAST_YEAR,
        description="only posts of that year or earlier",
        examples=[2016],
    )
    votes: int | None = Field(
        None,
        ge=0,
        le=MAX_VOTES,
        description="only posts with at least so many votes",
        examples=[5],
    )
    accepted: bool = Field(
        False,
        description="only answers that the author of their question accepted",
        examples=[True],
    )
    system: str | None = Field(
        None,
        max_length=40,
        description="the system that ranks; without it the best that the index has",
        examples=["bm25"],
    )
    explain: bool = Field(
        False,
        description=f"tell what each term gave to a score, of the first {MOST_EXPLAINED} results",
        examples=[True],
    )


class QueryProblemResponse(BaseModel):
    """What of a query was not understood, and where."""

    model_config = _example(message="brace is not closed", source="x^{2", offset=2)

    message: str
    source: str = ""
    offset: int = 0


class Milliseconds(BaseModel):
    """How long ranking and reading took."""

    search: float
    read: float


class SnippetPiece(BaseModel):
    """A stretch of a passage; formulas as LaTeX between dollars."""

    text: str
    is_formula: bool
    is_matched: bool


class ResultFormula(BaseModel):
    """The formula that was found, in the search for formulas."""

    id: str
    latex: str
    visual_id: str


class ScoreExplanation(BaseModel):
    """A part of a score; if it has details, it is their sum."""

    label: str
    value: float
    details: list[ScoreExplanation]


class ResultRecord(BaseModel):
    """A post, or a formula in a post, with the passage that shows why."""

    rank: int
    score: float
    post_id: str
    thread_id: str
    kind: str
    title: str
    votes: int | None
    is_accepted: bool
    tags: list[str]
    created: str | None
    snippet: list[SnippetPiece]
    formula: ResultFormula | None = None
    explanation: ScoreExplanation | None = None


class SearchResponse(BaseModel):
    """What was understood and found."""

    model_config = _example(
        text=r"sum of $\frac{1}{n^2}$",
        words=["sum"],
        formulas=[r"\frac{1}{n^2}"],
        problems=[],
        milliseconds={"search": 4.1, "read": 1.3},
        system="porism",
        results=[
            {
                "rank": 1,
                "score": 11.25,
                "post_id": "102",
                "thread_id": "101",
                "kind": "answer",
                "title": "What is the sum of the squares of reciprocals?",
                "votes": 12,
                "is_accepted": True,
                "tags": ["calculus", "sequences-and-series"],
                "created": "2012-03-04T05:06:07.000",
                "snippet": [
                    {"text": "The ", "is_formula": False, "is_matched": False},
                    {"text": "sum", "is_formula": False, "is_matched": True},
                    {"text": r"$\frac{1}{n^2}$", "is_formula": True, "is_matched": True},
                ],
            }
        ],
    )

    text: str
    words: list[str]
    formulas: list[str]
    problems: list[QueryProblemResponse]
    milliseconds: Milliseconds
    system: str
    results: list[ResultRecord]


_QUESTION: JsonDict = {
    "id": "101",
    "kind": "question",
    "parent_id": None,
    "title": "Is $x^2$ positive?",
    "text": r"I know that $x^2 \ge 0$.",
    "html": "<p>I know that <math>…</math>.</p>",
    "tags": ["algebra"],
    "votes": 7,
    "created": "2011-03-04T05:06:07.000",
    "is_accepted": False,
}
_ANSWER: JsonDict = {
    **_QUESTION,
    "id": "102",
    "kind": "answer",
    "parent_id": "101",
    "title": "",
    "text": "Not if $x = 0$.",
    "html": "<p>Not if <math>…</math>.</p>",
    "tags": [],
    "is_accepted": True,
}


class PostResponse(BaseModel):
    """A post, as text with LaTeX between dollars and as HTML that can do no harm."""

    model_config = _example(**_QUESTION)

    id: str
    kind: str
    parent_id: str | None
    title: str
    text: str
    html: str
    tags: list[str]
    votes: int | None
    created: str | None
    is_accepted: bool = False


class CommentResponse(BaseModel):
    """A remark on a post, as text and as HTML, like the post."""

    id: str
    post_id: str
    text: str
    html: str
    votes: int | None
    created: str | None


class LinkedQuestion(BaseModel):
    """A question that the thread's is linked with; the title is empty if it is not known."""

    id: str
    kind: LinkKind
    title: str
    is_here: bool = Field(description="whether the collection has it, so that it can be asked for")


class ThreadResponse(BaseModel):
    """A question with its answers, best first, or a document alone.

    The comments are those on all of these posts, post by post, and the links those of the question.
    """

    model_config = _example(
        question=_QUESTION,
        answers=[_ANSWER],
        comments=[
            {
                "id": "21",
                "post_id": "102",
                "text": "And if $x < 0$?",
                "html": "And if <math>…</math>?",
                "votes": 2,
                "created": "2011-03-06T00:00:00.000",
            }
        ],
        links=[{"id": "104", "kind": "duplicate", "title": "What is $x^2$?", "is_here": True}],
    )

    question: PostResponse
    answers: list[PostResponse]
    comments: list[CommentResponse]
    links: list[LinkedQuestion]


class ConvertRequest(BaseModel):
    """A formula, and what to make of it."""

    model_config = _example(source=r"\frac12 x^2", form="latex", to=["mathml", "opt"])

    source: str = Field(max_length=LONGEST_FORMULA)
    form: FormulaForm = FormulaForm.LATEX
    to: list[ConversionTarget] = Field(
        default=[ConversionTarget.MATHML], min_length=1, max_length=len(ConversionTarget)
    )


class ConvertProblem(BaseModel):
    """What the reader had to recover from."""

    model_config = _example(offset=2, message="brace is not closed")

    offset: int
    message: str


class ConvertResponse(BaseModel):
    """The formula in each form that was asked for."""

    model_config = _example(forms={"slt": "[O!divide,o[N!1],u[N!2]]"}, problems=[])

    forms: dict[str, str | list[str]]
    problems: list[ConvertProblem]


class HealthResponse(BaseModel):
    """That the service is there, and what it serves."""

    model_config = _example(
        status="ok", version="1.0.0", answers=194, formulas=1_234, fingerprint="5f3a0c9e"
    )

    status: str
    version: str
    answers: int
    formulas: int
    fingerprint: str


class ProblemResponse(BaseModel):
    """A failure, as RFC 9457 has it."""

    type: str = Field(
        description="the kind of failure, by a name that stays",
        json_schema_extra={"enum": list(ProblemType)},
    )
    title: str
    status: int
    detail: str
