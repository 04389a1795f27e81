"""`manage.py restore SOURCE`: a backup into an empty database."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from config.operations.backups.restoring import database_is_empty, restore
from config.operations.backups.writing import BackupRefused


class Command(BaseCommand):
    """Verifies everything first; stop web, workers and beat before."""

    help = "Put a backup in place, on SQLite or PostgreSQL, whichever DATABASE_URL names."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("source", type=Path)
        parser.add_argument("--replace", action="store_true", help="remove what is in the database")
        parser.add_argument("--yes", action="store_true", help="do not ask before replacing")

    def handle(self, *args: Any, source: Path, replace: bool, yes: bool, **options: Any) -> None:
        """Print what was restored; raises CommandError with the reason where nothing was."""
        if replace and not yes and not database_is_empty():
            self.stdout.write("Everything in the database is removed. Type “replace” to go on: ", ending="")
            self.stdout.flush()
            if input().strip() != "replace":
                raise CommandError("Nothing was changed.")
        try:
            contents = restore(source, replace=replace)
        except (BackupRefused, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Restored as of {contents.made}: {contents.rows} rows, {len(contents.media)} files."
        )
