"""`manage.py remove_second_factor USERNAME`: for a person who lost authenticator app and recovery codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.management.arguments import account_named
from annotator.signing_in.second_factor import remove_second_factor


class Command(BaseCommand):
    """Remove the second factor of an account."""

    help = "Remove the authenticator app and recovery codes of an account; its password then suffices."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user name and the confirmation."""
        parser.add_argument("username")
        parser.add_argument(
            "--yes", action="store_true", help="confirm; without this, only print what would happen"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove the second factor, or print what would be removed."""
        name = options["username"]
        user = account_named(name)
        if not options["yes"]:
            self.stdout.write(
                f"With --yes, {name} can sign in with only the password. Verify that {name} requested this."
            )
            return
        if not remove_second_factor(user):
            raise CommandError(f"{name} has no authenticator app.")
        self.stdout.write(f"Authenticator app and recovery codes of {name} removed.")
