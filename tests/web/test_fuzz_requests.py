"""Random requests to the search application; ``make fuzz`` sends more."""

from pathlib import Path

from fuzz.http_requests import search_client, search_property
from fuzz.properties import check_examples
from porism.collection.sample import sample_qrels

EXAMPLES = 100


def test_no_request_makes_the_search_application_fail(
    sample_index: Path, sample_runs: Path
) -> None:
    with search_client(sample_index, sample_runs, sample_qrels(1)) as client:
        check_examples(search_property(client), EXAMPLES)
