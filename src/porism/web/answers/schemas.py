"""Requests and responses of ``/api/ask``, with examples for its OpenAPI description."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field
from pydantic.config import JsonDict

from porism.web.schemas import FilteredQuery, QueryProblemResponse, with_filters


@with_filters
class AskQuery(FilteredQuery):
    """The parameters of a question."""

    system: str | None = Field(
        None,
        max_length=40,
        description="the system that answers; by default extract",
        examples=["first-answer"],
    )
    stream: bool = Field(
        False,
        description="send server-sent events, as for Accept: text/event-stream",
        examples=[False],
    )


class AnswerSourceResponse(BaseModel):
    """A post that the answer draws from, with the part used, and both as HTML."""

    number: int
    id: str
    thread_id: str
    kind: str
    title: str
    passage: str
    score: float
    votes: int | None
    is_accepted: bool
    url: str | None
    html: str


class CitedSentenceResponse(BaseModel):
    """A sentence of a generated answer, and the numbers of the sources that it cites."""

    text: str
    sources: list[int]
    is_by_model: bool
    is_supported: bool | None


class FormulaCheckResponse(BaseModel):
    """The final formula of the answer, and the sources that have it, or another value.

    ``holds`` says whether its sides are the same number; null if they are not constants.
    """

    latex: str
    agreeing: list[int]
    contradicting: list[int]
    holds: bool | None


class ContradictionResponse(BaseModel):
    """Two sources that give different values for the same expression."""

    expression: str
    first_source: int
    first_value: str
    second_source: int
    second_value: str


class VerificationResponse(BaseModel):
    """What a comparison of the formulas with those of the sources showed."""

    check: FormulaCheckResponse | None
    contradictions: list[ContradictionResponse]


class AnswerMilliseconds(BaseModel):
    """The time taken by ranking, by choosing passages, and by the language model."""

    search: float
    extract: float
    generate: float


_SOURCE: JsonDict = {
    "number": 1,
    "id": "102",
    "thread_id": "101",
    "kind": "answer",
    "title": "What is the sum of the squares of reciprocals?",
    "passage": r"The sum is $\frac{\pi^2}{6}$.",
    "score": 2.1,
    "votes": 12,
    "is_accepted": True,
    "url": "https://math.stackexchange.com/a/102",
    "html": "<li>…</li>",
}


class AskResponse(BaseModel):
    """One short answer with its sources; ``answer`` is null, with a reason, if there is none.

    ``answer`` and ``passage`` are Markdown with LaTeX and untrusted; each ``html`` is safe.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "question": r"sum of $\frac{1}{n^2}$",
                    "answer": r"The sum is $\frac{\pi^2}{6}$.",
                    "html": "<section><p>The sum is <math>…</math>.</p></section>",
                    "reason": None,
                    "system": "extract",
                    "kind": "extract",
                    "model": None,
                    "score": 2.1,
                    "notes": [],
                    "sources": [_SOURCE],
                    "sentences": [],
                    "verification": {"check": None, "contradictions": []},
                    "milliseconds": {"search": 12.1, "extract": 8.4, "generate": 0.0},
                    "problems": [],
                }
            ]
        }
    )

    question: str
    answer: str | None
    html: str
    reason: str | None
    system: str
    kind: str
    model: str | None
    score: float
    notes: list[str]
    sources: list[AnswerSourceResponse]
    sentences: list[CitedSentenceResponse]
    verification: VerificationResponse
    milliseconds: AnswerMilliseconds
    problems: list[QueryProblemResponse]
