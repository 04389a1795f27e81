"""Shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

# Playwright's synchronous interface keeps an event loop on the main thread; the ORM would refuse to work.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")


@pytest.fixture(scope="session")
def study_data() -> Path:
    """The published study's folder; skips, by name, where it is not at hand."""
    folder = os.environ.get("STUDY_DATA", "")
    if not folder or not Path(folder, "data", "annotations.csv").is_file():
        pytest.skip("the published study is not at hand: set STUDY_DATA to its folder")
    return Path(folder)
