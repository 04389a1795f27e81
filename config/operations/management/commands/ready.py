"""`manage.py ready`: check whether the server can work, or whether one process can start."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand

from config.operations import health_checks
from config.operations.health import HealthState
from config.operations.starting import require_startable


class Command(BaseCommand):
    """Exit with 0 if all that is needed is there, otherwise with 1; one line per fault or warning."""

    help = "Check database, migrations, media, libraries and queue, and whether a worker is alive."
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
            require_startable(to_start)
            return
        lights = health_checks.health_checks()
        wrong = [light for light in lights if light.state != HealthState.GOOD]
        missing = [light for light in wrong if light.name in health_checks.NEEDED]
        for light in wrong:
            self.stderr.write(f"{'Not ready' if light in missing else 'Warning'}. {light.line}")
        if missing:
            raise SystemExit(1)
        good = (light.name.lower() for light in lights if light.name in health_checks.NEEDED)
        self.stdout.write(f"Ready: {', '.join(good)}.")
