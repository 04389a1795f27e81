"""`manage.py ready`: check whether the server can work, or whether one process can start."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand

from config.operations import health_checks, prerequisites
from config.operations.health import HealthState, ask
from config.operations.starting import require_startable


class Command(BaseCommand):
    """Exit with 0 if all health checks pass, otherwise with 1 and one line per fault."""

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
        lights = health_checks.needed()
        missing = [light for light in lights if light.state != HealthState.GOOD]
        # A wrong clock stops nothing but is reported, as on start-up.
        clock = ask(prerequisites.clock, prerequisites.CLOCK)
        for light in missing:
            self.stderr.write(f"Not ready. {light.line}")
        if clock.state != HealthState.GOOD and lights[0].state == HealthState.GOOD:
            self.stderr.write(f"Warning. {clock.line}")
        if missing:
            raise SystemExit(1)
        self.stdout.write(f"Ready: {', '.join(light.name.lower() for light in lights)}.")
