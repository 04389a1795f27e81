"""The browser that tests drive."""

from __future__ import annotations

import shutil


def chromium() -> str | None:
    """Return the path of the browser, preferably without windows, which takes half the processor time."""
    return shutil.which("chromium-headless-shell") or shutil.which("chromium")
