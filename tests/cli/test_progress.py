"""Progress on standard error."""

import io
import sys

import pytest

from porism.cli import progress
from porism.cli.progress import counted


class Terminal(io.StringIO):
    """Standard error with someone before it."""

    def isatty(self) -> bool:
        return True


def test_nobody_watching_sees_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert list(counted(range(3), "formulas")) == [0, 1, 2]
    assert capsys.readouterr().err == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert list(counted(range(3), "formulas")) == [0, 1, 2]
    assert terminal.getvalue() == ""


def test_long_work_ends_with_its_count(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(progress, "QUIET_SECONDS", 0)
    assert list(counted(range(1234), "formulas")) == list(range(1234))
    assert "\r1 formulas, " in terminal.getvalue()
    assert terminal.getvalue().split("\r")[-1].startswith("1,234 formulas, ")
    assert terminal.getvalue().endswith(" a second\n")
