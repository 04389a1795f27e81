"""Shared by the tests of bundles."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from analysis.bundles.drawing import Drawer
from analysis.figures.figure import Figure

_DRAWN: dict[str, bytes] = {}


@pytest.fixture(autouse=True)
def storage(settings: Any, tmp_path: Path) -> Path:
    """A storage of each test's own: what is left in it, this test has left."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def drawn_anew() -> None:
    """For tests of what is drawn: nothing is taken from before."""


@pytest.fixture(autouse=True)
def drawn_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw a figure once for all tests of a run: a bundle has 60 of them, which take most of its time."""
    if "drawn_anew" in request.fixturenames:
        return
    draw = Drawer.draw

    def drawn(self: Drawer, figure: Figure, form: str) -> bytes:
        key = f"{form} {figure!r}"
        if key not in _DRAWN:
            _DRAWN[key] = draw(self, figure, form)
        return _DRAWN[key]

    monkeypatch.setattr(Drawer, "draw", drawn)
