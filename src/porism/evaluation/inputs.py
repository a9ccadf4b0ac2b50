"""Runs and judgments in any form: files, mappings, rows, data frames, our own records.

Invalid input is refused here, so that scoring need not check again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nan
from numbers import Integral, Real
from os import PathLike
from pathlib import Path

from porism.errors import PorismError
from porism.formats.qrels import read_qrels
from porism.formats.run_scores import JudgedDocuments, Scores, read_run_scores
from porism.formats.runs import MAX_SCORE, RunForm
from porism.formats.text_lines import file_stem
from porism.model import DocId, Hit, Qrels, Run, TopicId, ranked


@dataclass(frozen=True, slots=True)
class ScoredRun:
    """A run for evaluation: its name, and the scores of documents by topic.

    ``form`` is the form of its file, if it came from one.
    """

    name: str
    scores: Mapping[TopicId, Mapping[DocId, float]]
    form: RunForm | None = None


Rows = Iterable[object]
"""Rows with ``query_id``, ``doc_id`` and ``score`` or ``relevance``, as in ir-measures."""

_Values = Mapping[TopicId, Mapping[DocId, object]] | Mapping[str, Mapping[str, object]]

RunLike = ScoredRun | Run | Mapping[str, Mapping[str, float]] | str | PathLike[str] | Rows
QrelsLike = Qrels | Mapping[str, Mapping[str, int]] | str | PathLike[str] | Rows


def as_list(runs: RunLike | Iterable[RunLike]) -> Iterable[RunLike]:
    """The runs as an iterable; a single run is also accepted."""
    if isinstance(runs, (ScoredRun, Run, str, PathLike, Mapping)) or hasattr(runs, "itertuples"):
        return [runs]
    return runs  # type: ignore[return-value]  # rows are refused when they are read


def as_scored(
    source: RunLike,
    name: str | None = None,
    judged: JudgedDocuments | None = None,
    default_form: RunForm | None = None,
) -> ScoredRun:
    """A run from a file, a dict of dicts, rows or a data frame of ir-measures, or our own record.

    ``judged`` are the judged documents by topic; topics of a file without any are left empty.
    ``default_form`` is the form of a file that could have several. A run without documents and a
    score that is not finite are refused.
    """
    if isinstance(source, ScoredRun):
        return source if name is None else ScoredRun(name, source.scores, source.form)
    if isinstance(source, (str, PathLike)):
        path = Path(source)
        form, scores = read_run_scores(path, judged, default_form)
        return ScoredRun(name or file_stem(path), scores, form)
    if isinstance(source, Run):
        rankings = source.rankings.items()
        by_topic = {topic: {hit.doc_id: hit.score for hit in hits} for topic, hits in rankings}
        return ScoredRun(name or source.name, _checked(by_topic, source.name))
    values = _by_topic(source, "score")
    return ScoredRun(name or "run", _checked(values, name or "the run"))


def _checked(values: _Values, what: str) -> Scores:
    checked: Scores = {}
    for topic, documents in values.items():
        scores: dict[DocId, float] = {}
        for document, score in documents.items():
            # NumPy numbers are Real too; comparisons with NaN are false.
            number = float(score) if isinstance(score, Real) else nan
            if not abs(number) <= MAX_SCORE or not isinstance(document, str):
                raise PorismError(
                    f"{what}: document {document!r} of topic {topic} has score {score!r}: "
                    "expected a string as id and a finite number as score"
                )
            scores[DocId(document)] = number
        checked[TopicId(topic)] = scores
    if not any(checked.values()):
        raise PorismError(f"{what} has no documents for any topic: nothing to evaluate")
    return checked


def as_run(source: RunLike, name: str | None = None) -> Run:
    """A run from any of these sources as rankings, in trec_eval's order of documents."""
    if isinstance(source, Run) and name is None:
        return source
    scored = as_scored(source, name)
    rankings = {
        topic: ranked(Hit(document, score) for document, score in topic_scores.items())
        for topic, topic_scores in scored.scores.items()
    }
    return Run(scored.name, rankings)


def as_qrels(source: QrelsLike) -> Qrels:
    """Judgments from a file, a dict of dicts, rows or a data frame of ir-measures, or a record."""
    if isinstance(source, Qrels):
        return source
    if isinstance(source, (str, PathLike)):
        return read_qrels(Path(source))
    grades: dict[TopicId, dict[DocId, int]] = {}
    for topic, documents in _by_topic(source, "relevance").items():
        for document, grade in documents.items():
            if not isinstance(grade, Integral) or not isinstance(document, str):
                raise PorismError(
                    f"document {document!r} of topic {topic} has grade {grade!r}: "
                    "expected a string as id and a whole number as grade"
                )
            grades.setdefault(TopicId(topic), {})[DocId(document)] = int(grade)
    if not grades:
        raise PorismError("there are no judgments: expected at least one")
    return Qrels(grades)


def _by_topic(source: Mapping[str, Mapping[str, object]] | Rows, value: str) -> _Values:
    if isinstance(source, Mapping):
        if not all(isinstance(documents, Mapping) for documents in source.values()):
            raise PorismError("expected a mapping of topics to mappings of documents to numbers")
        return source
    # Duck typing, so that pandas is not required.
    rows = source.itertuples() if hasattr(source, "itertuples") else source
    values: dict[str, dict[str, object]] = {}
    for row in rows:
        try:
            topic, document, number = (getattr(row, name) for name in ("query_id", "doc_id", value))
        except AttributeError:
            raise PorismError(
                f"found {row!r}: expected rows with query_id, doc_id and {value}, as in "
                "ir-measures, a dict of dicts, or the path of a file"
            ) from None
        documents = values.setdefault(str(topic), {})
        if document in documents:
            raise PorismError(
                f"document {document!r} of topic {topic} is repeated: expected each once"
            )
        documents[document] = number
    return values
