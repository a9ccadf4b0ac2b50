"""``porism`` for answers with a share of another system, from runs that were written before.

What is better on 2020, 2021 and the topics from links, with its p values, may become part of
``porism``. Both scores are divided by the highest of their topic before they are added. The last
table fuses the labs' systems by reciprocal ranks, as MSM did in 2022.

    python -m bench.answer_fusions RUNS

RUNS has the folders task1-2020, task1-2021 and task1-links, each with a run of every system, as
``porism reproduce systems --runs`` writes them; those of links on an index without the links.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean

from bench.formula_fusions import WEIGHTS, Rankings, fused
from bench.link_topics import link_scores, link_topic_set
from bench.mini_scores import YEARS, chance
from bench.quality import probability, scored
from bench.shared_data import shared_folder
from porism.catalog import DEFAULT, SYSTEMS, Family
from porism.evaluation.records import ByTopic
from porism.formats.runs import RunForm, read_run
from porism.lab.topic_sets import TopicSet
from porism.model import Hit, Ranking, Task, TopicId, ranked
from porism.rank.fusion import ReciprocalRanks

LINKS = "links"
SETS = (*map(str, YEARS), LINKS)

LEFT_OUT = frozenset({DEFAULT, "linked"})
"""Systems that are not added: ``porism`` itself, and the oracle."""

K = 1000
"""Results per topic in a run."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where the judgments of all sets are."""

    shared: Path
    links: TopicSet

    def scores(self, runs: Mapping[str, Rankings]) -> list[ByTopic]:
        """nDCG' of each year, and then MAP of all sets, by topic."""
        years = [scored(self.shared, Task.ANSWERS, year, runs[str(year)]) for year in YEARS]
        links = link_scores(self.links, runs[LINKS])
        return [
            *(each.ndcg_primed for each in years),
            *(each.average_precision for each in years),
            links.average_precision,
        ]


def main() -> None:
    """Print the tables for the folder in the arguments."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder, shared = Path(sys.argv[1]), shared_folder()
    judged = Judged(shared, link_topic_set(shared))
    for line in chain(share_table(folder, judged), [""], ensemble_table(folder, judged)):
        print(line, flush=True)


def available(folder: Path) -> list[str]:
    """The systems that have a run of every set, in the order of the catalog."""
    return [
        name
        for name in SYSTEMS
        if all((folder / f"task1-{each}" / f"{name}.tsv").is_file() for each in SETS)
    ]


def share_table(folder: Path, judged: Judged) -> Iterator[str]:
    """``porism`` with shares of each other system."""
    ours = system_runs(folder, DEFAULT)
    alone = judged.scores(ours)
    yield from _heading(f"p is for the difference to `{DEFAULT}` alone")
    yield _row(f"`{DEFAULT}` alone", alone, None)
    for name in available(folder):
        if name in LEFT_OUT:
            continue
        theirs = system_runs(folder, name)
        for weight in WEIGHTS:
            both = {each: fused(ours[each], theirs[each], weight) for each in SETS}
            scores = judged.scores(both)
            yield _row(f"{weight:g} · `{name}`", scores, alone)


def ensemble_table(folder: Path, judged: Judged) -> Iterator[str]:
    """Reciprocal ranks of the labs' systems, and the best of these."""
    names = [
        name
        for name in available(folder)
        if SYSTEMS[name].family is not Family.OWN and name not in LEFT_OUT
    ]
    runs = {name: system_runs(folder, name) for name in names}
    scores = {name: judged.scores(each) for name, each in runs.items()}
    best = max(names, key=lambda name: fmean(_means(scores[name])))
    yield from _heading(f"p is for the difference to `{best}`, the best of the labs' systems")
    yield _row(f"`{best}`", scores[best], None)
    rising = sorted(names, key=lambda name: -fmean(_means(scores[name])))
    for label, members in (
        (f"all {len(names)}", names),
        ("the best 10", rising[:10]),
        ("the best 5", rising[:5]),
    ):
        ensemble = {each: by_ranks([runs[name][each] for name in members]) for each in SETS}
        yield _row(f"reciprocal ranks of {label}", judged.scores(ensemble), scores[best])


def system_runs(folder: Path, name: str) -> dict[str, Rankings]:
    """The runs of a system by set."""
    return {
        each: read_run(folder / f"task1-{each}" / f"{name}.tsv", RunForm.TASK1).rankings
        for each in SETS
    }


def by_ranks(runs: Sequence[Rankings]) -> dict[TopicId, Ranking]:
    """The fusion of runs by reciprocal ranks."""
    combination = ReciprocalRanks()
    together: dict[TopicId, Ranking] = {}
    for topic in dict.fromkeys(topic for run in runs for topic in run):
        rankings = [run.get(topic, ()) for run in runs]
        sums: dict[str, float] = {}
        for added in combination.contributions(rankings, [1.0] * len(rankings)):
            for doc_id, value in added.items():
                sums[doc_id] = sums.get(doc_id, 0.0) + value
        hits = {hit.doc_id: hit for ranking in rankings for hit in ranking}
        together[topic] = ranked(Hit(each, sums[each]) for each in hits)[:K]
    return together


def _heading(note: str) -> Iterator[str]:
    yield f"Task 1, 2020 / 2021 / topics from links; {note}"
    yield ""
    yield "| | nDCG' 2020, 2021 | MAP 2020, 2021, links | p of nDCG' | p of MAP | better on all |"
    yield "|---|---|---|---|---|---|"


def _row(label: str, scores: list[ByTopic], others: list[ByTopic] | None) -> str:
    means = [f"{value:.3f}" for value in _means(scores)]
    cells = [" / ".join(means[:2]), " / ".join(means[2:])]
    if others is None:
        cells += ["", "", ""]
    else:
        is_better = all(a > b for a, b in zip(_means(scores), _means(others), strict=True))
        pairs = zip(scores, others, strict=True) if is_better else ()
        ps = [probability(chance(a, b)) for a, b in pairs]
        cells += [" / ".join(ps[:2]), " / ".join(ps[2:]), "yes" if is_better else ""]
    return f"| {label} | {' | '.join(cells)} |"


def _means(scores: list[ByTopic]) -> list[float]:
    return [fmean(each.values()) for each in scores]


if __name__ == "__main__":
    main()
