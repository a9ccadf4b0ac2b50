"""``porism reproduce systems``: systems on judged topics beside the papers' figures."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from porism.catalog import SYSTEMS
from porism.cli.lab.reproduce_systems import _candidates
from porism.cli.lab.system_tables import ScoredSet, set_lines, set_record
from porism.cli.main import porism
from porism.collection.sample import sample_duplicates, sample_qrels, sample_topics
from porism.lab.system_scores import SystemScore, read_scores
from porism.lab.topic_sets import TopicSet
from porism.model import DocId, Qrels, Task, TopicId
from porism.searchindex.index_folder import open_index

TASK1 = ["--topics", str(sample_topics(1)), "--qrels", str(sample_qrels(1))]
TASK2 = ["--topics", str(sample_topics(2)), "--qrels", str(sample_qrels(2))]


def reproduce(index: Path, *arguments: str) -> Result:
    return CliRunner().invoke(porism, ["reproduce", "systems", str(index), *arguments])


@pytest.mark.usefixtures("hash_encoder")
def test_the_table_has_ours_and_the_papers_and_says_why_they_differ(hash_index: Path) -> None:
    names = "l8,psu,porism,linked"
    done = reproduce(hash_index, "--systems", names, *TASK1)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith("Task 1, ")
    rows = {line.split()[0]: line for line in lines[3:] if line}
    assert "L8_a018" in rows["l8"]
    assert rows["l8"].split()[1:3] == ["-", "-"]
    assert "PSU1" in rows["psu"]
    assert "minilm" in rows["psu"] or "hash" in rows["psu"]
    assert "weights on 2020, 2021, links" in rows["porism"]
    text = done.stdout
    assert (
        "1. different collection: 194 answers and notes, where the papers had 1.4 million" in text
    )
    assert "different model: RoBERTa-base, further trained on the posts of ARQMath" in text
    assert "trained on these topics: weights learned from judgments of 2020" in text
    left_out = text.partition("Left out:\n")[2]
    assert "- linked: it needs --duplicates" in left_out


@pytest.mark.usefixtures("hash_encoder")
def test_json_and_tsv_have_every_set(hash_index: Path, tmp_path: Path) -> None:
    out = tmp_path / "scores.tsv"
    done = reproduce(
        hash_index, "--systems", "l8", "--systems", "bm25", *TASK1, *TASK2, "-o", str(out), "--json"
    )
    assert done.exit_code == 0, done.output
    first, second = json.loads(done.stdout)
    assert (first["task"], second["task"]) == (1, 2)
    bm25, l8 = first["systems"]
    assert (bm25["system"], l8["system"]) == ("bm25", "l8")
    assert l8["published"][0]["run"] == "L8_a018"
    assert set(bm25["p"]) == {"nDCG'", "MAP'", "P'@10", "MAP", "P@10"}
    assert len(bm25["not_comparable"]) == 1
    written = read_scores(out)
    assert {(each.system, each.task) for each in written} == {
        (name, task) for name in ("l8", "bm25") for task in (1, 2)
    }
    assert {
        each.system: round(each.measures["nDCG'"], 4) for each in written if each.task == 1
    } == {
        "l8": round(l8["scores"]["nDCG'"], 4),
        "bm25": round(bm25["scores"]["nDCG'"], 4),
    }


def test_an_oracle_runs_with_duplicates(sample_index: Path) -> None:
    done = reproduce(
        sample_index, "--systems", "linked", *TASK1, "--duplicates", str(sample_duplicates())
    )
    assert done.exit_code == 0, done.output
    assert "Linked MSE posts" in done.stdout
    assert "Left out" not in done.stdout


def test_no_system_at_all_is_an_error(sample_index: Path) -> None:
    done = reproduce(sample_index, "--systems", "linked", *TASK1)
    assert done.exit_code == 1
    assert "no system could be run" in done.stderr
    assert "--duplicates" in done.stderr


def test_bad_options_are_refused(sample_index: Path, tmp_path: Path) -> None:
    assert reproduce(sample_index, *TASK1[:2]).exit_code == 2
    done = reproduce(sample_index, *TASK1, "--topic-formulas", "a", "--topic-formulas", "b")
    assert "one file of --topic-formulas per file of --topics" in done.stderr
    done = reproduce(sample_index, *TASK1, "--systems", "l9")
    assert done.exit_code == 1
    assert "there is no system 'l9'; did you mean l8" in done.stderr
    done = reproduce(sample_index, *TASK1, *TASK1)
    assert "is in another file too" in done.stderr


def test_the_command_for_published_runs_is_still_there(tmp_path: Path) -> None:
    done = CliRunner().invoke(porism, ["reproduce", str(tmp_path)])
    assert "found no run with published numbers" in done.stderr
    (tmp_path / "systems").mkdir()
    done = CliRunner().invoke(porism, ["reproduce", str(tmp_path / "systems")])
    assert "found no run with published numbers" in done.stderr


def test_every_system_of_a_task_is_a_candidate(sample_index: Path) -> None:
    with open_index(sample_index) as search_index:
        for task in (Task.ANSWERS, Task.FORMULAS):
            candidates = _candidates(tuple(SYSTEMS), task, search_index, has_duplicates=False)
            assert [each.name for each in candidates] == [
                name for name, each in SYSTEMS.items() if task in each.makers
            ]


def test_queries_made_by_hand_are_a_reason_not_to_compare() -> None:
    score = SystemScore("approach0", 1, "2021", 66, 3395, "", "", {"nDCG'": 0.7}, {}, 400.0)
    topics = TopicSet("Topics_2021.xml", (), Qrels({TopicId("A.201"): {DocId("a"): 0}}))
    record = json.loads(json.dumps(set_record(ScoredSet(Task.ANSWERS, topics, (score,), ()))))
    (system,) = record["systems"]
    assert system["not_comparable"][1:] == ["the papers' runs had queries made by hand"]
    whole = replace(score, documents=1_445_495)
    lines = list(set_lines(ScoredSet(Task.ANSWERS, topics, (whole,), ())))
    assert not any("different collection" in line for line in lines)
    assert any("a0porter" in line for line in lines)
