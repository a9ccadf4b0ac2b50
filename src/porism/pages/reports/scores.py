"""The sections of a report made of scores alone: tables of means, bars, boxes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape

from porism.evaluation.short_answers.manual_measures import ANNOTATED_MEASURES, MANUAL_MEASURES
from porism.model import TopicId, natural_key
from porism.pages.html_tables import collapsible, row, score_text, table
from porism.pages.plurals import count_of
from porism.pages.reports import plots
from porism.pages.reports.line_styles import LINE_STYLES
from porism.pages.reports.lineup import RunLineup

Breakdown = Mapping[str, Sequence[TopicId]]
"""The groups of a category and their topics, in order."""

MAX_BAR_ROWS = 6
"""With more runs, a heat map replaces the bars."""


def score_table(lineup: RunLineup) -> str:
    """The means of all runs, the best of each measure in bold, with the ceilings as last row."""
    evaluation = lineup.evaluation
    places = range(len(lineup.runs))
    heads = ["run", *map(escape, evaluation.measures)]
    columns = [
        _best_bold([lineup.mean(place, measure, evaluation.topics) for place in places], measure)
        for measure in evaluation.measures
    ]
    ceilings = [score_text(evaluation.ceilings.get(measure)) for measure in evaluation.measures]
    answered = [len(run.answered) for run in lineup.runs]
    if any(0 < count < len(evaluation.topics) for count in answered):
        over_all = MANUAL_MEASURES if evaluation.task == 3 else ()
        for measure in [each for each in evaluation.measures if each in over_all]:
            heads.append(f"{measure} over all topics")
            means = [run.mean(measure, evaluation.topics) for run in lineup.runs]
            columns.append(_best_bold(means, measure))
            ceilings.append("")
        heads.append("topics answered")
        columns.append([str(count) if count else "–" for count in answered])
        ceilings.append("")
    rows = [
        row(lineup.label(place), [column[place] for column in columns], f"run-{place + 1}")
        for place in places
    ]
    if evaluation.ceilings:
        rows.append(row("highest reachable", ceilings, kind="ceiling"))
    return table("Mean scores of the runs", heads, rows)


def _best_bold(values: Sequence[float | None], measure: str) -> list[str]:
    """The values of a measure as cells, the best of several in bold.

    Measures of annotations, such as the share of machine-made answers, have no best value.
    """
    known = [value for value in values if value is not None]
    best = max(known) if len(known) > 1 and measure not in ANNOTATED_MEASURES else None
    return [
        f"<strong>{score_text(value)}</strong>"
        if value is not None and value == best
        else score_text(value)
        for value in values
    ]


def topic_scores_section(lineup: RunLineup) -> str:
    """The first measure by topic: bars, differences of two runs, or a heat map."""
    series = lineup.series()
    topics = _easiest_first(lineup)
    if not topics:
        return ""
    name = escape(lineup.measure)
    if len(series) == 2:
        plot = _differences(lineup, topics)
    elif len(series) <= MAX_BAR_ROWS:
        frame = lineup.frame("topics", f"{lineup.measure} by topic")
        mean = "" if len(series) == 1 else f" by mean {name} of all runs"
        bars = plots.figure(plots.topic_bars(frame, series, topics))
        plot = f"<p>Topics are ordered{mean}, easiest first.</p>\n{bars}"
    else:
        frame = lineup.frame("topics", f"{lineup.measure} by topic and run")
        frame = replace(frame, highest=max(frame.highest, 1.0))  # for round numbers as levels
        plot = (
            f"<p>Topics are ordered by mean {name} of all runs, easiest first.</p>\n"
            f"{_levels(frame.highest)}\n{plots.figure(plots.heat_map(frame, series, topics))}"
        )
    return f'{plot}\n<p class="meta">The numbers are <a href="#values">below</a>.</p>'


def _differences(lineup: RunLineup, topics: list[TopicId]) -> str:
    first, second = lineup.series()
    gains = {
        topic: first.values[topic] - second.values[topic]
        for topic in topics
        if topic in first.values and topic in second.values
    }
    wins = sum(gain > 0 for gain in gains.values())
    losses = sum(gain < 0 for gain in gains.values())
    frame = lineup.frame("topics", f"Differences in {lineup.measure} by topic")
    ordered = sorted(gains, key=lambda topic: -gains[topic])
    return (
        f"<ul>\n<li>{lineup.label(0)} is better for {count_of(wins, 'topic')}: bars upwards</li>\n"
        f"<li>{lineup.label(1)} is better for {count_of(losses, 'topic')}: bars downwards</li>\n"
        f"<li>equal for {count_of(len(gains) - wins - losses, 'topic')}</li>\n</ul>\n"
        + plots.figure(plots.difference_bars(frame, (first, second), ordered))
    )


def _easiest_first(lineup: RunLineup) -> list[TopicId]:
    """The topics with values, by descending mean of all runs."""
    means: dict[TopicId, float] = {}
    series = lineup.series()
    for topic in lineup.evaluation.topics:
        values = [one.values[topic] for one in series if topic in one.values]
        if values:
            means[topic] = sum(values) / len(values)
    return sorted(means, key=lambda topic: -means[topic])


def _levels(highest: float) -> str:
    """The legend of a heat map."""
    width = highest / plots.HEAT_LEVELS
    items = "\n".join(
        f'<li><span class="level" style="background: {colour}"></span> '
        f"{step * width:.2g}–{(step + 1) * width:.2g}</li>"
        for step, colour in enumerate(plots.level_colours())
    )
    return f'<ul class="legend">\n{items}\n</ul>'


def spread_section(lineup: RunLineup) -> str:
    """The distribution of each run's values over topics, as box plot and table."""
    series = lineup.series()
    rows = [
        row(lineup.label(place), map(score_text, plots.quartiles(tuple(one.values.values()))))
        for place, one in enumerate(series)
        if one.values
    ]
    if not rows:
        return ""
    frame = lineup.frame("spread", f"Spread of {lineup.measure} over the topics, by run")
    columns = ["run", "lowest", "lower quartile", "median", "upper quartile", "highest"]
    return (
        "<p>A box spans the middle half of the topics; the line is the median, the diamond the "
        "mean, and each mark below the box a topic.</p>\n"
        f"{plots.figure(plots.box_plot(frame, series))}\n"
        f"{collapsible('As a table', table(frame.title, columns, rows))}"
    )


def categories_section(lineup: RunLineup, breakdowns: Mapping[str, Breakdown]) -> str:
    """The means over the evaluated topics of each group of each category."""
    known = set(lineup.evaluation.topics)
    pieces = []
    for place, (name, groups) in enumerate(breakdowns.items(), 1):
        within = {
            group: [each for each in topics if each in known] for group, topics in groups.items()
        }
        within = {group: topics for group, topics in within.items() if topics}
        if within and lineup.runs:
            pieces.append(f"<h3>{escape(name.capitalize())}</h3>")
            pieces.append(_category(lineup, f"category-{place}", name, within))
    return "\n".join(pieces)


def _category(lineup: RunLineup, key: str, name: str, groups: Breakdown) -> str:
    first, *others = lineup.evaluation.measures
    bars = []
    for place, run in enumerate(lineup.runs[: len(LINE_STYLES)]):
        means = {group: lineup.mean(place, first, topics) for group, topics in groups.items()}
        known = {group: mean for group, mean in means.items() if mean is not None}
        bars.append(plots.RunSeries(run.run, lineup.line_style(place), known))
    title = f"{first} by {name}"
    if len(bars) < len(lineup.runs):
        title += f", best {len(bars)} runs"
    highest = plots.axis_end(mean for one in bars for mean in one.values.values())
    frame = plots.PlotFrame(key, title, first, highest)
    return "\n".join(
        (
            f'<p class="meta">{escape(title)}</p>',
            plots.figure(plots.grouped_bars(frame, bars, tuple(groups))),
            _category_table(lineup, name, first, groups),
            *(
                collapsible(measure, _category_table(lineup, name, measure, groups))
                for measure in others
            ),
        )
    )


def _category_table(lineup: RunLineup, name: str, measure: str, groups: Breakdown) -> str:
    places = range(len(lineup.runs))
    columns = [
        _best_bold([lineup.mean(place, measure, topics) for place in places], measure)
        for topics in groups.values()
    ]
    heads = (
        f'{escape(group)} <span class="meta">({count_of(len(topics), "topic")})</span>'
        for group, topics in groups.items()
    )
    rows = [row(lineup.label(place), [column[place] for column in columns]) for place in places]
    return table(f"{measure} by {name}", [escape(measure), *heads], rows)


def all_scores_section(lineup: RunLineup) -> str:
    """The values of all runs for all topics, by measure."""
    return "\n".join(
        collapsible(measure, _values(lineup, measure)) for measure in lineup.evaluation.measures
    )


def _values(lineup: RunLineup, measure: str) -> str:
    by_run = [lineup.values(place, measure) for place in range(len(lineup.runs))]
    rows = (
        row(escape(topic), (score_text(values.get(topic)) for values in by_run))
        for topic in sorted(lineup.evaluation.topics, key=natural_key)
    )
    heads = [lineup.label(place) for place in range(len(lineup.runs))]
    kind = "upright" if len(heads) > 3 else ""
    return table(f"{measure} of each run for each topic", ["topic", *heads], rows, kind)
