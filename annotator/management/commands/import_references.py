"""`manage.py import_references`: make the annotations of a file references of their images."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotator.exchange.annotation_files import ORIGINS, as_references, store_references
from annotator.management.arguments import project_named
from annotator.management.commands import import_answers
from annotator.management.file_import import refusals_as_errors
from annotator.models import Reference


class Command(import_answers.Command):
    """Print all problems with what they may mean, and store the usable rows unless --lint-only is given."""

    help = (
        "Make the annotations of a file the references of their images: the study's sheet (CSV or XLSX). A "
        "second import adds nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the arguments."""
        self.add_reading_arguments(parser)
        parser.add_argument(
            "--origin",
            choices=[str(origin) for origin in ORIGINS],
            default=str(Reference.Origin.IMPORTED),
            help="planted: the errors were made on purpose and are known (default: imported)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Check and store; raises CommandError if nothing could be imported."""
        project = project_named(options["project"])
        with refusals_as_errors():
            checked = as_references(self.read(project, options, rationales=True), project)
            if options["lint_only"]:
                self.print_checked(checked, options["json"])
                return
            origin = Reference.Origin(options["origin"])
            outcome = store_references(checked, project=project, origin=origin)
        if options["json"]:
            self.stdout.write(json.dumps(outcome.as_json(), indent=2))
        else:
            self.stdout.write(
                f"References: {outcome.added} added, {outcome.explained} with new rationales, "
                f"{outcome.existing} existing."
            )
            self.print_notes(checked, outcome.refused)
        if outcome.did_nothing:
            raise CommandError("Nothing was imported.")
