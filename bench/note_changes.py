"""Time from a changed note until a search finds it, among a thousand notes."""

from __future__ import annotations

import random
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

import porism

NOTES = 1_000
SECTIONS = 4
ROUNDS = 7
WORDS = (
    "group ring field ideal module exact sequence kernel image limit integral series converge "
    "compact open closed basis vector norm cover"
).split()


class Change(NamedTuple):
    """The seconds of each step after a change, and the processor's seconds for all."""

    ingest: float
    update: float
    search: float
    processor: float

    @property
    def seconds(self) -> float:
        return self.ingest + self.update + self.search


def report() -> None:
    """Print the seconds of ingest, update of the index and search, in a running process."""
    draw = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        notes, collection = Path(name) / "notes", Path(name) / "collection"
        notes.mkdir()
        for number in range(NOTES):
            (notes / f"note {number}.md").write_text(_note(number, draw), encoding="utf-8")
        start = time.perf_counter()
        counts = porism.ingest(notes, collection)
        whole = time.perf_counter() - start
        print(
            f"{NOTES:,} notes with {counts.documents:,} sections and {counts.instances:,} "
            f"formulas: first ingest {whole:.1f} s"
        )
        for systems in (("porism",), ()):
            porism.index(collection, systems=systems).close()
            changes = [_change(notes, collection, draw) for _ in range(ROUNDS + 1)][1:]
            ingest, update, search, processor = (
                median(column) for column in zip(*changes, strict=True)
            )
            print(
                f"  index for {', '.join(systems) or 'all systems'}: a change is found after "
                f"{median(each.seconds for each in changes):.2f} s (ingest {ingest:.2f}, update "
                f"{update:.2f}, search {search:.2f}), at most "
                f"{max(each.seconds for each in changes):.2f}; processor {processor:.2f}"
            )


def _change(notes: Path, collection: Path, draw: random.Random) -> Change:
    """Change one note, and search for a word that only it has."""
    number = draw.randrange(NOTES)
    word = "".join(draw.choice("bcdfghklmnprst") + draw.choice("aeiou") for _ in range(5))
    path = notes / f"note {number}.md"
    path.write_text(f"{_note(number, draw)}\n\n## New\n\nThe {word} is $x^{{{number}}}$.\n")
    processor = time.process_time()
    steps = [time.perf_counter()]
    porism.ingest(notes, collection)
    steps.append(time.perf_counter())
    with porism.update(collection) as index:
        steps.append(time.perf_counter())
        first = index.search(word)[0]
        steps.append(time.perf_counter())
    if first.post_id != f"notes/note {number}.md#new":
        raise SystemExit(f"expected the changed note, found {first.post_id}")
    used = time.process_time() - processor
    ingest, update, search = (after - before for before, after in pairwise(steps))
    return Change(ingest, update, search, used)


def _note(number: int, draw: random.Random) -> str:
    sections = [f"# Note {number} on {draw.choice(WORDS)}s\n"]
    for section in range(SECTIONS):
        sections.append(f"## {draw.choice(WORDS).title()} {section}\n")
        for _ in range(4):
            words = " ".join(draw.choice(WORDS) for _ in range(40))
            formula = f"x_{{{draw.randrange(300)}}}^{draw.randrange(9)}"
            sections.append(f"{words} ${formula} + \\frac{{a}}{{{draw.randrange(99)}}}$.\n")
    return "\n".join(sections)
