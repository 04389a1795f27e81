"""`manage.py ready`: says whether the server can do its work, or what keeps one process from starting."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand

from config.operations import probes, status
from config.operations.lights import State, ask
from config.operations.starting import require_startable


class Command(BaseCommand):
    """Ends with 0 where everything needed is there, with 1 and one line for each fault where not."""

    help = "Check database, migrations, media, libraries and queue, and whether a worker was seen lately."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument(
            "--to-start",
            default="",
            metavar="PROCESS",
            help="check only what must be there before a process starts; the name begins each line",
        )

    def handle(self, *args: Any, to_start: str, **options: Any) -> None:
        """Raise SystemExit where something is missing."""
        if to_start:
            require_startable(to_start)
            return
        lights = status.needed()
        missing = [light for light in lights if light.state != State.GOOD]
        # Everything works by a wrong clock, only wrongly: it is said, as every process says it that starts.
        clock = ask(probes.clock, probes.CLOCK)
        for light in missing:
            self.stderr.write(f"Not ready. {light.line}")
        if clock.state != State.GOOD and lights[0].state == State.GOOD:
            self.stderr.write(f"Beware. {clock.line}")
        if missing:
            raise SystemExit(1)
        self.stdout.write(f"Ready: {', '.join(light.name.lower() for light in lights)}.")
