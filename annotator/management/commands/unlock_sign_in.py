"""`manage.py unlock_sign_in USERNAME`: for somebody who cannot wait until wrong tries are forgotten."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.models import User
from annotator.signing_in.throttling import unlock, unlock_address


class Command(BaseCommand):
    """Forget the wrong tries at a name, or from an address."""

    help = "Forgets the wrong passwords and codes tried at an account, or from an address."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose, or from where."""
        parser.add_argument("username", nargs="?")
        parser.add_argument("--address", help="an address from which too many names were tried")

    def handle(self, *args: Any, **options: Any) -> None:
        """Forget them, and say how many there were."""
        name, address = options["username"], options["address"]
        if not name and not address:
            raise CommandError("Say whose: a user name, or --address and an address.")
        if name:
            user = User.objects.filter(username=name).first()
            if user is None:
                raise CommandError(f"There is no account {name}.")
            self.stdout.write(f"{unlock(user)} wrong tries at {name} are forgotten.")
        if address:
            self.stdout.write(f"{unlock_address(address)} wrong tries from {address} are forgotten.")
