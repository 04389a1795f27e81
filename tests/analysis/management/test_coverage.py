"""`manage.py coverage` prints the tables of docs/reference/statistics.md."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from analysis.stats.coverage import simulation
from analysis.stats.coverage.scenarios import SCENARIOS

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "statistics.md"


def test_two_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "MANY_IMAGES", 2000)
    monkeypatch.setattr(simulation, "MANY_ANNOTATORS", 20)
    out = StringIO()
    call_command("coverage", runs=2, scenario=["2 annotators"], stdout=out, stderr=StringIO())
    first, second = out.getvalue().strip().split("\n\n")
    assert [len(table.splitlines()) for table in (first, second)] == [3, 3]
    # Two annotators are too few for an interval over annotators.
    assert first.splitlines()[-1].endswith("| –, – |")
    page = PAGE.read_text(encoding="utf-8")
    assert first.splitlines()[0] in page
    assert second.splitlines()[0] in page
    assert all(page.count(f"| {scenario.name} | ") == 2 for scenario in SCENARIOS)


def test_studies_of_their_own_print_the_tables_of_the_page() -> None:
    page, out = PAGE.read_text(encoding="utf-8"), StringIO()
    call_command("coverage", runs=2, interaction=True, balance=True, stdout=out, stderr=StringIO())
    heads = [line for line in out.getvalue().splitlines() if line.startswith(("| images", "| interaction"))]
    assert len(heads) == 2
    assert all(head in page for head in heads)
    for option in ("balance", "interaction"):
        with pytest.raises(CommandError, match=f"--{option} has its own studies"):
            call_command("coverage", scenario=["2 annotators"], **{option: True})


def test_an_unknown_scenario_names_the_known_ones() -> None:
    with pytest.raises(CommandError, match=r"Unknown scenario 'x'\. Known: like the published study, "):
        call_command("coverage", scenario=["x"])
    with pytest.raises(CommandError, match="At least 2 runs"):
        call_command("coverage", runs=1)
