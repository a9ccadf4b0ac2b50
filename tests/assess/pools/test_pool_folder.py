"""Pools on disk: read back equal, written whole or not at all, never overwritten."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.assess.pools import pool_folder
from porism.assess.pools.pool_folder import (
    pool_bytes,
    pool_digest,
    pool_from_bytes,
    read_pool,
    write_pool,
)
from porism.assess.records import Candidate, Pool, PoolContribution, PooledRun, RunKind
from porism.errors import FormatError, PorismError
from porism.formats.topics import read_topics
from porism.model import DocId, Formula, Topic, TopicId

POOL = Pool(
    2,
    (
        Topic(
            TopicId("B.1"),
            ("What is ", Formula("q_1", "x < y"), "?"),
            ("Say.",),
            ("algebra",),
            Formula("q_1", "x < y"),
        ),
        Topic(TopicId("B.2")),
    ),
    (
        Candidate(
            TopicId("B.1"),
            DocId("7"),
            DocId("70"),
            "v",
            "",
            (PoolContribution("a", 1), PoolContribution("thread", 4)),
        ),
        Candidate(TopicId("B.2"), DocId("8"), text='a "text"\nof two lines \u2028 or three'),
    ),
    (PooledRun("a", "team", RunKind.BASELINE, True, 2, 25),),
    7,
    {"preset": "2020"},
    "abc",
)


def test_a_written_pool_reads_back_equal(tmp_path: Path) -> None:
    write_pool(tmp_path / "pool", POOL)
    assert read_pool(tmp_path / "pool") == POOL
    assert {path.name for path in (tmp_path / "pool").iterdir()} == {
        "pool.json",
        "candidates.jsonl",
        "topics.xml",
    }
    assert [path.name for path in tmp_path.iterdir()] == ["pool"]


def test_questions_are_stored_by_topic(tmp_path: Path) -> None:
    pool = replace(POOL, questions={TopicId("B.1"): DocId("12")})
    write_pool(tmp_path / "pool", pool)
    assert read_pool(tmp_path / "pool") == pool_from_bytes(pool_bytes(pool)) == pool
    assert pool_digest(pool) != pool_digest(POOL)
    head = tmp_path / "pool" / "pool.json"
    for wrong in ('["B.1"]', '{"B.1": 12}'):
        text = json.dumps({**json.loads(head.read_text()), "questions": json.loads(wrong)})
        head.write_text(text, encoding="utf-8")
        with pytest.raises(FormatError, match="the file was changed"):
            read_pool(tmp_path / "pool")


PASSED_OVER = Candidate(
    TopicId("B.1"), DocId("9"), DocId("90"), "v", "", (PoolContribution("a", 2),)
)


def test_passed_over_instances_are_stored(tmp_path: Path) -> None:
    pool = replace(POOL, passed_over=(PASSED_OVER,))
    write_pool(tmp_path / "pool", pool)
    assert read_pool(tmp_path / "pool") == pool_from_bytes(pool_bytes(pool)) == pool
    assert pool_digest(pool) != pool_digest(POOL)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("", "found 0 candidates: expected 1"),
        ('{"topic": "B.1", "document": "7", "contributions": []}', "found 7 twice"),
        ("[]", "no JSON object"),
    ],
)
def test_passed_over_instances_must_match_the_head(tmp_path: Path, lines: str, why: str) -> None:
    write_pool(tmp_path / "pool", replace(POOL, passed_over=(PASSED_OVER,)))
    path = tmp_path / "pool" / "passed_over.jsonl"
    path.write_text(lines, encoding="utf-8")
    with pytest.raises(FormatError, match=why) as caught:
        read_pool(tmp_path / "pool")
    assert caught.value.path == str(path)
    path.unlink()
    with pytest.raises(FormatError, match="found 0 candidates: expected 1"):
        read_pool(tmp_path / "pool")


def test_the_digest_of_a_pool_is_stable_across_versions() -> None:
    # Judgments identify their pool by it.
    assert pool_digest(POOL) == "ccdbbd497183370d"


HOSTILE = {
    "nested": "[" * 100_000 + "]" * 100_000,
    "nested a little": "[" * 60 + "]" * 60,
    "too many digits": "1" * 5000,
    "half a character": '"\\ud800"',
}


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("name", ["pool.json", "candidates.jsonl"])
def test_invalid_json_is_an_error(tmp_path: Path, name: str, value: str) -> None:
    write_pool(tmp_path / "pool", POOL)
    path = tmp_path / "pool" / name
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{", f'{{"more": {value}, ', 1), encoding="utf-8")
    with pytest.raises(FormatError, match=f"{name}:1: "):
        read_pool(tmp_path / "pool")


@pytest.mark.parametrize("value", HOSTILE.values(), ids=HOSTILE)
def test_invalid_stored_json_is_an_error(value: str) -> None:
    text = gzip.decompress(pool_bytes(POOL)).decode()
    changed = gzip.compress(text.replace("{", f'{{"more":{value},', 1).encode())
    with pytest.raises(FormatError, match="the stored pool"):
        pool_from_bytes(changed)


def test_topics_are_written_in_the_format_of_the_lab(tmp_path: Path) -> None:
    write_pool(tmp_path / "pool", POOL)
    assert tuple(read_topics(tmp_path / "pool" / "topics.xml")) == POOL.topics


def test_the_same_pool_may_be_written_again(tmp_path: Path) -> None:
    write_pool(tmp_path / "pool", POOL)
    before = (tmp_path / "pool" / "pool.json").stat().st_mtime_ns
    write_pool(tmp_path / "pool", POOL)
    assert (tmp_path / "pool" / "pool.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "other",
    [
        replace(POOL, seed=8),
        replace(POOL, candidates=POOL.candidates[::-1]),
        replace(POOL, topics=(*POOL.topics, Topic(TopicId("B.3")))),
        replace(POOL, settings={}),
        replace(POOL, runs=()),
    ],
)
def test_another_pool_is_never_overwritten(tmp_path: Path, other: Pool) -> None:
    write_pool(tmp_path / "pool", POOL)
    with pytest.raises(PorismError, match="is another pool"):
        write_pool(tmp_path / "pool", other)
    assert read_pool(tmp_path / "pool") == POOL


def test_a_folder_that_is_not_a_pool_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(PorismError, match="is not a pool"):
        write_pool(tmp_path, POOL)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_missing_parent_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="there is no folder"):
        write_pool(tmp_path / "no" / "pool", POOL)


def test_nothing_is_left_if_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, topics: object) -> None:
        path.write_text("<Topics>")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pool_folder, "write_topics", full)
    with pytest.raises(OSError, match="No space left"):
        write_pool(tmp_path / "pool", replace(POOL, candidates=()))
    assert list(tmp_path.iterdir()) == []


LINES = (
    '{"topic": "B.1", "document": "7", "contributions": [["a", 1]]}\n',
    '{"topic": "B.2", "document": "8", "contributions": []}\n',
)


@pytest.mark.parametrize(
    ("lines", "line", "why"),
    [
        (LINES[:1], 2, "found 1 candidates: expected 2"),
        ((LINES[0], LINES[1][:20]), 2, "not JSON"),
        ((LINES[0], LINES[0]), 2, "found 7 twice in topic B.1"),
        ((LINES[0], LINES[1].replace("B.2", "B.9")), 2, "not one of the topics"),
        ((LINES[0], "[]\n"), 2, "no JSON object"),
        ((LINES[0], LINES[1].replace('"8"', "8")), 2, "no text for document"),
        ((LINES[0].replace("1]", '"1"]'), LINES[1]), 1, "not a run and a rank"),
        ((LINES[0].replace(" 1]", " 0]"), LINES[1]), 1, "not a run and a rank"),
        ((LINES[0].replace("contributions", "c"), LINES[1]), 1, "without contributions"),
    ],
)
def test_errors_in_candidates_name_the_line(
    tmp_path: Path, lines: tuple[str, ...], line: int, why: str
) -> None:
    write_pool(tmp_path / "pool", POOL)
    (tmp_path / "pool" / "candidates.jsonl").write_text("".join(lines), encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_pool(tmp_path / "pool")
    assert caught.value.line == line
    assert why in caught.value.why


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"format": 99}, "format 99: expected 1"),
        ({"format": [1]}, "a format that is not a number"),
        ({"settings": {"preset": [2020]}}, "no text for preset"),
        ({"passed_over": "1"}, "no number for passed_over"),
        ({"task": "two"}, "no number for task"),
        ({"seed": True}, "no number for seed"),
        ({"collection": None}, "no text for collection"),
        ({"candidates": None}, "no number for candidates"),
        ({"runs": {}}, "no settings or no runs"),
        ({"runs": [{"name": "a"}]}, "without is_manual"),
        (
            {"runs": [{"name": "a", "team": "b", "kind": "odd", "is_manual": True}]},
            "'odd' is not a valid RunKind",
        ),
    ],
)
def test_errors_in_the_head_are_reported(
    tmp_path: Path, change: dict[str, object], why: str
) -> None:
    write_pool(tmp_path / "pool", POOL)
    path = tmp_path / "pool" / "pool.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(FormatError, match=r"pool\.json:1") as caught:
        read_pool(tmp_path / "pool")
    assert why in caught.value.why


@pytest.mark.parametrize("head", [b"", b"[]", b'{"format": 1', b"\xff"])
def test_a_damaged_head_is_an_error(tmp_path: Path, head: bytes) -> None:
    write_pool(tmp_path / "pool", POOL)
    (tmp_path / "pool" / "pool.json").write_bytes(head)
    with pytest.raises(FormatError):
        read_pool(tmp_path / "pool")


def test_reading_a_folder_that_is_not_a_pool_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PorismError, match="is not a pool"):
        read_pool(tmp_path / "nothing")


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
CANDIDATES = st.lists(
    st.builds(
        Candidate,
        st.sampled_from(["B.1", "B.2"]),
        NAMES,
        st.none() | NAMES,
        NAMES,
        NAMES,
        st.lists(st.builds(PoolContribution, NAMES, st.integers(1, 1000))).map(tuple),
    ),
    unique_by=lambda each: (each.topic_id, each.doc_id),
).map(tuple)


@settings(max_examples=30)
@given(CANDIDATES, st.dictionaries(NAMES, NAMES), st.integers(0))
def test_bytes_hold_the_whole_pool(
    candidates: tuple[Candidate, ...], settings: dict[str, str], seed: int
) -> None:
    pool = replace(POOL, candidates=candidates, settings=settings, seed=seed)
    assert pool_from_bytes(pool_bytes(pool)) == pool
    assert pool_digest(pool_from_bytes(pool_bytes(pool))) == pool_digest(pool)


def test_different_pools_have_different_digests() -> None:
    assert pool_digest(POOL) != pool_digest(replace(POOL, seed=8))
    assert len(pool_digest(POOL)) == 16


@pytest.mark.parametrize("data", [b"", b"x", pool_bytes(POOL)[:50], pool_bytes(POOL)[:-9]])
def test_damaged_bytes_are_an_error(data: bytes) -> None:
    with pytest.raises(FormatError, match="the stored pool"):
        pool_from_bytes(data)


def test_topics_of_the_lab_round_trip(shared: Path, tmp_path: Path) -> None:
    for path in sorted((shared / "data" / "topics").glob("task*/*.xml")):
        topics = tuple(read_topics(path))
        write_pool(tmp_path / path.stem, Pool(1, topics, ()))
        assert read_pool(tmp_path / path.stem).topics == topics
