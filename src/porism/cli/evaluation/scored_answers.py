"""Read and score answers of Task 3: by grades, and by similarity to relevant answers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from porism.cli.evaluation.run_faults import print_run_faults
from porism.cli.evaluation.scored_runs import ScoredRuns, measure_names, run_names, score_runs
from porism.cli.options.scoring import ScoringOptions
from porism.cli.progress import with_progress
from porism.errors import PorismError
from porism.extras import needs_extra
from porism.pages.plurals import count_of

if TYPE_CHECKING:
    from porism.evaluation.records import ByTopic, RunScores
    from porism.evaluation.short_answers.lexical_overlap import LexicalOverlap
    from porism.evaluation.short_answers.references import References
    from porism.evaluation.short_answers.similarity import ContextualSimilarity
    from porism.formats.qrels import RunAnswerId
    from porism.model import AnswerRun, DocId, Qrels


def score(runs: Sequence[Path], scoring: ScoringOptions, *, keeps_runs: bool = False) -> ScoredRuns:
    """Score runs of the given task; options of another task are refused."""
    unused = scoring.ranking_options if scoring.is_task3 else scoring.task3_options
    if unused:
        which = "Task 3" if scoring.is_task3 else "Tasks 1 and 2"
        raise PorismError(f"{', '.join(unused)}: not used in {which}; leave it out")
    if scoring.is_task3:
        return score_answers(runs, scoring)
    return score_runs(runs, scoring, keeps_runs=keeps_runs)


def score_answers(runs: Sequence[Path], scoring: ScoringOptions) -> ScoredRuns:
    """Score answers of Task 3, or runs of Task 1 cut at rank 1.

    With a map of judged answers, ``runs`` are files of answers or names of runs in the map; all if
    none is given. Without one, answers are compared with relevant ones alone, since none is judged.
    """
    from porism.formats.answer_runs import is_answer_run
    from porism.formats.qrels import read_qrels

    if scoring.answers is None and not runs:
        raise PorismError("expected runs to score, or --answers")
    judged = read_qrels(scoring.qrels)
    has_answers = scoring.answers is not None or all(map(is_answer_run, runs))
    if scoring.validate:
        for _ in print_run_faults(runs, 3 if has_answers else 1):
            pass
    if not has_answers:
        return _first_results(runs, judged)
    return _answers(runs, judged, scoring.answers, scoring)


def _first_results(paths: Sequence[Path], judged: Qrels) -> ScoredRuns:
    from porism.evaluation.inputs import as_scored
    from porism.evaluation.scoring import check_topics
    from porism.evaluation.short_answers.manual_measures import evaluate_first_results

    named = zip(run_names(paths), paths, strict=True)
    runs = tuple(
        as_scored(path, name, judged.grades) for name, path in with_progress(named, "runs")
    )
    for run in runs:
        check_topics(run, tuple(judged.grades))
    return ScoredRuns(evaluate_first_results(runs, judged), judged, runs)


def _answers(
    paths: Sequence[Path], judged: Qrels, answers: Path | None, scoring: ScoringOptions
) -> ScoredRuns:
    from porism.evaluation.records import Evaluation, RunScores
    from porism.evaluation.short_answers.manual_measures import (
        evaluate_answers,
        read_annotations,
        unjudged_answers,
    )
    from porism.formats.qrels import read_answer_ids

    answer_ids = [] if answers is None else list(read_answer_ids(answers))
    annotations = read_annotations(scoring.annotations) if scoring.annotations else None
    manual = (
        unjudged_answers(judged)
        if answers is None
        else evaluate_answers(judged, answer_ids, annotations)
    )
    requested = _requested(scoring.measures, annotations is not None)
    by_name = {run.run: run for run in manual.runs}
    texts = _texts(paths, by_name)
    compared = list(texts.values()) if {"LO", "CS"} & requested else []
    automatic = _Automatic(judged, answer_ids, compared, scoring, "CS" in requested)
    measures = tuple(m for m in (*manual.measures, *automatic.measures) if m in requested)
    scored = []
    for name, text in with_progress(_chosen(paths, texts, list(by_name)).items(), "runs"):
        by_grade = by_name.get(name)
        values = dict(by_grade.by_topic) if by_grade else {}
        if text is not None:
            values |= automatic.scores(text, name if by_grade else None)
        in_text = frozenset(text.answers) & judged.grades.keys() if text else frozenset()
        answered = by_grade.answered if by_grade else in_text
        by_topic = {measure: values.get(measure, {}) for measure in measures}
        scored.append(RunScores(name, by_topic, answered))
    notes = (*manual.notes, *automatic.notes, *_counts(scored))
    evaluation = Evaluation(3, measures, manual.topics, tuple(scored), manual.ceilings, notes)
    ids = {(run, topic): answer for run, topic, answer in answer_ids}
    return ScoredRuns(evaluation, judged, answers=texts, answer_ids=ids)


def _requested(given: Sequence[str], has_annotations: bool) -> frozenset[str]:
    """The requested measures of Task 3; all possible ones if none is given."""
    from porism.evaluation.short_answers.manual_measures import (
        ANNOTATED_MEASURES,
        MANUAL_MEASURES,
    )

    known = (*MANUAL_MEASURES, "LO", "CS", *(ANNOTATED_MEASURES if has_annotations else ()))
    names = measure_names(given) or known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise PorismError(f"Task 3 has no measure {unknown[0]}: expected {', '.join(known)}")
    return frozenset(names)


def _counts(scored: Sequence[RunScores]) -> tuple[str, ...]:
    """A note on runs whose LO is not over all the topics that they answered."""
    counts = {run.run: len(run.by_topic.get("LO", ())) for run in scored}
    fewer = [run.run for run in scored if 0 < counts[run.run] < len(run.answered)]
    listed = ", ".join(f"{counts[name]} of {name}" for name in fewer)
    return (f"LO and CS are over the topics that have references: {listed}",) if fewer else ()


def _texts(paths: Sequence[Path], known: Collection[str]) -> dict[str, AnswerRun]:
    """The answers of the files among the arguments, by their name in the map or their own."""
    from porism.evaluation.short_answers.references import name_in_map
    from porism.formats.answer_runs import read_answer_run
    from porism.formats.text_lines import file_stem
    from porism.model import AnswerRun

    texts: dict[str, AnswerRun] = {}
    for path in paths:
        if not path.exists() and str(path) in known:
            continue
        if not path.exists():
            raise PorismError(f"{path} is neither a file nor a run in --answers")
        run = read_answer_run(path)
        own = file_stem(path)
        name = name_in_map(own, known) or name_in_map(run.name, known) or own
        if name in texts:
            raise PorismError(f"{path}: another file already has the answers of {name}")
        texts[name] = AnswerRun(name, run.answers)
    return texts


def _chosen(
    paths: Sequence[Path], texts: Mapping[str, AnswerRun], names: Sequence[str]
) -> dict[str, AnswerRun | None]:
    """The runs to score, each with its texts if available."""
    if not paths:
        return dict.fromkeys(names)
    named = {str(path): None for path in paths if str(path) in names and not path.exists()}
    return {**named, **texts}


class _Automatic:
    """LO and CS, if there are texts to compare with."""

    def __init__(
        self,
        qrels: Qrels,
        answer_ids: Sequence[RunAnswerId],
        runs: Sequence[AnswerRun],
        scoring: ScoringOptions,
        has_similarity: bool,
    ) -> None:
        self._references = _references(qrels, answer_ids, runs, scoring) if runs else {}
        self.measures: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self._overlap: LexicalOverlap | None = None
        self._similarity: ContextualSimilarity | None = None
        if not runs:
            return
        if not self._references:
            self.notes = (
                "LO and CS need the texts of relevant answers: use --references, or --task1-qrels "
                "with --collection",
            )
            return
        self._overlap = _overlap(scoring)
        references = count_of(sum(map(len, self._references.values())), "reference")
        topics = count_of(len(self._references), "topic")
        self.measures = ("LO",)
        self.notes = (f"LO by {self._overlap.name}; {references} to {topics}",)
        if not has_similarity:
            return
        self._similarity, why_not = _similarity(scoring)
        if self._similarity is None:
            self.notes += (f"no CS: {why_not}",)
        else:
            self.measures += ("CS",)
            self.notes += (f"CS by {self._similarity.name}",)

    def scores(self, run: AnswerRun, name_in_map: str | None) -> Mapping[str, ByTopic]:
        from porism.evaluation.short_answers.automatic_measures import automatic_scores
        from porism.evaluation.short_answers.references import team_of

        if self._overlap is None:
            return {}
        # Runs outside of the map contributed nothing to the judgments, whatever their team.
        team = team_of(name_in_map) if name_in_map else None
        return automatic_scores(run, self._references, team, self._overlap, self._similarity)


def _references(
    qrels: Qrels,
    answer_ids: Sequence[RunAnswerId],
    runs: Sequence[AnswerRun],
    scoring: ScoringOptions,
) -> References:
    from porism.evaluation.short_answers.references import (
        references,
        texts_by_answer_id,
        with_task1_answers,
    )
    from porism.formats.qrels import read_qrels

    known = {run for run, _, _ in answer_ids}
    others = _texts(scoring.references, known)
    texts = texts_by_answer_id([*runs, *others.values()], answer_ids)
    from_answers: References = references(answer_ids, qrels, texts)
    if scoring.task1_qrels is None:
        return from_answers
    if scoring.collection is None:
        raise PorismError("--task1-qrels needs --collection, which has the texts of the answers")
    with _post_texts(scoring.collection) as post_text:
        return with_task1_answers(from_answers, read_qrels(scoring.task1_qrels), post_text)


@contextmanager
def _post_texts(folder: Path) -> Iterator[Callable[[DocId], str | None]]:
    """The texts of posts, with LaTeX between dollars; None for posts it does not have."""
    from porism.collection.store import open_collection
    from porism.formats.answer_text import plain_text

    with open_collection(folder) as collection:

        def text(doc_id: DocId) -> str | None:
            if collection.find_number(doc_id) is None:
                return None
            return plain_text(collection.post(doc_id).body)

        yield text


def _overlap(scoring: ScoringOptions) -> LexicalOverlap:
    from porism.evaluation.short_answers.lexical_overlap import BUILT_IN_TOKENIZER, LexicalOverlap

    if scoring.tokenizer is None:
        return LexicalOverlap(BUILT_IN_TOKENIZER, scoring.bags)
    with needs_extra("vectors"):
        from porism.evaluation.short_answers.answer_tokenizers import read_tokenizer
    return LexicalOverlap(read_tokenizer(scoring.tokenizer), scoring.bags)


def _similarity(scoring: ScoringOptions) -> tuple[ContextualSimilarity | None, str]:
    """The similarity measure; if no model is given and none installed, the reason."""
    from porism.evaluation.short_answers.similarity import ContextualSimilarity

    try:
        with needs_extra("vectors"):
            from porism.evaluation.short_answers.contextual_encoder import (
                packaged_encoder,
                read_encoder,
            )
        if scoring.model is not None:
            return ContextualSimilarity(read_encoder(scoring.model, scoring.layer)), ""
        return ContextualSimilarity(packaged_encoder(scoring.layer)), ""
    except PorismError as error:
        if scoring.model is not None or scoring.layer is not None:
            raise
        return None, str(error)
