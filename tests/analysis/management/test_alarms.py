"""`manage.py alarms` prints the tables of docs/reference/statistics.md."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analysis.stats.coverage.alarms import alarms_in
from analysis.stats.coverage.watched import SITUATIONS

BY_NAME = {situation.name: situation for situation in SITUATIONS}


def test_it_prints_a_row_for_each_situation() -> None:
    out, errors = StringIO(), StringIO()
    call_command("alarms", runs=2, situation=["one severity step lower"], stdout=out, stderr=errors)
    first, second = out.getvalue().split("\n\n")
    assert first.splitlines()[2].startswith("| one severity step lower | 8 |")
    assert len(first.splitlines()) == len(second.strip().splitlines()) == 3
    assert len(errors.getvalue().splitlines()) == 2


def test_bad_choices_are_refused() -> None:
    with pytest.raises(CommandError, match=r"Unknown situation 'x'\. Known: no drift;"):
        call_command("alarms", situation=["x"])
    with pytest.raises(CommandError, match="At least 1 run"):
        call_command("alarms", runs=0)


def test_planted_haste_indifference_and_drift_are_seen() -> None:
    fast, flat = alarms_in(BY_NAME["3 s per image"], 2), alarms_in(BY_NAME["one marks nothing"], 2)
    assert (fast.reasons["fast"], fast.people) == (8, 8)
    assert (flat.reasons["flat"], flat.people) == (2, 2)
    lower = alarms_in(BY_NAME["one severity step lower"], 5)
    assert lower.verdicts["look"] >= 16
    assert lower.seen_within("either", 0.5) < 40


def test_the_same_runs_give_the_same_numbers() -> None:
    one, other = (alarms_in(BY_NAME["no drift, leniency differs by 0.35"], 2) for _ in range(2))
    assert one == other
