"""A small site with linked questions, and pools of its answers, for tests."""

from pathlib import Path

from porism.assess.records import Candidate, Pool, PoolContribution
from porism.collection.ingest.pipeline import IngestOptions, ingest
from porism.model import DocId, Topic, TopicId
from tests.collection.dumps import answer, question, write_table

A1, A2 = TopicId("A.1"), TopicId("A.2")


def formula(formula_id: int, latex: str) -> str:
    return f'<p><span class="math-container" id="{formula_id}">{latex}</span></p>'


def site(folder: Path, changed: str = "<p>So.</p>") -> Path:
    """Question 1 is a duplicate of 4 and related to 7; its accepted answer has fewer votes."""
    posts = [
        question(1, AcceptedAnswerId=3),
        answer(2, 1, formula(52, "x+1"), Score=9),
        answer(3, 1, formula(53, "x+1"), Score=1),
        question(4),
        answer(5, 4, changed, Score=2),
        answer(6, 4, Score=7),
        question(7, formula(57, "y")),
        answer(8, 7),
    ]
    links = [
        {"Id": 1, "PostId": 1, "RelatedPostId": 4, "LinkTypeId": 3},
        {"Id": 2, "PostId": 1, "RelatedPostId": 7, "LinkTypeId": 1},
    ]
    write_table(folder / "dump", "Posts", posts)
    write_table(folder / "dump", "PostLinks", links)
    ingest(folder / "dump", folder / "site", IngestOptions(jobs=1))
    return folder / "site"


def answers(*ids: str) -> Pool:
    candidates = [
        Candidate(A1, DocId(each), contributions=(PoolContribution("run", rank),))
        for rank, each in enumerate(ids, start=1)
    ]
    return Pool(1, (Topic(A1), Topic(A2)), tuple(candidates))
