"""Progress on standard error."""

import io
import sys

import pytest

from porism.cli import progress
from porism.cli.progress import progress_reporter, step_message, with_progress
from porism.collection.progress import StepProgress


class Terminal(io.StringIO):
    """Standard error as a terminal."""

    def isatty(self) -> bool:
        return True


def test_no_progress_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(with_progress(range(3), "formulas")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_short_work_prints_no_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(with_progress(range(3), "formulas")) == [0, 1, 2]
    assert terminal.getvalue() == ""


def test_long_work_ends_with_its_count(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0)
    assert list(with_progress(range(1234), "formulas")) == list(range(1234))
    assert "\r1 formulas, " in terminal.getvalue()
    assert terminal.getvalue().split("\r")[-1].startswith("1,234 formulas, ")
    assert terminal.getvalue().endswith(" a second\n")


def test_no_steps_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_reporter() as watch:
        watch(StepProgress("posts", 1, 2, 3))
    assert capsys.readouterr().err == ""


def test_each_step_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0)
    monkeypatch.setattr(progress, "REFRESH_SECONDS", 0)
    with progress_reporter() as watch:
        for done in (100, 200):
            watch(StepProgress("posts", done, 400, done * 10))
        watch(StepProgress("comments", 1, 4, 5))
    posts, comments, rest = terminal.getvalue().split("\n")
    assert posts.split("\r")[1].rstrip() == "posts: 25%, 1,000"
    assert posts.split("\r")[2].startswith("posts: 50%, 2,000, ")
    assert comments.rstrip() == "\rcomments: 25%, 5"
    assert rest == ""


def test_short_steps_print_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress_reporter() as watch:
        watch(StepProgress("posts", 1, 2, 3))
    assert terminal.getvalue() == ""


def test_rate_and_time_left_count_from_the_start_of_the_step() -> None:
    first = StepProgress("posts", 1_000, 10_000, 500)
    now = StepProgress("posts", 4_000, 10_000, 2_000)
    assert step_message(first, now, 30) == "posts: 40%, 2,000, 50 a second, 60 s left"
    assert step_message(first, first, 0) == "posts: 10%, 500"


def test_empty_step_is_complete() -> None:
    assert (
        step_message(StepProgress("looks", 0, 0, 0), StepProgress("looks", 0, 0, 70), 3)
        == "looks: 70"
    )
    nothing = StepProgress("posts", 0, 0, 0)
    assert step_message(nothing, nothing, 1) == "posts: 100%, 0"


def test_step_without_total_prints_no_share() -> None:
    assert step_message(
        StepProgress("posts", 0, 900, 400), StepProgress("posts", 0, 900, 800), 3
    ) == ("posts: 800")
