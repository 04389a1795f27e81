"""`manage.py backup TARGET`: database and media in one file."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from config.operations.backups.reading import verified
from config.operations.backups.writing import BackupRefused, write_backup


class Command(BaseCommand):
    """Takes one moment of the database while everybody goes on working."""

    help = "Write database and media to one checksummed file, which restores on SQLite and PostgreSQL."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("target", type=Path, help="the file to write; must not be there yet")
        parser.add_argument("--check", action="store_true", help="only read an earlier backup and verify it")

    def handle(self, *args: Any, target: Path, check: bool, **options: Any) -> None:
        """Print what the backup holds; raises CommandError with the reason where there is none."""
        begun = time.monotonic()
        try:
            contents = verified(target) if check else write_backup(target)
        except (BackupRefused, OSError) as error:
            raise CommandError(str(error)) from error
        for name in contents.missing[:20]:
            self.stderr.write(f"Missing in the media: {name}")
        size, seconds = target.stat().st_size / 1e6, time.monotonic() - begun
        self.stdout.write(
            f"{target} {'is whole' if check else 'was written'}: {contents.rows} rows, "
            f"{len(contents.media)} files, "
            f"{len(contents.missing)} missing, {size:.1f} MB, {seconds:.1f} s."
        )
