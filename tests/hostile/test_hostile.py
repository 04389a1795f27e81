"""Every kind of hostile archive, image and table, sent as an upload or through the import page."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from annotator.work.sending import MAKE_DISPLAY
from tests.hostile import archives, pictures, sending, tables
from tests.support.messages import ids_sent_to

pytestmark = pytest.mark.django_db

HARM = ("wrong pixels", "valid, not stored", "ended in an error", "5xx")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for media and uploads; no message leaves."""
    settings.MEDIA_ROOT = tmp_path / "media"
    ids_sent_to(monkeypatch, MAKE_DISPLAY)
    return tmp_path


def harm(ended: Counter[str]) -> dict[str, int]:
    return {name: ended[name] for name in HARM if ended[name]}


@pytest.mark.thorough
def test_every_kind_of_archive(home: Path) -> None:
    chance = random.Random(7)
    ended = sending.through_archives([make(chance) for make in archives.KINDS])
    assert harm(ended) == {}
    assert ended["stored"] > 5
    assert sending.outside(home) == []


def test_every_kind_of_picture() -> None:
    chance = random.Random(7)
    samples = [*pictures.valid(chance, len(pictures.WAYS)), *pictures.broken(chance, 14)]
    ended = sending.through_pictures(samples)
    assert harm(ended) == {}
    assert ended["stored"] >= len(pictures.WAYS)


@pytest.mark.thorough
def test_two_tables_of_every_kind() -> None:
    ended = sending.through_tables(tables.malformed(random.Random(7), 2 * len(tables.KINDS)))
    assert harm(ended) == {}
    assert ended["requests"] > 40
