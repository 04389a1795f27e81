"""Shared by the tests of bundles."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from analysis.figures.drawing_process import Drawer
from analysis.figures.figure import Figure


@pytest.fixture(autouse=True)
def storage(media: Path) -> Path:
    """What is left in a test's own storage, this test has left."""
    return media


@pytest.fixture(autouse=True)
def told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of a drawing the digest of what would be drawn: figures are most of a bundle's time.

    The bundles of tests/golden are drawn.
    """

    def drawn(self: Drawer, figure: Figure, form: str) -> bytes:
        return hashlib.sha256(f"{form} {figure!r}".encode()).digest()

    monkeypatch.setattr(Drawer, "draw", drawn)
