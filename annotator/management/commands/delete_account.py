"""`manage.py delete_account USERNAME`: for somebody who asks for it and cannot sign in."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotator.models import User
from annotator.people.members import PersonRefused
from annotator.records.accounts import delete_account


class Command(BaseCommand):
    """Delete what is personal of an account; its annotations stay."""

    help = "Deletes an account with everything personal; annotations stay under the person's code."

    def add_arguments(self, parser: CommandParser) -> None:
        """Whose, and that it is meant."""
        parser.add_argument("username")
        parser.add_argument("--yes", action="store_true", help="do it; without this, only say what would go")

    def handle(self, *args: Any, **options: Any) -> None:
        """Delete the account, or say what would be deleted."""
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no account {options['username']}.")
        projects = user.memberships.count()
        if not options["yes"]:
            self.stdout.write(f"{user.username} is in {projects} project(s). With --yes the account goes.")
            return
        try:
            delete_account(user=user, actor=None)
        except PersonRefused as refusal:
            raise CommandError(str(refusal).replace("You are", f"{options['username']} is")) from refusal
        self.stdout.write(f"The account is deleted. In {projects} project(s) the annotations stay.")
