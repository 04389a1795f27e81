"""`manage.py unlock_sign_in USERNAME`: reset failed sign-in attempts."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.management.arguments import account_named
from annotator.signing_in.throttling import unlock, unlock_address


class Command(BaseCommand):
    """Reset the failed attempts for an account, or from an address."""

    help = "Reset the failed attempts with wrong passwords or codes for an account, or from an address."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user name or the address."""
        parser.add_argument("username", nargs="?")
        parser.add_argument("--address", help="an address with too many failed attempts")

    def handle(self, *args: Any, **options: Any) -> None:
        """Reset the attempts and print their number."""
        name, address = options["username"], options["address"]
        if not name and not address:
            raise CommandError("Give a user name, or --address with an address.")
        if name:
            self.stdout.write(f"Failed attempts reset for {name}: {unlock(account_named(name))}.")
        if address:
            self.stdout.write(f"Failed attempts reset from {address}: {unlock_address(address)}.")
