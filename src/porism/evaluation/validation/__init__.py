"""Validation of run files: reports every fault with its line, in one pass.

The readers of ``porism.formats`` stop at the first error; validation reports it and continues. A
file without errors here is readable there.
"""

from porism.evaluation.validation.file_validation import file_name_finding, findings
from porism.evaluation.validation.finding import (
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
