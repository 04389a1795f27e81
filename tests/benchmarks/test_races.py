"""Every race of `benchmarks.races`, in a few rounds; `make test-all` plays each of them 200 times."""

from __future__ import annotations

import pytest

from benchmarks.races.rounds import Scenario, play
from benchmarks.races.table import CONTROLS, SCENARIOS

ROUNDS = 2
"""On SQLite the second round leaves it to the database alone to keep writers apart."""


@pytest.mark.few(17)
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_every_invariant_holds(scenario: Scenario) -> None:
    assert play(scenario, ROUNDS).broken == []


def test_what_is_switched_off_is_a_race_of_the_table() -> None:
    assert {name for name, _, _ in CONTROLS} <= {one.name for one in SCENARIOS}
