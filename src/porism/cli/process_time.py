"""Time since the process started, to separate the start-up of Python from the work."""

import os
import time
from pathlib import Path


def seconds_since_start() -> float:
    """Seconds since this process started; where the system does not say, its CPU time."""
    try:
        # The name of the command, in parentheses, may contain blanks.
        facts = Path("/proc/self/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        started = int(facts[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, AttributeError, ValueError, IndexError):
        return time.process_time()
