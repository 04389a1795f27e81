"""`manage.py verify_events`: verify that recorded events are unchanged."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.records.sealing import check_chain, seal_events


class Command(BaseCommand):
    """Compare all Events with their seals."""

    help = "Compare all recorded events with their chain of seals, and print the newest digest."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the option to seal first."""
        parser.add_argument(
            "--seal", action="store_true", help="first seal complete events, as workers do every hour"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the result; exit with 1 if anything was changed."""
        if options["seal"]:
            seal_events()
        chain = check_chain()
        self.stdout.write(
            f"{chain.sealed:,} events in {chain.seals:,} seals; {chain.open:,} are not sealed yet."
        )
        if chain.broken:
            raise CommandError("\n".join(("Events were changed:", *chain.broken)))
        if chain.head:
            self.stdout.write(f"All sealed events are unchanged. Newest digest: {chain.head}")
