"""`manage.py verify_events`: whether the record of what people did is as it was written."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.records.sealing import check_chain, seal_events


class Command(BaseCommand):
    """Compare all Events with their seals."""

    help = "Compares every recorded event with the chain of seals over them, and prints the newest digest."

    def add_arguments(self, parser: CommandParser) -> None:
        """Offer to seal first what is old enough."""
        parser.add_argument(
            "--seal", action="store_true", help="seal first what is old enough; workers do it every hour"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Print what was found; exit with 1 where anything was changed."""
        if options["seal"]:
            seal_events()
        chain = check_chain()
        self.stdout.write(
            f"{chain.sealed:,} events in {chain.seals:,} seals; {chain.open:,} are too young to be sealed."
        )
        if chain.broken:
            raise CommandError("\n".join(("The record was changed:", *chain.broken)))
        if chain.head:
            self.stdout.write(f"Every sealed event is as it was written. Newest digest: {chain.head}")
