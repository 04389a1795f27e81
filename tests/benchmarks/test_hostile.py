"""A little of every hostile corpus; `python -m benchmarks.hostile` makes hundreds of each."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from annotator.work.sending import MAKE_DISPLAY
from benchmarks.hostile import archives, pictures, tables, uploads
from tests.annotator.uploads.bringing import DecodesHere
from tests.support.messages import ids_sent_to

pytestmark = [pytest.mark.thorough, pytest.mark.django_db]

BARS = ("wrong pixels", "valid, not stored", "ended in an error", "5xx", "mismatches", "live formulas")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for media and uploads; no message leaves."""
    settings.MEDIA_ROOT = tmp_path / "media"
    ids_sent_to(monkeypatch, MAKE_DISPLAY)
    return tmp_path


def missed(found: dict[str, Any]) -> dict[str, Any]:
    return {bar: found[bar] for bar in BARS if found.get(bar)}


def test_one_archive_of_each_kind(home: Path) -> None:
    made = archives.made(random.Random(7), len(archives.KINDS))
    found = uploads.through_archives([pictures.Sample(*each) for each in made])
    assert missed(found) == {}
    assert found["stored"] > 5
    assert uploads.outside(home) == []


def test_one_picture_of_each_kind() -> None:
    chance = random.Random(7)
    samples = [*pictures.valid(chance, len(pictures.WAYS)), *pictures.broken(chance, 14)]
    found = uploads.through_pictures(samples)
    assert missed(found) == {}
    assert found["stored"] >= len(pictures.WAYS)


def test_the_harness_sees_a_picture_in_wrong_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control: sixteen bits cut off instead of scaled."""
    monkeypatch.setattr(
        "annotator.images.encoding.eight_bit", lambda picture: picture.convert("I").convert("L")
    )
    monkeypatch.setattr("annotator.images.drawing.Decoder", DecodesHere)
    monkeypatch.setattr("annotator.images.drawing._IDLE", {})
    ways = [way for way in pictures.WAYS if way[1] == "I;16"]
    monkeypatch.setattr(pictures, "WAYS", ways)
    assert uploads.through_pictures(pictures.valid(random.Random(7), 2))["wrong pixels"] == 2


def test_the_harness_sees_a_file_outside(home: Path) -> None:
    (home / f"{archives.TOKEN}.png").touch()
    assert uploads.outside(home) == [str(home / f"{archives.TOKEN}.png")]


def test_two_tables_of_each_kind() -> None:
    found = tables.sent(random.Random(7), 22)
    assert missed(found) == {}
    assert found["requests"] > 40
    assert missed(tables.there_and_back(random.Random(7), 1)) == {}
