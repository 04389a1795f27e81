"""Simulate annotators and print how often the quality report alarms, with and without a reason."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.stats.coverage.alarms import RUNS, Alarms, alarms_in
from analysis.stats.coverage.alarms_table import delay_table, verdict_table
from analysis.stats.coverage.watched import SITUATIONS


class Command(BaseCommand):
    """`manage.py alarms`: the tables of docs/reference/statistics.md, in about half an hour."""

    help = "Simulate annotators and print false alarms and delays of the quality report, as Markdown tables."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--runs", type=int, default=RUNS, help="studies per situation (%(default)s)")
        parser.add_argument("--situation", action="append", metavar="NAME", help="only this one; repeatable")

    def handle(self, *, runs: int, situation: list[str] | None, **options: Any) -> None:
        """Print both tables; raise CommandError for an unknown situation or no run."""
        known = {each.name: each for each in SITUATIONS}
        if unknown := set(situation or ()) - known.keys():
            raise CommandError(f"Unknown situation {sorted(unknown)[0]!r}. Known: {'; '.join(known)}.")
        if runs < 1:
            raise CommandError("At least 1 run is needed.")
        found: list[Alarms] = []
        for name in situation or known:
            found.append(alarms_in(known[name], runs))
            # Half an hour is long: what is done is not lost.
            self.stderr.write(verdict_table(found[-1:]).splitlines()[-1])
            self.stderr.write(delay_table(found[-1:]).splitlines()[-1])
        self.stdout.write(f"{verdict_table(found)}\n\n{delay_table(found)}")
