"""Output of ``porism compare``: verdicts and tables as text, TSV and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from porism.cli.tables import Cell, OutputTable, text_lines

if TYPE_CHECKING:
    from porism.evaluation.comparison import Comparison, Correlation, RandomizationSettings
    from porism.evaluation.records import Evaluation
    from porism.evaluation.run_overlap import RunOverlap, RunPool

MOST_TOPICS = 10
"""Topics that are printed for each pair without --by-topic."""

MOST_PAIRS = 5
"""With more pairs, no such topics are printed."""

MOST_VERDICTS = 10
"""With more comparisons, verdicts are by the first measure only."""

SIGNIFICANCE_LEVEL = 0.05
"""A difference with a p below this is significant."""


@dataclass(frozen=True, slots=True)
class ComparisonOutput:
    """Everything to print. Correlations are by measure; those between measures have no name."""

    evaluation: Evaluation
    comparisons: tuple[Comparison, ...]
    draws: RandomizationSettings
    correlations: Mapping[str, tuple[Correlation, ...]] | None = None
    overlaps: tuple[RunOverlap, ...] | None = None
    pool: RunPool | None = None

    @property
    def pairs(self) -> tuple[Comparison, ...]:
        """One comparison for each pair of runs, by the first measure."""
        return self.comparisons[: len(self.comparisons) // len(self.evaluation.measures)]


def comparison_lines(output: ComparisonOutput, by_topic: bool) -> Iterator[str]:
    """Verdicts, then the table of comparisons, then topics, correlations and overlaps."""
    pairs = output.pairs
    are_few = len(output.comparisons) <= MOST_VERDICTS
    for each in output.comparisons if are_few else pairs:
        yield verdict(each, len(pairs))
    yield ""
    yield from text_lines(_short_table(output))
    yield f"p by paired randomization and t test{_correction(len(pairs))}"
    if by_topic:
        for each in output.comparisons:
            yield ""
            yield from text_lines(_topic_table(output, each))
    elif len(pairs) <= MOST_PAIRS:
        for each in pairs:
            if each.wins + each.losses:
                yield ""
                yield from text_lines(_topic_table(output, each, MOST_TOPICS))
    for measure, correlations in (output.correlations or {}).items():
        yield from _correlation_lines(measure, correlations)
    if output.overlaps is not None and output.pool is not None:
        yield ""
        yield from text_lines(_overlap_table(output.overlaps, output.pool.depth))
        yield ""
        yield from _pool_lines(output.pool)


def verdict(comparison: Comparison, pairs: int = 1) -> str:
    """The comparison in one sentence; ``pairs`` is the number compared by this measure."""
    from porism.evaluation.short_answers.manual_measures import ANNOTATED_MEASURES

    run, baseline, measure = comparison.run, comparison.baseline, comparison.measure
    p = comparison.randomization.corrected
    test = f"{_p_value_text(p)} randomization{_correction(pairs)}"
    counts = (
        f"{_counted(comparison.wins, 'win', 'wins')}, {_counted(comparison.ties, 'tie', 'ties')}, "
        f"{_counted(comparison.losses, 'loss', 'losses')}"
    )
    size = abs(comparison.difference)
    if not comparison.topics:
        return f"{run} and {baseline} have no topic in common by {measure}"
    if not comparison.wins + comparison.losses:
        result = f"{run} and {baseline} are equal in every topic by {measure}"
    elif f"{size:.4f}" == "0.0000":
        result = f"{run} and {baseline} are level by {measure}"
    else:
        # Annotations of an answer are neither good nor bad.
        words = ("higher", "lower") if measure in ANNOTATED_MEASURES else ("better", "worse")
        direction = words[comparison.difference < 0]
        doubt = "" if p < SIGNIFICANCE_LEVEL else ", which may be chance"
        # More digits for a small difference.
        amount = f"{size:.3f}" if size >= 0.01 else f"{size:.4f}"
        result = f"{run} is {direction} than {baseline} by {amount} {measure}{doubt}"
    return f"{result} ({test}; {counts})"


def _correction(pairs: int) -> str:
    """The name of the correction, which changes nothing for a single pair."""
    return ", Holm-corrected" if pairs > 1 else ""


def _p_value_text(p: float) -> str:
    cell = _p_cell(p)
    return f"p < {cell[1:]}" if cell[0] == "<" else f"p = {cell.removesuffix('.0000')}"


def _p_cell(p: float) -> str:
    """A p with four digits, but never 0.0000."""
    return "<0.0001" if p < 0.0001 else f"{p:.4f}"


def _counted(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _short_table(output: ComparisonOutput) -> OutputTable:
    columns = (
        *("measure", "run", "mean", "baseline", "its mean", "difference", "95 % interval"),
        *("wins", "ties", "losses", "p", "p (t)"),
    )
    return OutputTable(columns, tuple(_short_row(each) for each in output.comparisons))


def _short_row(each: Comparison) -> tuple[Cell, ...]:
    between = None if each.interval is None else " to ".join(f"{end:.4f}" for end in each.interval)
    return (
        *(each.measure, each.run, each.mean, each.baseline, each.baseline_mean, each.difference),
        *(between, each.wins, each.ties, each.losses),
        *(_p_cell(each.randomization.corrected), _p_cell(each.t_test.corrected)),
    )


def _topic_table(
    output: ComparisonOutput, comparison: Comparison, most: int | None = None
) -> OutputTable:
    """The values in each topic, largest difference first; with ``most``, no equal ones."""
    rows = _topic_rows(output, comparison)
    if most is None:
        title = f"All topics by {comparison.measure}"
    else:
        rows = [row for row in rows if row[-1]][:most]
        title = f"Topics that differ most by {comparison.measure}"
    columns = ("topic", comparison.baseline, comparison.run, "difference")
    return OutputTable(columns, tuple(rows), title)


def _topic_rows(output: ComparisonOutput, comparison: Comparison) -> list[tuple[Cell, ...]]:
    values = {each.run: each.by_topic for each in output.evaluation.runs}
    before = values[comparison.baseline][comparison.measure]
    after = values[comparison.run][comparison.measure]
    return [
        (topic, before[topic], after[topic], difference)
        for topic, difference in comparison.by_topic.items()
    ]


def _correlation_lines(measure: str, correlations: Iterable[Correlation]) -> Iterator[str]:
    """Two square tables, as in S3 Table 6."""
    pairs = list(correlations)
    over = f" between runs by {measure}" if measure else " between measures"
    for name, attribute in (("Pearson's r", "pearson"), ("Kendall's tau", "kendall")):
        values = {(each.first, each.second): getattr(each, attribute) for each in pairs}
        values |= {(second, first): value for (first, second), value in values.items()}
        names = tuple(dict.fromkeys(name for pair in values for name in pair))
        rows = tuple((one, *(values.get((one, other), 1.0) for other in names)) for one in names)
        yield ""
        yield from text_lines(OutputTable(("", *names), rows, name + over), digits=3)


def _overlap_table(overlaps: Iterable[RunOverlap], depth: int) -> OutputTable:
    rows = tuple(
        (each.first, each.second, each.shared, each.jaccard, each.rank_biased) for each in overlaps
    )
    columns = ("run", "and run", "shared", "Jaccard", "rank-biased")
    return OutputTable(columns, rows, f"Overlap of the first {depth}, mean over the topics")


def _pool_lines(pool: RunPool) -> Iterator[str]:
    yield (
        f"Pool of the first {pool.depth}: {pool.documents:,} documents for "
        f"{_counted(len(pool.sizes), 'topic', 'topics')}, {pool.mean_size:.1f} each; "
        f"{100 * (pool.judged_share or 0):.1f} % judged, "
        f"{100 * (pool.relevant_share or 0):.1f} % of these relevant"
    )
    rows = tuple(
        (each.run, each.documents, each.unique, each.unique_relevant) for each in pool.contributions
    )
    yield from text_lines(OutputTable(("run", "documents", "unique", "unique and relevant"), rows))


def tsv_table(output: ComparisonOutput, by_topic: bool) -> OutputTable:
    """The requested table, with all digits."""
    if by_topic:
        return OutputTable(
            ("measure", "baseline", "run", "topic", "baseline_value", "value", "difference"),
            tuple(
                (each.measure, each.baseline, each.run, *row)
                for each in output.comparisons
                for row in _topic_rows(output, each)
            ),
        )
    if output.correlations is not None:
        rows = _correlation_records(output.correlations)
    elif output.overlaps is not None:
        rows = [*map(_overlap_record, output.overlaps)]
    else:
        rows = [*map(_comparison_record, output.comparisons)]
    return OutputTable(tuple(rows[0]), tuple(tuple(row.values()) for row in rows))


def comparison_output_record(output: ComparisonOutput) -> dict[str, object]:
    """Everything, for JSON; what was not requested is null."""
    evaluation, pool = output.evaluation, output.pool
    return {
        "task": evaluation.task,
        "measures": list(evaluation.measures),
        "topics": len(evaluation.topics),
        "runs": [each.run for each in evaluation.runs],
        "comparisons": [
            {**_comparison_record(each), "by_topic": dict(each.by_topic)}
            for each in output.comparisons
        ],
        "correlations": None
        if output.correlations is None
        else _correlation_records(output.correlations),
        "overlaps": None if output.overlaps is None else [*map(_overlap_record, output.overlaps)],
        "pool": None if pool is None else _pool_record(pool),
        "rounds": output.draws.rounds,
        "seed": output.draws.seed,
        "notes": list(evaluation.notes),
    }


def _comparison_record(each: Comparison) -> dict[str, Cell]:
    low, high = each.interval or (None, None)
    return {
        "measure": each.measure,
        "baseline": each.baseline,
        "run": each.run,
        "baseline_mean": each.baseline_mean,
        "mean": each.mean,
        "difference": each.difference,
        "low": low,
        "high": high,
        "topics": each.topics,
        "wins": each.wins,
        "ties": each.ties,
        "losses": each.losses,
        "randomization_p": each.randomization.p,
        "randomization_p_holm": each.randomization.corrected,
        "t_p": each.t_test.p,
        "t_p_holm": each.t_test.corrected,
    }


def _correlation_records(
    correlations: Mapping[str, Iterable[Correlation]],
) -> list[dict[str, Cell]]:
    return [
        {
            "measure": measure or None,
            "first": each.first,
            "second": each.second,
            "pearson": each.pearson,
            "kendall": each.kendall,
            "values": each.values,
        }
        for measure, of_measure in correlations.items()
        for each in of_measure
    ]


def _overlap_record(each: RunOverlap) -> dict[str, Cell]:
    return {
        "first": each.first,
        "second": each.second,
        "shared": each.shared,
        "jaccard": each.jaccard,
        "rank_biased": each.rank_biased,
    }


def _pool_record(pool: RunPool) -> dict[str, object]:
    return {
        "depth": pool.depth,
        "documents": pool.documents,
        "sizes": pool.sizes,
        "judged": pool.judged,
        "relevant": pool.relevant,
        "contributions": [
            {
                "run": each.run,
                "documents": each.documents,
                "unique": each.unique,
                "unique_relevant": each.unique_relevant,
            }
            for each in pool.contributions
        ],
    }
