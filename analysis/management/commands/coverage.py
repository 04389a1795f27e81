"""Simulate studies and print how often intervals contain the true value."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.stats.coverage.assignments import ASSIGNMENTS, held
from analysis.stats.coverage.interactions import INTERACTIONS, share_apart
from analysis.stats.coverage.scenarios import SCENARIOS
from analysis.stats.coverage.simulation import RUNS, Simulated, simulated
from analysis.stats.coverage.table import assignment_table, bias_table, coverage_table, interaction_table


class Command(BaseCommand):
    """`manage.py coverage`: the tables of docs/reference/statistics.md, in about half an hour."""

    help = "Simulate studies and print how often 95% intervals contain the true value, as Markdown tables."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--runs", type=int, default=RUNS, help="studies per scenario (%(default)s)")
        parser.add_argument("--scenario", action="append", metavar="NAME", help="only this one; repeatable")
        parser.add_argument(
            "--balance",
            action="store_true",
            help="differences of two generators whose annotators are spread unevenly, instead of agreement",
        )

        parser.add_argument(
            "--interaction",
            action="store_true",
            help="how often two equal generators are found to differ if prompts suit one of them better",
        )

    def handle(
        self, *, runs: int, scenario: list[str] | None, balance: bool, interaction: bool, **options: Any
    ) -> None:
        """Print the tables; raise CommandError for an unknown scenario or fewer than 2 runs."""
        known = {each.name: each for each in SCENARIOS}
        if unknown := set(scenario or ()) - known.keys():
            raise CommandError(f"Unknown scenario {sorted(unknown)[0]!r}. Known: {', '.join(known)}.")
        if runs < 2:
            raise CommandError("At least 2 runs are needed.")
        if balance or interaction:
            if scenario:
                name = "--balance" if balance else "--interaction"
                raise CommandError(f"{name} has its own studies; leave --scenario out.")
            if balance:
                self.stdout.write(assignment_table([held(each, runs) for each in ASSIGNMENTS]))
            if interaction:
                self.stdout.write(interaction_table([share_apart(each, runs) for each in INTERACTIONS]))
            return
        found: list[Simulated] = []
        for name in scenario or known:
            found.append(simulated(known[name], runs))
            # Half an hour is long: what is done is not lost.
            self.stderr.write(coverage_table(found[-1:]).splitlines()[-1])
            self.stderr.write(bias_table(found[-1:]).splitlines()[-1])
        self.stdout.write(f"{coverage_table(found)}\n\n{bias_table(found)}")
