"""`manage.py remove_second_factor USERNAME`: for somebody who lost authenticator and recovery codes."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.models import User
from annotator.signing_in.second_factor import remove_second_factor


class Command(BaseCommand):
    """Let the password alone open an account again."""

    help = "Takes authenticator and recovery codes off an account, so that the password alone opens it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose, and that it is meant."""
        parser.add_argument("username")
        parser.add_argument(
            "--yes", action="store_true", help="do it; without this, only say what would happen"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Remove it, or say what would be removed."""
        name = options["username"]
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no account {name}.")
        if not options["yes"]:
            self.stdout.write(
                f"With --yes the password alone opens {name}. Make sure that it is {name} who asks."
            )
            return
        if not remove_second_factor(user):
            raise CommandError(f"{name} has no authenticator.")
        self.stdout.write(f"The authenticator of {name} is removed, and the recovery codes with it.")
