"""`manage.py person_data USERNAME`: print all stored data about a person as JSON Lines."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotator.management.arguments import account_named
from annotator.records.accounts import record_account, records_of


class Command(BaseCommand):
    """Print a person's data."""

    help = "Print all stored data about a person, one JSON object per line."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the user name."""
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the records."""
        user = account_named(options["username"])
        record_account("person_data_taken", user, actor=None)
        for record in records_of(user):
            self.stdout.write(json.dumps(record, ensure_ascii=False))
