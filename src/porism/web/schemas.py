"""What the REST interface takes and gives, typed, with examples for its description."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from porism.analysis.labels import MOST_VOTES
from porism.formula.forms import Form, Target
from porism.rank.narrowing import FIRST_YEAR, LAST_YEAR
from porism.web.asked import LONGEST_TAG, MOST_TAGS

LONGEST_QUERY = 2_000
LONGEST_FORMULA = 10_000
MOST_RESULTS = 100


class SearchQuery(BaseModel):
    """What a search asks for."""

    q: str = Field(
        min_length=1,
        max_length=LONGEST_QUERY,
        description="words, and formulas between dollars; of formulas one may stand alone",
        examples=[r"sum of $\frac{1}{n^2}$"],
    )
    k: int = Field(10, ge=1, le=MOST_RESULTS, description="how many results")
    tag: list[Annotated[str, Field(max_length=LONGEST_TAG)]] = Field(
        [], max_length=MOST_TAGS, description="only posts that have all of these"
    )
    since: int | None = Field(
        None, ge=FIRST_YEAR, le=LAST_YEAR, description="only posts of that year or later"
    )
    until: int | None = Field(
        None, ge=FIRST_YEAR, le=LAST_YEAR, description="only posts of that year or earlier"
    )
    votes: int | None = Field(
        None, ge=0, le=MOST_VOTES, description="only posts with at least so many votes"
    )
    accepted: bool = Field(
        False, description="only answers that the author of their question accepted"
    )
    system: str | None = Field(None, max_length=40, description="the system that ranks")
    explain: bool = Field(False, description="whether to tell what each term gave to a score")


class Misread(BaseModel):
    """What of a query was not understood, and where."""

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


class FoundFormula(BaseModel):
    """The formula that was found, in the search for formulas."""

    id: str
    latex: str
    visual_id: str


class ScorePart(BaseModel):
    """What one term gave to a score."""

    field: str
    token: str
    count: int
    documents: int
    score: float


class SearchResult(BaseModel):
    """A post, or a formula in a post, with the passage that shows why."""

    rank: int
    score: float
    post_id: str
    thread_id: str
    kind: str
    title: str
    votes: int | None
    tags: list[str]
    created: str | None
    snippet: list[SnippetPiece]
    formula: FoundFormula | None = None
    explanation: list[ScorePart] | None = None


class SearchResponse(BaseModel):
    """What was understood and found."""

    text: str
    words: list[str]
    formulas: list[str]
    problems: list[Misread]
    milliseconds: Milliseconds
    system: str
    results: list[SearchResult]


class PostResponse(BaseModel):
    """A post, as text with LaTeX between dollars and as HTML that can do no harm."""

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


class ThreadResponse(BaseModel):
    """A question with its answers, or a document alone."""

    question: PostResponse
    answers: list[PostResponse]


class ConvertRequest(BaseModel):
    """A formula, and what to make of it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"source": r"\frac12 x^2", "form": "latex", "to": ["mathml", "opt"]}]
        }
    )

    source: str = Field(max_length=LONGEST_FORMULA)
    form: Form = Form.LATEX
    to: list[Target] = Field(default=[Target.MATHML], min_length=1, max_length=len(Target))


class ConvertProblem(BaseModel):
    """What the reader had to recover from."""

    offset: int
    message: str


class ConvertResponse(BaseModel):
    """The formula in each form that was asked for."""

    forms: dict[str, str | list[str]]
    problems: list[ConvertProblem]


class HealthResponse(BaseModel):
    """That the service is there, and what it serves."""

    status: str
    version: str
    answers: int
    formulas: int
    fingerprint: str


class ProblemResponse(BaseModel):
    """A failure, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
