"""Compare the published study's numbers with ours."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.data.study import reproduction_page
from annotator.management.arguments import project_named


class Command(BaseCommand):
    """`manage.py reproduce --project SLUG [--output docs/reference/reproduction.md]`."""

    help = "Compare every number of the published study with ours, for a project that contains its data."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--output", default="-", metavar="FILE", help="default: standard output")

    def handle(self, *, project: str, output: str, **_: Any) -> None:
        """Write the page; raise CommandError with the reason if it fails."""
        try:
            page = reproduction_page(project_named(project))
        except ValueError as error:
            raise CommandError(str(error)) from error
        if output == "-":
            self.stdout.write(page, ending="")
            return
        try:
            Path(output).write_text(page, encoding="utf-8")
        except OSError as error:
            raise CommandError(f"{output} cannot be written: {error.strerror or error}.") from error
        self.stdout.write(f"{output} written")
