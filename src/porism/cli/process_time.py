"""How long ago the command was started, so that what Python itself takes can be told apart."""

import os
import time
from pathlib import Path


def seconds_since_start() -> float:
    """Seconds since this process began; where the system does not tell, those it has worked."""
    try:
        # The name of the command, in parentheses, may hold blanks.
        facts = Path("/proc/self/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        began = int(facts[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - began
    except (OSError, AttributeError, ValueError, IndexError):
        return time.process_time()
