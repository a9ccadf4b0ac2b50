"""Random requests to the assessment application; ``make fuzz`` sends more."""

import pytest

from fuzz.http_requests import assessment_client, assessment_property
from fuzz.properties import check_examples
from tests.web.assessment.sample_assessment import Assessment

EXAMPLES = 100


@pytest.mark.parametrize("name", ["nobody", "Ada", "Eve"])
def test_no_request_makes_the_assessment_application_fail(
    name: str, assessment: Assessment
) -> None:
    assert assessment.collection is not None
    token = assessment.tokens.get(name)
    with assessment_client(assessment.path, assessment.collection, token) as client:
        check_examples(assessment_property(name, client), EXAMPLES)
