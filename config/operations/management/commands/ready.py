"""`manage.py ready`: check whether the server can work, or whether one process can start."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand

from config.operations import health


class Command(BaseCommand):
    """Exit with 0 if all that is needed is there, otherwise with 1; one line per fault or warning."""

    help = "Check database, migrations, media and queue, and whether a worker is alive."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--to-start",
            default="",
            metavar="PROCESS",
            help="check only what this process needs to start; its name begins each line",
        )

    def handle(self, *args: Any, to_start: str, **options: Any) -> None:
        """Raise SystemExit if something is missing."""
        if to_start:
            health.require_startable(to_start)
            return
        faults = health.faults(health.CHECKS)
        for check, fault in faults.items():
            if fault:
                self.stderr.write(f"{'Not ready' if check.needed else 'Warning'}. {check.name}: {fault}")
        if any(fault and check.needed for check, fault in faults.items()):
            raise SystemExit(1)
        self.stdout.write(f"Ready: {', '.join(check.name.lower() for check in health.NEEDED)}.")
