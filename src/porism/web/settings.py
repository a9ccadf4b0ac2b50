"""Settings of the search application."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from porism.generation.settings import GeneratorSettings


@dataclass(frozen=True, slots=True)
class SearchAppSettings:
    """An index, the runs to explore, and limits.

    ``requests_a_second`` limits each client address, with bursts of twice as many; 0 is no limit.
    ``at_once`` requests run at the same time and ``waiting`` more wait; others get 503.
    ``cpu_seconds`` limits the CPU time of one request; None is no limit. ``body_bytes`` limits the
    size of a request, ``run_bytes`` that of an uploaded run. ``origins`` are sites whose scripts
    may send requests, ``hosts`` accepted host names besides those of this machine. Forwarding
    headers are trusted if ``is_behind_proxy``. ``language_model`` writes answers, if one is named:
    an endpoint ``generations`` at a time, a model in this process one. ``editor`` opens notes: a
    command, or an address with ``{path}``.
    """

    index: Path
    collection: Path | None = None
    runs: Path | None = None
    qrels: Path | None = None
    topics: Path | None = None
    requests_a_second: float = 100.0
    at_once: int = 4
    waiting: int = 200
    cpu_seconds: float | None = 5.0
    body_bytes: int = 200_000
    run_bytes: int = 21_000_000
    origins: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    is_behind_proxy: bool = False
    language_model: GeneratorSettings = field(default_factory=GeneratorSettings)
    generations: int = 4
    editor: str | None = None
