"""`manage.py restore SOURCE`: restore a backup into an empty database."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from config.operations.backups.restoring import database_is_empty, restore
from config.operations.backups.writing import BackupRefused


class Command(BaseCommand):
    """Verify everything, then restore. Stop web, workers and beat first."""

    help = "Restore a backup on SQLite or PostgreSQL, as DATABASE_URL names."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("source", type=Path)
        parser.add_argument("--replace", action="store_true", help="delete everything in the database first")
        parser.add_argument("--yes", action="store_true", help="replace without asking")

    def handle(self, *args: Any, source: Path, replace: bool, yes: bool, **options: Any) -> None:
        """Print what was restored; raise CommandError with the reason if it fails."""
        if replace and not yes and not database_is_empty():
            self.stdout.write("This deletes all data. Type “replace” to continue: ", ending="")
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
