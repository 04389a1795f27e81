"""The races can fail; `python -m benchmarks.races`, which `make test-all` calls, plays each 200 times."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from pytest_django.fixtures import Settings

from benchmarks.races.rounds import play
from benchmarks.races.table import BY_NAME, CONTROLS, SCENARIOS

pytestmark = [pytest.mark.thorough, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Settings) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.mark.parametrize(("name", "words", "switched_off"), CONTROLS)
def test_without_its_protection_a_race_breaks(
    name: str, words: str, switched_off: Callable[[], AbstractContextManager[None]]
) -> None:
    with switched_off():
        assert play(BY_NAME[name], 10).broken != []


def test_no_two_races_have_one_name() -> None:
    assert len(BY_NAME) == len(SCENARIOS) >= 12
