"""`manage.py ready`: says what keeps a process from starting."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand

from config.operations.starting import require_ready


class Command(BaseCommand):
    """Ends with 0 where the server may start, with 1 and one line for each fault where not."""

    help = "Check database, migrations, media, queue and clock, as every process does before it starts."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("process", nargs="?", default="The server", help="who asks; begins each line")

    def handle(self, *args: Any, process: str, **options: Any) -> None:
        """Raise SystemExit where it may not start."""
        require_ready(process)
