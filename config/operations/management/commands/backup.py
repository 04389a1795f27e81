"""`manage.py backup TARGET`: back up database and media to one file."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from config.operations.backups.reading import verified
from config.operations.backups.writing import BackupRefused, write_backup


class Command(BaseCommand):
    """Back up a snapshot of the database while the site is in use."""

    help = "Back up database and media to one checksummed file, for SQLite and PostgreSQL alike."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("target", type=Path, help="file to write; must not exist")
        parser.add_argument("--check", action="store_true", help="only verify an existing backup")

    def handle(self, *args: Any, target: Path, check: bool, **options: Any) -> None:
        """Print the backup's contents; raise CommandError with the reason if it fails."""
        begun = time.monotonic()
        try:
            contents = verified(target) if check else write_backup(target)
        except (BackupRefused, OSError) as error:
            raise CommandError(str(error)) from error
        for name in contents.missing[:20]:
            self.stderr.write(f"Missing media file: {name}")
        size, seconds = target.stat().st_size / 1e6, time.monotonic() - begun
        self.stdout.write(
            f"{target} {'is intact' if check else 'was written'}: {contents.rows} rows, "
            f"{len(contents.media)} files, "
            f"{len(contents.missing)} missing, {size:.1f} MB, {seconds:.1f} s."
        )
