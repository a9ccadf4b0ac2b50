"""Runs looked through before they are scored: every fault, with its line, in one reading.

The readers of ``porism.formats`` stop at the first thing they cannot take; here it is told, and
the reading goes on. A file that has no errors here is read by them.
"""

from porism.evaluate.validation.file_validation import file_name_finding, findings
from porism.evaluate.validation.finding import (
    FindingKind,
    RunChecks,
    RunFinding,
    Severity,
    limited_findings,
)

__all__ = [
    "FindingKind",
    "RunChecks",
    "RunFinding",
    "Severity",
    "file_name_finding",
    "findings",
    "limited_findings",
]
