"""A browser on this machine's display, if there is one."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser


def has_display() -> bool:
    """Whether a program can open a window: browsers for terminals are of no use to us."""
    if sys.platform in ("win32", "darwin", "cygwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_in_browser(address: str) -> bool:
    """Open an address in the browser of this user; whether there is one.

    ``BROWSER`` may name a command that opens addresses, which then needs no display.
    """
    if not os.environ.get("BROWSER") and not has_display():
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    # Some browsers return only when their window is closed.
    thread = threading.Thread(target=browser.open, args=(address,), daemon=True)
    thread.start()
    thread.join(BROWSER_SECONDS)
    return True


BROWSER_SECONDS = 2.0
"""Time for a browser to start before the command goes on, and perhaps ends."""
