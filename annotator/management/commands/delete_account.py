"""`manage.py delete_account USERNAME`: delete an account on request of a person who cannot sign in."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.management.arguments import account_named
from annotator.people.codes import PersonRefused
from annotator.records.accounts import delete_account


class Command(BaseCommand):
    """Delete the personal data of an account; its annotations are kept."""

    help = "Delete an account with all personal data; annotations are kept under the annotator's code."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user name and the confirmation."""
        parser.add_argument("username")
        parser.add_argument(
            "--yes", action="store_true", help="confirm (default: print what would be deleted)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete the account, or print what would be deleted."""
        user = account_named(options["username"])
        projects = user.memberships.count()
        if not options["yes"]:
            self.stdout.write(
                f"{user.username} is in {projects} project(s). Use --yes to delete the account."
            )
            return
        try:
            delete_account(user=user, actor=None)
        except PersonRefused as refusal:
            raise CommandError(str(refusal).replace("You are", f"{options['username']} is")) from refusal
        self.stdout.write(f"Account deleted. Annotations in {projects} project(s) are kept.")
