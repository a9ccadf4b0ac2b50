"""Answers of Task 3 read and scored: by people's grades, and by likeness to relevant answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from porism.cli.checking import told_faults
from porism.cli.extras import needs_extra
from porism.cli.progress import counted
from porism.cli.scored_runs import PATH, ScoredRuns, Scoring, run_names
from porism.errors import PorismError

if TYPE_CHECKING:
    from porism.evaluate.records import ByTopic, Evaluation
    from porism.evaluate.short_answers.lexical_overlap import Overlap
    from porism.evaluate.short_answers.references import References
    from porism.evaluate.short_answers.similarity import Similarity
    from porism.formats.qrels import AnswerId
    from porism.model import AnswerRun, DocId, Qrels

Decorated = TypeVar("Decorated", bound=Callable[..., object])


def answer_options(command: Decorated) -> Decorated:
    """The options that only Task 3 has."""
    options = (
        click.option(
            "--answers",
            metavar="FILE",
            type=PATH,
            help="Which answer each run gave (Task 3): run, topic, answer id.",
        ),
        click.option(
            "--annotations",
            metavar="FILE",
            type=PATH,
            help="What people said besides grades (Task 3, TSV), for MG and UI.",
        ),
        click.option(
            "--references",
            metavar="FILE",
            type=PATH,
            multiple=True,
            help="Further runs of Task 3 whose relevant answers others are compared with.",
        ),
        click.option(
            "--task1-qrels",
            metavar="FILE",
            type=PATH,
            help="Judgments of Task 1, whose relevant answers in --collection are references too.",
        ),
        click.option(
            "--tokenizer",
            metavar="PATH",
            type=PATH,
            help="A tokenizer.json, or a model's folder, for LO; the built-in one if none.",
        ),
        click.option("--bags", is_flag=True, help="LO counts how often a token occurs."),
        click.option(
            "--model",
            metavar="FOLDER",
            type=PATH,
            help="A BERT or RoBERTa model for CS; the packaged MiniLM if none.",
        ),
        click.option(
            "--layer",
            metavar="N",
            type=click.IntRange(1),
            help="Which layer of the model counts for CS; the last if not said.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class AnswerScoring:
    """What the options of ``answer_options`` ask for, and where texts of posts are."""

    answers: Path | None = None
    annotations: Path | None = None
    references: tuple[Path, ...] = ()
    task1_qrels: Path | None = None
    tokenizer: Path | None = None
    bags: bool = False
    model: Path | None = None
    layer: int | None = None
    collection: Path | None = None


def is_of_answers(task: str | None, asked: AnswerScoring) -> bool:
    """Whether Task 3 is meant: it was said, or a map of answers was given."""
    return task == "3" or (task is None and asked.answers is not None)


def score_answers(runs: Sequence[Path], scoring: Scoring, asked: AnswerScoring) -> ScoredRuns:
    """Score answers of Task 3, or, without a map of answers, runs of Task 1 cut at rank 1.

    With a map, ``runs`` are files of answers, or names of runs in the map; all of it if none.
    """
    from porism.formats.qrels import read_qrels

    if scoring.measures or scoring.formulas:
        raise PorismError("Task 3 has measures of its own and no formulas: leave these options out")
    judged = read_qrels(scoring.qrels)
    if scoring.validates:
        for _ in told_faults(runs, 1 if asked.answers is None else 3):
            pass
    if asked.answers is not None:
        return ScoredRuns(_answers(runs, judged, asked), (), judged)
    if not runs:
        raise PorismError("name the runs to score, or say with --answers which answers they gave")
    return _first_results(runs, judged)


def _first_results(paths: Sequence[Path], judged: Qrels) -> ScoredRuns:
    from porism.evaluate.inputs import as_scored
    from porism.evaluate.scoring import check_topics
    from porism.evaluate.short_answers.grading import evaluate_first_results

    named = zip(run_names(paths), paths, strict=True)
    runs = tuple(as_scored(path, name, judged.grades) for name, path in counted(named, "runs"))
    for run in runs:
        check_topics(run, tuple(judged.grades))
    return ScoredRuns(evaluate_first_results(runs, judged), runs, judged)


def _answers(runs: Sequence[Path], judged: Qrels, asked: AnswerScoring) -> Evaluation:
    from porism.evaluate.records import Evaluation, RunScores
    from porism.evaluate.short_answers.grading import evaluate_answers, read_annotations
    from porism.formats.qrels import read_answer_ids

    assert asked.answers is not None
    answer_ids = list(read_answer_ids(asked.answers))
    annotations = read_annotations(asked.annotations) if asked.annotations else None
    manual = evaluate_answers(judged, answer_ids, annotations)
    by_name = {run.run: run for run in manual.runs}
    texts = _texts(runs, by_name)
    chosen = _chosen(runs, texts, list(by_name))
    automatic = _Automatic(judged, answer_ids, list(texts.values()), asked)
    measures = (*manual.measures, *automatic.measures)
    scored = []
    for name, text in counted(chosen.items(), "runs"):
        by_grade = by_name.get(name)
        values = dict(by_grade.by_topic) if by_grade else {}
        if text is not None:
            values |= automatic.scores(text, name if by_grade else None)
        told = frozenset(text.answers) & judged.grades.keys() if text else frozenset()
        answered = by_grade.answered if by_grade else told
        by_topic = {measure: values.get(measure, {}) for measure in measures}
        scored.append(RunScores(name, by_topic, answered))
    notes = (*manual.notes, *automatic.notes)
    return Evaluation(3, measures, manual.topics, tuple(scored), manual.ceilings, notes)


def _texts(runs: Sequence[Path], known: Collection[str]) -> dict[str, AnswerRun]:
    """The files among what was named, read, by the name that the map has for them, or their own."""
    from porism.evaluate.short_answers.references import name_in_map
    from porism.formats.answer_runs import read_answer_run
    from porism.formats.text_lines import name_of
    from porism.model import AnswerRun

    texts: dict[str, AnswerRun] = {}
    for path in runs:
        if not path.exists() and str(path) in known:
            continue
        run = read_answer_run(path)
        own = name_of(path)
        name = name_in_map(own, known) or name_in_map(run.name, known) or own
        if name in texts:
            raise PorismError(f"{path}: another file already has the answers of {name}")
        texts[name] = AnswerRun(name, run.answers)
    return texts


def _chosen(
    runs: Sequence[Path], texts: dict[str, AnswerRun], names: Sequence[str]
) -> dict[str, AnswerRun | None]:
    """The runs to score, each with its texts where they are at hand."""
    if not runs:
        return dict.fromkeys(names)
    named = {str(path): None for path in runs if str(path) in names and not path.exists()}
    return {**named, **texts}


class _Automatic:
    """LO and CS, as far as there are texts to compare with."""

    def __init__(
        self,
        qrels: Qrels,
        answer_ids: Sequence[AnswerId],
        runs: Sequence[AnswerRun],
        asked: AnswerScoring,
    ) -> None:
        self._references = _references(qrels, answer_ids, runs, asked) if runs else {}
        self.measures: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self._overlap: Overlap | None = None
        self._similarity: Similarity | None = None
        if not runs:
            return
        if not self._references:
            self.notes = (
                "LO and CS need the texts of relevant answers: give runs with --references, or "
                "--task1-qrels with --collection",
            )
            return
        self._overlap = _overlap(asked)
        self._similarity, why_not = _similarity(asked)
        self.measures = ("LO", "CS") if self._similarity else ("LO",)
        count = sum(map(len, self._references.values()))
        self.notes = (
            f"LO by {self._overlap.name}; {count} references to {len(self._references)} topics",
            f"CS by {self._similarity.name}" if self._similarity else f"no CS: {why_not}",
        )

    def scores(self, run: AnswerRun, name_in_map: str | None) -> Mapping[str, ByTopic]:
        from porism.evaluate.short_answers.automatic import automatic_scores
        from porism.evaluate.short_answers.references import team_of

        if self._overlap is None:
            return {}
        # Who is not in the map contributed nothing to the judgments, whatever the team is called.
        team = team_of(name_in_map) if name_in_map else None
        return automatic_scores(run, self._references, team, self._overlap, self._similarity)


def _references(
    qrels: Qrels, answer_ids: Sequence[AnswerId], runs: Sequence[AnswerRun], asked: AnswerScoring
) -> References:
    from porism.evaluate.short_answers.references import references, texts_by_answer_id, widened
    from porism.formats.qrels import read_qrels

    known = {run for run, _, _ in answer_ids}
    others = _texts(asked.references, known)
    texts = texts_by_answer_id([*runs, *others.values()], answer_ids)
    found: References = references(answer_ids, qrels, texts)
    if asked.task1_qrels is None:
        return found
    if asked.collection is None:
        raise PorismError("--task1-qrels needs --collection, which has the texts of the answers")
    return widened(found, read_qrels(asked.task1_qrels), _post_texts(asked.collection))


def _post_texts(folder: Path) -> Callable[[DocId], str | None]:
    """What posts of a collection say, with LaTeX between dollars; None for those it lacks."""
    from porism.collection.store import open_collection
    from porism.evaluate.short_answers.answer_text import plain_text

    collection = open_collection(folder)

    def text(doc_id: DocId) -> str | None:
        if collection.find_number(doc_id) is None:
            return None
        return plain_text(collection.post(doc_id).body)

    return text


def _overlap(asked: AnswerScoring) -> Overlap:
    from porism.evaluate.short_answers.lexical_overlap import BUILT_IN, Overlap

    if asked.tokenizer is None:
        return Overlap(BUILT_IN, asked.bags)
    with needs_extra("similarity"):
        from porism.evaluate.short_answers.tokenizing import read_tokenizer
    return Overlap(read_tokenizer(asked.tokenizer), asked.bags)


def _similarity(asked: AnswerScoring) -> tuple[Similarity | None, str]:
    """What compares by meaning; if nothing was asked for and nothing is there, why not."""
    from porism.evaluate.short_answers.similarity import Similarity

    try:
        with needs_extra("similarity"):
            from porism.evaluate.short_answers.encoder import packaged_encoder, read_encoder
        if asked.model is not None:
            return Similarity(read_encoder(asked.model, asked.layer)), ""
        return Similarity(packaged_encoder(asked.layer)), ""
    except PorismError as error:
        if asked.model is not None or asked.layer is not None:
            raise
        return None, str(error)
