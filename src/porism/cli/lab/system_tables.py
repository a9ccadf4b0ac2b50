"""Output of ``porism reproduce systems``: ours and the papers' figures, and what differs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from porism.cli.tables import Cell, OutputTable, text_lines

if TYPE_CHECKING:
    from porism.lab.system_reproduction import SystemFailure
    from porism.lab.system_scores import PublishedRun, SystemScore
    from porism.lab.topic_sets import TopicSet
    from porism.model import Task


@dataclass(frozen=True, slots=True)
class ScoredSet:
    """The scores of systems on a set of topics, and the systems without any."""

    task: Task
    topics: TopicSet
    scores: tuple[SystemScore, ...]
    failures: tuple[SystemFailure, ...]


def set_lines(scored: ScoredSet) -> Iterator[str]:
    """The table of a set for people, with notes below it."""
    yield (
        f"Task {scored.task}, {scored.topics.name}: {_counted(scored)}; p is for the difference to "
        "l8 in the first measure"
    )
    if scored.scores:
        remarks = _remarks(scored)
        yield ""
        yield from text_lines(_table(scored, remarks), digits=3)
        if remarks:
            yield ""
            yield from (f"{number}. {text}" for number, text in enumerate(remarks, start=1))
    if scored.failures:
        yield ""
        yield "Left out:"
        yield from (f"- {each.system}: {each.reason}" for each in scored.failures)


def _counted(scored: ScoredSet) -> str:
    if not scored.scores:
        return "no scores"
    first = scored.scores[0]
    return f"{first.count:,} topics, {first.documents:,} answers and notes in the index"


def _measures(scored: ScoredSet) -> tuple[str, ...]:
    """The primed measures, which papers print; of links the others."""
    if scored.topics.has_nonrelevant:
        return ("nDCG'", "MAP'", "P'@10")
    return ("MAP", "P@10")


def _table(scored: ScoredSet, remarks: Sequence[str]) -> OutputTable:
    measures = _measures(scored)
    has_published = any(_published(score) for score in scored.scores)
    columns = ("system", "model", "trained", *measures, "p", "ms")
    if has_published:
        columns += ("paper", "run", *("nDCG'", "MAP'", "P'@10"))
    columns += ("notes",)
    rows: list[tuple[Cell, ...]] = []
    for score in scored.scores:
        own: tuple[Cell, ...] = (
            score.system,
            score.model or "-",
            score.trained or "-",
            *(score.measures.get(measure) for measure in measures),
            score.p.get(measures[0]),
            f"{score.milliseconds:.0f}",
        )
        numbers = " ".join(
            f"{remarks.index(text) + 1}." for text in _reasons(score) if text in remarks
        )
        if not has_published:
            rows.append((*own, numbers))
            continue
        for place, run in enumerate(_published(score) or (None,)):
            figures = ("-",) * 5 if run is None else _figures(run)
            blank: tuple[Cell, ...] = ("",) * len(own)
            rows.append((*(blank if place else own), *figures, "" if place else numbers))
    return OutputTable(columns, tuple(rows))


def _figures(run: PublishedRun) -> tuple[Cell, ...]:
    values = run.values
    # S1 has P@10 instead of P'@10.
    unprimed = f"P@10 {values['P@10']}" if "P@10" in values else "-"
    early = values.get("P'@10", unprimed)
    return run.paper, run.run, values.get("nDCG'", "-"), values.get("MAP'", "-"), early


def _published(score: SystemScore) -> tuple[PublishedRun, ...]:
    from porism.catalog import SYSTEMS
    from porism.lab.system_scores import published_runs

    source = SYSTEMS[score.system].source if score.system in SYSTEMS else None
    if source is None or not score.topics.isdecimal():
        return ()
    return published_runs(source.runs, score.task, int(score.topics))


def _remarks(scored: ScoredSet) -> list[str]:
    """All reasons, each once."""
    return list(dict.fromkeys(text for score in scored.scores for text in _reasons(score)))


def _reasons(score: SystemScore) -> list[str]:
    """Why the figures of a system cannot be compared with those of papers, or with others."""
    from porism.catalog import SYSTEMS
    from porism.lab.system_reproduction import LAB_ANSWERS

    chosen = SYSTEMS[score.system]
    reasons: list[str] = []
    if _published(score):
        source = chosen.source
        if score.documents < LAB_ANSWERS:
            reasons.append(
                f"different collection: {score.documents:,} answers and notes, where the papers "
                "had 1.4 million, and judgments of documents that are not here do not count"
            )
        if source is not None and source.model:
            here = score.model or "no model"
            reasons.append(f"different model: {source.model} in the papers, {here} here")
        elif score.model:
            reasons.append(f"different model: {score.model} here, the team's own in the papers")
        if source is not None and source.note:
            reasons.append(f"the papers' runs had {source.note}")
    if score.topics in chosen.learned_on:
        reasons.append(f"trained on these topics: weights learned from judgments of {score.topics}")
    if score.notes:
        reasons.append(score.notes)
    return reasons


def set_record(scored: ScoredSet) -> dict[str, object]:
    """A set for JSON."""
    return {
        "task": int(scored.task),
        "topics": scored.topics.name,
        "systems": [
            {
                "system": score.system,
                "set": score.topics,
                "number": score.count,
                "documents": score.documents,
                "model": score.model,
                "trained": score.trained,
                "scores": dict(score.measures),
                "p": dict(score.p),
                "milliseconds": score.milliseconds,
                "published": [
                    {"paper": run.paper, "team": run.team, "run": run.run, **run.values}
                    for run in _published(score)
                ],
                "not_comparable": _reasons(score),
            }
            for score in scored.scores
        ],
        "left_out": [{"system": each.system, "reason": each.reason} for each in scored.failures],
    }
