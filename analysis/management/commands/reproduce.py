"""Compare the published study's numbers with ours."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.stats.reproduction.page import reproduction
from analysis.stats.reproduction.values import read_study


class Command(BaseCommand):
    """`manage.py reproduce FOLDER > docs/reference/reproduction.md`."""

    help = "Compare every number of the published study with ours, computed from the study's folder."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the folder."""
        parser.add_argument("folder", type=Path, help="a copy of the study's repository")

    def handle(self, *, folder: Path, **_: Any) -> None:
        """Print the page; raise CommandError if the folder does not have the study."""
        try:
            self.stdout.write(reproduction(*read_study(folder)), ending="")
        except (OSError, ValueError) as error:
            raise CommandError(str(error)) from error
