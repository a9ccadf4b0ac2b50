"""The table of filters: labels, groups of labels, and everything that is generated from it."""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porism.filters import MAX_VOTES, fact_labels, label_groups, label_kinds


class Facts(NamedTuple):
    tags: tuple[str, ...] = ()
    years: tuple[str, ...] = ()
    votes: int | None = None
    is_accepted: bool = False
    users: tuple[str, ...] = ()


def test_labels_are_those_of_stored_indexes() -> None:
    facts = Facts(("sets", "sets"), ("2014", "2015"), 1234, True, ("7", "Ada Weiß"))
    assert fact_labels(facts) == (
        *("tag:sets", "year:2014", "year:2015", "votes:100", "accepted"),
        *("user:7", "user:ada weiss"),
    )
    assert label_kinds() == ("acceptance", "kind", "tag", "title", "user", "votes", "year")


def test_users_are_found_by_names_in_any_case_and_by_ids() -> None:
    assert label_groups({"user": ("ADA WEISS", "7")}) == (("user:ada weiss",), ("user:7",))


@given(votes=st.none() | st.integers(-50, 5000), least=st.integers(0, MAX_VOTES))
def test_votes_pass_if_there_are_enough(votes: int | None, least: int) -> None:
    (group,) = label_groups({"votes": least})
    has_label = not set(fact_labels(Facts(votes=votes))).isdisjoint(group)
    assert has_label is (votes is not None and votes >= least)


@given(year=st.integers(1000, 2026), since=st.integers(1000, 2026), until=st.integers(1000, 2026))
def test_years_pass_if_they_are_in_the_range(year: int, since: int, until: int) -> None:
    (group,) = label_groups({"since": min(since, until), "until": max(since, until)})
    has_label = f"year:{year}" in group
    assert has_label is (min(since, until) <= year <= max(since, until))


@pytest.mark.parametrize("votes", [None, -1])
def test_posts_without_votes_have_no_label_for_them(votes: int | None) -> None:
    assert fact_labels(Facts(votes=votes)) == ()


NEW_FILTER = r"""
import json
import sys
from pathlib import Path

from porism import filters

filters.FILTERS += (
    filters.FilterSpec(
        name="popular",
        kind="popularity",
        prefix="popular",
        facts=lambda post: ("",) if (post.votes or 0) >= 10 else (),
        takes=filters.Flag(),
        summary="posts with 10 votes or more",
        control="Popular posts only",
        chip="popular",
        example=True,
        nothing="no post is popular",
    ),
)

from click.testing import CliRunner
from fastapi.testclient import TestClient

from porism.cli.main import porism
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.collection.sample import sample_source
from porism.inverted.query import LABELS
from porism.searchindex.index_folder import open_index
from porism.web.app import create_app
from porism.web.settings import SearchAppSettings

folder = Path(sys.argv[1])
ingest(sample_source(), folder, IngestOptions(jobs=1))


def command(*arguments):
    done = CliRunner().invoke(porism, arguments)
    assert done.exit_code == 0, done.output
    return done.output


command("index", str(folder), "--systems", "l8", "--jobs", "1")
with open_index(folder / "index") as index:
    assert index.answers.frequency(LABELS, "popular") > 0
    assert index.formulas.frequency(LABELS, "popular") > 0
    assert "popularity" in index.manifest.labels

help_text = " ".join(command("search", "--help").split())
assert "--popular Only posts with 10 votes or more." in help_text
printed = json.loads(command("search", str(folder / "index"), "matrix", "--popular", "--json"))
assert min(result["votes"] for result in printed["results"]) >= 10

client = TestClient(create_app(SearchAppSettings(folder / "index")))
described = client.get("/api/openapi.json").json()["paths"]["/api/search"]["get"]
(parameter,) = [each for each in described["parameters"] if each["name"] == "popular"]
assert parameter["description"] == "only posts with 10 votes or more"
for what in ("search", "formulas"):
    results = client.get(f"/api/{what}?q=matrix $x^2$&popular=true").json()["results"]
    assert results
    assert all(result["votes"] >= 10 for result in results)
assert client.get("/api/search?q=matrix&popular=perhaps").status_code == 422

page = client.get("/?q=matrix&popular=1").text
assert '<input type="checkbox" name="popular" value="1" checked> Popular posts only' in page
assert '<a href="/?q=matrix" title="Search without this filter">popular ' in page
assert "&amp;popular=1" in page  # the links to other pages and threads
assert "“popular” takes 1" in client.get("/?q=matrix&popular=yes").text
"""


def test_a_new_filter_is_one_row_of_the_table(tmp_path: Path) -> None:
    """It is in the labels, the command, the REST interface and the page, and it filters."""
    code = [sys.executable, "-c", NEW_FILTER, str(tmp_path / "sample")]
    done = subprocess.run(code, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
