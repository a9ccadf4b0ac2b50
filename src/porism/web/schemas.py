"""Requests and responses of the REST interface, with examples for its OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.config import JsonDict, JsonValue

from porism.filters import FILTERS, FilterSpec, FilterValues, Number, Texts
from porism.formula.forms import ConversionTarget, FormulaForm
from porism.model import LinkKind
from porism.query.parts import FormulaSyntax, PartKind
from porism.rank.filters import PostFilter
from porism.web.search.search_request import LONGEST_LITERAL, LONGEST_TEXT, MOST_LITERAL
from porism.web.server.problems import ProblemType

LONGEST_FORMULA = 10_000
MOST_RESULTS = 100
MOST_EXPLAINED = 20


def _example(**values: JsonValue) -> ConfigDict:
    """The configuration that makes these values the example of a model."""
    return ConfigDict(json_schema_extra={"examples": [values]})


Model = TypeVar("Model", bound=BaseModel)


def with_filters(model: type[Model]) -> type[Model]:
    """The same model with a parameter for each filter of the table."""
    # Any: the types of fields are values here.
    fields: dict[str, Any] = {spec.name: _filter_field(spec) for spec in FILTERS}
    return create_model(
        model.__name__,
        __base__=model,
        __doc__=model.__doc__,
        __module__=model.__module__,
        **fields,
    )


def _filter_field(spec: FilterSpec) -> tuple[Any, Any]:
    """The type of a parameter and its field."""
    description = f"only {spec.summary}"
    match spec.takes:
        case Texts(most, longest):
            return list[Annotated[str, Field(max_length=longest)]], Field(
                [], max_length=most, description=description, examples=[[spec.example]]
            )
        case Number(first, last):
            return int | None, Field(
                None, ge=first, le=last, description=description, examples=[spec.example]
            )
        case _:
            return bool, Field(False, description=description, examples=[spec.example])


class FilteredQuery(BaseModel):
    """A text, and the filters that ``with_filters`` adds."""

    q: str = Field(
        min_length=1,
        max_length=LONGEST_TEXT,
        description="words and formulas, with or without dollars",
        examples=[r"sum of $\frac{1}{n^2}$"],
    )

    @property
    def post_filter(self) -> PostFilter:
        """Which posts may be returned."""
        return PostFilter(**self.filters)

    @property
    def filters(self) -> FilterValues:
        """The filters in use."""
        values = {spec.name: getattr(self, spec.name) for spec in FILTERS}
        return {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
            if value not in (None, False, [])
        }


@with_filters
class SearchQuery(FilteredQuery):
    """The parameters of a search."""

    k: int = Field(10, ge=1, le=MOST_RESULTS, description="number of results", examples=[3])
    system: str | None = Field(
        None,
        max_length=40,
        description="the retrieval system; by default the best that the index has",
        examples=["bm25"],
    )
    explain: bool = Field(
        False,
        description=f"explain the scores of the first {MOST_EXPLAINED} results",
        examples=[True],
    )
    words: list[Annotated[str, Field(max_length=LONGEST_LITERAL)]] = Field(
        [],
        max_length=MOST_LITERAL,
        description="parts of the text that are read as words, although they look like formulas "
        "or operators",
        examples=[["x-ray"]],
    )


class QueryPartResponse(BaseModel):
    """A part of a query; the sources of all parts, joined, are the text."""

    model_config = _example(kind="formula", source="x²", value="x^2", syntax="unicode")

    kind: PartKind
    source: str
    value: str = Field(description="the LaTeX of a formula, or the value of an operator")
    syntax: FormulaSyntax | None = Field(description="how a formula was typed")


class QueryProblemResponse(BaseModel):
    """A problem with a query, and its place in the text."""

    model_config = _example(message="brace is not closed", source="x^{2", offset=2)

    message: str
    source: str = ""
    offset: int = 0


class Milliseconds(BaseModel):
    """The time taken by ranking, and by reading posts."""

    search: float
    read: float


class SnippetPiece(BaseModel):
    """A piece of a passage; formulas as LaTeX between dollars."""

    text: str
    is_formula: bool
    is_matched: bool


class ResultFormula(BaseModel):
    """The formula of a result, in a search for formulas."""

    id: str
    latex: str
    visual_id: str


class AlignedParts(BaseModel):
    """A part that the query and a formula share, in the LaTeX of each."""

    query: str
    result: str


class FormulaAlignment(BaseModel):
    """What a formula shares with the query: parts, renamed variables, and the rest of both."""

    is_aligned: bool
    parts: list[AlignedParts]
    renamed: list[AlignedParts]
    wildcards: list[AlignedParts]
    missing: list[str]
    extra: list[str]


class ScoreExplanation(BaseModel):
    """A part of a score; if it has details, it is their sum."""

    label: str
    value: float
    details: list[ScoreExplanation]


class DocumentLocation(BaseModel):
    """Where a document is in its file: headings from the outermost to its own, and its line."""

    path: str
    headings: list[str]
    anchor: str
    line: int
    label: str


class ResultRecord(BaseModel):
    """A post, or a formula in a post, with the passage that matches best."""

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
    location: DocumentLocation | None = None
    formula: ResultFormula | None = None
    alignment: FormulaAlignment | None = None
    explanation: ScoreExplanation | None = None
    why: list[str] | None = Field(
        None, description="with `explain`: what the result has of the query, in words"
    )


class SearchResponse(BaseModel):
    """The query as understood, and the results."""

    model_config = _example(
        text=r"sum of $\frac{1}{n^2}$",
        words=["sum"],
        formulas=[r"\frac{1}{n^2}"],
        interpretation=[
            {"kind": "words", "source": "sum of ", "value": "", "syntax": None},
            {
                "kind": "formula",
                "source": r"$\frac{1}{n^2}$",
                "value": r"\frac{1}{n^2}",
                "syntax": "delimited",
            },
        ],
        suggestion=None,
        is_corrected=False,
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
    interpretation: list[QueryPartResponse]
    suggestion: str | None = Field(description="the query with words that are probably meant")
    is_corrected: bool = Field(description="whether the results are those of the suggestion")
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
    "url": "https://math.stackexchange.com/q/101",
    "citation": {
        "bibtex": "@misc{math.stackexchange.com-101,\n  title = {Is $x^2$ positive?},\n}",
        "markdown": "[Is $x^2$ positive?](https://math.stackexchange.com/q/101), Ada, 2011-03-04",
    },
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


class CitationResponse(BaseModel):
    """References to a post."""

    bibtex: str
    markdown: str


class PostResponse(BaseModel):
    """A post, as text with LaTeX between dollars and as sanitised HTML."""

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
    url: str | None = Field(description="where the post is in its source")
    citation: CitationResponse


class CommentResponse(BaseModel):
    """A comment on a post, as text and as HTML, like the post."""

    id: str
    post_id: str
    text: str
    html: str
    votes: int | None
    created: str | None


class LinkedQuestion(BaseModel):
    """A linked question; the title is empty if it is unknown."""

    id: str
    kind: LinkKind
    title: str
    in_collection: bool = Field(description="whether the collection has it (once `is_here`)")


class ThreadResponse(BaseModel):
    """A question with its answers, best first, or a document alone.

    ``comments`` are those on all of these posts, ``links`` those of the question.
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
        links=[
            {"id": "104", "kind": "duplicate", "title": "What is $x^2$?", "in_collection": True}
        ],
    )

    question: PostResponse
    answers: list[PostResponse]
    comments: list[CommentResponse]
    links: list[LinkedQuestion]


class ConvertRequest(BaseModel):
    """A formula, and the forms to convert it to."""

    model_config = _example(source=r"\frac12 x^2", form="latex", to=["mathml", "opt"])

    source: str = Field(max_length=LONGEST_FORMULA)
    form: FormulaForm = FormulaForm.LATEX
    to: list[ConversionTarget] = Field(
        default=[ConversionTarget.MATHML], min_length=1, max_length=len(ConversionTarget)
    )


class ConvertProblem(BaseModel):
    """A problem that the parser recovered from."""

    model_config = _example(offset=2, message="brace is not closed")

    offset: int
    message: str


class ConvertResponse(BaseModel):
    """The formula in each form requested."""

    model_config = _example(forms={"slt": "[O!divide,o[N!1],u[N!2]]"}, problems=[])

    forms: dict[str, str | list[str]]
    problems: list[ConvertProblem]


class HealthResponse(BaseModel):
    """The state of the service, and what it serves."""

    model_config = _example(
        status="ok", version="1.0.0", answers=194, formulas=1_234, fingerprint="5f3a0c9e"
    )

    status: str
    version: str
    answers: int
    formulas: int
    fingerprint: str


class ProblemResponse(BaseModel):
    """An error, as in RFC 9457."""

    type: str = Field(
        description="the kind of error; stable, unlike the message",
        json_schema_extra={"enum": list(ProblemType)},
    )
    title: str
    status: int
    detail: str
