"""The REST interface against its OpenAPI description, with generated requests."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import BaseSchema, Case, GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from porism.web.settings import SearchAppSettings
from tests.web.serving import served_by_thread

EXAMPLES = 30
"""Requests for each operation, valid and invalid ones each."""

OPERATIONS = (
    ("GET", "/api/search"),
    ("GET", "/api/formulas"),
    ("GET", "/api/ask"),
    ("GET", "/api/posts/{post_id}"),
    ("GET", "/api/threads/{post_id}"),
    ("GET", "/api/suggest"),
    ("POST", "/api/convert"),
    ("GET", "/api/health"),
    ("GET", "/api/metrics"),
)


@pytest.fixture(scope="module")
def described(sample_index: Path) -> Iterator[BaseSchema]:
    """The description, from the server that is tested against it."""
    with served_by_thread(SearchAppSettings(sample_index, requests_a_second=0)) as address:
        yield schemathesis.openapi.from_url(f"{address}/api/openapi.json")


def test_every_operation_is_tested(described: BaseSchema) -> None:
    paths = described.raw_schema["paths"]
    assert {(method.upper(), path) for path in paths for method in paths[path]} == set(OPERATIONS)


BOUNDED = settings(
    max_examples=EXAMPLES,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)

TAKE_NOTHING = ("/api/health", "/api/metrics")  # so nothing can be wrong with what they are sent


@pytest.mark.parametrize(
    ("method", "path", "mode"),
    [
        (*operation, mode)
        for operation in OPERATIONS
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
        if mode is GenerationMode.POSITIVE or operation[1] not in TAKE_NOTHING
    ],
)
def test_every_response_matches_the_description(
    described: BaseSchema, method: str, path: str, mode: GenerationMode
) -> None:
    @BOUNDED
    @given(described[path][method].as_strategy(generation_mode=mode))
    def holds(case: Case[Any]) -> None:  # Any: of whatever kind the schema is
        # What is well-formed may still be a system that is not there, or no formula.
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    holds()


PIECES = r"""
    \frac \sqrt \sum \left( \right) \begin{matrix} \end{matrix} & \\ \text{ \mathbb{R}
    \operatorname{ \def\a{\a} \a ^ _ { } [ ] $ $$ \( \) ?x ?* x 1 + = < > ' \ \, % # ~ π 𝔸
"""
LATEX = st.lists(st.sampled_from(PIECES.split()), min_size=1, max_size=30).map(" ".join)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/search"),
        ("GET", "/api/formulas"),
        ("GET", "/api/ask"),
        ("POST", "/api/convert"),
    ],
)
def test_no_latex_causes_a_server_error(described: BaseSchema, method: str, path: str) -> None:
    operation = described[path][method]

    @BOUNDED
    @given(LATEX)
    def holds(latex: str) -> None:
        case = (
            operation.Case(query={"q": latex})
            if method == "GET"
            else operation.Case(body={"source": latex}, media_type="application/json")
        )
        case.call_and_validate(excluded_checks=[positive_data_acceptance])

    holds()
