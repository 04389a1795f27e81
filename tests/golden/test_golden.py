"""The same bytes as before, of everything that leaves a project; computed numbers to six digits.

A digest that differs names the artefact. To see what has changed, write both states into folders and compare
them: `GOLDEN=folder pytest tests/golden` here and in a checkout of an earlier commit, then `diff -r`. Where a
change is meant, `GOLDEN_TAKE=1 pytest tests/golden` takes the present state for the right one.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from analysis.reports.lifecycle import RUN_REPORT
from tests.golden.making import addresses, artefacts, demo, published
from tests.golden.steady import steady
from tests.support.messages import ids_sent_to

DIGESTS: Final = Path(__file__).with_name("digests.json")
NOW: Final = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
fresh = pytest.mark.django_db(transaction=True, reset_sequences=True)


@pytest.fixture
def still(monkeypatch: pytest.MonkeyPatch, settings: Settings, tmp_path: Path) -> None:
    """The clock stands, nothing is sent, and pictures lie in a folder of their own."""
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    ids_sent_to(monkeypatch, RUN_REPORT)
    settings.MEDIA_ROOT = tmp_path / "media"


@fresh
@pytest.mark.slow
def test_the_demo(still: None, tmp_path: Path) -> None:
    _compare("demo", artefacts(demo(tmp_path / "drawn"), tmp_path))


@fresh
@pytest.mark.slow
@pytest.mark.thorough
def test_the_published_study(still: None, study_data: Path, tmp_path: Path) -> None:
    _compare("published", artefacts(published(study_data), tmp_path))


def test_the_addresses() -> None:
    _compare("site", [("addresses", addresses())])


def _compare(name: str, made: Iterable[tuple[str, bytes]]) -> None:
    found = {}
    for artefact, contents in made:
        found[artefact] = hashlib.sha256(steady(artefact, contents)).hexdigest()
        _keep(name, artefact, contents)
    known = json.loads(DIGESTS.read_text())
    if os.environ.get("GOLDEN_TAKE"):
        DIGESTS.write_text(json.dumps(known | {name: found}, indent=1, sort_keys=True) + "\n")
        return
    assert {key for key, digest in found.items() if known[name].get(key) != digest} == set()
    assert found.keys() == known[name].keys()


def _keep(name: str, artefact: str, contents: bytes) -> None:
    if folder := os.environ.get("GOLDEN"):
        path = Path(folder, name, artefact.replace("?", "_")).with_suffix(Path(artefact).suffix or ".txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)
